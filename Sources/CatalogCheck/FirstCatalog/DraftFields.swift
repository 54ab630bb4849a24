internal import FCMMessage
internal import JSON

/// The fields that messages of one kind have, each with its values in all of them.
///
/// Values that FCM restricts, such as a priority or a duration, are the same in all messages of a kind.
indirect enum DraftFields {
  case same(JSON)
  /// Scalars of one type.
  case varying([JSON])
  /// A scalar that is not known.
  case unknown(name: String, type: String)
  case object([(key: String, value: DraftFields)])
  case list([DraftFields])

  /// `values` have the same `skeleton`.
  init(_ values: [JSON]) {
    guard let first = values.first else {
      self = .same(.null)
      return
    }
    if let name = first["$param"]?.string, let type = first["$type"]?.string {
      self = .unknown(name: name, type: type)
    } else if first.holdsUnknown, let object = first.object {
      self = .object(object.members.map { ($0.key, DraftFields([$0.value])) })
    } else if first.holdsUnknown, let array = first.array {
      self = .list(array.map { DraftFields([$0]) })
    } else if values.allSatisfy({ $0 == first }) {
      self = .same(first)
    } else if let object = first.object {
      self = .object(
        object.members.map { member in (member.key, DraftFields(values.map { $0[member.key] ?? .null })) })
    } else if let array = first.array {
      self = .list(array.indices.map { index in DraftFields(values.map { $0[index] ?? .null }) })
    } else {
      self = .varying(values)
    }
  }

  /// What messages of one kind have in common: the fields and the types of their values, and the values that
  /// no param can stand for.
  static func skeleton(_ value: JSON, _ type: MessageSchema.FieldType) -> JSON {
    switch (value, type) {
    case (.object(let object), .object(let fields)):
      return skeleton(object) { key in MessageSchema.field(key, of: fields)?.type ?? .freeObject }
    case (.object(let object), .stringMap): return skeleton(object) { _ in .string }
    case (.object(let object), _): return skeleton(object) { _ in .freeObject }
    case (.array(let elements), .list(let element)): return .array(elements.map { skeleton($0, element) })
    case (.array(let elements), _): return .array(elements.map { skeleton($0, .freeObject) })
    case (.string, .string), (.string, .freeObject): return "string"
    case (.bool, .boolean), (.bool, .freeObject): return "boolean"
    case (.number(let number), .int32), (.number(let number), .freeObject):
      return number.int64 == nil ? "number" : "integer"
    default: return ["=": value]
    }
  }

  private static func skeleton(
    _ object: JSON.Object, _ type: (String) -> MessageSchema.FieldType
  ) -> JSON {
    let members = object.members.map { member in
      // Headers are strings of which FCM and APNs accept few.
      (member.key, member.key == "headers" ? ["=": member.value] : skeleton(member.value, type(member.key)))
    }
    return .object(.init(members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }))
  }
}

extension DraftFields {
  /// The fields in YAML's flow style; `param` names the param that stands for values.
  func yaml(at name: String, _ param: ([JSON], _ name: String, _ type: String?) -> String) -> String {
    switch self {
    case .same(let value): Self.yaml(value)
    case .varying(let values): "{$param: \(param(values, name, nil))}"
    case .unknown(let name, let type): "{$param: \(param([], name, type))}"
    case .object(let members):
      Self.mapping(members.map { ($0.key, $0.value.yaml(at: $0.key, param)) })
    case .list(let elements): "[\(elements.map { $0.yaml(at: name, param) }.joined(separator: ", "))]"
    }
  }

  private static func yaml(_ value: JSON) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let number): number.lexeme
    case .string(let text): FirstCatalog.scalar(text)
    case .array(let elements): "[\(elements.map(yaml).joined(separator: ", "))]"
    case .object(let object): mapping(object.members.map { ($0.key, yaml($0.value)) })
    }
  }

  private static func mapping(_ members: [(key: String, value: String)]) -> String {
    "{\(members.map { "\(FirstCatalog.scalar($0.key)): \($0.value)" }.joined(separator: ", "))}"
  }
}

extension JSON {
  /// Whether a value in it is not known.
  fileprivate var holdsUnknown: Bool {
    switch self {
    case .object(let object): object.has("$param") || object.members.contains { $0.value.holdsUnknown }
    case .array(let elements): elements.contains(where: \.holdsUnknown)
    case .null, .bool, .number, .string: false
    }
  }
}
