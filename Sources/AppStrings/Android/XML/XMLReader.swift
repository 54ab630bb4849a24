internal import JSON

/// Gives the tags of an XML file one by one, with the text between them and the namespaces of their prefixes.
///
/// Faults that were repaired are in `faults`. `next` throws the first one that cannot be, after all tags
/// before it.
struct XMLReader {
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

  /// The text between the previous tag and the one that `next` returned last; comments do not divide it.
  private(set) var text: ArraySlice<UInt8> = []
  /// The faults up to the tag that `next` returned last; the caller removes those that it has handled.
  var faults: [XMLSyntaxError] = []
  /// The line of the tag that `next` returned last.
  private(set) var line = 1

  private let tags: [ExpatParser.Tag]
  private let allText: [UInt8]
  private let failure: XMLSyntaxError?
  private let limits: AndroidLimits
  private var pending: ArraySlice<(offset: Int, error: XMLSyntaxError)>
  private var position = 0
  /// The prefixes that each open element binds.
  private var open: [[ExactText]] = []
  private var bindings: [ExactText: [Space]] = [:]
  private var faultCount = 0

  init(_ bytes: [UInt8], limits: AndroidLimits) {
    var bytes = bytes
    var run = ExpatParser(bytes, limits: limits)
    var repaired: [(offset: Int, error: XMLSyntaxError)] = []
    var bytesLeft = limits.repairBytesMax - bytes.count
    while run.failure != nil, repaired.count < limits.problemsPerFileMax, bytesLeft > 0,
      let repair = XMLRepair(bytes, after: run)
    {
      bytes = repair.bytes
      repaired.append((repair.offset, repair.error))
      run = ExpatParser(bytes, limits: limits)
      bytesLeft -= bytes.count
    }
    tags = run.tags
    allText = run.text
    failure = run.failure?.error
    // A repair moves only what comes after it, and each comes after those before it.
    pending = (repaired + run.faults).sorted { $0.offset < $1.offset }[...]
    self.limits = limits
  }

  /// Goes on to the next tag, or to the end of the document.
  mutating func next() throws(XMLSyntaxError) -> Event {
    let textStart = text.endIndex
    guard position < tags.count else {
      text = allText[textStart...]
      takeFaults(before: .max)
      if let failure { throw failure }
      return .finished
    }
    let tag = tags[position]
    position += 1
    text = allText[textStart..<tag.textEnd]
    line = tag.line
    takeFaults(before: tag.end)
    switch tag.kind {
    case .start(let name, let attributes): return .start(element(name, attributes, line: tag.line))
    case .end:
      for prefix in open.popLast() ?? [] { _ = bindings[prefix]?.popLast() }
      return .end
    }
  }

  private mutating func takeFaults(before offset: Int) {
    while let first = pending.first, first.offset < offset {
      report(first.error)
      pending.removeFirst()
    }
  }

  private mutating func report(_ error: XMLSyntaxError) {
    guard faultCount < limits.problemsPerFileMax else { return }
    faultCount += 1
    faults.append(error)
  }
}

// MARK: Namespaces (Namespaces in XML 1.0)

extension XMLReader {
  private mutating func element(
    _ name: String, _ written: [(name: String, value: String)], line: Int
  ) -> Element {
    var prefixes: [ExactText] = []
    for attribute in written {
      guard let prefix = Self.boundPrefix(attribute.name) else { continue }
      bindings[ExactText(prefix), default: []].append(Space(uri: attribute.value))
      prefixes.append(ExactText(prefix))
    }
    open.append(prefixes)
    let (space, local) = resolve(name, isElement: true, line: line)
    var attributes: [Attribute] = []
    for attribute in written where Self.boundPrefix(attribute.name) == nil {
      let (space, local) = resolve(attribute.name, isElement: false, line: line)
      attributes.append(Attribute(space: space, name: local, value: attribute.value))
    }
    return Element(space: space, name: local, attributes: attributes, line: line)
  }

  private static func boundPrefix(_ attribute: String) -> String? {
    if attribute.utf8.elementsEqual("xmlns".utf8) { return "" }
    return attribute.utf8.starts(with: "xmlns:".utf8) ? String(attribute.dropFirst(6)) : nil
  }

  private mutating func resolve(_ name: String, isElement: Bool, line: Int) -> (Space, String) {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (isElement ? bindings[ExactText("")]?.last ?? .none : .none, name)
    }
    let prefix = String(name[..<colon])
    let local = String(name[name.utf8.index(after: colon)...])
    if let space = bindings[ExactText(prefix)]?.last { return (space, local) }
    if prefix == "xml" { return (.xml, local) }
    let shown = prefix.firstScalars
    report(XMLSyntaxError(line: line, message: "The prefix \(shown): is not declared (xmlns:\(shown))."))
    return (prefix == "xliff" ? .xliff : prefix == "tools" ? .tools : .other, local)
  }
}

extension XMLReader.Space {
  fileprivate init(uri: String) {
    switch uri {
    case "": self = .none
    case "urn:oasis:names:tc:xliff:document:1.2": self = .xliff
    case "http://schemas.android.com/tools": self = .tools
    default: self = .other
    }
  }
}
