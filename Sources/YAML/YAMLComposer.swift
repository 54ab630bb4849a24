/// Builds the tree from libyaml's events; `YAML.depthMax` bounds its recursion.
struct YAMLComposer {
  private let reader: YAMLEventReader
  private let source: YAMLSource
  private let problems: ProblemCollector
  private var anchors: [String: (node: YAMLNode, count: Int)] = [:]
  private var nodeCount = 0
  private var depth = 0

  init(reader: YAMLEventReader, source: YAMLSource, problems: ProblemCollector) {
    self.reader = reader
    self.source = source
    self.problems = problems
  }

  mutating func composeDocument() throws(YAMLSyntaxError) -> YAMLNode {
    _ = try reader.next()
    guard case .documentStart = try reader.next() else {
      throw YAMLSyntaxError(line: 1, column: 1, message: "the file is empty")
    }
    let event = try reader.next()
    let root = try compose(event, path: .root)
    _ = try reader.next()
    guard case .streamEnd = try reader.next() else {
      throw error("a second document begins here; the file must hold only one", at: .root)
    }
    return root
  }

  private mutating func compose(
    _ event: YAMLEventReader.Event, path: FieldPath
  ) throws(YAMLSyntaxError) -> YAMLNode {
    let position = reader.position
    let countBefore = nodeCount
    try count(1, at: path)
    let kind: YAMLNode.Kind
    let anchor: String?
    switch event {
    case .scalar(let scalar, let tag, let name):
      kind = .scalar(try typed(scalar, tag: tag, at: path))
      anchor = name
    case .sequenceStart(let tag, let name):
      try checkTag(tag, "tag:yaml.org,2002:seq", at: path)
      kind = .sequence(try composeSequence(path: path))
      anchor = name
    case .mappingStart(let tag, let name):
      try checkTag(tag, "tag:yaml.org,2002:map", at: path)
      kind = .mapping(try composeMapping(path: path))
      anchor = name
    case .alias(let name):
      guard let target = anchors[name] else {
        // The name is not quoted: it can be a secret that begins with "*" and lacks its quotes.
        throw error(
          "an alias without a preceding anchor; put text that begins with \"*\" in quotes", at: path)
      }
      try count(target.count, at: path)
      return target.node
    default: throw error("expected a value", at: path)
    }
    let node = YAMLNode(kind, line: position.line, column: position.column)
    if let anchor { anchors[anchor] = (node, nodeCount - countBefore) }
    return node
  }

  private mutating func composeSequence(path: FieldPath) throws(YAMLSyntaxError) -> [YAMLNode] {
    try enter(at: path)
    defer { depth -= 1 }
    var nodes: [YAMLNode] = []
    while true {
      let event = try reader.next()
      if case .sequenceEnd = event { return nodes }
      nodes.append(try compose(event, path: path.appending(nodes.count)))
    }
  }

  private mutating func composeMapping(path: FieldPath) throws(YAMLSyntaxError) -> [YAMLNode.Entry] {
    try enter(at: path)
    defer { depth -= 1 }
    var entries: [YAMLNode.Entry] = []
    var firstLines: [[UInt8]: Int] = [:]
    while true {
      let event = try reader.next()
      if case .mappingEnd = event { return entries }
      let key = try compose(event, path: path)
      guard let name = key.scalar?.text else {
        throw YAMLSyntaxError(
          line: key.line, column: key.column, path: path,
          message: "a key must be a string, not \(key.kindName)"
        )
      }
      let keyPath = path.appending(name)
      let valueEvent = try reader.next()
      let value = try compose(valueEvent, path: keyPath)
      if let line = firstLines[Array(name.utf8)] {
        problems.report("duplicate key, first used in line \(line)", at: key, path: keyPath)
      } else {
        firstLines[Array(name.utf8)] = key.line
        entries.append((key, value))
      }
    }
  }

  private func typed(
    _ scalar: YAMLNode.Scalar, tag: String?, at path: FieldPath
  ) throws(YAMLSyntaxError) -> YAMLNode.Scalar {
    let text = source.original(scalar.text)
    switch tag {
    case nil: return .init(text: text, style: scalar.style)
    case "!", "tag:yaml.org,2002:str": return .init(text: text, style: .quoted)
    default: throw error("tags other than !!str are not supported", at: path)
    }
  }

  private func checkTag(_ tag: String?, _ expected: String, at path: FieldPath) throws(YAMLSyntaxError) {
    guard tag == nil || tag == "!" || tag == expected else {
      throw error("tags other than !!str are not supported", at: path)
    }
  }

  private mutating func enter(at path: FieldPath) throws(YAMLSyntaxError) {
    depth += 1
    guard depth <= YAML.depthMax else {
      throw error("nested deeper than \(YAML.depthMax)", at: .root)
    }
  }

  private mutating func count(_ added: Int, at path: FieldPath) throws(YAMLSyntaxError) {
    nodeCount += added
    guard nodeCount <= YAML.nodeCountMax else {
      throw error("more than \(YAML.nodeCountMax) values, including those that aliases repeat", at: path)
    }
  }

  private func error(_ message: String, at path: FieldPath) -> YAMLSyntaxError {
    YAMLSyntaxError(
      line: reader.position.line, column: reader.position.column, path: path, message: message)
  }
}
