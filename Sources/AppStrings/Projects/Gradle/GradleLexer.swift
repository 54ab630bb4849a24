internal import JSON

/// The tokens of a Gradle script, without its comments.
struct GradleLexer {
  typealias Item = (token: GradleScript.Token, line: Int)

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func tokens() -> [Item] {
    var items: [Item] = []
    while let byte = peek() {
      let start = line
      switch byte {
      case UInt8(ascii: "\n"):
        advance()
        items.append((.mark(byte), start))
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
        while let next = peek(), next != UInt8(ascii: "\n") { advance() }
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
        skipComment()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        items.append((string(byte), start))
      case UInt8(ascii: "`"):
        advance()
        items.append((.word(take { $0 != UInt8(ascii: "`") && $0 != UInt8(ascii: "\n") }), start))
        advance()
      case _ where Self.isWord(byte):
        items.append((.word(word()), start))
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): advance()
      default:
        advance()
        items.append((.mark(byte), start))
      }
    }
    return items
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private func peek(_ offset: Int = 0) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  private mutating func advance() {
    guard let byte = peek() else { return }
    if byte == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  private mutating func take(while isWanted: (UInt8) -> Bool) -> String {
    let start = min(index, bytes.count)
    while let byte = peek(), isWanted(byte) { advance() }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// An identifier with what follows its dots: `libs.plugins.android`, also with `?.`.
  private mutating func word() -> String {
    var word = take(while: Self.isWord)
    while true {
      let dot = peek() == UInt8(ascii: "?") ? 1 : 0
      guard peek(dot) == UInt8(ascii: "."), let next = peek(dot + 1), Self.isWord(next) else { return word }
      index += dot + 1
      word += "." + take(while: Self.isWord)
    }
  }

  private mutating func skipComment() {
    index += 2
    while index < bytes.count, !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) { advance() }
    index = min(index + 2, bytes.count)
  }

  /// A literal in one quote or in three. One in one quote ends with its line at the latest.
  private mutating func string(_ quote: UInt8) -> GradleScript.Token {
    let isLong = peek(1) == quote && peek(2) == quote
    index += isLong ? 3 : 1
    var text: [UInt8] = []
    var isTemplate = false
    while let byte = peek() {
      if byte == quote, !isLong || peek(1) == quote && peek(2) == quote {
        index += isLong ? 3 : 1
        break
      }
      if byte == UInt8(ascii: "\n"), !isLong { break }
      if byte == UInt8(ascii: "\\"), let escaped = peek(1) {
        index += 1
        text += escape(escaped)
      } else if byte == UInt8(ascii: "$"), quote == UInt8(ascii: "\""), let next = peek(1),
        next == UInt8(ascii: "{") || Self.isWord(next)
      {
        isTemplate = true
        if next == UInt8(ascii: "{") { text += expression() } else { text.append(take()) }
      } else {
        text.append(take())
      }
    }
    let read = String(decoding: text, as: UTF8.self)
    return isTemplate ? .template(read) : .text(read)
  }

  private mutating func take() -> UInt8 {
    let byte = peek() ?? 0
    advance()
    return byte
  }

  private mutating func escape(_ byte: UInt8) -> [UInt8] {
    if byte == UInt8(ascii: "u"), index + 4 < bytes.count,
      let code = UInt32(String(decoding: bytes[(index + 1)...(index + 4)], as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(code)
    {
      index += 5
      return Array(String(Character(scalar)).utf8)
    }
    advance()
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    default: return [byte]
    }
  }

  /// `${…}` as written, up to its closing brace or the end of the line. Braces in its strings are rare
  /// enough to count.
  private mutating func expression() -> [UInt8] {
    var text: [UInt8] = []
    var depth = 0
    while let byte = peek(), byte != UInt8(ascii: "\n") {
      text.append(byte)
      index += 1
      if byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { break }
      }
    }
    return text
  }
}
