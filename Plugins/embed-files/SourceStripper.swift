/// Leaves out the comments, indentation and needless spaces and line ends of JavaScript and CSS, which a browser only
/// loads. All else stays as it is.
struct SourceStripper {
  /// What cannot be read; the build stops there.
  struct SyntaxError: Error, CustomStringConvertible {
    let line: Int
    let problem: String
    var description: String { "line \(line): \(problem)" }
  }

  private enum Language { case script, style }

  private let language: Language
  private let source: [UInt8]
  private var at = 0
  private var output: [UInt8] = []
  /// The open braces; true for one that ends an expression in a template literal.
  private var braces: [Bool] = []

  /// The text as it is served; unchanged unless the path ends in `.js` or `.css`.
  static func stripped(_ text: String, path: String) throws(SyntaxError) -> String {
    let language: Language
    if path.hasSuffix(".js") {
      language = .script
    } else if path.hasSuffix(".css") {
      language = .style
    } else {
      return text
    }
    var stripper = SourceStripper(language: language, source: Array(text.utf8))
    try stripper.strip()
    return String(decoding: stripper.output, as: UTF8.self)
  }

  private init(language: Language, source: [UInt8]) {
    self.language = language
    self.source = source
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    at + offset < source.count ? source[at + offset] : nil
  }

  private func error(_ problem: String) -> SyntaxError {
    SyntaxError(line: source.prefix(at).count { $0 == UInt8(ascii: "\n") } + 1, problem: problem)
  }

  private mutating func copy() {
    output.append(source[at])
    at += 1
  }

  private mutating func strip() throws(SyntaxError) {
    skipBlank()
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: "/") where self.byte(1) == UInt8(ascii: "*"): try skipBlockComment()
      case UInt8(ascii: "/") where language == .script && self.byte(1) == UInt8(ascii: "/"):
        while let next = self.byte(), next != UInt8(ascii: "\n") { at += 1 }
      case UInt8(ascii: "/") where language == .script:
        if try isExpression() { try copyExpression() } else { copy() }
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try copyString(until: byte)
      case UInt8(ascii: "`") where language == .script:
        copy()
        try copyTemplate()
      case UInt8(ascii: "{"):
        braces.append(false)
        copy()
      case UInt8(ascii: "}"):
        copy()
        if braces.popLast() == true { try copyTemplate() }
      case UInt8(ascii: "\n"): endLine()
      case UInt8(ascii: " ") where isNeedless(): at += 1
      default: copy()
      }
    }
    endLine()
  }

  /// What separates words as well as a space beside it.
  private static let separators = Set(",;:{}()[]=?&|<>".utf8)
  /// In CSS, `a :hover` is not `a:hover`, and `and (` is not `and(`.
  private static let styleSeparatorsBefore = Set(",;:{}".utf8)
  private static let styleSeparatorsAfter = Set("{}".utf8)

  /// Whether the space here separates nothing.
  private func isNeedless() -> Bool {
    let (before, after) =
      language == .script
      ? (Self.separators, Self.separators) : (Self.styleSeparatorsBefore, Self.styleSeparatorsAfter)
    return output.last.map(before.contains) ?? true || byte(1).map(after.contains) ?? true
  }

  /// After these, no statement can end at the end of a line (ECMA-262 §12.10).
  private static let opening = Set("{[(,;\n".utf8)

  /// Ends the line, unless that would separate nothing, and skips what the next ones begin with.
  private mutating func endLine() {
    while output.last == UInt8(ascii: " ") { output.removeLast() }
    if let last = output.last, !Self.opening.contains(last), language == .script || last != UInt8(ascii: "}")
    {
      output.append(UInt8(ascii: "\n"))
    }
    skipBlank()
  }

  private mutating func skipBlank() {
    while let byte = byte(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { at += 1 }
  }

  /// A comment separates what is before and after it, as a line's end if it has one (ECMA-262 §12.4).
  private mutating func skipBlockComment() throws(SyntaxError) {
    var endsLine = false
    let start = at
    at += 2
    while byte() != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") {
      guard let byte = byte() else {
        at = start
        throw error("a comment does not end")
      }
      if byte == UInt8(ascii: "\n") { endsLine = true }
      at += 1
    }
    at += 2
    if endsLine || output.isEmpty || output.last == UInt8(ascii: "\n") {
      endLine()
    } else if output.last != UInt8(ascii: " ") {
      output.append(UInt8(ascii: " "))
    }
  }

  private mutating func copyString(until quote: UInt8) throws(SyntaxError) {
    copy()
    while let byte = byte(), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\\"), self.byte(1) != nil { copy() }
      copy()
      if byte == quote { return }
    }
    throw error("a string does not end on its line")
  }

  /// The rest of a template literal, or its text up to `${`.
  private mutating func copyTemplate() throws(SyntaxError) {
    while let byte = byte() {
      if byte == UInt8(ascii: "\\"), self.byte(1) != nil { copy() }
      copy()
      if byte == UInt8(ascii: "`") { return }
      if byte == UInt8(ascii: "$"), self.byte() == UInt8(ascii: "{") {
        copy()
        braces.append(true)
        return
      }
    }
    throw error("a template literal does not end")
  }

  private mutating func copyExpression() throws(SyntaxError) {
    var isInClass = false
    copy()
    while let byte = byte(), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\\"), self.byte(1) != nil { copy() }
      copy()
      switch byte {
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "/") where !isInClass: return
      default: break
      }
    }
    throw error("a regular expression does not end on its line")
  }

  /// Words after which a slash begins a regular expression.
  private static let words: Set<String> = [
    "await", "case", "delete", "do", "else", "in", "new", "of", "return", "throw", "typeof", "void", "yield",
  ]

  /// Whether a slash begins a regular expression here, rather than dividing what is before it.
  private func isExpression() throws(SyntaxError) -> Bool {
    let before = output.reversed().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    guard let last = before.first else { return true }
    switch last {
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
      return false
    case UInt8(ascii: "}"):
      throw error("a slash after a brace can be a division or a regular expression; put it in parentheses")
    default:
      let isName: (UInt8) -> Bool = { byte in
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
      guard isName(last) else { return true }
      return Self.words.contains(String(decoding: before.prefix(while: isName).reversed(), as: UTF8.self))
    }
  }
}
