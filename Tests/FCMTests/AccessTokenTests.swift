import FCM
import Foundation
import GoogleAuth
import HTTPClient
import JSON
import TestSupport
import Testing

/// Access tokens over real sockets: the exchange, the requests that wait for it, and rejected tokens.
@Suite(.timeLimit(.minutes(1))) struct AccessTokenTests {
  static let unauthenticated = StandIn.Answer.respond(
    401, [:], #"{"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}"#)

  @Test func exchangesASignedAssertion() async throws {
    try await Fixture.runWithServiceAccount { request in
      request.path == "/token" ? StandIn.tokenAnswer(1) : .respond(200, [:], Fixture.success)
    } test: { fixture in
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      let grant = try #require(fixture.requests(to: "/token").first)
      #expect(grant.headers["content-type"] == "application/x-www-form-urlencoded")
      let form = String(decoding: grant.body, as: UTF8.self).split(separator: "&").map(String.init)
      #expect(form.first == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
      #expect(form.last?.hasPrefix("assertion=eyJ") == true)
      #expect(form.count == 2)
      #expect(fixture.requests(to: FCMClientTests.path).first?.headers["authorization"] == "Bearer t1")
      #expect(fixture.client.accessTokenExpiry != nil)
    }
  }

  @Test func requestsOneTokenForFiftyMessages() async throws {
    try await Fixture.runWithServiceAccount { request in
      request.path == "/token" ? StandIn.tokenAnswer(1) : .respond(200, [:], Fixture.success)
    } test: { fixture in
      let outcomes = await fixture.sendAtOnce(50)
      #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
      #expect(fixture.requests(to: "/token").count == 1)
      #expect(fixture.requests(to: FCMClientTests.path).count == 50)
    }
  }

  @Test func aRefusedTokenIsReplacedOnceAndTheMessageSentAgain() async throws {
    let tokens = Counter()
    try await Fixture.runWithServiceAccount { request in
      if request.path == "/token" { return StandIn.tokenAnswer(tokens.next()) }
      return request.headers["authorization"] == "Bearer t1"
        ? Self.unauthenticated : .respond(200, [:], Fixture.success)
    } test: { fixture in
      let outcomes = await fixture.sendAtOnce(10)
      #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
      #expect(tokens.count == 2)
    }
  }

  @Test func aSecondRefusalIsAFaultOfConfiguration() async throws {
    let tokens = Counter()
    try await Fixture.runWithServiceAccount { request in
      request.path == "/token" ? StandIn.tokenAnswer(tokens.next()) : Self.unauthenticated
    } test: { fixture in
      for _ in 0..<3 {
        let failure = try await fixture.failure()
        #expect(failure.code == .authentication)
        #expect(failure.disposition == .permanent)
        #expect(failure.scope == .configuration)
        #expect(failure.httpStatus == 401)
      }
      #expect(tokens.count == 2)
      #expect(fixture.requests(to: FCMClientTests.path).count == 4)
    }
  }

  /// What is left of a message's ttl changes while it waits for a token, over HTTP/1.1 as well.
  @Test func eachTryHasTheBodyOfItsDeparture() async throws {
    let (tokens, departures) = (Counter(), Counter())
    try await Fixture.runWithServiceAccount { request in
      if request.path == "/token" { return StandIn.tokenAnswer(tokens.next()) }
      return request.headers["authorization"] == "Bearer t1"
        ? Self.unauthenticated : .respond(200, [:], Fixture.success)
    } test: { fixture in
      let outcome = await withCheckedContinuation { continuation in
        fixture.client.send(
          Fixture.body, trace: nil, atDeparture: { Array("try \(departures.next())".utf8) }
        ) { continuation.resume(returning: $0) }
      }
      #expect(outcome == .sent(name: "projects/p/messages/1"))
      let bodies = fixture.requests(to: FCMClientTests.path).map { String(decoding: $0.body, as: UTF8.self) }
      #expect(bodies == ["try 1", "try 2"])
    }
  }

  @Test func aRefusedGrantIsAFaultOfConfiguration() async throws {
    try await Fixture.runWithServiceAccount { _ in
      .respond(400, [:], #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .authentication)
      #expect(failure.disposition == .permanent)
      #expect(failure.scope == .unsent)
      #expect(
        failure.message == "the token endpoint answered HTTP 400: invalid_grant: Invalid JWT Signature.")
      let check = await withCheckedContinuation { continuation in
        fixture.client.checkCredentials { continuation.resume(returning: $0) }
      }
      #expect(check == failure)
    }
  }

  @Test func retriesAFailingTokenEndpoint() async throws {
    let tries = Counter()
    try await Fixture.runWithServiceAccount { request in
      guard request.path == "/token" else { return .respond(200, [:], Fixture.success) }
      return tries.next() == 1 ? .respond(503, [:], "") : StandIn.tokenAnswer(1)
    } test: { fixture in
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      #expect(tries.count == 2)
    }
  }

  @Test func tokenWithoutALifetimeServesOnlyWaitingRequests() async throws {
    let tokens = Counter()
    try await Fixture.runWithServiceAccount { request in
      request.path == "/token"
        ? StandIn.tokenAnswer(tokens.next(), expiresIn: "\"0\"") : .respond(200, [:], Fixture.success)
    } test: { fixture in
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      #expect(tokens.count == 2)
    }
  }

  @Test func shutDownFailsRequestsThatWaitForAToken() async throws {
    let gate = Gate(2)
    try await Fixture.runWithServiceAccount { _ in
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
      #expect(failure.disposition == .retry)
      #expect(failure.message == "shutting down")
    }
  }

  @Test func emulatorNeedsNoToken() async throws {
    try await Fixture.run { _ in
      Self.unauthenticated
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .authentication)
      #expect(failure.scope == .configuration)
      #expect(fixture.standIn.requests.count == 1)
      let check = await withCheckedContinuation { continuation in
        fixture.client.checkCredentials { continuation.resume(returning: $0) }
      }
      #expect(check == nil)
    }
  }
}
