/// What FCM's schema or an APNs key wants at a place of a message, for values that a request fills in.
package enum MessageValueType: Sendable, Equatable {
  /// Any string.
  case text
  /// A string of a certain form, such as a duration, a time or an enumeration's value.
  case formattedText
  case number
  case boolean
  /// An APNs key that is an integer, such as `content-available`.
  case apnsInteger
  /// Any JSON value: a key of the app's own beside `aps`, or an option of a web notification.
  case any
  /// An object or a list, which no single value fills.
  case container(name: String)

  /// The type, for messages.
  package var plainName: String {
    switch self {
    case .text: "a string"
    case .formattedText: "a string"
    case .number: "a number"
    case .boolean: "a boolean"
    case .apnsInteger: "an integer"
    case .any: "any value"
    case .container(let name): name
    }
  }
}

extension MessageSchema {
  /// The type of the value at `path` of a `Message`, with proto field names; nil if FCM has no such field.
  package static func valueType(at path: [PathStep]) -> MessageValueType? {
    valueType(of: .object(.message), at: path[...])
  }

  private static func valueType(of type: FieldType, at path: ArraySlice<PathStep>) -> MessageValueType? {
    guard let step = path.first else { return type.valueType }
    switch (type, step) {
    case (.object(let objectType), .key(let key)):
      guard let field = field(key, of: objectType) else { return nil }
      if objectType == .apnsConfig, field.name == "payload", path.dropFirst().first == .key("aps") {
        return RuleCheck.apsValueType(at: path.dropFirst(2))
      }
      return valueType(of: field.type, at: path.dropFirst())
    case (.list(let element), .index): return valueType(of: element, at: path.dropFirst())
    case (.stringMap, .key): return path.count == 1 ? .text : nil
    case (.freeObject, .key): return .any
    default: return nil
    }
  }
}

extension MessageSchema.FieldType {
  fileprivate var valueType: MessageValueType {
    switch self {
    case .string: .text
    case .duration, .timestamp, .enumeration: .formattedText
    case .int32, .float: .number
    case .boolean: .boolean
    case .stringMap, .freeObject, .object, .list: .container(name: plainName)
    }
  }
}
