internal import JSON

/// An entry of one file, before products are chosen and references are resolved.
package struct AndroidDraft: Sendable {
  /// A text of the entry that refers to another resource.
  package struct Reference: Sendable {
    /// The index of the text in a plural or array; otherwise 0.
    package let index: Int
    /// The name of a string of the app; nil for a resource whose text only the phone knows, such as one of
    /// the system's.
    package let name: String?

    package init(index: Int, name: String?) { (self.index, self.name) = (index, name) }
  }

  package var entry: StringEntry
  /// `tablet`; nil for `default` and without a product.
  package let product: String?
  package let references: [Reference]

  package init(entry: StringEntry, product: String?, references: [Reference]) {
    (self.entry, self.product, self.references) = (entry, product, references)
  }
}

/// Reads the strings in one XML file of a `values` folder as aapt2's ResourceParser.cpp does.
struct AndroidStringsParser {
  private(set) var drafts: [AndroidDraft] = []
  private(set) var problems: [ResourceProblem] = []
  private let file: String
  private let table: String
  private var isTranslatable: Bool
  private let limits: AndroidLimits
  private let names: [ExactText: StringEntry]
  var xml: XMLReader
  var text = AndroidText()
  var references: [AndroidDraft.Reference] = []
  /// Of the resource that is being read.
  var hints: [StringEntry.PlaceholderHint] = []
  /// Of the text that was read last.
  var absence: StringEntry.Absence?

  /// Reads everything that can be read; `problems` describes the rest. Keys that `names` has too share its
  /// storage, as those of all languages do.
  init(
    bytes: [UInt8], file: String, table: String, isTranslatable: Bool = true,
    sharing names: [ExactText: StringEntry] = [:], limits: AndroidLimits = .init()
  ) {
    self.file = file
    self.table = table
    self.isTranslatable = isTranslatable
    (self.limits, self.names) = (limits, names)
    xml = XMLReader(bytes, limits: limits)
    do {
      try readDocument()
    } catch {
      let conflict = ConflictMarkers.line(in: bytes)
      let text = conflict == nil ? error.text : FindingText(.fileUnreadable, [FileText.mergeConflict])
      report(.unparsable, line: conflict ?? error.line, text + FindingText(.restUnread))
    }
    takeFaults(key: nil)
  }

  private mutating func readDocument() throws(XMLSyntaxError) {
    guard case .start(let root) = try xml.next() else { return }
    guard root.space == .none, root.name == "resources" else {
      return report(.unparsable, line: root.line, FindingText(.otherRoot))
    }
    isTranslatable = readBoolean("translatable", of: root, key: nil) ?? isTranslatable
    while case .start(let element) = try nextChild(of: "resources") {
      if element.space == .none { try readResource(element) } else { try skip() }
    }
    _ = try xml.next()
  }

  /// The next tag. Text before it is lost: the Gradle plugin drops it, and aapt2 alone rejects the file.
  private mutating func nextChild(of parent: String) throws(XMLSyntaxError) -> XMLReader.Event {
    let event = try xml.next()
    if parent == "resources", let start = xml.text.firstIndex(where: { !$0.isAndroidSpace }) {
      let linesAfter = xml.text[start...].count { $0 == UInt8(ascii: "\n") }
      report(
        .remark, line: xml.line - linesAfter,
        FindingText(
          english:
            "Text stands outside any resource. The Gradle plugin drops it; aapt2 alone rejects the file."
        ))
    }
    return event
  }

  private mutating func readResource(_ element: XMLReader.Element) throws(XMLSyntaxError) {
    let isTyped = element.name == "item" || element.name == "bag"
    let type = isTyped ? element["type"] ?? "" : element.name
    guard Self.types.contains(type) else { return try skip() }
    guard let name = element["name"], !name.isEmpty else {
      report(.unparsable, line: element.line, FindingText(.nameless, [element.name]))
      return try skip()
    }
    let key = names[ExactText(name)]?.key ?? name
    takeFaults(key: nil, before: element.line)
    references.removeAll()
    hints.removeAll()
    absence = nil
    let value: StringEntry.Value
    switch type {
    case "string": value = .string(try readText(key: key, line: element.line, index: 0))
    case "plurals": value = .plural(try readForms(key: key))
    default: value = .array(try readItems(key: key))
    }
    takeFaults(key: key)
    if let fault = AndroidEntryName.fault(of: key) {
      report(
        .invalidName, line: element.line, key: key,
        FindingText(.invalidName, [key.firstScalars, fault]))
    }
    let translatable = readBoolean("translatable", of: element, key: key) ?? isTranslatable
    let isFormatted = readBoolean("formatted", of: element, key: key) ?? true
    let product = element["product"].flatMap { $0.isEmpty || $0 == "default" ? nil : $0 }
    let entry = StringEntry(
      key: key, value: value, file: file, line: element.line, isTranslatable: translatable,
      isFormatted: isFormatted, hints: hints, absence: type == "string" ? absence : nil)
    drafts.append(AndroidDraft(entry: entry, product: product, references: references))
  }

  private static let types = ["string", "plurals", "string-array"]

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
          FindingText(.unknownQuantity, [quantity.firstScalars]))
      } else if forms.contains(where: { $0.category == quantity }) {
        report(.unparsable, line: item.line, key: key, FindingText(.quantityTwice, [quantity]))
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

  /// A boolean attribute, spelled as aapt2 accepts it (ResourceUtils.cpp ParseBool).
  private mutating func readBoolean(
    _ name: StaticString, of element: XMLReader.Element, key: String?
  ) -> Bool? {
    guard let written = element[name] else { return nil }
    switch String(decoding: written.utf8.trimmedAndroidSpace, as: UTF8.self) {
    case "true", "TRUE", "True": return true
    case "false", "FALSE", "False": return false
    default:
      report(.unparsable, line: element.line, key: key, FindingText(.noBoolean, [name.description]))
      return nil
    }
  }

  private mutating func skipUnknown(
    _ element: XMLReader.Element, in parent: String, key: String
  ) throws(XMLSyntaxError) {
    if element.space != .none || element.name != "skip" && element.name != "eat-comment" {
      report(
        .unparsable, line: element.line, key: key,
        FindingText(.onlyItems, [parent, element.name.firstScalars]))
    }
    try skip()
  }

  /// Skips the rest of the element whose start was read last.
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

  private mutating func takeFaults(key: String?, before line: Int = .max) {
    if xml.faults.isEmpty { return }
    for fault in xml.faults where fault.line < line {
      report(.unparsable, line: fault.line, key: key, fault.text)
    }
    xml.faults.removeAll { $0.line < line }
  }

  mutating func report(
    _ kind: ResourceProblem.Kind, line: Int, key: String? = nil, _ text: FindingText
  ) {
    guard problems.count < limits.problemsPerFileMax else { return }
    let isLast = problems.count == limits.problemsPerFileMax - 1
    problems.append(
      ResourceProblem(
        kind: kind, file: file, line: line, table: table, key: key,
        isLast ? FindingText(.moreInFile) : text))
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
