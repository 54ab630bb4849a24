import Clock
import Outbox
import Telemetry
import Testing

/// What every store guarantees about idempotency keys.
@Suite struct IdempotencyTests {
  @Test(arguments: StoreKind.allCases) func repeatsTheFirstAnswer(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let first = record("a")
    #expect(try await store.idempotent(first) == nil)
    #expect(try await store.enqueue([notification(), notification()], first) == .accepted)
    let again = record("a", answer: answer("another"))
    #expect(try await store.idempotent(again) == .replay(of: first.answer))
    #expect(try await store.enqueue([notification()], again) == .replay(of: first.answer))
    #expect(try await store.counts() == [.queued: 2])
  }

  @Test(arguments: StoreKind.allCases) func refusesAnotherRequestWithTheSameKey(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    #expect(try await store.enqueue([notification()], record("a")) == .accepted)
    let other = record("a", fingerprint: Array(repeating: 2, count: 32))
    #expect(try await store.idempotent(other) == .mismatch)
    #expect(try await store.enqueue([notification()], other) == .mismatch)
    #expect(try await store.counts() == [.queued: 1])
  }

  @Test(arguments: StoreKind.allCases) func separatesKeysOfClients(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let owners: [(String?, String)] = [
      (nil, "a"), ("", "a"), ("orders", "a"), ("orders", "A"), ("orders", "a "), ("caf\u{E9}", "a"),
      ("cafe\u{301}", "a"),
    ]
    for (client, key) in owners {
      let own = record(key, client: client)
      #expect(try await store.idempotent(own) == nil)
      #expect(try await store.enqueue([notification(client: client)], own) == .accepted)
      #expect(try await store.idempotent(own) == .replay(of: own.answer))
    }
  }

  @Test(arguments: StoreKind.allCases) func keepsAnswersOfAnyShape(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let answers = [
      StoredAnswer(status: 202, headers: [], body: []),
      StoredAnswer(
        status: 422,
        headers: [
          .init(name: "Location", value: "/v1/é"), .init(name: "X", value: ""), .init(name: "", value: "v"),
        ],
        body: [0, 255, 10]),
      StoredAnswer(status: 202, headers: [], body: Array(repeating: 7, count: 100_000)),
    ]
    for (number, answer) in answers.enumerated() {
      let own = record("key \(number)", answer: answer)
      #expect(try await store.enqueue([notification()], own) == .accepted)
      #expect(try await store.idempotent(own) == .replay(of: answer))
    }
  }

  @Test(arguments: StoreKind.allCases) func storesNoKeyOfARefusedRequest(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind, depthMax: 2)
    let store = fixture.store
    let known = notification()
    try await store.enqueue([known])
    await #expect(throws: OutboxError.self) {
      _ = try await store.enqueue([notification(count: 2)], record("a"))
    }
    #expect(try await store.idempotent(record("a")) == nil)
    await #expect(throws: OutboxError.self) { _ = try await store.enqueue([known], record("a")) }
    #expect(try await store.idempotent(record("a")) == nil)
    #expect(try await store.enqueue([notification()], record("a")) == .accepted)
    // A repeat is answered even if the queue is full.
    #expect(try await store.enqueue([notification()], record("a")) == .replay(of: record("a").answer))
  }

  @Test(arguments: StoreKind.allCases) func allowsReuseOfAnExpiredKey(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let day = start.plus(seconds: 86_400)
    #expect(try await store.enqueue([notification()], record("a")) == .accepted)
    fixture.clock.now = day.plus(seconds: -1)
    #expect(try await store.idempotent(record("a")) == .replay(of: record("a").answer))
    fixture.clock.now = day
    let next = record("a", answer: answer("next"), expiresAt: day.plus(seconds: 86_400))
    #expect(try await store.idempotent(next) == nil)
    #expect(try await store.enqueue([notification()], next) == .accepted)
    #expect(try await store.idempotent(record("a")) == .replay(of: next.answer))
  }

  @Test(arguments: StoreKind.allCases) func acceptsOneOfAHundredAtOnce(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let outcomes = try await withThrowingTaskGroup(of: EnqueueOutcome.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await store.enqueue([notification()], record("a", answer: answer("\(number)")))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count == 100)
    #expect(outcomes.count { $0 == .accepted } == 1)
    #expect(!outcomes.contains(.mismatch))
    #expect(try await store.counts() == [.queued: 1])
    let kept = try #require(try await store.idempotent(record("a")))
    for outcome in outcomes {
      if case .replay = outcome { #expect(outcome == kept) }
    }
  }

  @Test func survivesARestart() async throws {
    let fixture = try Fixture(.sqlite)
    let folder = try #require(fixture.folder)
    #expect(try await fixture.store.enqueue([notification()], record("a")) == .accepted)
    // The files as a crash would leave them.
    let copy = try folder.crashed()
    let survivor = try DurableOutboxStore(path: copy, log: .silent, clock: { start })
    #expect(try await survivor.idempotent(record("a")) == .replay(of: record("a").answer))
    #expect(try await survivor.enqueue([notification()], record("a")) == .replay(of: record("a").answer))
    #expect(try await survivor.counts() == [.queued: 1])
  }
}

func answer(_ text: String) -> StoredAnswer {
  StoredAnswer(
    status: 202, headers: [.init(name: "Location", value: "/v1/notifications/\(text)")],
    body: Array(text.utf8))
}

func record(
  _ key: String, client: String? = "orders", fingerprint: [UInt8] = Array(repeating: 1, count: 32),
  answer given: StoredAnswer = answer("first"), expiresAt: Timestamp = start.plus(seconds: 86_400)
) -> IdempotencyRecord {
  IdempotencyRecord(
    key: IdempotencyKey(client: client, key: key), fingerprint: fingerprint, answer: given,
    expiresAt: expiresAt)
}
