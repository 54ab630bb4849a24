import FCMMessage
import JSON
import Testing

/// Messages to Live Activities: FCM's and Apple's own samples pass, and each mistake is found.
@Suite struct LiveActivityRulesTests {
  /// The samples of Firebase's page on Live Activities, and Apple's localized alert.
  private static let samples = [
    #"""
    "timestamp":1721143170,"event":"start","content-state":{"test1":100,"test2":"demo"},
    "attributes-type":"Adventure","attributes":{"currentHealthLevel":100},
    "alert":{"title":"test","body":"test"}
    """#,
    #"""
    "timestamp":1721143170,"event":"update","content-state":{"test1":100,"test2":"demo"},
    "alert":{"title":{"loc-key":"%@ is knocked down!","loc-args":["Power Panda"]},
    "body":{"loc-key":"Use a potion to heal %@!","loc-args":["Power Panda"]},"sound":"HeroDown.mp4"}
    """#,
    #"""
    "timestamp":1721143170,"event":"update","content-state":{},"stale-date":1721150000,"relevance-score":75.5
    """#,
    #""timestamp":1721143170,"event":"end","content-state":{"test1":1},"dismissal-date":0"#,
  ]

  private static func message(
    _ aps: String, token: String = #""live_activity_token":"80fd","#,
    headers: String = #""apns-priority":"10""#
  ) -> String {
    #""apns":{\#(token)"headers":{\#(headers)},"payload":{"aps":{\#(aps)}}}"#
  }

  @Test(arguments: samples) func acceptsTheSamples(_ aps: String) throws {
    #expect(try found(Self.message(aps)).isEmpty)
    #expect(try found(Self.message(aps, token: #""liveActivityToken":"80fd","#)).isEmpty)
  }

  @Test(arguments: [
    RuleCase(#""event":"stop","timestamp":1,"content-state":{}"#, "event"),
    RuleCase(#""event":1,"timestamp":1,"content-state":{}"#, "event"),
    RuleCase(#""timestamp":1,"content-state":{}"#, "event"),
    RuleCase(#""event":"update","timestamp":1"#, "content-state"),
    RuleCase(#""event":"update","timestamp":1,"content-state":[]"#, "content-state"),
    RuleCase(#""event":"update","timestamp":1,"content-state":null"#, "content-state"),
    RuleCase(#""event":"update","content-state":{}"#, "timestamp"),
    RuleCase(#""event":"end""#, "timestamp"),
    RuleCase(#""event":"update","timestamp":"1721143170","content-state":{}"#, "timestamp"),
    RuleCase(#""event":"update","timestamp":1721143170000,"content-state":{}"#, "timestamp"),
    RuleCase(#""event":"update","timestamp":1,"content-state":{},"stale-date":-1"#, "stale-date"),
    RuleCase(#""event":"end","timestamp":1,"content-state":{},"dismissal-date":"now""#, "dismissal-date"),
    RuleCase(#""event":"update","timestamp":1,"content-state":{},"relevance-score":"1""#, "relevance-score"),
    RuleCase(#""event":"update","timestamp":1,"content-state":{},"attributes":{}"#, "attributes"),
    RuleCase(#""event":"end","timestamp":1,"content-state":{},"attributes-type":"A""#, "attributes-type"),
    RuleCase(
      #""event":"start","timestamp":1,"content-state":{},"attributes":{},"alert":{"body":"b"}"#,
      "attributes-type"),
    RuleCase(#""event":"start","timestamp":1,"content-state":{},"attributes-type":"A""#, "alert"),
    RuleCase(
      #""event":"update","timestamp":1,"content-state":{},"alert":{"title":{"loc-args":["a"]}}"#,
      "alert.title.loc-args"),
    RuleCase(
      #""event":"update","timestamp":1,"content-state":{},"alert":{"title":{}}"#, "alert.title.loc-key"),
    RuleCase(
      #""event":"update","timestamp":1,"content-state":{},"alert":{"title":{"loc-key":"K","loc-args":[1]}}"#,
      "alert.title.loc-args"),
  ])
  func findsEachMistake(_ example: RuleCase) throws {
    let fields = example.fields.map { "message.apns.payload.aps." + $0.dropFirst("message.".count) }
    #expect(try found(Self.message(example.members)).map(\.field) == fields)
  }

  @Test func checksTokenAndHeaders() throws {
    let aps = Self.samples[2]
    let token = "message.apns.live_activity_token"
    for text in ["", "a b", "é", String(repeating: "a", count: 513)] {
      let message = Self.message(aps, token: #""live_activity_token":"\#(text)","#)
      #expect(try found(message).map(\.field) == [token])
    }
    for target in [#""topic":"t""#, #""condition":"'t' in topics""#] {
      #expect(try found(Self.message(aps), target: target).map(\.field) == [token])
    }
    for headers in [
      #""apns-priority":"1""#, #""apns-push-type":"alert""#, #""apns-topic":"com.example.app""#,
    ] {
      #expect(
        try found(Self.message(aps, headers: headers)).map(\.field) == ["message.apns.headers[0].value"])
    }
    let right =
      #""apns-priority":"5","apns-push-type":"liveactivity","apns-topic":"a.push-type.liveactivity""#
    #expect(try found(Self.message(aps, headers: right)).isEmpty)
    let inside = #""apns":{"payload":{"live_activity_token":"a","aps":{}}}"#
    #expect(try found(inside).map(\.field) == ["message.apns.payload.live_activity_token"])
  }

  /// What FCM accepts and a phone ignores; the SDKs drop an object that is empty.
  @Test(arguments: [
    (
      #""event":"start","timestamp":1,"content-state":{"a":1},"attributes-type":"A","alert":"a""#,
      "attributes"
    ),
    (#""event":"end","timestamp":1"#, "content-state"),
    (#""event":"update","timestamp":1,"content-state":{},"dismissal-date":1"#, "dismissal-date"),
    (#""event":"update","timestamp":1,"content-state":{},"sound":"s""#, "sound"),
    (#""event":"update","timestamp":1,"content-state":{},"input-push-token":1"#, "input-push-token"),
    (#""event":"update","timestamp":1,"content-state":{},"alert":{"subtitle":"s"}"#, "alert.subtitle"),
  ])
  func reportsWhatHasNoEffect(_ aps: String, _ field: String) throws {
    let violations = try found(Self.message(aps), all: true)
    #expect(violations.map(\.field) == ["message.apns.payload.aps." + field])
    #expect(violations.map(\.kind) == [.ineffective])
  }

  @Test func countsThePayload() throws {
    func update(_ bytes: Int) -> String {
      let frame = #"{"aps":{"event":"update","timestamp":1,"content-state":{"a":""}}}"#.utf8.count
      let text = String(repeating: "x", count: bytes - frame)
      return Self.message(#""event":"update","timestamp":1,"content-state":{"a":"\#(text)"}"#)
    }
    #expect(try found(update(4096)).isEmpty)
    #expect(try found(update(4097)).map(\.kind) == [.tooLarge])
  }

  private func found(
    _ members: String, target: String = #""token":"t""#, all: Bool = false
  ) throws -> [MessageViolation] {
    let message = try JSON.parse("{\(target),\(members)}")
    return MessageRules.violations(inMessage: message).filter { all || $0.kind != .ineffective }
  }
}
