import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Gateway

@Suite(.blocking) struct IdempotencyTests {
  private let request: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]]

  private func post(
    _ fixture: GatewayFixture, _ body: JSON, key: String, path: String = "/v1/notifications",
    bearer: String? = nil
  ) throws -> HTTPTestClient.Answer {
    let authorization = bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
    return try fixture.client.send(
      "POST", path,
      headers: [("Content-Type", "application/json"), ("Idempotency-Key", key)] + authorization,
      body: body.serialized)
  }

  private func count(_ fixture: GatewayFixture) throws -> Int {
    try fixture.client.get("/v1/notifications").json["notifications"]?.array?.count ?? -1
  }

  @Test func repeatsTheFirstAnswer() async throws {
    try await GatewayFixture.run { fixture in
      let first = try post(fixture, request, key: "k1")
      #expect(first.status == 202)
      #expect(first.header("Idempotency-Replayed") == nil)
      _ = try await fixture.settled(first.json["id"]?.string ?? "")
      let second = try post(fixture, request, key: "k1")
      #expect(second.status == 202)
      #expect(second.body == first.body)
      #expect(second.header("Location") == first.header("Location"))
      #expect(second.header("Idempotency-Replayed") == "true")
      // With a quoted key, as in the draft, and with other white space and order, it is the same request.
      let reordered: JSON = ["args": ["name": "A"], "to": ["token": "t"], "template": "welcome"]
      #expect(try post(fixture, reordered, key: "\"k1\"").body == first.body)
      #expect(try count(fixture) == 1)
    }
  }

  @Test func refusesAnotherRequestWithTheSameKey() async throws {
    try await GatewayFixture.run { fixture in
      #expect(try post(fixture, request, key: "k").status == 202)
      let other: JSON = ["template": "welcome", "to": ["token": "u"], "args": ["name": "A"]]
      let answer = try post(fixture, other, key: "k")
      #expect(answer.status == 422)
      #expect(answer.json["type"] == "/problems/idempotency-mismatch")
      #expect(try count(fixture) == 1)
    }
  }

  @Test func rejectedRequestsStoreNoKey() async throws {
    try await GatewayFixture.run { fixture in
      let wrong: JSON = ["template": "welcome", "to": ["token": "t"]]
      let refused = try post(fixture, wrong, key: "k")
      #expect(refused.status == 422)
      let accepted = try post(fixture, request, key: "k")
      #expect(accepted.status == 202)
    }
  }

  @Test func keepsTheAnswerOfABatch() async throws {
    try await GatewayFixture.run { fixture in
      let batch: JSON = ["notifications": [request, ["template": "nope", "to": ["token": "t"]]]]
      let first = try post(fixture, batch, key: "b", path: "/v1/notifications/batch")
      #expect(first.json["accepted"] == 1)
      let second = try post(fixture, batch, key: "b", path: "/v1/notifications/batch")
      #expect(second.body == first.body)
      #expect(second.header("Idempotency-Replayed") == "true")
      // The same key with the other path is a different request.
      #expect(try post(fixture, request, key: "b").status == 422)
    }
  }

  @Test func acceptsOneOfAHundredAtOnce() async throws {
    try await GatewayFixture.run { fixture in
      let answers = Mutex<[HTTPTestClient.Answer]>([])
      DispatchQueue.concurrentPerform(iterations: 100) { _ in
        if let answer = try? post(fixture, request, key: "one") { answers.withLock { $0.append(answer) } }
      }
      let got = answers.withLock { $0 }
      #expect(got.count == 100)
      #expect(got.allSatisfy { $0.status == 202 || $0.status == 409 })
      #expect(got.count { $0.status == 202 && $0.header("Idempotency-Replayed") == nil } == 1)
      #expect(Set(got.filter { $0.status == 202 }.map(\.body)).count == 1)
      #expect(
        got.filter { $0.status == 409 }.allSatisfy { $0.json["type"] == "/problems/idempotency-conflict" })
      let kept = try count(fixture)
      #expect(kept == 1)
    }
  }

  @Test func eachClientHasItsOwnKeys() async throws {
    let clients = ["a", "b"].map {
      ClientGrant(
        name: $0, keyHash: sha256(Array("key-\($0)".utf8)), scopes: [.send, .read], apps: nil, templates: nil,
        rate: nil)
    }
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let first = try post(fixture, request, key: "k", bearer: "key-a")
      let second = try post(fixture, request, key: "k", bearer: "key-b")
      #expect(first.status == 202)
      #expect(second.status == 202)
      #expect(first.json["id"] != second.json["id"])
    }
  }

  @Test(arguments: ["", " ", "a b", "ä", String(repeating: "x", count: 256), "\"\""])
  func rejectsInvalidKeys(key: String) async throws {
    try await GatewayFixture.run { fixture in
      let answer = try post(fixture, request, key: key)
      #expect(answer.status == 422 || answer.status == 400)
      #expect(try count(fixture) == 0)
    }
  }

  @Test func acceptsAKeyOf255Characters() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try post(fixture, request, key: String(repeating: "~", count: 255))
      #expect(answer.status == 202)
    }
  }
}
