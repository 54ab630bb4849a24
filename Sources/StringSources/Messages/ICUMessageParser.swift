/// Reads an ICU message as Flutter's code generator does (flutter_tools, message_parser.dart), which is
/// narrower than ICU: arguments, `plural` and `select`, nested, without `offset` and `#`.
///
/// Apostrophes are ordinary characters unless `usesEscaping`: then a pair of them quotes what is between.
struct ICUMessageParser {
  private let scalars: [Unicode.Scalar]
  private let usesEscaping: Bool
  private var position = 0
  private var depth = 0

  static func parse(_ text: String, usesEscaping: Bool) -> Result<SourceMessage, SourceTextError> {
    Result { () throws(SourceTextError) in
      try SourceLimits.verify(text)
      var parser = ICUMessageParser(text, usesEscaping: usesEscaping)
      return SourceMessage(try parser.message(isNested: false))
    }
  }

  private init(_ text: String, usesEscaping: Bool) {
    (scalars, self.usesEscaping) = (Array(text.unicodeScalars), usesEscaping)
  }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private func fault(_ message: String) -> SourceTextError {
    SourceTextError(message, help: "Correct the message.")
  }

  /// A message up to its end, or up to the brace that ends a form.
  private mutating func message(isNested: Bool) throws(SourceTextError) -> [SourceMessage.Part] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= SourceLimits.messageDepthMax else {
      throw fault("The message has more than \(SourceLimits.messageDepthMax) forms inside each other.")
    }
    var parts: [SourceMessage.Part] = []
    var text = String.UnicodeScalarView()
    func flush() {
      if !text.isEmpty { parts.append(.text(String(text))) }
      text.removeAll()
    }
    while let scalar = current {
      switch scalar {
      case "}" where isNested:
        flush()
        return parts
      case "}": throw fault("A closing brace has no opening one.")
      case "{":
        flush()
        parts.append(try argument())
      case "'" where usesEscaping: text += try quoted()
      default:
        text.append(scalar)
        position += 1
      }
    }
    if isNested { throw fault("An opening brace has no closing one.") }
    flush()
    return parts
  }

  /// What a pair of apostrophes quotes. An empty pair is one apostrophe, and so is the first of a pair that
  /// follows another.
  private mutating func quoted() throws(SourceTextError) -> [Unicode.Scalar] {
    let start = position + 1
    guard let end = scalars[start...].firstIndex(of: "'") else {
      throw SourceTextError(
        "An apostrophe has no second one, with which it would quote what is between (use-escaping).",
        help: "Double the apostrophe.")
    }
    let followsAnother = position > 1 && scalars[position - 1] == "'"
    position = end + 1
    return start == end || followsAnother ? ["'"] + scalars[start..<end] : Array(scalars[start..<end])
  }

  private mutating func argument() throws(SourceTextError) -> SourceMessage.Part {
    position += 1
    let name = word()
    guard !name.isEmpty else {
      throw fault("An opening brace is not followed by the name of an arg.")
    }
    if take("}") { return .argument(name) }
    guard take(",") else { throw fault("{\(name) is followed neither by a comma nor by a closing brace.") }
    let type = word()
    guard type == "plural" || type == "select" else {
      throw SourceTextError(
        "{\(name), \(type)…} is not supported: only plural and select choose among texts.",
        help: ["number", "date", "time"].contains(type)
          ? "Write {\(name)}, and give the param \(name) a format in the catalog." : "Write {\(name)}.")
    }
    guard take(",") else { throw fault("{\(name), \(type) is not followed by a comma.") }
    var forms: [(name: String, parts: [SourceMessage.Part])] = []
    while !take("}") { forms.append(try form(of: name, isPlural: type == "plural")) }
    guard forms.contains(where: { $0.name == "other" }) else {
      throw fault("{\(name), \(type)…} has no case other.")
    }
    if type == "select" {
      return .select(argument: name, forms.map { .init(value: $0.name, parts: $0.parts) })
    }
    return .plural(
      number: name, SourcePlural(rule: .intl, forms: forms.map { .init(name: $0.name, parts: $0.parts) }))
  }

  /// The three numbers and the categories that a case of Flutter's can be for.
  private static let pluralCases = [
    "0": "=0", "1": "=1", "2": "=2", "zero": "zero", "one": "one", "two": "two", "few": "few", "many": "many",
    "other": "other",
  ]

  private mutating func form(
    of argument: String, isPlural: Bool
  ) throws(SourceTextError) -> (name: String, parts: [SourceMessage.Part]) {
    let isNumber = isPlural && take("=")
    let written = word()
    guard !written.isEmpty else {
      throw fault("A case of {\(argument), …} has no name, or no closing brace.")
    }
    let isDigits = written.allSatisfy { $0.isASCII && $0.isNumber }
    let name = isPlural ? Self.pluralCases[written] : written
    guard let name, !isPlural || isNumber == isDigits else {
      throw SourceTextError(
        "\(isNumber ? "=" : "")\(written) is no case of a plural: Flutter knows =0, =1, =2, zero, one, two, few, many "
          + "and other.", help: "Use one of these.")
    }
    guard take("{") else { throw fault("The case \(written) of {\(argument), …} has no text in braces.") }
    let parts = try message(isNested: true)
    position += 1
    return (name, parts)
  }

  /// Letters, digits and `_`, after white space.
  private mutating func word() -> String {
    skipSpace()
    let start = position
    while let scalar = current, scalar.isASCII,
      scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    {
      position += 1
    }
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == scalar else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let scalar = current, scalar.properties.isWhitespace { position += 1 }
  }
}
