internal import JSON

/// Reads XML 1.0 as expat reads it for aapt2, one tag at a time: namespaces, CDATA, character references and the
/// entities of the internal DTD subset; nothing outside the file is ever fetched.
///
/// Foundation's XMLParser does not do: it leaves internal entities out of the text and gives a tag the line of
/// its end. What expat refuses, but a reader can get over, goes to `faults`; what it cannot is thrown.
/// O(bytes + expansion), without recursion but for entities in attributes, which the limits bound.
struct XMLPullParser {
  /// The namespaces that matter in resource files.
  enum Space: Sendable { case none, xml, xliff, tools, other }

  struct Attribute: Sendable {
    let space: Space
    let name: String
    let value: String
  }

  struct Element: Sendable {
    let space: Space
    let name: String
    let attributes: [Attribute]
    /// Of the tag's `<`.
    let line: Int

    /// The value of an attribute without namespace.
    subscript(name: StaticString) -> String? {
      attributes.first { $0.space == .none && $0.name.hasSameBytes(as: name.description) }?.value
    }
  }

  enum Event: Sendable {
    case start(Element)
    case end
    case finished
  }

  struct Fault: Error, Equatable {
    let line: Int
    let message: String
  }

  enum Entity {
    case text([UInt8])
    case external
  }

  /// What a reference was read from, to go back to when it ends.
  private struct Frame {
    let bytes: [UInt8]
    let position: Int
    let entity: String
    let openCount: Int
  }

  private struct Open {
    let name: String
    /// The prefixes that the element binds.
    let prefixes: [ExactText]
  }

  /// The text between the tag before and the one that `next` gave; comments do not part it.
  private(set) var text: [UInt8] = []
  /// What was got over; the reader takes it away.
  var faults: [Fault] = []
  var entities: [ExactText: Entity] = [:]
  var bytes: [UInt8]
  var position = 0
  let limits: AndroidLimits
  private var outer: [Frame] = []
  private var faultCount = 0
  private var expansionBytes = 0
  private var open: [Open] = []
  private var bindings: [ExactText: [Space]] = [:]
  private var closesItself = false
  private var hadRoot = false
  private var lineCount = (line: 1, position: 0)

  /// Takes UTF-8 with `\n` as line ends.
  init(utf8 bytes: [UInt8], limits: AndroidLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// The line in the file that reading has come to.
  var line: Int {
    mutating get {
      let (source, end) = outer.first.map { ($0.bytes, $0.position) } ?? (bytes, position)
      while lineCount.position < min(end, source.count) {
        if source[lineCount.position] == UInt8(ascii: "\n") { lineCount.line += 1 }
        lineCount.position += 1
      }
      return lineCount.line
    }
  }

  /// Goes on to the next tag, or to the end of the document.
  mutating func next() throws(Fault) -> Event {
    text.removeAll(keepingCapacity: true)
    if closesItself {
      closesItself = false
      close()
      return .end
    }
    while true {
      readCharacters()
      guard position < bytes.count else {
        if try leaveEntity() { continue }
        try finish()
        return .finished
      }
      if bytes[position] == UInt8(ascii: "&") {
        try readReference()
      } else if let event = try readMarkup() {
        return event
      }
    }
  }

  private mutating func finish() throws(Fault) {
    if let last = open.last { throw fault("<\(last.name.prefix(100))> is never closed.") }
    guard hadRoot else { throw fault("There is no element in it.") }
    try checkOutside()
  }

  /// Only white space may stand beside the root.
  private mutating func checkOutside() throws(Fault) {
    if open.isEmpty, !text.allSatisfy(\.isXMLSpace) { throw fault("There is text outside the root element.") }
  }

  /// Up to the next `<` or `&`.
  private mutating func readCharacters() {
    var start = position
    var index = position
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") { break }
      if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
        text.append(contentsOf: bytes[start..<index])
        start = index + 1
        position = index
        record("A control character (U+00\(hexadecimal(byte))) may not be in XML.")
      } else if byte == UInt8(ascii: ">"), index >= position + 2, bytes[index - 1] == UInt8(ascii: "]"),
        bytes[index - 2] == UInt8(ascii: "]")
      {
        record("\"]]>\" in text has to be written \"]]&gt;\".")
      }
      index += 1
    }
    text.append(contentsOf: bytes[start..<index])
    position = index
  }

  /// What begins with `<`; nil where it is no tag.
  private mutating func readMarkup() throws(Fault) -> Event? {
    switch byte(after: 1) {
    case UInt8(ascii: "/"):
      return try readEndTag()
    case UInt8(ascii: "?"):
      try skipInstruction()
    case UInt8(ascii: "!"):
      if isNext("<!--") {
        try skipComment()
      } else if isNext("<![CDATA[") {
        try checkCDATA()
        position += 9
        guard let end = find("]]>") else { throw fault("A CDATA section is never closed.") }
        text.append(contentsOf: bytes[position..<end])
        position = end + 3
      } else if isNext("<!DOCTYPE"), !hadRoot, outer.isEmpty {
        try readDoctype()
      } else {
        throw fault("\"<!\" begins neither a comment nor a CDATA section.")
      }
    default:
      return try readStartTag()
    }
    return nil
  }

  private mutating func checkCDATA() throws(Fault) {
    if open.isEmpty { throw fault("There is text outside the root element.") }
  }

  private mutating func readStartTag() throws(Fault) -> Event {
    try checkOutside()
    if open.isEmpty, hadRoot { throw fault("There is a second root element.") }
    let line = line
    position += 1
    guard let name = readName() else { throw fault("\"<\" in text has to be written \"&lt;\".") }
    guard open.count < limits.elementDepthMax else {
      throw fault("Elements nest deeper than \(limits.elementDepthMax).")
    }
    var written: [(name: String, value: String)] = []
    while try readAttribute(of: name, into: &written) {}
    var prefixes: [ExactText] = []
    for attribute in written {
      guard let prefix = Self.boundPrefix(attribute.name) else { continue }
      bindings[ExactText(prefix), default: []].append(Self.space(uri: attribute.value))
      prefixes.append(ExactText(prefix))
    }
    hadRoot = true
    open.append(Open(name: name, prefixes: prefixes))
    let (space, local) = resolve(name, isElement: true)
    var attributes: [Attribute] = []
    for attribute in written where Self.boundPrefix(attribute.name) == nil {
      let (space, local) = resolve(attribute.name, isElement: false)
      attributes.append(Attribute(space: space, name: local, value: attribute.value))
    }
    checkDuplicates(written)
    return .start(Element(space: space, name: local, attributes: attributes, line: line))
  }

  /// Reads one attribute, or the tag's end: false.
  private mutating func readAttribute(
    of element: String, into attributes: inout [(name: String, value: String)]
  ) throws(Fault) -> Bool {
    let hadSpace = skipSpace()
    switch byte(after: 0) {
    case UInt8(ascii: ">"):
      position += 1
      return false
    case UInt8(ascii: "/") where byte(after: 1) == UInt8(ascii: ">"):
      position += 2
      closesItself = true
      return false
    default:
      break
    }
    guard let name = readName() else { throw fault("The tag <\(element.prefix(100))> is malformed.") }
    if !hadSpace { record("White space is missing before an attribute of <\(element.prefix(100))>.") }
    skipSpace()
    guard byte(after: 0) == UInt8(ascii: "=") else {
      throw fault("The attribute \(name.prefix(100)) of <\(element.prefix(100))> has no value.")
    }
    position += 1
    skipSpace()
    guard attributes.count < limits.attributesMax else {
      throw fault("<\(element.prefix(100))> has more than \(limits.attributesMax) attributes.")
    }
    attributes.append((name, try readAttributeValue(of: name)))
    return true
  }

  private mutating func readAttributeValue(of name: String) throws(Fault) -> String {
    guard let quote = byte(after: 0), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw fault("The value of the attribute \(name.prefix(100)) is not quoted.")
    }
    position += 1
    var value: [UInt8] = []
    while let byte = byte(after: 0), byte != quote {
      if byte == UInt8(ascii: "<") {
        throw fault("\"<\" in the attribute \(name.prefix(100)) has to be written \"&lt;\".")
      } else if byte == UInt8(ascii: "&") {
        let reference = readReferenceName()
        try expand(reference, into: &value, within: [])
      } else {
        value.append(byte.isXMLSpace ? 0x20 : byte)
        position += 1
      }
    }
    guard byte(after: 0) == quote else {
      throw fault("The value of the attribute \(name.prefix(100)) is never closed.")
    }
    position += 1
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func readEndTag() throws(Fault) -> Event {
    position += 2
    let name = readName() ?? ""
    skipSpace()
    guard let last = open.last, last.name.hasSameBytes(as: name), byte(after: 0) == UInt8(ascii: ">"),
      open.count > outer.last?.openCount ?? 0
    else {
      let wanted = open.last.map { "</\($0.name.prefix(100))>" } ?? "the end of the file"
      throw fault("</\(name.prefix(100))> stands where \(wanted) is due.")
    }
    position += 1
    close()
    return .end
  }

  private mutating func close() {
    guard let last = open.popLast() else { return }
    for prefix in last.prefixes { _ = bindings[prefix]?.popLast() }
  }
}

// MARK: References

extension XMLPullParser {
  private mutating func readReference() throws(Fault) {
    let reference = readReferenceName()
    guard case .entity(let name) = reference, case .text(let replacement)? = entities[ExactText(name)] else {
      var expanded: [UInt8] = []
      try expand(reference, into: &expanded, within: [])
      text.append(contentsOf: expanded)
      return
    }
    try countExpansion(of: name, bytes: replacement.count, within: outer.map(\.entity))
    outer.append(Frame(bytes: bytes, position: position, entity: name, openCount: open.count))
    bytes = replacement
    position = 0
  }

  /// Back to what the entity was referred from; false in the document itself.
  private mutating func leaveEntity() throws(Fault) -> Bool {
    guard let frame = outer.last else { return false }
    guard open.count == frame.openCount else {
      throw fault("The entity &\(frame.entity.prefix(100)); begins an element that it does not end.")
    }
    outer.removeLast()
    bytes = frame.bytes
    position = frame.position
    return true
  }

  /// Appends what a reference stands for. O(expansion); the depth is bounded by the limits.
  private mutating func expand(
    _ reference: XMLReference, into output: inout [UInt8], within entities: [String]
  ) throws(Fault) {
    switch reference {
    case .character(let scalar): output.append(contentsOf: Array(String(scalar).utf8))
    case .bareAmpersand:
      record("\"&\" has to be written \"&amp;\".")
      output.append(UInt8(ascii: "&"))
    case .noCharacter(let digits):
      record("&#\(digits.prefix(20)); is no character that XML may hold.")
    case .entity(let name):
      switch self.entities[ExactText(name)] {
      case .external?: record("&\(name.prefix(100)); is an external entity, which is not read.")
      case nil:
        record("&\(name.prefix(100)); is not declared.")
        output.append(contentsOf: Array("&\(name);".utf8))
      case .text(let replacement)?:
        try countExpansion(of: name, bytes: replacement.count, within: entities)
        var inner = XMLReferenceScanner(bytes: replacement)
        while let piece = inner.next() {
          switch piece {
          case .byte(UInt8(ascii: "<")): throw fault("&\(name.prefix(100)); puts \"<\" into an attribute.")
          case .byte(let byte): output.append(byte.isXMLSpace ? 0x20 : byte)
          case .reference(let reference): try expand(reference, into: &output, within: entities + [name])
          }
        }
      }
    }
  }

  private mutating func countExpansion(of name: String, bytes: Int, within: [String]) throws(Fault) {
    if within.contains(where: { $0.hasSameBytes(as: name) }) {
      throw fault("The entity &\(name.prefix(100)); refers to itself.")
    }
    guard within.count < limits.entityDepthMax else {
      throw fault("Entities nest deeper than \(limits.entityDepthMax).")
    }
    expansionBytes += bytes + 1
    guard expansionBytes <= limits.expansionBytesMax else {
      throw fault("Entities expand to more than \(limits.expansionBytesMax) bytes.")
    }
  }

  private mutating func readReferenceName() -> XMLReference {
    var scanner = XMLReferenceScanner(bytes: bytes, position: position)
    guard case .reference(let reference)? = scanner.next() else { return .bareAmpersand }
    position = scanner.position
    return reference
  }
}

// MARK: Names and namespaces

extension XMLPullParser {
  private static func boundPrefix(_ attribute: String) -> String? {
    if attribute.utf8.elementsEqual("xmlns".utf8) { return "" }
    return attribute.utf8.starts(with: "xmlns:".utf8) ? String(attribute.dropFirst(6)) : nil
  }

  private static func space(uri: String) -> Space {
    switch uri {
    case "": .none
    case "urn:oasis:names:tc:xliff:document:1.2": .xliff
    case "http://schemas.android.com/tools": .tools
    default: .other
    }
  }

  private mutating func resolve(_ name: String, isElement: Bool) -> (Space, String) {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (isElement ? bindings[ExactText("")]?.last ?? .none : .none, name)
    }
    let prefix = String(name[..<colon])
    let local = String(name[name.utf8.index(after: colon)...])
    if let space = bindings[ExactText(prefix)]?.last { return (space, local) }
    if prefix == "xml" { return (.xml, local) }
    record("The prefix \(prefix.prefix(100)): is not declared (xmlns:\(prefix.prefix(100))).")
    return (prefix == "xliff" ? .xliff : prefix == "tools" ? .tools : .other, local)
  }

  private mutating func checkDuplicates(_ attributes: [(name: String, value: String)]) {
    guard attributes.count > 1 else { return }
    var seen: Set<ExactText> = []
    for attribute in attributes where !seen.insert(ExactText(attribute.name)).inserted {
      record("The attribute \(attribute.name.prefix(100)) stands twice in one tag.")
    }
  }

  /// A name, loosely: what expat would refuse in it never names anything that is read.
  mutating func readName() -> String? {
    guard let first = byte(after: 0), first.isXMLNameStart else { return nil }
    let start = position
    while position < bytes.count, bytes[position].isXMLName { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  @discardableResult mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, bytes[position].isXMLSpace { position += 1 }
    return position > start
  }

  func byte(after offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  func isNext(_ text: StaticString) -> Bool { bytes[position...].starts(with: text.description.utf8) }

  /// Where `text` begins next.
  func find(_ text: StaticString) -> Int? {
    let wanted = Array(text.description.utf8)
    guard let first = wanted.first else { return nil }
    var index = position
    while index + wanted.count <= bytes.count {
      if bytes[index] == first, bytes[index...].starts(with: wanted) { return index }
      index += 1
    }
    return nil
  }

  mutating func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

  mutating func record(_ message: @autoclosure () -> String) {
    guard faultCount < limits.problemsPerFileMax else { return }
    faultCount += 1
    faults.append(fault(message()))
  }
}

private func hexadecimal(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return digits.utf8.count == 1 ? "0" + digits : digits
}

extension UInt8 {
  var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
  var isXMLNameStart: Bool {
    isASCIILetter || self == UInt8(ascii: "_") || self == UInt8(ascii: ":") || self >= 0x80
  }
  var isXMLName: Bool {
    isXMLNameStart || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
  }
}
