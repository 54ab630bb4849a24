import Clock
import FCMMessage
import JSON
import Testing

@testable import API

/// A message that is like another one must become what it would become if it was checked.
@Suite struct KnownMessagesTests {
  private static let now = Timestamp(milliseconds: 1_795_262_400_500)
  private static let maxAge: Int64 = 86_400_000
  private let known = KnownMessages()

  /// As if it had no like: what becomes of a request; nil for an error.
  private func checked(_ body: String) -> RawMessage? {
    guard let json = try? JSON.parse(body, options: SendMessageRequest.parseOptions),
      let request = try? SendMessageRequest(json)
    else { return nil }
    return RawMessage(request, now: Self.now, maxAgeMilliseconds: Self.maxAge)
  }

  private func match(_ body: String, now: Timestamp = Self.now) -> KnownMessages.Match? {
    known.match([UInt8](body.utf8), now: now, maxAgeMilliseconds: Self.maxAge)
  }

  private func quick(_ body: String) -> RawMessage? {
    if case .known(let raw, _) = match(body) { raw } else { nil }
  }

  /// Lets a valid request occur once, as the API does.
  private func take(_ body: String) throws {
    let json = try JSON.parse(body, options: SendMessageRequest.parseOptions)
    let request = try SendMessageRequest(json)
    if case .unknown(let unknown) = match(body) { known.remember(unknown, json, request, note: nil) }
  }

  /// Once for the outline, and once for the values on which the rules depend.
  private func learn(_ body: String) throws { for _ in 0..<3 { try take(body) } }

  private static func request(_ message: String) -> String {
    #"{"message":{"token":"to:ken","# + message + "}}"
  }

  private static let requests = [
    request(
      #""android":{"priority":"high","ttl":"3600s","collapse_key":"k","notification":{"channel_id":"general","#
        + #""tag":"o1","title_loc_key":"t","title_loc_args":["A","B"],"body_loc_key":"b","body_loc_args":["3"]}},"#
        + #""apns":{"headers":{"apns-priority":"10","apns-expiration":"1795266000","apns-collapse-id":"c"},"#
        + #""payload":{"aps":{"alert":{"title":"T","body":"B","title-loc-key":"T","loc-key":"B","loc-args":["3"]},"#
        + #""badge":3,"sound":"default","thread-id":"chat"}}}"#),
    request(
      #""notification":{"title":"Hello","body":"Bob","image":"https://x.example/a.png"},"data":{"a":"1"}"#),
    request(#""data":{"id":"17","text":"x"},"android":{"priority":"normal","ttl":"0s"}"#),
    #"{"message": {"notification": {"body": "Hi"}, "topic": "news", "webpush": {"headers": {"TTL": "60", "#
      + #""Urgency": "high"}, "notification": {"title": "W", "n": 5, "actions": [{"action": "a"}]}, "#
      + #""fcm_options": {"link": "https://x.example"}}}, "validate_only": false}"#,
    #"{"message":{"condition":"'a' in topics","apns":{"payload":{"aps":{"alert":"Hi"},"own":{"x":[1,"y"]}}}}}"#,
    request(
      #""androidV2":{"ttl":"60s","remoteNotification":{"notification":{"title":"T","id":4,"notificationCount":2,"#
        + #""image":"https://x.example/b.png"}}},"webpush":{"headers":{"TTL":"7200"}}"#),
    request(
      #""apns":{"live_activity_token":"a1","headers":{"apns-priority":"5"},"payload":{"aps":{"event":"update","#
        + #""timestamp":1795262400,"content-state":{"score":1},"alert":{"title":{"loc-key":"k","#
        + #""loc-args":["1"]},"body":"B","sound":"s"}}}}"#),
  ]

  private static let strings = [
    "x", "", "a b", "é", #"\u00e9\/"#, #"\"quoted\"\n"#, "0", "12", "-5", "60s", "9s", "2419201s",
    "1795262401",
    "1795262500", "1795266001", "9999999999999", "http://x.example/ y", "http://x.example/y",
    "https://x.example/y", "high", "normal", "5", "1", "background", "/topics/x",
    "'a' in topics && 'b' in topics",
    "#ff0000", "start", "end", "loc", "true", "default", String(repeating: "i", count: 65),
    String(repeating: "m", count: 3_500), String(repeating: "l", count: 5_000), "\\", "\u{7F}", "\\u0000",
  ]
  private static let numbers = ["0", "3", "-1", "1.5", "1e2", "12345678901234", "1.0", "-0"]

  /// Each request with one value replaced, and all of it with the token replaced.
  private func variants(of request: String) throws -> [String] {
    let bytes = [UInt8](request.utf8)
    let outline = try #require(JSONOutline(bytes))
    return outline.values.flatMap { value in
      (value.form == .number ? Self.numbers : Self.strings).map { other in
        String(
          decoding: bytes[..<value.range.lowerBound] + Array(other.utf8) + bytes[value.range.upperBound...],
          as: UTF8.self)
      }
    }
  }

  private func expectSame(_ quick: RawMessage, as body: String) {
    guard let checked = checked(body) else {
      Issue.record("accepts what must be refused: \(body)")
      return
    }
    #expect(quick.message == checked.message, "\(body)")
    #expect(quick.target == checked.target)
    #expect(quick.expiresAt == checked.expiresAt, "\(body)")
    #expect(quick.isUrgent == checked.isUrgent, "\(body)")
    #expect(quick.activity?.token == checked.activity?.token)
    #expect(quick.activity?.event == checked.activity?.event)
  }

  @Test(arguments: requests)
  func makesOfOtherValuesWhatAFullCheckMakesOfThem(request: String) throws {
    try learn(request)
    expectSame(try #require(quick(request)), as: request)
    var quickCount = 0
    for body in try variants(of: request) {
      guard let raw = quick(body) else { continue }
      quickCount += 1
      expectSame(raw, as: body)
    }
    #expect(quickCount >= 30)
  }

  /// Even if all variants that are valid are known themselves.
  @Test func confusesNoPatterns() throws {
    for request in Self.requests {
      let variants = try variants(of: request).filter { $0.utf8.count < 2_000 }
      for body in variants where checked(body) != nil { try learn(body) }
      for body in variants { if let raw = quick(body) { expectSame(raw, as: body) } }
    }
  }

  @Test func accompaniesTheUsualMessageWhoseValuesDiffer() throws {
    let usual = try #require(Self.requests.first)
    try learn(usual)
    for (old, new) in [
      ("to:ken", "other:token"), ("o1", "o2"), ("1795266000", "1795266099"), (#""c""#, #""d""#),
      ("[\"3\"]", "[\"4\"]"),
      (#""badge":3"#, #""badge":4"#), (#""chat""#, #""other""#),
      (#""B","title-loc"#, #""\u00dc","title-loc"#),
    ] {
      let body = usual.replacing(old, with: new)
      #expect(body != usual)
      expectSame(try #require(quick(body), "\(new)"), as: body)
    }
  }

  @Test func checksAgainWhatTheRulesDependOn() throws {
    let usual = try #require(Self.requests.first)
    try learn(usual)
    for (old, new) in [
      ("to:ken", "to ken"), ("1795266000", "soon"), (#""c""#, "\"\(String(repeating: "c", count: 65))\""),
      (#""badge":3"#, #""badge":-3"#), (#""ttl":"3600s""#, #""ttl":"3600""#),
      (#""sound":"default""#, #""sound":1"#),
    ] {
      let body = usual.replacing(old, with: new)
      #expect(checked(body) == nil)
      #expect(quick(body) == nil, "\(new)")
    }
  }

  @Test func accompaniesALiveActivity() throws {
    let update = try #require(Self.requests.last)
    try learn(update)
    for (old, new) in [("a1", "b2"), ("1795262400", "1795262499"), (#""score":1"#, #""score":2.5"#)] {
      let body = update.replacing(old, with: new)
      #expect(body != update)
      expectSame(try #require(quick(body), "\(new)"), as: body)
    }
    for (old, new) in [("a1", "b 2"), ("1795262400", "1795262400000")] {
      #expect(quick(update.replacing(old, with: new)) == nil)
    }
  }

  @Test func remembersWhatOccursTwiceOnly() throws {
    let body = try #require(Self.requests.first)
    try take(body)
    #expect(known.count == 0)
    #expect(quick(body) == nil)
    try take(body)
    #expect(known.count == 1)
    #expect(quick(body) != nil)
  }

  @Test func remembersNoneThatIsOnlyToBeChecked() throws {
    for only in ["true", #""true""#] {
      let body = #"{"message":{"token":"t"},"validate_only":\#(only)}"#
      try learn(body)
      #expect(quick(body) == nil)
    }
  }

  @Test func remembersNoneWithAMemberThatOccursTwice() throws {
    let body = #"{"message":{"token":"t","token":"u","data":{"a":"b"}}}"#
    try learn(body)
    #expect(quick(body) == nil)
  }

  @Test func keepsABoundedNumber() throws {
    for number in 0..<(KnownMessages.countMax + 10) {
      try learn(#"{"message":{"token":"t","data":{"k\#(number)":"v"}}}"#)
      try learn(#"{"message":{"token":"t","android":{"ttl":"\#(number)s"}}}"#)
    }
    #expect((1...KnownMessages.countMax).contains(known.count))
    // One that is sent once leaves the others alone.
    try learn(Self.requests[0])
    let count = known.count
    for number in 0..<5_000 { try take(#"{"message":{"token":"t","data":{"once\#(number)":"v"}}}"#) }
    #expect(known.count == count)
    #expect(quick(Self.requests[0]) != nil)
  }

  @Test func refusesALargeRequestToBeRead() {
    #expect(match(Self.request(#""data":{"a":"\#(String(repeating: "x", count: 9_000))"}"#)) == nil)
  }
}
