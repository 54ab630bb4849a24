package import JSON

/// FCM's v1 message schema: the objects of `SendMessageRequest` with their fields and types (Google's
/// discovery document fcm.v1, revision 20261023).
package enum MessageSchema {
  /// An object type; the raw value is the discovery document's name.
  package enum ObjectType: String, Sendable, CaseIterable {
    case sendMessageRequest = "SendMessageRequest"
    case message = "Message"
    case notification = "Notification"
    case fcmOptions = "FcmOptions"
    case androidConfig = "AndroidConfig"
    case androidNotification = "AndroidNotification"
    case androidFcmOptions = "AndroidFcmOptions"
    case lightSettings = "LightSettings"
    case color = "Color"
    case androidConfigV2 = "AndroidConfigV2"
    case androidRemoteNotification = "AndroidRemoteNotification"
    case androidNotificationV2 = "AndroidNotificationV2"
    case lightSettingsV2 = "GoogleFirebaseFcmV1AndroidNotificationV2LightSettings"
    case androidBackgroundSyncMessage = "AndroidBackgroundSyncMessage"
    case apnsConfig = "ApnsConfig"
    case apnsFcmOptions = "ApnsFcmOptions"
    case webpushConfig = "WebpushConfig"
    case webpushFcmOptions = "WebpushFcmOptions"
  }

  /// A field's type.
  package indirect enum FieldType: Sendable, Equatable {
    case string
    case boolean
    case int32
    case float
    /// `google-duration`: seconds with up to nine decimals and an `s`.
    case duration
    /// `google-datetime`: RFC 3339.
    case timestamp
    case enumeration(EnumType)
    /// `map<string, string>`.
    case stringMap
    /// Any JSON object (`google.protobuf.Struct`).
    case freeObject
    case object(ObjectType)
    case list(FieldType)
  }

  /// An enumeration and its values in the order of their numbers, from 0.
  package struct EnumType: Sendable, Equatable {
    /// The proto name after `google.firebase.fcm.v1.`.
    package let name: String
    package let values: [String]
    /// Whether lower case is accepted too (FCM v1 reference, `AndroidConfig.priority`).
    package let acceptsLowerCase: Bool
  }

  /// A field of an object type.
  package struct Field: Sendable {
    /// The proto name, in snake_case.
    package let name: String
    /// The JSON name, in lowerCamelCase. FCM accepts both.
    package let jsonName: String
    package let type: FieldType

    init(_ name: String, _ type: FieldType) {
      self.name = name
      self.jsonName = lowerCamelCase(name)
      self.type = type
    }
  }

  /// The fields of `type`, sorted by name.
  package static func fields(of type: ObjectType) -> [Field] { table(of: type).fields }

  /// The field of `type` with the name `key`, in snake_case or lowerCamelCase.
  package static func field(_ key: String, of type: ObjectType) -> Field? {
    table(of: type).byKey[ExactText(key)]
  }

  /// The name of the field of `type` that is most similar to `key`, in the same spelling style as `key`.
  package static func nearestFieldName(to key: String, of type: ObjectType) -> String? {
    let isSnakeCase = key.utf8.contains(UInt8(ascii: "_")) || key.lowercased() == key
    return nearestName(to: key, among: fields(of: type).map { isSnakeCase ? $0.name : $0.jsonName })
  }

  /// `value` with the proto names of its fields: `title_loc_key` for `titleLocKey`.
  package static func withProtoNames(_ value: JSON, of type: ObjectType) -> JSON {
    guard let object = value.object else { return value }
    return .object(
      JSON.Object(
        object.members.map { member in
          guard let field = field(member.key, of: type) else { return member }
          guard case .object(let inner) = field.type else { return (field.name, member.value) }
          return (field.name, withProtoNames(member.value, of: inner))
        }))
  }

  /// The fields of an object type, and each by both of its names.
  struct Table: Sendable {
    let fields: [Field]
    let byKey: [ExactText: Field]

    init(_ fields: [Field]) {
      self.fields = fields
      var byKey: [ExactText: Field] = [:]
      for field in fields {
        byKey[ExactText(field.name)] = field
        byKey[ExactText(field.jsonName)] = field
      }
      self.byKey = byKey
    }
  }
}

/// Converts `title_loc_key` to `titleLocKey`, as protocol buffers derive JSON names.
func lowerCamelCase(_ name: String) -> String {
  var result = ""
  var capitalizes = false
  for character in name {
    if character == "_" {
      capitalizes = true
    } else {
      result += capitalizes ? character.uppercased() : String(character)
      capitalizes = false
    }
  }
  return result
}
