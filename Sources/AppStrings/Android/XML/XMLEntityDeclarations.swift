internal import JSON

/// The general entities that a document declares.
struct XMLEntityDeclarations {
  /// The entities that each internal one refers to; nil for an external one.
  private var references: [ExactText: [ExactText]?] = [:]

  /// `value` is the replacement text, with character references already replaced; nil for an external entity.
  mutating func declare(_ name: String, value: [UInt8]?) {
    references.updateValue(value.map(Self.references), forKey: ExactText(name))
  }

  var count: Int { references.count }

  func isDeclared(_ name: String) -> Bool { references[ExactText(name)] != nil }

  func isExternal(_ name: String) -> Bool {
    if case .some(.none) = references[ExactText(name)] { true } else { false }
  }

  /// Whether entities refer to entities in more than `depthMax` levels, or in a circle: expat 2.5 expands
  /// them recursively and has no such limit (CVE-2024-8176). O(depthMax × references).
  func isDeeper(than depthMax: Int) -> Bool {
    var level = Set(references.keys)
    for _ in 0..<depthMax {
      level = level.filter { name in
        references[name]?.map { inner in inner.contains { level.contains($0) } } ?? false
      }
      if level.isEmpty { return false }
    }
    return !level.isEmpty
  }

  private static func references(in value: [UInt8]) -> [ExactText] {
    var names: [ExactText] = []
    var rest = value[...]
    while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
      rest = rest[(ampersand + 1)...]
      guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { break }
      let name = rest[..<end]
      if name.allSatisfy(\.isXMLName) { names.append(ExactText(String(decoding: name, as: UTF8.self))) }
    }
    return names
  }
}

extension UInt8 {
  var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  /// Whether it may be part of a name, which is assumed of every byte beyond ASCII.
  var isXMLName: Bool {
    isASCIIAlphanumeric || "_:-.".utf8.contains(self) || self >= 0x80
  }
}
