package import JSON

extension MessageSchema {
  /// Everything in `value` that the fields and types of `type` do not allow, in document order.
  ///
  /// As in protocol buffers' JSON, null means an absent field, a number may be written as a string, and an
  /// enumeration's value as its number. `path` is the location of `value`; the violations' `field` begins
  /// with it.
  package static func violations(
    in value: JSON, of type: ObjectType, at path: [PathStep] = []
  ) -> [MessageViolation] {
    var checker = SchemaChecker()
    checker.check(value, is: .object(type), at: MessageLocation(path), in: nil)
    return checker.violations
  }
}

extension MessageSchema.FieldType {
  /// The type's name in FCM's own messages.
  var fcmName: String {
    switch self {
    case .string: "TYPE_STRING"
    case .boolean: "TYPE_BOOL"
    case .int32: "TYPE_INT32"
    case .float: "TYPE_FLOAT"
    case .duration: "type.googleapis.com/google.protobuf.Duration"
    case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
    case .enumeration(let type): "type.googleapis.com/google.firebase.fcm.v1.\(type.name)"
    case .stringMap: "Map"
    case .freeObject: "type.googleapis.com/google.protobuf.Struct"
    case .object(.color): "type.googleapis.com/google.type.Color"
    case .object(.lightSettingsV2):
      "type.googleapis.com/google.firebase.fcm.v1.AndroidNotificationV2.LightSettings"
    case .object(let type): "type.googleapis.com/google.firebase.fcm.v1.\(type.rawValue)"
    case .list(let element): element.fcmName
    }
  }

  /// The type, for messages.
  var plainName: String {
    switch self {
    case .string: "a string"
    case .boolean: "a boolean"
    case .int32: "an integer of 32 bits"
    case .float: "a number"
    case .duration: "a duration in seconds such as \"3.5s\""
    case .timestamp: "a time in RFC 3339 such as \"2026-11-21T12:00:00Z\""
    case .enumeration(let type): "one of \(type.values.joined(separator: ", "))"
    case .stringMap, .freeObject, .object: "an object"
    case .list: "an array"
    }
  }

  private var isScalar: Bool {
    switch self {
    case .stringMap, .freeObject, .object, .list: false
    default: true
    }
  }

  /// Whether a JSON object or array can never be a value of this type.
  fileprivate var rejectsContainers: Bool { isScalar }
}

/// Checks a value against the tables, whose depth bounds its recursion.
private struct SchemaChecker {
  private(set) var violations: [MessageViolation] = []
  /// The maximum number of characters of a rejected value that a description quotes.
  private static let quotedCharactersMax = 200

  mutating func check(
    _ value: JSON, is type: MessageSchema.FieldType, at location: MessageLocation, in parent: MessageLocation?
  ) {
    switch type {
    case .object(let objectType):
      guard let object = value.object else { return refuse(value, type, location, parent) }
      check(object, of: objectType, at: location)
    case .freeObject:
      if value.object == nil { refuse(value, type, location, parent) }
    case .stringMap:
      guard let object = value.object else { return refuse(value, type, location, parent) }
      for (index, member) in object.members.enumerated() where member.value.string == nil {
        let place = location.mapValue(member.key, at: index)
        refuse(member.value, .string, place, location)
      }
    case .list(let elementType):
      guard let array = value.array else { return refuse(value, type, location, parent) }
      for (index, element) in array.enumerated() {
        check(element, is: elementType, at: location.element(index), in: location)
      }
    default:
      if !type.accepts(value) { refuse(value, type, location, parent) }
    }
  }

  private mutating func check(
    _ object: JSON.Object, of type: MessageSchema.ObjectType, at location: MessageLocation
  ) {
    for member in object {
      guard violations.count < MessageViolation.collectedMax else { return }
      guard let field = MessageSchema.field(member.key, of: type) else {
        violations.append(unknownField(member.key, of: type, in: location))
        continue
      }
      if member.value.isNull { continue }
      check(member.value, is: field.type, at: location.member(member.key, named: field.name), in: location)
    }
  }

  private func unknownField(
    _ key: String, of type: MessageSchema.ObjectType, in location: MessageLocation
  ) -> MessageViolation {
    let suggestion = MessageSchema.nearestFieldName(to: key, of: type)
    return MessageViolation(
      path: location.path + [.key(key)], field: location.field,
      description:
        "Invalid JSON payload received. Unknown name \(quoted(key))\(place(location)): Cannot find field.",
      reason: "unknown field" + (suggestion.map { ", did you mean \($0)?" } ?? ""),
      kind: .unknownField, suggestion: suggestion)
  }

  /// Reports a value in the words of Google's JSON transcoding, which depend on the kind of value.
  private mutating func refuse(
    _ value: JSON, _ type: MessageSchema.FieldType, _ location: MessageLocation, _ parent: MessageLocation?
  ) {
    guard violations.count < MessageViolation.collectedMax else { return }
    let description: String
    switch value {
    case .array where parent != nil && !type.isList:
      description =
        "Invalid JSON payload received. Unknown name \(quoted(location.lastName))\(place(parent)): "
        + "Proto field is not repeating, cannot start list."
    case .object where parent != nil && type.rejectsContainers:
      description =
        "Invalid value\(place(parent)) (\(location.lastName)), Starting an object on a scalar field"
    case .string(let text) where type == .duration:
      let problem =
        text.utf8.last == UInt8(ascii: "s")
        ? "Invalid duration format, failed to parse seconds"
        : "Illegal duration format; duration must end with 's'"
      description =
        "Invalid value\(place(location)) (\(type.fcmName)), Field '\(location.lastName)', \(problem)"
    case .string(let text) where type == .timestamp:
      description =
        "Invalid value\(place(location)) (\(type.fcmName)), Field '\(location.lastName)', "
        + "Invalid time format: \(clipped(text))"
    default: description = "Invalid value\(place(location)) (\(type.fcmName)), \(quoted(value))"
    }
    violations.append(
      MessageViolation(
        path: location.path, field: location.field, description: description,
        reason: reason(value, type), kind: .wrongType))
  }

  private func reason(_ value: JSON, _ type: MessageSchema.FieldType) -> String {
    // If the JSON type is right and only the format is wrong, naming the type does not help.
    let hasRightShape = value.string != nil && type.rejectsContainers || type == .int32 && value.number != nil
    return "must be \(type.plainName)" + (hasRightShape ? "" : ", not \(value.kind)")
  }

  private func place(_ location: MessageLocation?) -> String {
    guard let location, !location.field.isEmpty else { return "" }
    return " at '\(location.field)'"
  }

  private func quoted(_ text: String) -> String { quoted(.string(text)) }

  private func quoted(_ value: JSON) -> String {
    clipped(String(decoding: value.serialized, as: UTF8.self))
  }

  private func clipped(_ text: String) -> String {
    text.count > Self.quotedCharactersMax ? text.prefix(Self.quotedCharactersMax) + "…" : text
  }
}

extension MessageSchema.FieldType {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }

  /// Whether a scalar of this type can be read from `value`.
  fileprivate func accepts(_ value: JSON) -> Bool {
    switch (self, value) {
    case (.string, .string), (.boolean, .bool): true
    case (.boolean, .string(let text)): text == "true" || text == "false"
    case (.int32, .number(let number)): isInt32(number.lexeme)
    case (.int32, .string(let text)): Int32(text) != nil
    case (.float, .number(let number)):
      number.double.map { abs($0) <= Double(Float.greatestFiniteMagnitude) } ?? false
    case (.float, .string(let text)): isFloat(text)
    case (.duration, .string(let text)): ProtoDuration(text) != nil
    case (.timestamp, .string(let text)): isProtoTimestamp(text)
    case (.enumeration(let type), .string(let text)):
      type.values.contains { $0 == text || type.acceptsLowerCase && $0.lowercased() == text }
    case (.enumeration(let type), .number(let number)):
      number.int64.map { type.values.indices.contains(Int($0)) } ?? false
    default: false
    }
  }

  /// Whether the number is an integer of 32 bits. Protocol buffers also accept the forms `3.0` and `3e0`.
  private func isInt32(_ lexeme: String) -> Bool {
    guard let value = Double(lexeme), value.isFinite else { return false }
    return Int32(exactly: value) != nil
  }

  private func isFloat(_ text: String) -> Bool {
    if ["NaN", "Infinity", "-Infinity"].contains(text) { return true }
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || first < 0x3A else { return false }
    return Float(text)?.isFinite ?? false
  }
}

extension MessageLocation {
  /// The last key of the path, as written.
  var lastName: String {
    for step in path.reversed() { if case .key(let key) = step { return key } }
    return field
  }
}
