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
    /// Of the tag's `<`.
    let line: Int
    /// The attributes with a prefix.
    fileprivate let qualified: [Attribute]
    fileprivate let indices: Range<Int>
    fileprivate let symbols: XMLSymbols

    /// The value of an attribute without namespace.
    subscript(name: StaticString) -> String? {
      symbols.value(of: name, among: indices) ?? value(of: name, in: .none)
    }

    /// The value of an attribute with a prefix.
    func value(of name: StaticString, in space: Space) -> String? {
      qualified.first { $0.space == space && $0.name.hasSameBytes(as: name.description) }?.value
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
  var line: Int { lines.line }

  private let tags: [ExpatParser.Tag]
  private let symbols: XMLSymbols
  private let allText: [UInt8]
  private var lines: XMLLineCounter
  private let failure: XMLSyntaxError?
  private let limits: AndroidLimits
  private var pending: ArraySlice<(offset: Int, error: XMLSyntaxError)>
  private var position = 0
  /// The prefixes that each open element binds.
  private var open: [[ExactText]] = []
  private var bindings: [ExactText: [Space]] = [:]
  /// The namespaces of names without prefix.
  private var defaults: [Space] = []
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
    (tags, symbols, allText, lines) = (run.tags, run.symbols, run.text, XMLLineCounter(bytes))
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
    lines.advance(to: tag.start)
    takeFaults(before: tag.end)
    switch tag.kind {
    case .start(let name, let attributes): return .start(element(symbols[name], attributes))
    case .end:
      for prefix in open.popLast() ?? [] { unbind(prefix) }
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
  private mutating func element(_ name: String, _ indices: Range<Int>) -> Element {
    let written = symbols.attributes[indices].filter(\.isQualified).map {
      (name: symbols[$0.name], value: symbols[$0.value])
    }
    var prefixes: [ExactText] = []
    for attribute in written {
      guard let prefix = Self.boundPrefix(attribute.name).map({ ExactText($0) }) else { continue }
      bind(prefix, to: Space(uri: attribute.value))
      prefixes.append(prefix)
    }
    open.append(prefixes)
    let (space, local) = resolve(name, isElement: true)
    var qualified: [Attribute] = []
    for attribute in written where Self.boundPrefix(attribute.name) == nil {
      let (space, local) = resolve(attribute.name, isElement: false)
      qualified.append(Attribute(space: space, name: local, value: attribute.value))
    }
    return Element(
      space: space, name: local, line: line, qualified: qualified, indices: indices, symbols: symbols)
  }

  private mutating func bind(_ prefix: ExactText, to space: Space) {
    if prefix.text.isEmpty { defaults.append(space) } else { bindings[prefix, default: []].append(space) }
  }

  private mutating func unbind(_ prefix: ExactText) {
    if prefix.text.isEmpty { _ = defaults.popLast() } else { _ = bindings[prefix]?.popLast() }
  }

  private static func boundPrefix(_ attribute: String) -> String? {
    if attribute.utf8.elementsEqual("xmlns".utf8) { return "" }
    return attribute.utf8.starts(with: "xmlns:".utf8) ? String(attribute.dropFirst(6)) : nil
  }

  private mutating func resolve(_ name: String, isElement: Bool) -> (Space, String) {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (isElement ? defaults.last ?? .none : .none, name)
    }
    let prefix = String(name[..<colon])
    let local = String(name[name.utf8.index(after: colon)...])
    if let space = bindings[ExactText(prefix)]?.last { return (space, local) }
    if prefix == "xml" { return (.xml, local) }
    let shown = prefix.firstScalars
    report(XMLSyntaxError(line: line, FindingText(.undeclaredPrefix, [shown])))
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
