import FCMMessage
import JSON
import Testing

/// The fields of all violations of a message with a token and `members`.
func violatedFields(_ members: String) throws -> [String] {
  let message = try JSON.parse(#"{"token":"t"\#(members.isEmpty ? "" : ",")\#(members)}"#)
  // A message that violates the schema would prove nothing about the rules.
  #expect(MessageSchema.violations(in: message, of: .message) == [])
  return MessageRules.violations(inMessage: message).map(\.field)
}

@Suite struct MessageRulesTests {
  private func violations(_ text: String) throws -> [MessageViolation] {
    MessageRules.violations(inMessage: try JSON.parse(text))
  }

  @Test(arguments: ["{}", #"{"token":null}"#, #"{"token":""}"#, #"{"topic":""}"#, #"{"condition":""}"#])
  func requiresATarget(_ text: String) throws {
    let found = try violations(text)
    #expect(found.map(\.description) == ["Recipient of the message is not set."])
    #expect(found.map(\.field) == ["message"])
  }

  @Test func acceptsEachKindOfTarget() throws {
    for text in [
      #"{"token":"a:B-c_d"}"#, #"{"fid":"f"}"#, #"{"topic":"a%20b"}"#, #"{"condition":"'a' in topics"}"#,
    ] {
      #expect(try violations(text) == [], "\(text)")
    }
  }

  @Test func rejectsTwoTargets() throws {
    let found = try violations(#"{"token":"t","topic":"x"}"#)
    #expect(
      found.map(\.description) == [
        "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'"
      ])
    #expect(found.map(\.kind) == [.conflict])
  }

  @Test(arguments: ["a b", "t\u{7}", "töken", " "])
  func rejectsATokenThatCannotExist(_ token: String) {
    let message: JSON = ["token": .string(token)]
    #expect(MessageRules.violations(inMessage: message).map(\.description) == ["Invalid registration token"])
  }

  @Test func validatesTopicNames() {
    for topic in ["news", "a-b_c.d~e%f", String(repeating: "x", count: 900)] {
      #expect(MessageRules.topicProblem(topic) == nil, "\(topic)")
    }
    for topic in ["", "/topics/news", "a b", "a/b", "é", "news\n", String(repeating: "x", count: 901)] {
      #expect(MessageRules.topicProblem(topic) != nil, "\(topic)")
    }
  }

  @Test(arguments: [
    "'a' in topics", "\"a\" in topics", "'a' in topics && ('b' in topics || 'c' in topics)",
    "!('a' in topics)", "!'a' in topics", "('a' in topics)&&('b' in topics)", "  'a'  in  topics  ",
    "'a' in topics || 'b' in topics || 'c' in topics || 'd' in topics || 'e' in topics",
  ])
  func acceptsACondition(_ condition: String) {
    #expect(MessageRules.conditionProblem(condition) == nil)
  }

  @Test(arguments: [
    "", " ", "a", "'a'", "'a' in", "'a' in topic", "'a in topics", "'a\" in topics", "'' in topics",
    "'a b' in topics", "'a' in topics &&", "&& 'a' in topics", "'a' in topics 'b' in topics",
    "'a' in topics & 'b' in topics", "('a' in topics", "'a' in topics)", "()", "'a' in topics !",
    "'a' in topics || 'b' in topics || 'c' in topics || 'd' in topics || 'e' in topics || 'f' in topics",
  ])
  func rejectsACondition(_ condition: String) {
    #expect(MessageRules.conditionProblem(condition) != nil)
  }

  @Test func readsDeeplyNestedConditions() {
    let depth = 100_000
    let open = String(repeating: "(", count: depth)
    #expect(MessageRules.conditionProblem(open) != nil)
    #expect(
      MessageRules.conditionProblem(open + "'a' in topics" + String(repeating: ")", count: depth)) == nil)
  }

  @Test func rejectsReservedDataKeys() {
    for key in ["thread", "collapse_key", "from_user", "gcmx", "googles", "message-type"] {
      #expect(MessageRules.dataKeyProblem(key) == nil, "\(key)")
    }
    for key in ["", "from", "message_type", "gcm", "gcm.x", "gcm.notification.title", "google", "google.a"] {
      #expect(MessageRules.dataKeyProblem(key) != nil, "\(key)")
    }
  }

  @Test func reportsAReservedDataKeyAtAnyPosition() throws {
    let members =
      #""data":{"ok":"","from":""},"android":{"data":{"google.x":""}},"webpush":{"data":{"gcm":""}}"#
    let fields = try violatedFields(members)
    #expect(fields == ["message.data[1].key", "message.android.data[0].key", "message.webpush.data[0].key"])
  }

  @Test func validatesTTLs() {
    for ttl in ["0s", "3.5s", "2419200s", "2419200.000s"] {
      #expect(MessageRules.ttlProblem(ttl) == nil, "\(ttl)")
    }
    for ttl in ["-1s", "-0.1s", "2419200.1s", "2419201s", "1", "s", "1m"] {
      #expect(MessageRules.ttlProblem(ttl) != nil, "\(ttl)")
    }
    #expect(MessageRules.ttlSeconds(googleDuration: "3.9s") == 3)
    #expect(MessageRules.ttlSeconds(googleDuration: "-3s") == nil)
    #expect(MessageRules.ttlSeconds(googleDuration: "soon") == nil)
  }

  @Test func validatesAnalyticsLabels() throws {
    for label in ["", "a b", "é", String(repeating: "a", count: 51)] {
      #expect(MessageRules.analyticsLabelProblem(label) != nil, "\(label)")
    }
    #expect(MessageRules.analyticsLabelProblem(String(repeating: "a", count: 50)) == nil)
    let options = #""fcm_options":{"analytics_label":"a b"}"#
    let members = "\(options),\"android\":{\(options)},\"apns\":{\(options)},\"webpush\":{\(options)}"
    #expect(
      try violatedFields(members) == [
        "message.fcm_options.analytics_label", "message.android.fcm_options.analytics_label",
        "message.apns.fcm_options.analytics_label", "message.webpush.fcm_options.analytics_label",
      ])
  }

  @Test func reportsTextThatWouldNotBeShown() throws {
    let message = try JSON.parse(
      #"{"token":"t","notification":{"title":"T"},"android":{"notification":{"titleLocKey":"k"}}}"#)
    let found = MessageRules.violations(inMessage: message)
    #expect(found.map(\.kind) == [.ineffective])
    #expect(found.map(\.field) == ["message.notification.title"])
  }

  @Test func acceptsIncompletePartsOfAMessage() throws {
    let part = try JSON.parse(#"{"notification":{"title_loc_args":["a"],"color":"red"}}"#)
    let path: [PathStep] = [.key("defaults"), .key("android")]
    let partial = MessageRules.violations(in: part, of: .androidConfig, at: path, isPartial: true)
    #expect(partial.map(\.field) == ["defaults.android.notification.color"])
    #expect(partial.map(\.path) == [path + [.key("notification"), .key("color")]])
    #expect(MessageRules.violations(in: part, of: .androidConfig, at: path).count == 2)
  }

  @Test func collectsAtMostAHundredViolations() throws {
    let names = (0..<500).map { "\"k\($0)\":1" }.joined(separator: ",")
    let message = try JSON.parse("{\(names)}")
    #expect(MessageSchema.violations(in: message, of: .message).count == 100)
  }

  @Test func findsAViolationAfterManyFieldsWithoutEffect() throws {
    let names = (0..<200).map { "\"k\($0)\":1" }.joined(separator: ",")
    let found = try violations("{\"token\":\"t\",\"apns\":{\"payload\":{\"aps\":{\(names),\"badge\":-1}}}}")
    #expect(found.count { $0.kind == .ineffective } == 100)
    #expect(found.count { $0.kind != .ineffective } == 1)
  }
}
