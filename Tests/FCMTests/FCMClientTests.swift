import FCM
import Foundation
import GoogleAuth
import HTTPClient
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

/// The client over real sockets, against a stand-in for FCM and its token endpoint.
@Suite(.timeLimit(.minutes(1))) struct FCMClientTests {
  static let path = "/v1/projects/p/messages:send"
  static let unauthenticated = #"{"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}"#

  @Test func sendsAMessage() async throws {
    try await Fixture.run { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      let request = try #require(fixture.standIn.requests.first)
      #expect(request.path == Self.path)
      #expect(request.body == Fixture.body)
      #expect(request.headers["authorization"] == "Bearer emulator")
      #expect(request.headers["content-type"] == "application/json")
      #expect(request.headers["x-goog-api-format-version"] == "2")
      #expect(request.headers["expect"] == nil)
      #expect(request.headers["accept-encoding"] == nil)
    }
  }

  @Test func sendsLargeBodiesWhole() async throws {
    try await Fixture.run { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      for size in [0, 1, 4096, 200_000, 10] {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        _ = await fixture.send(body)
        #expect(fixture.standIn.requests.last?.body == body)
      }
    }
  }

  @Test func keepsItsConnection() async throws {
    try await Fixture.run { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      for _ in 0..<20 { _ = await fixture.send() }
      #expect(fixture.standIn.connectionCount == 1)
      #expect(fixture.transport.statistics.answers == 20)
      #expect(fixture.transport.statistics.connectionsOpened == 1)
      #expect(fixture.transport.statistics.http2Answers == 0)
    }
  }

  @Test func boundsItsConnections() async throws {
    var limits = TransportLimits()
    limits.hostConnectionsMax = 4
    try await Fixture.run(limits: limits) { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      let outcomes = await fixture.sendAtOnce(100)
      #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
      #expect(outcomes.count == 100)
      #expect(fixture.standIn.connectionCount <= 4)
    }
  }

  @Test func whatWaitsForAConnectionCanBeWithdrawn() async throws {
    var limits = TransportLimits()
    limits.hostConnectionsMax = 1
    let gate = Gate(2)
    let isRecalled = Mutex(false)
    let (requests, requested) = AsyncStream<Void>.makeStream()
    try await Fixture.run(limits: limits) { _ in
      requested.yield()
      return gate.pass() ? .respond(200, [:], Fixture.success) : .close
    } test: { fixture in
      var iterator = requests.makeAsyncIterator()
      async let first = fixture.send()
      await iterator.next()
      let (outcomes, outcome) = AsyncStream<SendOutcome>.makeStream()
      fixture.client.send(
        Fixture.body, trace: nil, atDeparture: { isRecalled.withLock { $0 } ? nil : Fixture.body }
      ) { outcome.yield($0) }
      isRecalled.withLock { $0 = true }
      _ = gate.pass()
      #expect(await first == .sent(name: "projects/p/messages/1"))
      var ends = outcomes.makeAsyncIterator()
      #expect(await ends.next() == .withdrawn)
      #expect(fixture.standIn.requests.count == 1)
    }
  }

  @Test func encodesTheProjectInItsPath() async throws {
    try await Fixture.run { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      let client = FCMClient(
        configuration: FCMAppConfiguration(
          projectID: "a/b?c", endpoint: fixture.standIn.url + "/", credentials: .none),
        transport: fixture.transport, log: .silent)
      let outcome = await withCheckedContinuation { continuation in
        client.send(Fixture.body) { continuation.resume(returning: $0) }
      }
      #expect(outcome == .sent(name: "projects/p/messages/1"))
      #expect(fixture.standIn.requests.first?.path == "/v1/projects/a%2Fb%3Fc/messages:send")
    }
  }

  @Test func aFailureNeverShowsTheRegistration() async throws {
    try await Fixture.run { _ in
      .respond(
        400, [:], #"{"error":{"message":"No fid cXyz-123 here: cXyz-123","status":"INVALID_ARGUMENT"}}"#)
    } test: { fixture in
      let failure = try await fixture.failure(Array(#"{"message":{"fid":"cXyz-123"}}"#.utf8))
      #expect(failure.message == "No fid … here: …")
    }
  }

  @Test func aDeadLiveActivityIsNotTheRegistration() async throws {
    let answer = AnswerClassifierTests.body(
      404, "gone", "NOT_FOUND",
      [AnswerClassifierTests.fcm("UNREGISTERED"), AnswerClassifierTests.apns("Unregistered")])
    try await Fixture.run { _ in
      .respond(404, [:], answer)
    } test: { fixture in
      let plain = try await fixture.failure()
      #expect(plain.scope == .registration)
      let body = #"{"message":{"token":"t","apns":{"live_activity_token":"a"}}}"#
      let activity = try await fixture.failure(Array(body.utf8))
      #expect(activity.scope == .activity)
    }
  }

  @Test func passesOnRetryAfter() async throws {
    try await Fixture.run { _ in
      .respond(503, ["rEtRy-AfTer": "17"], "")
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .unavailable)
      #expect(failure.retryAfterSeconds == 17)
    }
  }

  @Test func doesNotFollowRedirects() async throws {
    try await Fixture.run { _ in
      .respond(307, ["Location": "/elsewhere"], "")
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .badResponse)
      #expect(fixture.standIn.requests.count == 1)
    }
  }

  @Test(arguments: [200, 503])
  func stopsReadingALongAnswer(_ status: Int) async throws {
    let long = String(repeating: "x", count: 10_000_000)
    try await Fixture.run { _ in
      .respond(status, [:], long)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .badResponse)
      #expect(failure.httpStatus == status)
      #expect(failure.disposition == (status == 200 ? .retryOutcomeUnknown : .retry))
    }
  }

  @Test func stopsReadingEndlessHeaders() async throws {
    let headers = String(repeating: "X-Filler: \(String(repeating: "x", count: 1000))\r\n", count: 100)
    try await Fixture.run { _ in
      .raw("HTTP/1.1 200 OK\r\n\(headers)\r\n")
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .badResponse)
    }
  }

  @Test func slowAnswerTimesOutAndMayHaveBeenSent() async throws {
    try await Fixture.run(timeout: .seconds(1)) { _ in
      .hold
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .timeout)
      #expect(failure.disposition == .retryOutcomeUnknown)
      #expect(failure.scope == .service)
    }
  }

  @Test func aRefusedConnectionWasNeverSent() async throws {
    let port = try StandIn.deadPort()
    try await Fixture.run { _ in
      .hold
    } test: { fixture in
      let client = FCMClient(
        configuration: FCMAppConfiguration(
          projectID: "p", endpoint: "http://127.0.0.1:\(port)", credentials: .none),
        transport: fixture.transport, log: .silent)
      let outcome = await withCheckedContinuation { continuation in
        client.send(Fixture.body) { continuation.resume(returning: $0) }
      }
      guard case .failed(let failure) = outcome else { throw StandIn.Failure(call: "send") }
      #expect(failure.code == .network)
      #expect(failure.disposition == .retry)
      #expect(failure.scope == .service)
    }
  }

  @Test func aConnectionThatBreaksAfterTheRequestMayHaveBeenSent() async throws {
    try await Fixture.run { _ in
      .close
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .network)
      #expect(failure.disposition == .retryOutcomeUnknown)
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"name\":\"", "HTTP/0.9 nonsense\r\n\r\n",
    "nonsense\r\n\r\n",
    "HTTP/1.1 404 Not Found\r\nContent-Length: 500\r\n\r\n{\"error\":",
  ])
  func invalidAnswerIsRetried(_ bytes: String) async throws {
    try await Fixture.run { _ in
      .raw(bytes)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .badResponse)
      #expect(failure.disposition == .retryOutcomeUnknown)
    }
  }

  @Test func shutDownFailsRequestsUnderWay() async throws {
    let gate = Gate(2)
    try await Fixture.run { _ in
      gate.pass() ? .hold : .close
    } test: { fixture in
      async let outcome = fixture.send()
      let hasArrived = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: gate.pass()) }
      }
      #expect(hasArrived)
      fixture.client.shutDown()
      guard case .failed(let failure) = await outcome else { throw StandIn.Failure(call: "send") }
      #expect(failure.code == .network)
      #expect(failure.message == "shutting down")
      #expect(failure.disposition == .retryOutcomeUnknown)
      let late = try await fixture.failure()
      #expect(late.code == .network)
      #expect(late.disposition == .retry)
      #expect(late.message == "shutting down")
    }
  }

  @Test func stoppedTransportRefuses() async throws {
    try await Fixture.run { _ in
      .hold
    } test: { fixture in
      await fixture.transport.shutDown()
      await fixture.transport.shutDown()
      let failure = try await fixture.failure()
      #expect(failure.message == "shutting down")
    }
  }
}
