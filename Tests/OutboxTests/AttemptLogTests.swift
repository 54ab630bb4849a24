import Clock
import Outbox
import Testing

/// The last attempts of each delivery, in every durable store.
@Suite struct AttemptLogTests {
  private func attempt(_ number: Int, detail: String? = "why – 'é'") -> AttemptRecord {
    AttemptRecord(
      at: start.plus(seconds: Int64(number)), milliseconds: 5, phase: "answer", peer: "unknown",
      httpStatus: 502,
      code: "UNAVAILABLE", detail: detail, isCounted: false)
  }

  private let accepted = AttemptRecord(
    at: start.plus(seconds: 99), milliseconds: 12, phase: "answer", peer: "fcm", httpStatus: nil, code: nil,
    detail: nil, isCounted: true)

  private func fail(
    _ store: any OutboxStore, _ attempt: AttemptRecord?, _ make: (ClaimedDelivery) -> Settlement
  ) async throws {
    var settlement = make(try #require(try await store.claim().first))
    settlement.attempt = attempt
    #expect(try await store.settle([settlement]).isEmpty)
  }

  @Test(arguments: StoreKind.durableCases) func keepsTheLastFive(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification()
    try await store.enqueue([given])
    #expect(try await store.notification(given.id)?.deliveries.first?.attemptLog == [])
    for number in 1...7 {
      try await fail(store, attempt(number)) { .deferred($0, at: start, dueAt: start, error: refusal) }
    }
    // What is no attempt leaves the log alone.
    try await fail(store, nil) { .release($0, at: start) }
    let waiting = try #require(try await store.notification(given.id)?.deliveries.first)
    #expect(waiting.attemptLog == (3...7).map { attempt($0) })
    #expect(waiting.attempts == 0)
    try await fail(store, accepted) { .sent($0, at: start, messageName: "projects/p/messages/1") }
    let sent = try #require(try await store.notification(given.id)?.deliveries.first)
    #expect(sent.attemptLog == (4...7).map { attempt($0) } + [accepted])
  }

  @Test(arguments: StoreKind.durableCases) func boundsTheRowByWholeRecords(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification()
    try await store.enqueue([given])
    let detail = String(repeating: "longest ", count: 60)
    for number in 1...12 {
      try await fail(store, attempt(number, detail: detail)) {
        .deferred($0, at: start, dueAt: start, error: refusal)
      }
    }
    let log = try #require(try await store.notification(given.id)?.deliveries.first?.attemptLog)
    #expect(log == (8...12).map { attempt($0, detail: detail) })
  }
}
