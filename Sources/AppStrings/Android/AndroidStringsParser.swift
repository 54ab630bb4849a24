/// An entry as one file has it, before products are chosen and references followed.
struct AndroidDraft {
  /// A text of the entry that names another string.
  struct Reference {
    /// Which of the entry's texts: of a plural or array its place, else 0.
    let index: Int
    let name: String
  }

  var entry: StringEntry
  /// `tablet`; nil for `default` and none.
  let product: String?
  let references: [Reference]
}

/// Reads one XML file of a `values` folder as aapt2's ResourceParser.cpp does, but for resources other than strings.
struct AndroidStringsParser {
  private(set) var drafts: [AndroidDraft] = []
  private(set) var problems: [ResourceProblem] = []
  private let file: String
  private let table: String
  private let isTranslatable: Bool
  private let limits: AndroidLimits
  private var xml: XMLReader
  private var text = AndroidText()
  private var references: [AndroidDraft.Reference] = []

  /// Reads all that can be read; `problems` has the rest.
  init(
    bytes: [UInt8], file: String, table: String, isTranslatable: Bool = true, limits: AndroidLimits = .init()
  ) {
    self.file = file
    self.table = table
    self.isTranslatable = isTranslatable
    self.limits = limits
    xml = XMLReader(bytes, limits: limits)
    do {
      try readDocument()
    } catch {
      report(.unparsable, line: error.line, "\(error.message) What follows was not read.")
    }
    takeFaults(key: nil)
  }

  private mutating func readDocument() throws(XMLSyntaxError) {
    guard case .start(let root) = try xml.next() else { return }
    guard root.space == .none, root.name == "resources" else {
      return report(.unparsable, line: root.line, "The root element of a values file has to be <resources>.")
    }
    while case .start(let element) = try nextChild(of: "resources") {
      if element.space == .none { try readResource(element) } else { try skip() }
    }
    _ = try xml.next()
  }

  /// The next tag; text before it is told as misplaced.
  private mutating func nextChild(of parent: String) throws(XMLSyntaxError) -> XMLReader.Event {
    let event = try xml.next()
    if parent == "resources", !xml.text.allSatisfy(\.isAndroidSpace) {
      report(
        .unparsable, line: xml.line, "Text outside of a resource: it belongs into an element, or a comment.")
    }
    return event
  }

  private mutating func readResource(_ element: XMLReader.Element) throws(XMLSyntaxError) {
    let isTyped = element.name == "item" || element.name == "bag"
    let type = isTyped ? element["type"] ?? "" : element.name
    guard ["string", "plurals", "string-array"].contains(type) else { return try skip() }
    guard let key = element["name"], !key.isEmpty else {
      report(.unparsable, line: element.line, "<\(element.name)> has no name.")
      return try skip()
    }
    takeFaults(key: nil, before: element.line)
    references.removeAll()
    let value: StringEntry.Value
    switch type {
    case "string": value = .string(try readText(key: key, line: element.line, index: 0))
    case "plurals": value = .plural(try readForms(key: key))
    default: value = .array(try readItems(key: key))
    }
    takeFaults(key: key)
    if let character = Self.invalidCharacter(in: key) {
      report(
        .unparsable, line: element.line, key: key,
        "\"\(key.firstScalars)\" is no resource name: \"\(character)\" may not stand there.")
    }
    let translatable = readBoolean("translatable", of: element, key: key) ?? isTranslatable
    let isFormatted = readBoolean("formatted", of: element, key: key) ?? true
    let product = element["product"].flatMap { $0.isEmpty || $0 == "default" ? nil : $0 }
    let entry = StringEntry(
      key: key, value: value, file: file, line: element.line, isTranslatable: translatable,
      isFormatted: isFormatted)
    drafts.append(AndroidDraft(entry: entry, product: product, references: references))
  }

  private mutating func readForms(key: String) throws(XMLSyntaxError) -> [StringEntry.Form] {
    var forms: [StringEntry.Form] = []
    while case .start(let item) = try nextChild(of: "plurals") {
      guard item.space == .none, item.name == "item" else {
        try skipUnknown(item, in: "plurals", key: key)
        continue
      }
      let quantity = String(decoding: (item["quantity"] ?? "").utf8.trimmedAndroidSpace, as: UTF8.self)
      let text = try readText(key: key, line: item.line, index: forms.count)
      if !["zero", "one", "two", "few", "many", "other"].contains(quantity) {
        report(
          .unparsable, line: item.line, key: key,
          "The quantity \"\(quantity.firstScalars)\" is none of zero, one, two, few, many and other.")
      } else if forms.contains(where: { $0.category == quantity }) {
        report(.unparsable, line: item.line, key: key, "The quantity \(quantity) stands there twice.")
      } else {
        forms.append(StringEntry.Form(category: quantity, text: text))
        continue
      }
      references.removeAll { $0.index == forms.count }
    }
    return forms
  }

  private mutating func readItems(key: String) throws(XMLSyntaxError) -> [String] {
    var items: [String] = []
    while case .start(let item) = try nextChild(of: "string-array") {
      if item.space == .none, item.name == "item" {
        items.append(try readText(key: key, line: item.line, index: items.count))
      } else {
        try skipUnknown(item, in: "string-array", key: key)
      }
    }
    return items
  }

  /// aapt2's own attributes for a boolean (ResourceUtils.cpp ParseBool).
  private mutating func readBoolean(
    _ name: StaticString, of element: XMLReader.Element, key: String
  ) -> Bool? {
    guard let written = element[name] else { return nil }
    switch String(decoding: written.utf8.trimmedAndroidSpace, as: UTF8.self) {
    case "true", "TRUE", "True": return true
    case "false", "FALSE", "False": return false
    default:
      report(.unparsable, line: element.line, key: key, "\(name) has to be true or false.")
      return nil
    }
  }

  private mutating func skipUnknown(
    _ element: XMLReader.Element, in parent: String, key: String
  ) throws(XMLSyntaxError) {
    if element.space != .none || element.name != "skip" && element.name != "eat-comment" {
      report(
        .unparsable, line: element.line, key: key,
        "<\(element.name.firstScalars)> may not stand in <\(parent)>, only <item>.")
    }
    try skip()
  }

  /// Over the element whose start was read last.
  private mutating func skip() throws(XMLSyntaxError) {
    var depth = 1
    while depth > 0 {
      switch try xml.next() {
      case .start: depth += 1
      case .end: depth -= 1
      case .finished: return
      }
    }
  }

  /// aapt2 ResourceUtils.cpp IsValidResourceEntryName (UAX #31 identifiers with `.` and `-`).
  private static func invalidCharacter(in key: String) -> Unicode.Scalar? {
    var isFirst = true
    for scalar in key.unicodeScalars {
      let isValid: Bool
      if scalar.value < 0x80 {
        let byte = UInt8(scalar.value)
        let isInner = byte.isASCIIDigit || scalar == "." || scalar == "-"
        isValid = byte.isASCIILetter || scalar == "_" || isInner && !isFirst
      } else {
        isValid = isFirst ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue
      }
      guard isValid else { return scalar }
      isFirst = false
    }
    return nil
  }
}

// MARK: Texts

extension AndroidStringsParser {
  /// The text of the element whose start was read last, up to its end.
  private mutating func readText(key: String, line: Int, index: Int) throws(XMLSyntaxError) -> String {
    text.removeAll()
    // Whether each open element is a span, and whether it is an xliff:g.
    var open: [(isSpan: Bool, isUntranslatable: Bool)] = []
    reading: while true {
      let event = try xml.next()
      text.append(xml.text)
      switch event {
      case .finished:
        break reading
      case .end:
        guard let last = open.popLast() else { break reading }
        if last.isSpan { text.markSpan() }
      case .start(let element):
        let isUntranslatable = element.space == .xliff && element.name == "g"
        if isUntranslatable, open.contains(where: \.isUntranslatable) {
          report(
            .unparsable, line: element.line, key: key,
            "An <xliff:g> may not be inside another: aapt2 refuses it.")
        } else if element.space != .none, element.space != .xliff {
          report(
            .remark, line: element.line, key: key,
            "<\(element.name.firstScalars)> is of a namespace that aapt2 ignores in strings; its text stays.")
        }
        if element.space == .none { text.markSpan() }
        open.append((element.space == .none, isUntranslatable))
      }
    }
    if !text.hasSpans, let reference = AndroidReference(text.trimmedRaw) {
      return follow(reference, key: key, line: line, index: index)
    }
    let result = text.finish()
    reportIssues(key: key, line: line)
    return result
  }

  private mutating func follow(_ reference: AndroidReference, key: String, line: Int, index: Int) -> String {
    let raw = String(decoding: text.trimmedRaw, as: UTF8.self)
    switch reference {
    case .empty:
      return ""
    case .string(let name):
      references.append(AndroidDraft.Reference(index: index, name: name))
    case .system:
      report(
        .remark, line: line, key: key,
        "\(raw.firstScalars) is a text of the system: only the phone knows what it says.")
    case .other(let type):
      report(
        .suspicious, line: line, key: key,
        "\(raw.firstScalars) is a reference to a \(type), not to a string.")
    case .attribute:
      report(
        .unparsable, line: line, key: key,
        "A text that begins with \"?\" is a reference to an attribute; write it \\? where it is meant as text."
      )
    }
    return raw
  }

  private mutating func reportIssues(key: String, line: Int) {
    if text.issues.contains(.apostrophe) {
      report(
        .unparsable, line: line, key: key,
        "An apostrophe outside of quotes: aapt2 refuses it (\"unescaped apostrophe\"). Write \\'.")
    }
    if text.issues.contains(.unicodeEscape) {
      report(.unparsable, line: line, key: key, "\\u has to be followed by four hexadecimal digits.")
    }
    if text.issues.contains(.surrogate) {
      report(
        .suspicious, line: line, key: key,
        "\\uD800 to \\uDFFF are dropped by aapt2, also as a pair. Write the character itself.")
    }
    if text.issues.contains(.null) {
      report(.suspicious, line: line, key: key, "\\u0000 puts a NUL into the text.")
    }
  }

  private mutating func takeFaults(key: String?, before line: Int = .max) {
    if xml.faults.isEmpty { return }
    for fault in xml.faults where fault.line < line {
      report(.unparsable, line: fault.line, key: key, fault.message)
    }
    xml.faults.removeAll { $0.line < line }
  }

  private mutating func report(
    _ kind: ResourceProblem.Kind, line: Int, key: String? = nil, _ message: String
  ) {
    guard problems.count < limits.problemsPerFileMax else { return }
    let isLast = problems.count == limits.problemsPerFileMax - 1
    let message = isLast ? "There are more problems in this file than are told." : message
    problems.append(
      ResourceProblem(kind: kind, file: file, line: line, table: table, key: key, message: message))
  }
}

extension Collection where Element == UInt8, Self: BidirectionalCollection {
  var trimmedAndroidSpace: SubSequence {
    var rest = self[...]
    while rest.first?.isAndroidSpace == true { rest = rest.dropFirst() }
    while rest.last?.isAndroidSpace == true { rest = rest.dropLast() }
    return rest
  }
}
