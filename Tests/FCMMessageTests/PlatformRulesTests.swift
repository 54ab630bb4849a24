import FCMMessage
import JSON
import Testing

/// A message without its target, and the fields that violate a rule.
struct RuleCase: Sendable, CustomTestStringConvertible {
  let members: String
  let fields: [String]
  var testDescription: String { members }

  init(_ members: String, _ fields: String...) {
    self.members = members
    self.fields = fields.map { "message.\($0)" }
  }
}

@Suite struct PlatformRulesTests {
  @Test(arguments: [
    RuleCase(
      ##""ttl":"2419200s","notification":{"title_loc_key":"k","title_loc_args":["a"],"color":"#a1B2c3"}"##),
    RuleCase(#""ttl":"2419201s""#, "ttl"),
    RuleCase(#""ttl":"-1s""#, "ttl"),
    RuleCase(#""notification":{"title_loc_args":["a"]}"#, "notification.title_loc_args"),
    RuleCase(#""notification":{"bodyLocArgs":["a"],"bodyLocKey":""}"#, "notification.body_loc_args"),
    RuleCase(#""notification":{"body_loc_args":[]}"#),
    RuleCase(##""notification":{"color":"#12345"}"##, "notification.color"),
    RuleCase(##""notification":{"color":"#12345g"}"##, "notification.color"),
    RuleCase(#""notification":{"color":"123456"}"#, "notification.color"),
    RuleCase(#""notification":{"image":"https://x/y.png"}"#),
    RuleCase(#""notification":{"image":"y.png"}"#, "notification.image"),
    RuleCase(#""notification":{"image":"https:///y.png"}"#, "notification.image"),
    RuleCase(#""notification":{"image":"https://x/a b"}"#, "notification.image"),
    RuleCase(#""notification":{"notification_count":-1}"#, "notification.notification_count"),
    RuleCase(#""notification":{"notification_count":"-1"}"#, "notification.notification_count"),
    RuleCase(#""notification":{"vibrate_timings":["0s","-0.1s"]}"#, "notification.vibrate_timings[1]"),
    RuleCase(
      #""notification":{"light_settings":{}}"#, "notification.light_settings.color",
      "notification.light_settings.light_on_duration", "notification.light_settings.light_off_duration"),
    RuleCase(
      #""notification":{"light_settings":{"color":{"red":1.1,"alpha":-0.1},"light_on_duration":"-1s","#
        + #""light_off_duration":"0s"}}"#,
      "notification.light_settings.light_on_duration", "notification.light_settings.color.red",
      "notification.light_settings.color.alpha"),
  ])
  func appliesTheRulesOfAndroid(_ example: RuleCase) throws {
    let fields = example.fields.map { "message.android." + $0.dropFirst("message.".count) }
    #expect(try violatedFields(#""android":{\#(example.members)}"#) == fields)
  }

  @Test(arguments: [
    RuleCase(#""notification":{"image":"z"}"#, "notification.image"),
    RuleCase(#""android":{},"android_v2":{}"#, "android_v2"),
    RuleCase(
      #""android_v2":{"remote_notification":{},"background_sync":{}}"#, "android_v2.background_sync"),
    RuleCase(
      #""android_v2":{"remote_notification":{"notification":{"image":"http://x"}}}"#,
      "android_v2.remote_notification.notification.image"),
    RuleCase(
      #""webpush":{"fcm_options":{"link":"https://x/"},"headers":{"TTL":"15","Urgency":"low","Topic":"a"}}"#),
    RuleCase(#""webpush":{"fcm_options":{"link":"http://x/"}}"#, "webpush.fcm_options.link"),
    RuleCase(#""webpush":{"headers":{"TTL":"soon"}}"#, "webpush.headers[0].value"),
    RuleCase(#""webpush":{"headers":{"ok":"","urgency":"urgent"}}"#, "webpush.headers[1].value"),
    RuleCase(#""webpush":{"headers":{"Topic":"a.b"}}"#, "webpush.headers[0].value"),
    RuleCase(#""webpush":{"headers":{"a b":""}}"#, "webpush.headers[0].value"),
  ])
  func appliesTheRulesOfTheOtherParts(_ example: RuleCase) throws {
    #expect(try violatedFields(example.members) == example.fields)
  }

  @Test(arguments: [
    RuleCase(#""apns-priority":"10","apns-push-type":"alert","apns-expiration":"0""#),
    RuleCase(#""apns-priority":"1""#),
    RuleCase(#""apns-priority":"7""#, "[0]"),
    RuleCase(#""apns-push-type":"loud""#, "[0]"),
    RuleCase(#""apns-expiration":"2026-11-21""#, "[0]"),
    RuleCase(#""apns-id":"123e4567-e89b-12d3-a456-4266554400a0""#),
    RuleCase(#""apns-id":"123E4567-e89b-12d3-a456-4266554400a0""#, "[0]"),
    RuleCase(#""apns-id":"123e4567e89b12d3a4564266554400a0""#, "[0]"),
    RuleCase("\"apns-collapse-id\":\"\(String(repeating: "é", count: 32))\""),
    RuleCase("\"apns-collapse-id\":\"\(String(repeating: "é", count: 32))a\"", "[0]"),
    RuleCase(#""apns topic":"x""#, "[0]"),
  ])
  func appliesTheRulesOfAPNsHeaders(_ example: RuleCase) throws {
    let fields = example.fields.map { "message.apns.headers\($0.dropFirst("message.".count)).value" }
    #expect(try violatedFields(#""apns":{"headers":{\#(example.members)}}"#) == fields)
  }

  @Test(arguments: [
    RuleCase(#""alert":"text","badge":0,"sound":"default","thread-id":"t","category":"c""#),
    RuleCase(#""alert":{"title-loc-key":"K","title-loc-args":["a"],"subtitle-loc-key":"S","loc-key":"B"}"#),
    RuleCase(#""alert":{"title-loc-key":null,"title-loc-args":null}"#),
    RuleCase(#""sound":{"critical":1,"name":"s","volume":0.5},"content-available":1,"mutable-content":0"#),
    RuleCase(#""badge":"1""#, "badge"),
    RuleCase(#""badge":-1"#, "badge"),
    RuleCase(#""badge":1.5"#, "badge"),
    RuleCase(#""sound":1"#, "sound"),
    RuleCase(#""sound":{"critical":2,"volume":1.5}"#, "sound.critical", "sound.name", "sound.volume"),
    RuleCase(#""alert":["a"]"#, "alert"),
    RuleCase(#""alert":{"title":1}"#, "alert.title"),
    RuleCase(#""alert":{"loc-key":"K","loc-args":[1]}"#, "alert.loc-args"),
    RuleCase(#""alert":{"loc-args":["a"]}"#, "alert.loc-args"),
    RuleCase(#""alert":{"subtitle-loc-args":["a"]}"#, "alert.subtitle-loc-args"),
    RuleCase(#""alert":{"title":{"loc-args":["a"]}}"#, "alert.title.loc-args"),
    RuleCase(#""alert":{"tilte":"a"}"#, "alert.tilte"),
    RuleCase(#""thread_id":"t""#, "thread_id"),
    RuleCase(#""thread-id":1"#, "thread-id"),
    RuleCase(#""content-available":true"#, "content-available"),
    RuleCase(#""mutable-content":2"#, "mutable-content"),
    RuleCase(#""interruption-level":"loud""#, "interruption-level"),
    RuleCase(#""relevance-score":1.1"#, "relevance-score"),
    RuleCase(#""relevance-score":75,"content-state":{}"#),
  ])
  func appliesTheRulesOfTheAPNsPayload(_ example: RuleCase) throws {
    let fields = example.fields.map { "message.apns.payload.aps." + $0.dropFirst("message.".count) }
    #expect(try violatedFields(#""apns":{"payload":{"aps":{\#(example.members)}}}"#) == fields)
  }

  @Test func reportsATypeInAPSAsFCMDoes() throws {
    let message = try JSON.parse(#"{"token":"t","apns":{"payload":{"aps":{"badge":"1"}}}}"#)
    let found = MessageRules.violations(inMessage: message)
    #expect(found.map(\.description) == ["Value type for APS key [badge] is a number."])
    #expect(found.map(\.kind) == [.wrongType])
  }

  @Test func suggestsTheNearestAPSKey() throws {
    let message = try JSON.parse(#"{"token":"t","apns":{"payload":{"aps":{"thread_id":"1"}}}}"#)
    let found = MessageRules.violations(inMessage: message)
    #expect(found.map(\.suggestion) == ["thread-id"])
    #expect(found.map(\.kind) == [.ineffective])
  }

  @Test func rejectsAnUrgentBackgroundPush() throws {
    let urgent = #""headers":{"apns-priority":"10"}"#
    let field = ["message.apns.headers[0].value"]
    #expect(try violatedFields(#""apns":{\#(urgent),"payload":{"aps":{"content-available":1}}}"#) == field)
    #expect(try violatedFields(#""data":{"a":"b"},"apns":{\#(urgent)}"#) == field)
    #expect(
      try violatedFields(
        #""apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"content-available":1}}}"#) == [])
    #expect(
      try violatedFields(#""apns":{\#(urgent),"payload":{"aps":{"content-available":1,"alert":"a"}}}"#) == [])
    #expect(
      try violatedFields(
        #""notification":{"body":"b"},"apns":{\#(urgent),"payload":{"aps":{"content-available":1}}}"#) == [])
  }

  /// FCM and APNs reject both.
  @Test func rejectsHeadersAndPayloadsThatDisagree() throws {
    let background = #""headers":{"apns-push-type":"background"}"#
    let field = ["message.apns.headers[0].value"]
    #expect(try violatedFields(#""apns":{\#(background),"payload":{"aps":{"alert":"a"}}}"#) == field)
    #expect(try violatedFields(#""notification":{"title":"t"},"apns":{\#(background)}"#) == field)
    #expect(try violatedFields(#""apns":{\#(background),"payload":{"aps":{"content-available":1}}}"#) == [])
    let data = #""data":{"a":"b"},"apns":{"payload":{"aps":{}}}"#
    #expect(try violatedFields(data) == ["message.apns.payload.aps"])
    #expect(try violatedFields(#""notification":{"title":"t"},\#(data)"#) == [])
  }

  @Test func countsOnlyThePayloadThatReachesADevice() throws {
    func data(_ bytes: Int) -> String { #""data":{"k":"\#(String(repeating: "x", count: bytes - 1))"}"# }
    #expect(try violatedFields(data(4096)) == [])
    #expect(try violatedFields(data(4097)) == ["message"])
    let both = #""notification":{"title":"\#(String(repeating: "y", count: 95))"}"#
    #expect(try violatedFields("\(data(3996)),\(both)") == [])
    #expect(try violatedFields("\(data(3997)),\(both)") == ["message"])
    func payload(_ bytes: Int) -> String {
      #""apns":{"payload":{"aps":{"alert":"\#(String(repeating: "z", count: bytes - 20))"}}}"#
    }
    #expect(try violatedFields(payload(4096)) == [])
    #expect(try violatedFields(payload(4097)) == ["message"])
  }
}
