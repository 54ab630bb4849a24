import FCM
import Foundation
import GoogleAuth
import HTTPClient
import JSON
import TestSupport
import Testing

/// Replaces the credentials of a client that is sending.
@Suite(.timeLimit(.minutes(1))) struct CredentialsReplacementTests {
  private func user(_ fixture: Fixture) throws -> Credentials {
    try Credentials.parse(
      CredentialsInMessagesTests.userFile(fixture.standIn.url + "/new").serialized, file: "adc.json")
  }

  @Test func nextMessageUsesTheNewCredentials() async throws {
    try await Fixture.runWithServiceAccount { request in
      switch request.path {
      case "/token": StandIn.tokenAnswer(1)
      case "/new/token": StandIn.tokenAnswer(2)
      default: .respond(200, [:], Fixture.success)
      }
    } test: { fixture in
      _ = await fixture.send()
      fixture.client.replace(credentials: try user(fixture))
      _ = await fixture.send()
      _ = await fixture.send()
      let tokens = fixture.requests(to: FCMClientTests.path).map { $0.headers["authorization"] }
      #expect(tokens == ["Bearer t1", "Bearer t2", "Bearer t2"])
      fixture.client.replace(credentials: .none)
      #expect(fixture.client.accessTokenExpiry == nil)
      _ = await fixture.send()
      #expect(fixture.requests(to: FCMClientTests.path).last?.headers["authorization"] == "Bearer emulator")
    }
  }

  @Test func waitingMessageGetsATokenOfTheNewCredentials() async throws {
    let gate = Gate(2)
    try await Fixture.runWithServiceAccount { request in
      switch request.path {
      case "/token": gate.pass() ? .hold : .close
      case "/new/token": StandIn.tokenAnswer(2)
      default: .respond(200, [:], Fixture.success)
      }
    } test: { fixture in
      async let outcome = fixture.send()
      let hasArrived = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: gate.pass()) }
      }
      #expect(hasArrived)
      fixture.client.replace(credentials: try user(fixture))
      #expect(await outcome == .sent(name: "projects/p/messages/1"))
      #expect(fixture.requests(to: FCMClientTests.path).map { $0.headers["authorization"] } == ["Bearer t2"])
    }
  }

  @Test func messageWhoseOldTokenIsRefusedIsSentAgainWithTheNewOne() async throws {
    let gate = Gate(2)
    let replaced = Gate(2)
    try await Fixture.runWithServiceAccount { request in
      switch request.path {
      case "/token": return StandIn.tokenAnswer(1)
      case "/new/token": return StandIn.tokenAnswer(2)
      default:
        guard request.headers["authorization"] == "Bearer t1" else {
          return .respond(200, [:], Fixture.success)
        }
        return gate.pass() && replaced.pass() ? AccessTokenTests.unauthenticated : .close
      }
    } test: { fixture in
      async let outcome = fixture.send()
      _ = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: gate.pass()) }
      }
      fixture.client.replace(credentials: try user(fixture))
      _ = replaced.pass()
      #expect(await outcome == .sent(name: "projects/p/messages/1"))
      #expect(fixture.requests(to: "/token").count == 1)
    }
  }

  @Test func theSameCredentialsKeepTheirTokenWhileNoOtherIsToBeHad() async throws {
    let tokens = Counter()
    try await Fixture.runWithServiceAccount { request in
      guard request.path == "/new/token" else { return .respond(200, [:], Fixture.success) }
      return tokens.next() == 1 ? StandIn.tokenAnswer(1) : .hold
    } test: { fixture in
      fixture.client.replace(credentials: try user(fixture))
      _ = await fixture.send()
      fixture.client.replace(credentials: try user(fixture))
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      #expect(fixture.requests(to: FCMClientTests.path).last?.headers["authorization"] == "Bearer t1")
      // It is renewed nevertheless.
      while tokens.count < 2 { await Task.yield() }
    }
  }

  @Test func theSameCredentialsKeepTheRefreshTokenThatTheServiceReplaced() async throws {
    let tokens = Counter()
    try await Fixture.runWithServiceAccount { request in
      guard request.path == "/new/token" else { return .respond(200, [:], Fixture.success) }
      let number = tokens.next()
      return .respond(
        200, [:],
        #"{"access_token":"t\#(number)","expires_in":3600,"refresh_token":"made-up-refresh-\#(number)"}"#)
    } test: { fixture in
      fixture.client.replace(credentials: try user(fixture))
      _ = await fixture.send()
      fixture.client.replace(credentials: try user(fixture))
      _ = await fixture.send()
      while fixture.requests(to: "/new/token").count < 2 { await Task.yield() }
      let form = fixture.requests(to: "/new/token").last.map { String(decoding: $0.body, as: UTF8.self) }
      #expect(form?.hasSuffix("refresh_token=made-up-refresh-1") == true)
    }
  }

  @Test func afterTheShutdownNothingIsReplaced() async throws {
    try await Fixture.runWithServiceAccount { _ in
      StandIn.tokenAnswer(1)
    } test: { fixture in
      fixture.client.shutDown()
      fixture.client.replace(credentials: try user(fixture))
      let failure = try await fixture.failure()
      #expect(failure.message == "shutting down")
      #expect(fixture.standIn.requests.isEmpty)
    }
  }
}
