import FCMMessage
import Foundation
import JSON
import Testing

@Suite struct MessageSchemaTests {
  private func violations(
    _ text: String, of type: MessageSchema.ObjectType = .message
  ) throws
    -> [MessageViolation]
  {
    let path: [PathStep] = type == .sendMessageRequest ? [] : [.key("message")]
    return MessageSchema.violations(in: try JSON.parse(text), of: type, at: path)
  }

  private func descriptions(_ text: String) throws -> [String] { try violations(text).map(\.description) }

  // The objects of topic management are not part of a message.
  private let otherSchemas = ["Empty", "ListTopicSubscriptionsResponse", "TopicSubscription"]

  @Test func matchesTheDiscoveryDocument() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/fcm-v1-schema.json")
    let document = try JSON.parse([UInt8](Data(contentsOf: file)))
    let schemas = try #require(document["schemas"]?.object)
    #expect(
      Set(schemas.members.map(\.key))
        == Set(MessageSchema.ObjectType.allCases.map(\.rawValue)).union(otherSchemas))
    for type in MessageSchema.ObjectType.allCases {
      let properties = try #require(schemas[type.rawValue]?["properties"]?.object)
      let fields = MessageSchema.fields(of: type)
      #expect(fields.map(\.name) == properties.members.map(\.key), "\(type)")
      for field in fields {
        #expect(field.type == fieldType(try #require(properties[field.name])), "\(type).\(field.name)")
      }
    }
  }

  private func fieldType(_ property: JSON) -> MessageSchema.FieldType? {
    if let reference = property["$ref"]?.string {
      return MessageSchema.ObjectType(rawValue: reference).map { .object($0) }
    }
    if let values = property["enum"]?.array {
      let all = [
        MessageSchema.messagePriority, MessageSchema.notificationPriority, MessageSchema.visibility,
        MessageSchema.proxy,
      ]
      return all.first { $0.values == values.compactMap(\.string) }.map { .enumeration($0) }
    }
    switch (property["type"]?.string, property["format"]?.string) {
    case ("string", nil): return .string
    case ("string", "google-duration"): return .duration
    case ("string", "google-datetime"): return .timestamp
    case ("boolean", nil): return .boolean
    case ("integer", "int32"): return .int32
    case ("number", "float"): return .float
    case ("array", nil): return property["items"].flatMap(fieldType).map { .list($0) }
    case ("object", nil):
      return property["additionalProperties"]?["type"]?.string == "string" ? .stringMap : .freeObject
    default: return nil
    }
  }

  @Test func acceptsBothSpellingsOfEveryName() {
    for type in MessageSchema.ObjectType.allCases {
      for field in MessageSchema.fields(of: type) {
        #expect(MessageSchema.field(field.name, of: type)?.name == field.name)
        #expect(MessageSchema.field(field.jsonName, of: type)?.name == field.name)
      }
    }
    #expect(
      MessageSchema.field("useAsV1DataMessage", of: .androidRemoteNotification)?.name
        == "use_as_v1_data_message")
    // Canonically equivalent to "token", but a different name.
    #expect(MessageSchema.field("bodyLoc\u{212A}ey", of: .androidNotification) == nil)
  }

  @Test func acceptsAMessageWithEveryKindOfField() throws {
    let text = """
      {"token":"t","data":{"a":"b"},"notification":{"title":"T","image":null},
       "android":{"priority":"high","ttl":"3.5s","directBootOk":true,"notification":{"title_loc_key":"k",
         "titleLocArgs":["a"],"notification_priority":"PRIORITY_MAX","visibility":1,"event_time":
         "2026-11-21T12:00:00.123456789Z","notification_count":"3","vibrate_timings":["0s","0.1s"],
         "light_settings":{"color":{"red":1,"green":0.5,"blue":"0","alpha":1.0},"light_on_duration":"1s",
         "light_off_duration":"1s"}}},
       "apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{},"x":[1,null,{"y":true}]}},
       "webpush":{"notification":{"actions":[{}]},"fcm_options":{"link":"https://x"}}}
      """
    #expect(try violations(text) == [])
  }

  @Test func reportsAnUnknownFieldAsFCMDoes() throws {
    let found = try violations(#"{"toen":"t","android":{"notification":{"titel":"x"}}}"#)
    #expect(
      found.map(\.description) == [
        "Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field.",
        "Invalid JSON payload received. Unknown name \"titel\" at 'message.android.notification': "
          + "Cannot find field.",
      ])
    #expect(found.map(\.field) == ["message", "message.android.notification"])
    #expect(found.map(\.suggestion) == ["token", "title"])
    #expect(found.last?.path == [.key("message"), .key("android"), .key("notification"), .key("titel")])
    #expect(found.first?.reason == "unknown field, did you mean token?")
    #expect(try violations(#"{"notification":{"title_loc_args":["a"]}}"#).map(\.kind) == [.unknownField])
    let top = try violations(#"{"massage":{}}"#, of: .sendMessageRequest)
    #expect(
      top.map(\.description) == [
        "Invalid JSON payload received. Unknown name \"massage\": Cannot find field."
      ])
  }

  @Test func reportsAWrongTypeAsFCMDoes() throws {
    #expect(
      try descriptions(#"{"data":{"a":12}}"#) == [
        "Invalid value at 'message.data[0].value' (TYPE_STRING), 12"
      ])
    #expect(
      try descriptions(#"{"token":["t"]}"#) == [
        "Invalid JSON payload received. Unknown name \"token\" at 'message': "
          + "Proto field is not repeating, cannot start list."
      ])
    #expect(
      try descriptions(#"{"token":{}}"#) == [
        "Invalid value at 'message' (token), Starting an object on a scalar field"
      ])
    #expect(
      try descriptions(#"{"android":{"priority":"urgent","ttl":"60"}}"#) == [
        "Invalid value at 'message.android.priority' "
          + "(type.googleapis.com/google.firebase.fcm.v1.AndroidConfig.AndroidMessagePriority), \"urgent\"",
        "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), "
          + "Field 'ttl', Illegal duration format; duration must end with 's'",
      ])
    let apns = try violations(#"{"apns":{"headers":{"apns-priority":5},"payload":[]}}"#)
    #expect(apns.map(\.field) == ["message.apns.headers[0].value", "message.apns.payload"])
    #expect(apns.first?.path == ["message", "apns", "headers", "apns-priority"].map(PathStep.key))
    #expect(apns.first?.reason == "must be a string, not a number")
  }

  @Test(arguments: [
    #"{"notification":"text"}"#, #"{"data":{"a":null}}"#, #"{"data":[]}"#,
    #"{"android":{"direct_boot_ok":"yes"}}"#, #"{"android":{"priority":"High"}}"#,
    #"{"android":{"priority":2}}"#, #"{"android":{"ttl":60}}"#, #"{"android":{"ttl":"1.0000000001s"}}"#,
    #"{"android":{"ttl":"s"}}"#, #"{"android":{"notification":{"title_loc_args":[3]}}}"#,
    #"{"android":{"notification":{"title_loc_args":"a"}}}"#,
    #"{"android":{"notification":{"visibility":"private"}}}"#,
    #"{"android":{"notification":{"notification_count":1.5}}}"#,
    #"{"android":{"notification":{"notification_count":3000000000}}}"#,
    #"{"android":{"notification":{"event_time":"2026-02-29T00:00:00Z"}}}"#,
    #"{"android":{"notification":{"event_time":"yesterday"}}}"#,
    #"{"android":{"notification":{"light_settings":{"color":{"red":"dark"}}}}}"#,
  ])
  func rejectsAWrongTypeOrFormat(_ text: String) throws {
    #expect(try violations(text).map(\.kind) == [.wrongType])
  }
}
