internal import JSON

/// A value of a YAML document, with its location.
package struct YAMLNode: Sendable {
  /// How a scalar was written, which determines its type.
  package enum Style: Sendable {
    /// Without quotes; YAML 1.2's core schema determines the type.
    case plain
    /// In quotes or as a block; always a string.
    case quoted
    /// From outside the file, such as an environment variable; takes the type that its field requires.
    case untyped
  }

  /// A scalar's text and how it was written.
  package struct Scalar: Sendable {
    package let text: String
    package let style: Style
    package init(text: String, style: Style) {
      self.text = text
      self.style = style
    }
  }

  package typealias Entry = (key: YAMLNode, value: YAMLNode)

  package enum Kind: Sendable {
    case scalar(Scalar)
    case sequence([YAMLNode])
    case mapping([Entry])
  }

  package var kind: Kind
  /// The line, from 1.
  package let line: Int
  /// The column in Unicode scalars, from 1.
  package let column: Int
  /// The source of a value that does not come from the file, such as `"environment variable X"`.
  package let origin: String?
  /// Whether a problem has been reported that makes the value meaningless. Further ones are not reported.
  package var isFaulty = false

  package init(_ kind: Kind, line: Int, column: Int, origin: String? = nil) {
    self.kind = kind
    self.line = line
    self.column = column
    self.origin = origin
  }

  /// A scalar that does not come from the file.
  package init(untyped text: String, origin: String) {
    self.init(.scalar(Scalar(text: text, style: .untyped)), line: 0, column: 0, origin: origin)
  }
}

extension YAMLNode {
  package var scalar: Scalar? { if case .scalar(let scalar) = kind { scalar } else { nil } }
  package var sequence: [YAMLNode]? { if case .sequence(let nodes) = kind { nodes } else { nil } }
  package var mapping: [Entry]? { if case .mapping(let entries) = kind { entries } else { nil } }

  /// The value of `key` in a mapping; keys are compared byte by byte.
  package subscript(key: String) -> YAMLNode? {
    mapping?.first { $0.key.scalar.map { $0.text.hasSameBytes(as: key) } ?? false }?.value
  }

  /// The tree with every scalar value, but no key, replaced by the result of `transform`.
  package func mapScalars(
    at path: FieldPath = .root, _ transform: (Scalar, YAMLNode, FieldPath) -> YAMLNode
  ) -> YAMLNode {
    var copy = self
    switch kind {
    case .scalar(let scalar): return transform(scalar, self, path)
    case .sequence(let nodes):
      copy.kind = .sequence(
        nodes.enumerated().map { $1.mapScalars(at: path.appending($0), transform) })
    case .mapping(let entries):
      copy.kind = .mapping(
        entries.map { entry in
          let path = path.appending(entry.key.scalar?.text ?? "?")
          return (entry.key, entry.value.mapScalars(at: path, transform))
        })
    }
    return copy
  }

  /// Sets `value` at a path of keys and creates missing mappings on the way. A scalar or sequence on the path
  /// is replaced by a mapping.
  package mutating func set(_ value: YAMLNode, at path: ArraySlice<String>) {
    guard let key = path.first else {
      self = value
      return
    }
    var entries = mapping ?? []
    let rest = path.dropFirst()
    if let index = entries.firstIndex(where: { $0.key.scalar.map { $0.text.hasSameBytes(as: key) } ?? false })
    {
      entries[index].value.set(value, at: rest)
    } else {
      var child = YAMLNode(.mapping([]), line: value.line, column: value.column, origin: value.origin)
      child.set(value, at: rest)
      let keyNode = YAMLNode(
        .scalar(Scalar(text: key, style: .quoted)), line: value.line, column: value.column,
        origin: value.origin)
      entries.append((keyNode, child))
    }
    kind = .mapping(entries)
  }
}
