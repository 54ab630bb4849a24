/// Something in a text that was meant for a program, and that a reader sees: a tag, an entity, an escape, or
/// a placeholder of another system.
package struct VisibleMarkup: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// `<b>`, `<br/>`, `[b]`.
    case tag
    /// `&quot;`, `&#39;`: with the character that it stands for, if that is known.
    case entity(Unicode.Scalar?)
    /// `\n`, `\u2019`, `\'`.
    case escape
    /// `{name}`, `{{name}}`, `${name}`, `{n, plural, …}`.
    case placeholder
  }

  package let kind: Kind
  /// As written; cut after 40 characters.
  package let text: String

  /// The first one in a text whose own escapes are resolved; nil if there is none.
  package init?(in text: String) {
    guard text.utf8.contains(where: Self.isStart) else { return nil }
    let scan = MarkupScan(bytes: Array(text.utf8))
    for index in scan.bytes.indices where Self.isStart(scan.bytes[index]) {
      guard let (kind, end) = scan.markup(at: index) else { continue }
      let isDollar = index > 0 && "$#%".utf8.contains(scan.bytes[index - 1]) && kind == .placeholder
      let written = String(decoding: scan.bytes[(isDollar ? index - 1 : index)..<end], as: UTF8.self)
      self.kind = kind
      self.text = String(written.prefix(RenderingLimits.quotedCharactersMax))
      return
    }
    return nil
  }

  private static func isStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "["): true
    default: false
    }
  }
}

/// Recognizes markup at an offset of a text.
private struct MarkupScan {
  let bytes: [UInt8]

  typealias Found = (kind: VisibleMarkup.Kind, end: Int)

  func markup(at index: Int) -> Found? {
    switch bytes[index] {
    case UInt8(ascii: "<"): tag(at: index).map { (.tag, $0) }
    case UInt8(ascii: "["): bracketTag(at: index).map { (.tag, $0) }
    case UInt8(ascii: "&"): entity(at: index)
    case UInt8(ascii: "\\"): escape(at: index).map { (.escape, $0) }
    default: placeholder(at: index).map { (.placeholder, $0) }
    }
  }

  // MARK: Tags

  /// The names of tags that texts have without a closing one. Another name in angle brackets can be what the
  /// text means, as in "<unknown>".
  private static let knownNames: Set<String> = [
    "annotation", "big", "blockquote", "body", "br", "center", "code", "del", "div", "em", "font", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "html", "img", "ins", "li", "ol", "pre", "small", "span", "strike",
    "strong", "sub", "sup", "table", "td", "th", "tr", "tt", "ul", "xliff:g",
  ]

  /// The end of a tag, of a comment or of the start of a CDATA section.
  private func tag(at index: Int) -> Int? {
    for opening in ["<!--", "<![CDATA["] where has(opening, at: index) { return index + opening.utf8.count }
    let isClosing = byte(index + 1) == UInt8(ascii: "/")
    let start = index + (isClosing ? 2 : 1)
    let end = endOfName(from: start)
    guard end > start else { return nil }
    switch byte(end) {
    case UInt8(ascii: ">"):
      if isClosing { return end + 1 }
      let name = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
      let isTag =
        Self.knownNames.contains(name) && !standsAlone(index..<end + 1)
        || contains("</", bytes[start..<end], ">", from: end)
      return isTag ? end + 1 : nil
    case UInt8(ascii: "/") where !isClosing && byte(end + 1) == UInt8(ascii: ">"): return end + 2
    case UInt8(ascii: " ") where !isClosing: return endOfAttributes(from: end)
    default: return nil
    }
  }

  /// Whether spaces stand around a tag, as around the name of a tag of which a text speaks.
  private func standsAlone(_ range: Range<Int>) -> Bool {
    let (before, after) = (byte(range.lowerBound - 1), byte(range.upperBound))
    return before == UInt8(ascii: " ") && after == UInt8(ascii: " ")
  }

  /// The end of a tag with attributes or a slash.
  private func endOfAttributes(from start: Int) -> Int? {
    let rest = bytes[start...].prefix(Self.attributeBytesMax)
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")),
      rest[..<end].contains(UInt8(ascii: "=")) || bytes[end - 1] == UInt8(ascii: "/"),
      !rest[..<end].contains(UInt8(ascii: "<"))
    else { return nil }
    return end + 1
  }

  private static let attributeBytesMax = 500
  private static let bracketNames: Set<String> = [
    "b", "center", "code", "color", "i", "img", "list", "quote", "s", "size", "u", "url",
  ]

  /// The end of a BBCode tag that the text closes.
  private func bracketTag(at index: Int) -> Int? {
    let end = endOfName(from: index + 1)
    guard end > index + 1, let next = byte(end), next == UInt8(ascii: "]") || next == UInt8(ascii: "="),
      Self.bracketNames.contains(String(decoding: bytes[(index + 1)..<end], as: UTF8.self).lowercased()),
      contains("[/", bytes[(index + 1)..<end], "]", from: end),
      let close = bytes[end...].firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    return close + 1
  }

  // MARK: Entities and escapes

  /// The entities that texts have most, with what they stand for.
  private static let entities: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "hellip": "…",
    "mdash": "—",
    "ndash": "–", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "laquo": "«", "raquo": "»",
    "copy": "©", "reg": "®", "trade": "™", "bull": "•", "middot": "·", "deg": "°", "euro": "€", "times": "×",
  ]

  private func entity(at index: Int) -> Found? {
    let rest = bytes[(index + 1)...].prefix(Self.entityBytesMax)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = rest[..<end]
    if name.first == UInt8(ascii: "#") {
      let digits = String(decoding: name.dropFirst(), as: UTF8.self)
      let code = digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return code.map { (.entity(Unicode.Scalar($0)), end + 1) }
    }
    guard name.count >= 2, name.first?.isASCIILetter == true, name.allSatisfy(\.isASCIIAlphanumeric) else {
      return nil
    }
    let text = String(decoding: name, as: UTF8.self)
    let known = Self.entities[text] ?? Self.entities[text.lowercased()]
    return (.entity(known), end + 1)
  }

  private static let entityBytesMax = 10

  private func escape(at index: Int) -> Int? {
    guard let letter = byte(index + 1), !isInPath(index) else { return nil }
    switch letter {
    case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "r"), UInt8(ascii: "'"), UInt8(ascii: "\""):
      return index + 2
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = bytes[(index + 2)...].prefix(4)
      return digits.count == 4 && digits.allSatisfy { hexadecimalValue($0 | 0x20) != nil } ? index + 6 : nil
    default: return nil
    }
  }

  /// Whether a backslash is in a path such as `C:\new` or `\\server\new`.
  private func isInPath(_ index: Int) -> Bool {
    let start = bytes[..<index].lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
    let word = bytes[start..<min(index + 2, bytes.count)]
    return word.starts(with: #"\\"#.utf8)
      || zip(word, word.dropFirst()).contains { $0 == UInt8(ascii: ":") && $1 == UInt8(ascii: "\\") }
  }

  // MARK: Placeholders

  /// The kinds of arg of an ICU message.
  private static let messageKinds = ["plural", "select", "selectordinal", "number", "date", "time"]

  private func placeholder(at index: Int) -> Int? {
    let isDouble = byte(index + 1) == UInt8(ascii: "{")
    var start = index + (isDouble ? 2 : 1)
    if isDouble { start = afterSpaces(start) }
    var end = endOfName(from: start)
    guard end > start, end - start <= Self.nameBytesMax else { return nil }
    end = isDouble ? afterSpaces(end) : end
    if isDouble { return has("}}", at: end) ? end + 2 : nil }
    if byte(end) == UInt8(ascii: "}") { return end + 1 }
    guard byte(end) == UInt8(ascii: ",") else { return nil }
    let kind = afterSpaces(end + 1)
    let kindEnd = endOfName(from: kind)
    let isMessage = Self.messageKinds.contains(
      String(decoding: bytes[kind..<max(kind, kindEnd)], as: UTF8.self))
    return isMessage ? kindEnd : nil
  }

  private static let nameBytesMax = 60

  // MARK: Small steps

  private func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

  private func has(_ text: String, at index: Int) -> Bool {
    index <= bytes.count && bytes[index...].starts(with: text.utf8)
  }

  private func afterSpaces(_ start: Int) -> Int {
    var index = start
    while byte(index) == UInt8(ascii: " ") { index += 1 }
    return index
  }

  /// The offset after a name of letters, digits, `_`, `.`, `:` and `-`.
  private func endOfName(from start: Int) -> Int {
    var index = start
    while let byte = byte(index), byte.isASCIIAlphanumeric || "_.:-".utf8.contains(byte) { index += 1 }
    return index
  }

  private func contains(
    _ opening: String, _ name: ArraySlice<UInt8>, _ closing: String, from start: Int
  ) -> Bool {
    let sought = Array(opening.utf8) + name + Array(closing.utf8)
    guard bytes.count - start >= sought.count else { return false }
    return (start...(bytes.count - sought.count)).contains { bytes[$0...].starts(with: sought) }
  }
}
