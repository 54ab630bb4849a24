import Catalog
import FCMMessage
import JSON
import Testing

@Suite struct AssemblyTests {
  @Test func assemblesTheDocumentedMessage() throws {
    let catalog = try Fixture.catalog(Fixture.newMessage)
    let args: JSON = ["count": 3, "sender": "Bob"]
    let request = AssemblyRequest(template: "new_message", args: args.object ?? .init())
    let expected: JSON = [
      "token": "T",
      "android": [
        "priority": "high", "ttl": "86400s",
        "notification": [
          "title_loc_key": "welcome_title", "title_loc_args": ["Bob"],
          "body_loc_key": "new_message_body", "body_loc_args": ["3", "Bob"],
          "channel_id": "general", "icon": "ic_chat", "tag": "01990000-0000-7000-8000-000000000000",
        ],
      ],
      "apns": [
        "headers": [
          "apns-priority": "10", "apns-expiration": "1800000000",
          "apns-collapse-id": "01990000-0000-7000-8000-000000000000",
        ],
        "payload": [
          "aps": [
            "alert": [
              "title": "Welcome!", "body": "You have new messages.",
              "title-loc-key": "WELCOME_TITLE", "title-loc-args": ["Bob"],
              "loc-key": "NEW_MESSAGE_BODY", "loc-args": ["3", "Bob"],
            ],
            "sound": "default", "thread-id": "chat",
          ]
        ],
      ],
      "webpush": [
        "headers": ["TTL": "86400"],
        "notification": ["title": "Welcome!", "body": "You have new messages."],
      ],
    ]
    #expect(try Fixture.message(catalog, request, to: .token("T")) == expected)
    #expect(MessageRules.violations(inMessage: expected).isEmpty)
    #expect(MessageSchema.violations(in: expected, of: .message).isEmpty)
  }

  /// So that a queue stores little more than what a request says.
  @Test func writesTheExpectedBytes() throws {
    let message = try Fixture.catalog(
      template: """
        {params: {n: {type: integer}}, body: {android: k, ios: K, args: [n]}, data: {a: b},
         ttl: 60s, analytics_label: l}
        """
    ).assemble(AssemblyRequest(template: "t", args: .init([("n", 3)]))).get().message
    #expect(
      String(decoding: message.message(to: .topic("T"), values: Fixture.placeholderValues), as: UTF8.self)
        == #"{"topic":"T","data":{"a":"b"},"android":{"ttl":"86400s","notification":{"body_loc_key":"k","#
        + #""body_loc_args":["3"],"tag":"01990000-0000-7000-8000-000000000000"}},"apns":{"headers":{"#
        + #""apns-expiration":"1800000000","apns-collapse-id":"01990000-0000-7000-8000-000000000000"},"#
        + #""payload":{"aps":{"alert":{"loc-key":"K","loc-args":["3"]}}}},"#
        + #""fcm_options":{"analytics_label":"l"}}"#)
  }
}
