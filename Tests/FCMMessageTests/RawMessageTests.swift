import Clock
import FCMMessage
import JSON
import Testing

@Suite struct RawMessageTests {
  private let now = Timestamp(milliseconds: 1_795_262_400_500)
  private let values = SealedMessage.PlaceholderValues(
    deliveryID: "id-1", ttlSeconds: 42, expiration: 1_700_000_000)

  private func raw(_ message: String) throws -> RawMessage {
    let body = try JSON.parse("{\"message\":\(message)}", options: SendMessageRequest.parseOptions)
    return RawMessage(try SendMessageRequest(body), now: now, maxAgeMilliseconds: 86_400_000)
  }

  private func sent(_ message: String) throws -> String {
    let raw = try raw(message)
    return String(decoding: raw.message.message(to: raw.target, values: values), as: UTF8.self)
  }

  private func secondsLeft(_ message: String) throws -> Int64 {
    now.milliseconds(until: try raw(message).expiresAt) / 1000
  }

  @Test func sendsWhatDisplaysNothingAsItIs() throws {
    let data =
      #"{"token":"t","data":{"b":"1","a":"é\"\n"},"android":{"priority":"HIGH","directBootOk":true}}"#
    #expect(try sent(data) == data)
  }

  @Test func addsItsIdentityWhereItDisplaysSomething() throws {
    #expect(
      try sent(#"{"topic":"n","notification":{"title":"T"}}"#)
        == #"{"topic":"n","notification":{"title":"T"},"android":{"notification":{"tag":"id-1"}},"#
        + #""apns":{"headers":{"apns-collapse-id":"id-1"}}}"#)
    #expect(
      try sent(#"{"android":{"notification":{"bodyLocKey":"k"},"ttl":null},"token":"t"}"#)
        == #"{"token":"t","android":{"notification":{"bodyLocKey":"k","tag":"id-1"},"ttl":null}}"#)
    #expect(
      try sent(#"{"token":"t","apns":{"headers":{"x":"y"},"payload":{"aps":{"alert":"Hi"}}}}"#)
        == #"{"token":"t","apns":{"headers":{"x":"y","apns-collapse-id":"id-1"},"payload":{"aps":{"alert":"Hi"}}}}"#
    )
    #expect(
      try sent(#"{"token":"t","androidV2":{"remoteNotification":{"notification":{"title":"T"}}}}"#)
        == #"{"token":"t","androidV2":{"remoteNotification":{"notification":{"title":"T","tag":"id-1"}}}}"#)
  }

  @Test func keepsAnIdentityThatItHas() throws {
    let own =
      #"{"token":"t","android":{"notification":{"title":"T","tag":"mine"}},"#
      + #""apns":{"headers":{"Apns-Collapse-Id":"c"},"payload":{"aps":{"alert":"A"}}}}"#
    #expect(try sent(own) == own)
  }

  @Test func addsNothingThatWouldMakeItTooLarge() throws {
    func message(_ count: Int) -> String {
      #"{"token":"t","notification":{"title":""# + String(repeating: "x", count: count) + #""}}"#
    }
    #expect(try sent(message(4_000)) == message(4_000))
    #expect(try sent(message(3_900)).contains("apns-collapse-id"))
  }

  @Test func sendsTheTTLThatIsLeft() throws {
    let message = #"{"token":"t","android":{"ttl":"60.5s"},"webpush":{"headers":{"TTL":"60"}}}"#
    #expect(
      try sent(message) == #"{"token":"t","android":{"ttl":"42s"},"webpush":{"headers":{"TTL":"42"}}}"#)
    #expect(try secondsLeft(message) == 60)
  }

  @Test func expiresAtTheEarliestTime() throws {
    #expect(try secondsLeft(#"{"token":"t"}"#) == 86_400)
    #expect(try secondsLeft(#"{"token":"t","android":{"ttl":"0s"}}"#) == 60)
    #expect(try secondsLeft(#"{"token":"t","apns":{"headers":{"apns-expiration":"1795262500"}}}"#) == 99)
    #expect(try secondsLeft(#"{"token":"t","apns":{"headers":{"apns-expiration":"0"}}}"#) == 60)
    let mixed = #"{"token":"t","android":{"ttl":"9s"},"webpush":{"headers":{"TTL":"7200"}}}"#
    #expect(try secondsLeft(mixed) == 9)
    // The ttl of a part that lasts longer stays.
    #expect(try sent(mixed).contains(#""TTL":"7200""#))
    // A ttl of 0 means now or never, and stays.
    #expect(try sent(#"{"token":"t","android":{"ttl":"0s"}}"#) == #"{"token":"t","android":{"ttl":"0s"}}"#)
  }

  @Test func knowsWhatIsUrgent() throws {
    #expect(try raw(#"{"token":"t","android":{"priority":"high"},"data":{"a":"b"}}"#).isUrgent)
    #expect(try raw(#"{"token":"t","notification":{"title":"T"}}"#).isUrgent)
    #expect(
      try !raw(#"{"token":"t","notification":{"title":"T"},"android":{"priority":"NORMAL"}}"#).isUrgent)
    #expect(try !raw(#"{"token":"t","data":{"a":"b"}}"#).isUrgent)
    #expect(try !raw(#"{"token":"t","apns":{"headers":{"apns-priority":"5"}}}"#).isUrgent)
  }

  @Test func knowsTheLiveActivity() throws {
    let message =
      #"{"token":"t","apns":{"liveActivityToken":"a1","payload":{"aps":{"timestamp":1,"event":"update","#
      + #""content-state":{"x":1},"alert":{"title":"T","body":"B"}}}}}"#
    let raw = try raw(message)
    #expect(raw.activity?.token == "a1")
    #expect(raw.activity?.event == .update)
    #expect(try sent(message) == message)
  }

  @Test func refusesWhatFCMRefuses() throws {
    func error(_ body: JSON) -> GoogleAPIError? {
      do throws(GoogleAPIError) {
        _ = try SendMessageRequest(body)
        return nil
      } catch {
        return error
      }
    }
    for body: JSON in [
      [], [:], ["message": [:]], ["message": ["token": "t", "topic": "n"]], ["message": ["toen": "t"]],
      ["message": ["token": "t", "data": ["from": "x"]]],
    ] {
      #expect(error(body)?.status == 400)
    }
    #expect(error(["message": ["token": "t"], "validateOnly": true])?.status == nil)
  }
}
