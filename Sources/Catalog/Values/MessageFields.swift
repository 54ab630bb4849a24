internal import FCMMessage
internal import YAML

/// FCM's fields of a template, with the params that stand in them.
struct MessageFields {
  /// An object with the members of FCM's `Message`.
  let tree: ValueTree
  let places: [ValuePlace]
  /// The param that holds `android.ttl`. It is one of `places`, but the plan does not write it as a field.
  let ttl: ParamUse?

  /// The names of the params that stand in a field.
  func paramNames(_ params: [Param]) -> [String] {
    let used = Set(places.map(\.use.param))
    return params.indices.filter(used.contains).map { params[$0].name }
  }
}

extension CatalogReader {
  /// Reads the fields of a template, merged with those of `defaults`. References in `defaults` to params that
  /// the template does not have leave their fields out.
  func readFields(_ level: Level, params: [Param], at path: FieldPath) -> MessageFields {
    let (tree, places) = tree(level.overlay.root, at: path, params: params) {
      MessageSchema.valueType(at: $0)
    }
    let ttl = level.ttlParam.flatMap { reference in
      var node = YAMLNode(.mapping([]), line: reference.node.line, column: reference.node.column)
      node.set(reference.node, at: ["android", "ttl"])
      return self.tree(node, at: path, params: params) { MessageSchema.valueType(at: $0) }.places.first
    }
    return MessageFields(
      tree: tree ?? .object([]), places: places + [ttl].compactMap(\.self), ttl: ttl?.use)
  }
}
