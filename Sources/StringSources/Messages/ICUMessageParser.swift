internal import AppStrings

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

  private func fault(_ text: SourceText, _ values: [any FindingValue] = []) -> SourceTextError {
    SourceTextError(FindingText(text, values), help: FindingText(.correctMessage))
  }

  /// A message up to its end, or up to the brace that ends a form.
  private mutating func message(isNested: Bool) throws(SourceTextError) -> [SourceMessage.Part] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= SourceLimits.messageDepthMax else {
      throw fault(.formsTooDeep, [SourceLimits.messageDepthMax])
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
      case "}": throw fault(.closingBrace)
      case "{":
        flush()
        parts.append(try argument())
      case "'" where usesEscaping: text += try quoted()
      default:
        text.append(scalar)
        position += 1
      }
    }
    if isNested { throw fault(.openingBrace) }
    flush()
    return parts
  }

  /// What a pair of apostrophes quotes. An empty pair is one apostrophe, and so is the first of a pair that
  /// follows another.
  private mutating func quoted() throws(SourceTextError) -> [Unicode.Scalar] {
    let start = position + 1
    guard let end = scalars[start...].firstIndex(of: "'") else {
      throw SourceTextError(FindingText(.singleApostrophe), help: FindingText(.doubleApostrophe))
    }
    let followsAnother = position > 1 && scalars[position - 1] == "'"
    position = end + 1
    return start == end || followsAnother ? ["'"] + scalars[start..<end] : Array(scalars[start..<end])
  }

  private mutating func argument() throws(SourceTextError) -> SourceMessage.Part {
    position += 1
    let name = word()
    guard !name.isEmpty else { throw fault(.braceWithoutName) }
    if take("}") { return .argument(name) }
    guard take(",") else { throw fault(.nothingAfterName, [name]) }
    let type = word()
    guard type == "plural" || type == "select" else {
      throw SourceTextError(
        FindingText(.unsupportedType, [name, type]),
        help: ["number", "date", "time"].contains(type)
          ? FindingText(.writeArgWithFormat, [name]) : FindingText(.writeArg, [name]))
    }
    guard take(",") else { throw fault(.noCommaAfterType, [name, type]) }
    var forms: [(name: String, parts: [SourceMessage.Part])] = []
    while !take("}") { forms.append(try form(of: name, isPlural: type == "plural")) }
    guard forms.contains(where: { $0.name == "other" }) else {
      throw fault(.noCaseOther, [name, type])
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
      throw fault(.caseWithoutName, [argument])
    }
    let isDigits = written.allSatisfy { $0.isASCII && $0.isNumber }
    let name = isPlural ? Self.pluralCases[written] : written
    guard let name, !isPlural || isNumber == isDigits else {
      throw SourceTextError(
        FindingText(.noPluralCase, ["\(isNumber ? "=" : "")\(written)"]), help: FindingText(.useOneOfThese))
    }
    guard take("{") else { throw fault(.caseWithoutText, [written, argument]) }
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
