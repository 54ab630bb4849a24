internal import JSON

/// The strings and plurals of an XML file in the form of Android's, with their texts as they are written: for
/// formats that look like Android's and have other escapes.
package struct StringsXML: Sendable {
  package struct Entry: Sendable {
    package let name: String
    /// Of the tag, from 1.
    package let line: Int
    /// The text; nil for a plural.
    package fileprivate(set) var text: String?
    /// The forms of a plural by their quantities, in file order.
    package fileprivate(set) var forms: [(quantity: String, text: String)] = []
  }

  package private(set) var entries: [Entry] = []
  /// What is wrong with the file.
  package private(set) var problems: [(line: Int, text: FindingText)] = []

  private var entry: Entry?
  private var quantity: String?
  private var text: [UInt8] = []

  package init(_ bytes: [UInt8]) {
    var reader = XMLReader(bytes, limits: AndroidLimits())
    do throws(XMLSyntaxError) {
      try read(&reader)
    } catch {
      problems.append((error.line, error.text))
    }
  }

  private mutating func read(_ reader: inout XMLReader) throws(XMLSyntaxError) {
    var depth = 0
    while true {
      let event = try reader.next()
      problems += reader.faults.map { ($0.line, $0.text) }
      reader.faults = []
      text += reader.text
      switch event {
      case .start(let element):
        depth += 1
        begin(element, depth: depth)
      case .end:
        end(depth: depth)
        depth -= 1
      case .finished: return
      }
    }
  }

  private mutating func begin(_ element: XMLReader.Element, depth: Int) {
    switch (depth, element.name) {
    case (2, "string"), (2, "plurals"):
      entry = element["name"].map {
        Entry(name: $0, line: element.line, text: element.name == "string" ? "" : nil)
      }
      text = []
    case (3, "item") where entry?.text == nil:
      quantity = element["quantity"]
      text = []
    default: break
    }
  }

  private mutating func end(depth: Int) {
    let own = String(decoding: text, as: UTF8.self)
    if depth == 3, let quantity, entry?.text == nil {
      entry?.forms.append((quantity, own))
      self.quantity = nil
    }
    guard depth == 2, var entry else { return }
    if entry.text != nil { entry.text = own }
    entries.append(entry)
    self.entry = nil
  }
}
