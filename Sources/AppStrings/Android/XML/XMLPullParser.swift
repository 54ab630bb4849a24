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
  struct Frame {
    let bytes: [UInt8]
    let position: Int
    let entity: String
    let openCount: Int
  }

  struct Open {
    let name: String
    /// The prefixes that the element binds.
    let prefixes: [ExactText]
  }

  /// The text between the tag before and the one that `next` gave; comments do not part it.
  var text: [UInt8] = []
  /// What was got over; the reader takes it away.
  var faults: [Fault] = []
  var entities: [ExactText: Entity] = [:]
  var bytes: [UInt8]
  var position = 0
  let limits: AndroidLimits
  var outer: [Frame] = []
  var faultCount = 0
  var expansionBytes = 0
  var open: [Open] = []
  var bindings: [ExactText: [Space]] = [:]
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
    if let last = open.last { throw fault("<\(last.name.firstScalars)> is never closed.") }
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
    guard let name = readName() else { throw fault("The tag <\(element.firstScalars)> is malformed.") }
    if !hadSpace { record("White space is missing before an attribute of <\(element.firstScalars)>.") }
    skipSpace()
    guard byte(after: 0) == UInt8(ascii: "=") else {
      throw fault("The attribute \(name.firstScalars) of <\(element.firstScalars)> has no value.")
    }
    position += 1
    skipSpace()
    guard attributes.count < limits.attributesMax else {
      throw fault("<\(element.firstScalars)> has more than \(limits.attributesMax) attributes.")
    }
    attributes.append((name, try readAttributeValue(of: name)))
    return true
  }

  private mutating func readAttributeValue(of name: String) throws(Fault) -> String {
    guard let quote = byte(after: 0), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw fault("The value of the attribute \(name.firstScalars) is not quoted.")
    }
    position += 1
    var value: [UInt8] = []
    while let byte = byte(after: 0), byte != quote {
      if byte == UInt8(ascii: "<") {
        throw fault("\"<\" in the attribute \(name.firstScalars) has to be written \"&lt;\".")
      } else if byte == UInt8(ascii: "&") {
        let reference = readReferenceName()
        try expand(reference, into: &value, within: [])
      } else {
        value.append(byte.isXMLSpace ? 0x20 : byte)
        position += 1
      }
    }
    guard byte(after: 0) == quote else {
      throw fault("The value of the attribute \(name.firstScalars) is never closed.")
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
      let wanted = open.last.map { "</\($0.name.firstScalars)>" } ?? "the end of the file"
      throw fault("</\(name.firstScalars)> stands where \(wanted) is due.")
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
