import HTTPServer
import JSON
import Testing

@Suite struct FaultTests {
  let fixture = Fixture()

  private func answer(to members: String = #""token":"t""#, fault: String) async throws -> Fixture.Answer {
    let put = try #require(await fixture.setFaults(fault))
    #expect(put.status == 200, "\(put.text)")
    return try #require(await fixture.send(members))
  }

  /// Code, HTTP status, gRPC status, FCM's code and message, as FCM returns them (error reference and
  /// records).
  @Test(arguments: [
    ("UNREGISTERED", 404, "NOT_FOUND", "Requested entity was not found."),
    ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED", "SenderId mismatch"),
    ("UNAVAILABLE", 503, "UNAVAILABLE", "The service is currently unavailable."),
    ("INTERNAL", 500, "INTERNAL", "Internal error encountered."),
    ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
    ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED", "Quota exceeded for the registration."),
    ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service"),
  ])
  func answersWithAWholeFCMError(
    _ code: String, _ status: Int, _ name: String, _ message: String
  ) async throws {
    let answer = try await answer(fault: #"{"error_code":"\#(code)"}"#)
    #expect(answer.status == status)
    #expect(answer.error?["code"] == JSON(status))
    #expect(answer.error?["status"] == .string(name))
    #expect(answer.error?["message"] == .string(message))
    #expect(answer.detail("FcmError")?["errorCode"] == .string(code))
    #expect(await fixture.call("GET", "/inbox")?.json["count"] == 0)
  }

  @Test(arguments: [
    ("Unregistered", 400, "INVALID_ARGUMENT", 410), ("BadDeviceToken", 400, "INVALID_ARGUMENT", 400),
    ("InvalidProviderToken", 401, "THIRD_PARTY_AUTH_ERROR", 403),
    ("TooManyRequests", 429, "QUOTA_EXCEEDED", 429),
    ("PayloadTooLarge", 400, "INVALID_ARGUMENT", 413), ("Shutdown", 503, "UNAVAILABLE", 503),
  ])
  func passesOnAPNsReasons(_ reason: String, _ status: Int, _ code: String, _ apnsStatus: Int) async throws {
    let answer = try await answer(fault: #"{"error_code":"\#(reason)"}"#)
    #expect(answer.status == status)
    #expect(answer.detail("FcmError")?["errorCode"] == .string(code))
    #expect(answer.detail("ApnsError")?["reason"] == .string(reason))
    #expect(answer.detail("ApnsError")?["statusCode"] == JSON(apnsStatus))
  }

  @Test func reportsABadTokenAsFCMDoes() async throws {
    let answer = try await answer(fault: #"{"token":"t","error_code":"INVALID_ARGUMENT"}"#)
    #expect(answer.error?["message"] == "The registration token is not a valid FCM registration token")
    #expect(answer.violatedFields == ["message.token"])
  }

  @Test func distinguishesATopicsQuotaFromTheProjects() async throws {
    let topic = try await answer(to: #""topic":"n""#, fault: #"{"topic":"n*","error_code":"QUOTA_EXCEEDED"}"#)
    #expect(topic.error?["message"] == "Topic quota exceeded.")
    let project = try await answer(fault: #"{"error_code":"RATE_LIMIT_EXCEEDED","retry_after":"30"}"#)
    #expect(project.status == 429)
    #expect(project.detail("FcmError") == nil)
    #expect(project.detail("ErrorInfo")?["reason"] == "RATE_LIMIT_EXCEEDED")
    #expect(project.detail("ErrorInfo")?["metadata"]?["quota_limit"] == "SendsPerMinutePerProject")
    #expect(project.headers["Retry-After"] == "30")
  }

  @Test func answersABareStatusLikeGooglesFrontEnds() async throws {
    let notFound = try await answer(fault: #"{"status":404}"#)
    #expect(notFound.error?["status"] == "NOT_FOUND")
    #expect(notFound.error?["details"] == nil)
    let badGateway = try await answer(fault: #"{"status":502}"#)
    #expect(badGateway.headers["Content-Type"] == "text/html; charset=UTF-8")
    #expect(badGateway.text.contains("Error 502 (Server Error)!!1"))
    #expect(try await answer(fault: #"{"status":503}"#).detail("FcmError")?["errorCode"] == "UNAVAILABLE")
  }

  @Test func ruleOverridesStatusAndBody() async throws {
    let overridden = try await answer(fault: #"{"status":500,"error_code":"UNREGISTERED"}"#)
    #expect(overridden.status == 500)
    #expect(overridden.error?["status"] == "INTERNAL")
    #expect(overridden.detail("FcmError")?["errorCode"] == "UNREGISTERED")
    let literal = try await answer(
      fault: #"{"status":429,"body":"<p>slow","retry_after":"Fri, 31 Dec 2027 23:59:59 GMT"}"#)
    #expect(literal.status == 429)
    #expect(literal.text == "<p>slow")
    #expect(literal.headers["Content-Type"] == "text/html; charset=UTF-8")
    #expect(literal.headers["Retry-After"] == "Fri, 31 Dec 2027 23:59:59 GMT")
    #expect(try await answer(fault: #"{"body":"{}"}"#).json == [:])
    #expect(
      try await answer(fault: #"{"status":400,"error_code":"NEW_ONE"}"#).detail("FcmError")?["errorCode"]
        == "NEW_ONE")
  }

  @Test func usesTheFirstRuleThatMatches() async throws {
    let rules = #"{"token":"dead-*","status":404},{"topic":"*","status":429},{"token":"?","status":500}"#
    #expect(try await answer(to: #""token":"dead-1""#, fault: rules).status == 404)
    #expect(await fixture.send(#""fid":"dead-1""#)?.status == 404)
    #expect(await fixture.send(#""topic":"dead-1""#)?.status == 429)
    #expect(await fixture.send(#""token":"x""#)?.status == 500)
    #expect(await fixture.send(#""token":"xy""#)?.status == 200)
    #expect(await fixture.send(#""condition":"'x' in topics""#)?.status == 200)
  }

  @Test func countsDownTimes() async throws {
    #expect(try await answer(fault: #"{"status":503,"times":2}"#).status == 503)
    #expect(await fixture.call("GET", "/faults")?.json == ["rules": [["status": 503, "times": 1]]])
    #expect(await fixture.send(#""token":"t""#)?.status == 503)
    #expect(await fixture.send(#""token":"t""#)?.status == 200)
  }

  @Test func skipsARuleOfZeroProbability() async throws {
    let rules = #"{"status":500,"probability":0},{"status":503,"probability":1}"#
    for _ in 0..<20 { #expect(try await answer(fault: rules).status == 503) }
  }

  @Test func closesTheConnection() async {
    _ = await fixture.setFaults(#"{"close":true,"latency":"1ms"}"#)
    #expect(await fixture.send(#""token":"t""#) == nil)
  }

  @Test func delaysAndThenValidatesAsUsual() async throws {
    let begin = ContinuousClock.now
    #expect(try await answer(fault: #"{"latency":"50ms"}"#).status == 200)
    #expect(ContinuousClock.now - begin >= .milliseconds(50))
    #expect(await fixture.send(#""toen":"t""#)?.status == 400)
    #expect(await fixture.call("GET", "/inbox")?.json["count"] == 1)
  }

  @Test(arguments: [
    ("{}", "rules"), (#"{"rules":{}}"#, "rules"), (#"{"rules":[],"x":1}"#, "x"),
    (#"{"rules":[1]}"#, "rules[0]"),
    (#"{"rules":[{"status":99}]}"#, "rules[0].status"), (#"{"rules":[{"tokn":"a"}]}"#, "rules[0].tokn"),
    (#"{"rules":[{"error_code":"NEW"}]}"#, "rules[0].error_code"),
    (#"{"rules":[{},{"latency":"2 weeks"}]}"#, "rules[1].latency"),
    (#"{"rules":[{"latency":"2h"}]}"#, "rules[0].latency"),
    (#"{"rules":[{"probability":2}]}"#, "rules[0].probability"),
    (#"{"rules":[{"times":-1}]}"#, "rules[0].times"),
    (#"{"rules":[{"retry_after":"a\r\nb"}]}"#, "rules[0].retry_after"),
    (#"{"rules":[{"close":1}]}"#, "rules[0].close"),
    (#"{"rules":[{"status":200,"error_code":"INTERNAL"}]}"#, "rules[0].status"),
  ])
  func rejectsAnInvalidListAndKeepsTheOldOne(_ body: String, _ field: String) async throws {
    _ = await fixture.setFaults(#"{"status":503}"#)
    let answer = try #require(await fixture.call("PUT", "/faults", body: body))
    #expect(answer.status == 400)
    #expect(answer.violatedFields == [field])
    #expect(await fixture.call("GET", "/faults")?.json == ["rules": [["status": 503]]])
    #expect(await fixture.call("PUT", "/faults", body: "{")?.status == 400)
  }

  @Test func returnsTheRulesAsGiven() async {
    let rule = """
      {"token":"a*","topic":"b","status":503,"error_code":"UNAVAILABLE","retry_after":"2","body":"x",\
      "latency":"200ms","close":true,"times":3,"probability":0.5}
      """
    #expect(await fixture.setFaults(rule)?.text == #"{"rules":[\#(rule)]}"#)
  }
}
