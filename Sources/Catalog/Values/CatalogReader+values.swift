internal import FCMMessage
internal import JSON
internal import YAML

/// A `{$param: NAME}` of the catalog.
struct ParamReference {
  let name: String
  let node: YAMLNode
  /// The location in the tree that was searched.
  let path: [PathStep]
}

extension CatalogReader {
  /// Reads a value in which params may stand, such as `{home: {$param: home}}`, as a tree for
  /// `PlanCompiler.members`. `typeAt` says which type a place wants; nil leaves the place to other checks.
  /// Reports params that are unknown or of another type; they are missing in the result.
  func readTree(
    _ field: YAMLField, params: [Param],
    typeAt: @escaping ([PathStep]) -> MessageValueType? = { _ in .any }
  ) -> ValueTree? {
    refuseShapes(field) { typeAt($0) }
    refuseUnknown(in: field.node, at: field.path, params: params)
    return tree(field.node, at: field.path, params: params, typeAt: typeAt).tree
  }

  /// Reports mappings that only resemble `{$param: NAME}`, and references where no single value can stand.
  func refuseShapes(_ field: YAMLField, typeAt: ([PathStep]) -> MessageValueType?) {
    field.node.visitReferences { node, path in
      let place = path.appended(to: field.path)
      guard node.paramName != nil else {
        problems.report(
          "a param stands alone in its mapping, as {$param: NAME}", at: node, path: place)
        return
      }
      if case .container(let name)? = typeAt(path) {
        problems.report("must be \(name), which no param can be", at: node, path: place)
      }
    }
  }

  /// Reports references to params that the template does not have.
  func refuseUnknown(in node: YAMLNode, at path: FieldPath, params: [Param]) {
    for reference in node.references
    where params.index(of: reference.name) == nil && !undefinedParams.contains(ExactText(reference.name)) {
      problems.report(
        "unknown param", at: reference.node, path: reference.path.appended(to: path),
        suggestion: nearestName(to: reference.name, among: params.map(\.name)))
    }
  }

  /// The tree of a YAML value, and where params stand in it. References to unknown params are left out, with
  /// the objects that this empties; params of a type that does not fit are reported.
  func tree(
    _ node: YAMLNode, at path: FieldPath, params: [Param], typeAt: ([PathStep]) -> MessageValueType?
  ) -> (tree: ValueTree?, places: [ValuePlace]) {
    var places: [ValuePlace] = []
    func use(_ reference: ParamReference) -> ParamUse? {
      guard let index = params.index(of: reference.name) else { return nil }
      let type = typeAt(reference.path)
      let encoding = type.flatMap(params[index].type.encoding(in:))
      if let type, encoding == nil {
        report(params[index], in: type, at: reference, path)
      }
      let use = ParamUse(param: index, encoding: encoding ?? .own)
      places.append(ValuePlace(use: use, path: reference.path, node: reference.node))
      return use
    }
    func tree(_ node: YAMLNode, _ path: [PathStep]) -> ValueTree? {
      if !node.containsReference { return node.isNull ? nil : .constant(JSON(node)) }
      switch node.kind {
      case .scalar: return .constant(JSON(node))
      case .sequence(let nodes):
        return .list(
          nodes.enumerated().compactMap { $1.isNull ? .constant(.null) : tree($1, path + [.index($0)]) })
      case .mapping(let entries):
        if node.isParamReference {
          return node.paramName.flatMap { use(ParamReference(name: $0, node: node, path: path)) }
            .map(ValueTree.param)
        }
        let members = entries.compactMap { entry -> ValueTree.Member? in
          guard let key = entry.key.scalar?.text else { return nil }
          return tree(entry.value, path + [.key(key)]).map { (key, $0) }
        }
        return members.isEmpty ? nil : .object(members)
      }
    }
    return (tree(node, []), places)
  }

  private func report(
    _ param: Param, in type: MessageValueType, at reference: ParamReference, _ path: FieldPath
  ) {
    if case .container = type { return }
    let message = "must be \(type.plainName); the param \(param.name) is \(param.type.expectation)"
    let isKnown = problems.problems.contains {
      $0.line == reference.node.line && $0.column == reference.node.column && $0.message == message
    }
    if !isKnown {
      problems.report(message, at: reference.node, path: reference.path.appended(to: path))
    }
  }
}

extension ParamType {
  /// How a param of this type is written where `type` is wanted; nil if it cannot stand there.
  func encoding(in type: MessageValueType) -> ParamUse.Encoding? {
    switch (type, self) {
    case (.text, _): .text
    case (.any, _), (.formattedText, .string), (.number, .integer), (.number, .number): .own
    case (.apnsInteger, .integer), (.boolean, .boolean): .own
    case (.formattedText, .date), (.formattedText, .time), (.formattedText, .datetime): .own
    default: nil
    }
  }
}

extension [Param] {
  func index(of name: String) -> Int? { indices.first { self[$0].name.hasSameBytes(as: name) } }
}

extension [PathStep] {
  var keys: [String] { compactMap { if case .key(let key) = $0 { key } else { nil } } }

  func appended(to path: FieldPath) -> FieldPath {
    reduce(path) { path, step in
      switch step {
      case .key(let key): path.appending(key)
      case .index(let index): path.appending(index)
      }
    }
  }
}

extension YAMLNode {
  /// All `{$param: NAME}` in the value, with their places.
  var references: [ParamReference] {
    var references: [ParamReference] = []
    visitReferences { node, path in
      if let name = node.paramName {
        references.append(ParamReference(name: name, node: node, path: path))
      }
    }
    return references
  }

  /// The value as far as it can be checked before the params are known: references where any text fits, or
  /// where nothing is known, are empty texts, and others are left out.
  func withoutReferences(
    at path: [PathStep], typeAt: ([PathStep]) -> MessageValueType?
  ) -> YAMLNode? {
    var copy = self
    switch kind {
    case .scalar: break
    case .sequence(let nodes):
      copy.kind = .sequence(
        nodes.enumerated().compactMap { $1.withoutReferences(at: path + [.index($0)], typeAt: typeAt) })
    case .mapping where isParamReference:
      // A header's name decides which values it may have.
      let isHeader = path.dropLast().last == .key("headers")
      switch typeAt(path) {
      case nil, .any?: break
      case .text? where !isHeader: break
      default: return nil
      }
      copy.kind = .scalar(Scalar(text: "", style: .quoted))
    case .mapping(let entries):
      copy.kind = .mapping(
        entries.compactMap { entry in
          let path = path + [.key(entry.key.scalar?.text ?? "")]
          return entry.value.withoutReferences(at: path, typeAt: typeAt).map { (entry.key, $0) }
        })
    }
    return copy
  }

  /// The value without references to params that are not among `params`, and without the objects that this
  /// empties; nil if nothing is left.
  func withoutReferences(toOthersThan params: [Param]) -> YAMLNode? {
    guard containsReference else { return self }
    var copy = self
    switch kind {
    case .scalar: break
    case .sequence(let nodes):
      copy.kind = .sequence(nodes.compactMap { $0.withoutReferences(toOthersThan: params) })
    case .mapping where isParamReference:
      if let paramName, params.index(of: paramName) == nil { return nil }
    case .mapping(let entries):
      let kept = entries.compactMap { entry in
        entry.value.withoutReferences(toOthersThan: params).map { (entry.key, $0) }
      }
      if kept.isEmpty { return nil }
      copy.kind = .mapping(kept)
    }
    return copy
  }

  fileprivate var containsReference: Bool {
    switch kind {
    case .scalar: false
    case .sequence(let nodes): nodes.contains(where: \.containsReference)
    case .mapping(let entries): isParamReference || entries.contains { $0.value.containsReference }
    }
  }

  fileprivate func visitReferences(
    at path: [PathStep] = [], _ visit: (YAMLNode, [PathStep]) -> Void
  ) {
    switch kind {
    case .scalar: break
    case .sequence(let nodes):
      for (index, node) in nodes.enumerated() { node.visitReferences(at: path + [.index(index)], visit) }
    case .mapping(let entries):
      if isParamReference { return visit(self, path) }
      for entry in entries {
        guard let key = entry.key.scalar?.text else { continue }
        entry.value.visitReferences(at: path + [.key(key)], visit)
      }
    }
  }
}
