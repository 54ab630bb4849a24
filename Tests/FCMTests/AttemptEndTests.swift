import FCM
import GoogleAuth
import HTTPClient
import Telemetry
import TestSupport
import Testing

/// How far an attempt came, who ended it, and what people are told of it.
@Suite(.timeLimit(.minutes(1))) struct AttemptEndTests {
  static let page = """
    <html><head><title>Blocked</title><style>p {color: red}</style></head>
    <body><p>Access denied by <b>WebGuard</b></p></body></html>
    """

  private func failure(
    _ status: Int, _ body: String, _ fields: ResponseFields = .init(), secrets: [String] = []
  ) throws -> SendError {
    let answer = TransportResponse(status: status, fields: fields, body: Array(body.utf8))
    let outcome = AnswerClassifier.outcome(of: answer, secrets: secrets, now: 0)
    guard case .failed(let failure) = outcome else {
      Issue.record("not a failure: \(outcome)")
      throw StandIn.Failure(call: "outcome")
    }
    return failure
  }

  /// Each of these was once read as an answer of FCM about the app, its project or its credentials.
  @Test(arguments: [302, 400, 401, 403, 404, 413, 502])
  func aPageOfSomebodyElseIsTriedAgainAndCountsNoAttempt(status: Int) throws {
    let failure = try failure(status, Self.page)
    #expect(failure.end == AttemptEnd(.answer, .unknown, isCounted: false))
    #expect(failure.scope == .service)
    #expect(failure.disposition != .permanent)
    #expect(failure.message.contains("something other than FCM answered: HTTP \(status)"))
    #expect(failure.message.contains("Blocked Access denied by WebGuard"))
    #expect(!failure.message.contains("color"))
  }

  @Test func aProxyThatAsksForAPasswordIsNamed() throws {
    #expect(try failure(407, "").end.peer == .proxy)
  }

  @Test func namesWhoseAnswerItIs() throws {
    let fields = ResponseFields(
      contentType: "text/html", via: "1.1 filter.example", location: "https://login.example/?to=secret")
    let failure = try failure(302, "", fields)
    #expect(
      failure.message == "something other than FCM answered: HTTP 302, Content-Type text/html, "
        + "Via 1.1 filter.example, Location login.example, empty")
  }

  @Test func quotesNoSecretInWhateverPieces() throws {
    let failure = try failure(
      403, "<p>you sent ya29.a0AfH6 SMBx and ya29.\na0Af</p> Bearer ya29.a0AfH6SMBx",
      secrets: ["ya29.a0AfH6SMBx"])
    for piece in ["ya29", "a0Af", "SMBx"] { #expect(!failure.message.contains(piece), "\(failure.message)") }
    #expect(failure.message.contains("you sent"))
  }

  @Test func anAnswerOfFCMCounts() throws {
    let answer = AnswerClassifierTests.body(503, "unavailable", "UNAVAILABLE")
    #expect(try failure(503, answer).end == .answeredByFCM)
    // FCM's own, as far as one can tell: what was cut off on its way.
    #expect(try failure(503, #"{"error":{"co"#).end == .answeredByFCM)
  }

  @Test func tellsWhatFCMHasAgainstEachField() throws {
    let body = AnswerClassifierTests.body(
      400, AnswerClassifierTests.invalid, "INVALID_ARGUMENT",
      [
        AnswerClassifierTests.violation("message.android.ttl", "Invalid ttl: must not be negative"),
        AnswerClassifierTests.violation("message.apns", "Invalid value at 'message.apns' (TYPE_STRING), 12"),
      ])
    #expect(
      try failure(400, body).message == "Request contains an invalid argument.; message.android.ttl: "
        + "Invalid ttl: must not be negative; message.apns: Invalid value at 'message.apns' (TYPE_STRING)")
  }

  @Test func saysNothingTwice() throws {
    let text = "Invalid value at 'message.ttl' (TYPE_STRING)"
    let body = AnswerClassifierTests.body(
      400, text, "INVALID_ARGUMENT", [AnswerClassifierTests.violation("message.ttl", text)])
    #expect(try failure(400, body).message == text)
  }

  @Test func whatNeverLeftCountsNoAttempt() async throws {
    let port = try StandIn.deadPort()
    let transport = HTTPTransport(log: .silent)
    let client = FCMClient(
      configuration: FCMAppConfiguration(
        projectID: "p", endpoint: "http://127.0.0.1:\(port)", credentials: .none), transport: transport,
      log: .silent)
    let outcome = await withCheckedContinuation { continuation in
      client.send(Fixture.body) { continuation.resume(returning: $0) }
    }
    guard case .failed(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.end == AttemptEnd(.connect, .fcm, isCounted: false))
    client.shutDown()
    await transport.shutDown()
  }

  @Test func aTokenEndpointsEndIsTheMessages() {
    let transport = TransportError(
      code: .connection, wasSent: false, detail: "407", phase: .proxy, proxyStatus: 407)
    #expect(SendError(transport).end == AttemptEnd(.proxy, .proxy, isCounted: false))
    #expect(SendError(transport).httpStatus == 407)
  }
}
