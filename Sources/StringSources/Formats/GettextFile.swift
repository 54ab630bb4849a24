internal import AppStrings

/// The messages of one `.po` file (GNU gettext manual, "The Format of PO Files").
struct GettextFile {
  struct Message {
    var context: String?
    var id = ""
    /// `msgid_plural`.
    var plural: String?
    /// The translations by their index, which is 0 for a message without plural.
    var texts: [(index: Int, text: String)] = []
    var flags: Set<String> = []
    /// Of `msgid`, from 1.
    var line = 1

    var isFuzzy: Bool { flags.contains("fuzzy") }

    /// The same message, as if nobody had translated it.
    var withoutTranslation: Message {
      var message = self
      message.texts = []
      return message
    }
  }

  private(set) var messages: [Message] = []
  /// `Plural-Forms` of the header.
  private(set) var expression = PluralExpression.germanic
  private(set) var problems: [ResourceProblem] = []

  private enum Field: Equatable {
    case context, id, plural, text(Int)
  }

  private let file: String
  private let table: String
  private var message = Message()
  private var field: Field?
  private var line = 0
  private var seen: Set<String> = []

  init(_ bytes: [UInt8], file: String, table: String) {
    (self.file, self.table) = (file, table)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      report(FindingText(.noUTF8), line: nil)
      return
    }
    // As scalars: a line feed after a carriage return would be one character with it.
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      self.line += 1
      read(Substring(line).trimmingPrefix(while: \.isWhitespace))
    }
    finish()
    readHeader()
  }

  private mutating func read(_ line: Substring) {
    // By bytes: what follows a mark may combine with it.
    let bytes = line.utf8
    if bytes.isEmpty || bytes.starts(with: "#".utf8) {
      // A comment begins the next message.
      if field != nil, field != .context { finish() }
      if bytes.starts(with: "#,".utf8) {
        message.flags.formUnion(line.dropFirst(2).split { $0 == "," || $0.isWhitespace }.map(String.init))
      }
      return
    }
    if bytes.starts(with: "\"".utf8) { return append(line) }
    let keyword = Substring(line.unicodeScalars.prefix { !$0.properties.isWhitespace && $0 != "\"" })
    guard let field = Self.field(keyword) else {
      return report(FindingText(.noKeyword, [String(keyword.prefix(40))]), line: self.line)
    }
    begin(field)
    append(line[keyword.endIndex...].trimmingPrefix(while: \.isWhitespace))
  }

  private static func field(_ keyword: Substring) -> Field? {
    switch keyword {
    case "msgctxt": .context
    case "msgid": .id
    case "msgid_plural": .plural
    case "msgstr": .text(0)
    default:
      keyword.wholeMatch(of: /msgstr\[(\d{1,2})\]/).flatMap { match in
        let digits = match.output.1
        return Int(digits).map { .text($0) }
      }
    }
  }

  private mutating func begin(_ field: Field) {
    switch field {
    case .context:
      if self.field != nil { finish() }
      message.context = ""
    case .id:
      if self.field != nil, self.field != .context { finish() }
      message.line = line
    case .plural: message.plural = ""
    case .text(let index): message.texts.append((index, ""))
    }
    self.field = field
  }

  private mutating func append(_ quoted: Substring) {
    guard let field, let text = Self.unquoted(quoted) else {
      return report(FindingText(.noQuotes), line: line)
    }
    switch field {
    case .context: message.context?.append(text)
    case .id: message.id += text
    case .plural: message.plural?.append(text)
    case .text:
      if let index = message.texts.indices.last { message.texts[index].text += text }
    }
  }

  private mutating func finish() {
    defer { (message, field) = (Message(), nil) }
    guard field != nil else { return }
    let isKnown = seen.insert("\(message.context ?? "")\u{4}\(message.id)").inserted
    guard isKnown else {
      return report(FindingText(.messageBefore), line: message.line, .duplicateKey)
    }
    messages.append(message)
  }

  /// Takes the header, whose `msgid` is empty, from the messages.
  private mutating func readHeader() {
    guard let index = messages.firstIndex(where: { $0.id.isEmpty && $0.context == nil }) else { return }
    let header = messages.remove(at: index)
    let fields = (header.texts.first?.text ?? "").split(separator: "\n")
    guard let rule = fields.first(where: { $0.lowercased().hasPrefix("plural-forms:") }) else { return }
    let text = String(rule.dropFirst("plural-forms:".count).trimmingPrefix(while: \.isWhitespace))
    if let expression = PluralExpression(header: text) {
      self.expression = expression
    } else if !text.contains("EXPRESSION") {
      report(FindingText(.noPluralRule), line: header.line)
    }
  }

  /// The text of a quoted string; nil if it is not one.
  private static func unquoted(_ quoted: Substring) -> String? {
    var rest = quoted.unicodeScalars[...]
    while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
    guard rest.popFirst() == "\"", rest.popLast() == "\"" else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return nil }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard let escape = rest.popFirst() else { return nil }
      switch escape {
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "r": text.append("\r")
      case "\"", "\\": text.append(escape)
      default: text.append(contentsOf: ["\\", escape])
      }
    }
    return String(text)
  }

  private mutating func report(
    _ text: FindingText, line: Int?, _ kind: ResourceProblem.Kind = .unparsable
  ) {
    guard problems.count < SourceLimits.problemsPerFileMax else { return }
    problems.append(ResourceProblem(kind: kind, file: file, line: line, table: table, text))
  }
}
