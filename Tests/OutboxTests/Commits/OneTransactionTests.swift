import Clock
import Dispatch
import FCMMessage
import Outbox
import OutboxModel
import Synchronization
import TestSupport
import Testing

/// The answer to a call that a test does not wait for at once.
final class LaterAnswer<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, OutboxError>?>(nil)

  var take: @Sendable (Result<Value, OutboxError>) -> Void {
    { result in self.result.withLock { $0 = result } }
  }

  func get() throws -> Value { try #require(result.withLock { $0 }).get() }
}

extension OutboxStore {
  /// Holds up the store's thread while `calls` are made, so that one transaction has all of them; returns
  /// when they are answered.
  func together(_ calls: () throws -> Void) async throws {
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      counts { _ in
        continuation.resume()
        gate.wait()
      }
    }
    let outcome = Result { try calls() }
    gate.signal()
    try outcome.get()
    // Asked later, so answered later.
    _ = try await counts()
  }
}

/// Calls that share a transaction see what the earlier ones have done.
@Suite struct OneTransactionTests {
  static let kinds: [StoreKind] = [.sqlite] + (PostgresCluster.isInstalled ? [.postgres] : [])

  private func claim(
    from store: any OutboxStore, limit: Int = 100, now: Timestamp = start
  ) -> LaterAnswer<ClaimedDeliveries> {
    let answer = LaterAnswer<ClaimedDeliveries>()
    store.claim(app: "default", limit: limit, normalMin: 0, now: now, completion: answer.take)
    return answer
  }

  private func settle(_ settlement: Settlement, in store: any OutboxStore) -> LaterAnswer<[DeliveryID]> {
    let answer = LaterAnswer<[DeliveryID]>()
    store.settle([settlement], waitMilliseconds: 0, completion: answer.take)
    return answer
  }

  @Test(arguments: kinds) func aClaimFindsWhatWasJustReleased(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification(), notification()])
    let old = try await store.claim()
    var claimed = LaterAnswer<ClaimedDeliveries>()
    try await store.together {
      _ = settle(.release(old[0], at: start), in: store)
      claimed = claim(from: store)
    }
    let again = try claimed.get().deliveries
    #expect(again.map(\.id) == [old[0].id])
    #expect(again.map(\.claim) != [old[0].claim])
    #expect(try await store.counts() == [.sending: 2])
    // It is one claim: the old one settles nothing, and the new one does.
    #expect(try await store.settle([.sent(old[0], at: start, messageName: "old")]) == [old[0].id])
    #expect(try await store.settle([.sent(again[0], at: start, messageName: "new")]) == [])
    #expect(try await store.counts() == [.sending: 1, .sent: 1])
    #expect(try await store.notification(old[0].notification)?.deliveries.first?.messageName == "new")
  }

  @Test(arguments: kinds) func aCancelRecallsWhatWasJustClaimed(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification(count: 2)
    try await store.enqueue([given])
    var claimed = LaterAnswer<ClaimedDeliveries>()
    let cancelled = LaterAnswer<CancelOutcome>()
    try await store.together {
      claimed = claim(from: store, limit: 1)
      store.cancel(given.id, now: start, completion: cancelled.take)
    }
    guard case .done(let stored, cancelled: 2, inFlight: 0) = try cancelled.get() else {
      Issue.record("not cancelled")
      return
    }
    #expect(stored.deliveries.map(\.state) == [.cancelled, .cancelled])
    let claims = try claimed.get().deliveries
    #expect(claims.count == 1)
    #expect(claims.allSatisfy { !$0.departure.leave() })
    #expect(try await store.settle(claims.map { .release($0, at: start) }) == claims.map(\.id))
    #expect(try await store.counts() == [.cancelled: 2])
  }

  @Test(arguments: kinds) func aCancelRecallsWhatWasJustReleasedAndClaimed(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification()
    try await store.enqueue([given])
    let old = try await store.claim().left()
    var claimed = LaterAnswer<ClaimedDeliveries>()
    let cancelled = LaterAnswer<CancelOutcome>()
    try await store.together {
      _ = settle(.release(old[0], at: start), in: store)
      claimed = claim(from: store)
      store.cancel(given.id, now: start, completion: cancelled.take)
    }
    guard case .done(_, cancelled: 1, inFlight: 0) = try cancelled.get() else {
      Issue.record("not cancelled")
      return
    }
    #expect(try claimed.get().deliveries.map { $0.departure.leave() } == [false])
    #expect(try await store.counts() == [.cancelled: 1])
  }

  @Test(arguments: kinds) func nothingExpiresThatWasJustClaimed(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification(count: 3, ttlMilliseconds: 1_000)])
    let later = start.plus(seconds: 1)
    var claimed = LaterAnswer<ClaimedDeliveries>()
    let swept = LaterAnswer<ExpirySweep>()
    try await store.together {
      claimed = claim(from: store, limit: 2, now: later)
      store.expire(app: "default", now: later, limit: 10, completion: swept.take)
    }
    #expect(try swept.get().expired == 1)
    #expect(try await store.counts() == [.sending: 2, .expired: 1])
    try await store.settle(try claimed.get().deliveries.map { .expired($0, at: later, error: nil) })
    #expect(try await store.counts() == [.expired: 3])
  }

  @Test(arguments: kinds) func aClaimFindsARetryOfWhatHasJustFailed(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification()
    try await store.enqueue([given])
    let old = try await store.claim()
    var claimed = LaterAnswer<ClaimedDeliveries>()
    try await store.together {
      _ = settle(.failed(old[0], at: start, error: refusal), in: store)
      store.retry(given.id, now: start) { _ in }
      claimed = claim(from: store)
    }
    #expect(try claimed.get().deliveries.map(\.id) == [old[0].id])
    #expect(try await store.counts() == [.sending: 1])
  }

  @Test(arguments: kinds) func twoClaimsTakeNothingTwice(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification(count: 5)])
    var claims: [LaterAnswer<ClaimedDeliveries>] = []
    try await store.together { claims = (0..<3).map { _ in claim(from: store, limit: 2) } }
    let taken = try claims.map { try $0.get().deliveries.map(\.id) }
    #expect(taken.map(\.count) == [2, 2, 1])
    #expect(Set(taken.joined()).count == 5)
  }

  /// What a transaction accepts is claimed at once only if nothing comes back in it that goes first.
  @Test(arguments: kinds) func whatIsReleasedGoesBeforeWhatIsNew(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    store.onAccept { _ in 10 }
    #expect(try await store.nextDue() == nil)
    let (older, newer) = (notification(), notification())
    try await store.enqueue([older])
    let claim = try #require(try await store.claim().first)
    try await store.together {
      _ = settle(.release(claim, at: start), in: store)
      store.enqueue([newer]) { _ in }
    }
    #expect(try await store.counts() == [.queued: 2])
    #expect(try await store.claim(limit: 1).map(\.notification) == [older.id])
    #expect(try await store.claim(limit: 1).map(\.notification) == [newer.id])
  }

  /// Each caller learns about its own claims.
  @Test(arguments: kinds) func onlyTheOldClaimOfADeliveryIsOver(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification()])
    let old = try #require(try await store.claim().first)
    try await store.settle([.release(old, at: start)])
    let new = try #require(try await store.claim().first)
    var answers: [LaterAnswer<[DeliveryID]>] = []
    try await store.together {
      answers = [
        settle(.failed(old, at: start, error: refusal), in: store),
        settle(.sent(new, at: start, messageName: "n"), in: store),
      ]
    }
    #expect(try answers.map { try $0.get() } == [[old.id], []])
    #expect(try await store.counts() == [.sent: 1])
  }

  /// An update that waits for its next attempt is replaced by a newer one of the same transaction.
  @Test(arguments: kinds) func aNewerMessageReplacesWhatHasJustComeBack(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let (old, new) = (activity(.update), activity(.update, createdAt: start.plus(seconds: 1)))
    try await store.enqueue([old])
    let claim = try #require(try await store.claim().left().first)
    let later = start.plus(seconds: 60)
    var claimed = LaterAnswer<ClaimedDeliveries>()
    try await store.together {
      _ = settle(.retry(claim, at: start, dueAt: later, error: refusal), in: store)
      store.enqueue([new]) { _ in }
      claimed = self.claim(from: store, now: start.plus(seconds: 1))
    }
    #expect(try claimed.get().deliveries.map(\.notification) == [new.id])
    #expect(try await store.state(old) == "cancelled SUPERSEDED")
    #expect(try await store.counts() == [.sending: 1, .cancelled: 1])
  }

  /// A claim passes over an end while an update is being sent. What comes later is claimed meanwhile.
  @Test(arguments: kinds) func whatWasPassedOverIsFoundOnceItIsFree(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let (update, end) = (activity(.update), activity(.end, createdAt: start.plus(seconds: 1)))
    try await store.enqueue([update])
    let claim = try #require(try await store.claim().left().first)
    try await store.enqueue([end])
    let now = start.plus(seconds: 9)
    for second in 2..<9 {
      try await store.enqueue([notification(createdAt: start.plus(seconds: Int64(second)))])
      #expect(try await store.claim(now: now).count == 1)
    }
    // In the transaction in which the update ends.
    var claimed = LaterAnswer<ClaimedDeliveries>()
    try await store.together {
      _ = settle(.sent(claim, at: now, messageName: "n"), in: store)
      claimed = self.claim(from: store, now: now)
    }
    #expect(try claimed.get().deliveries.map(\.notification) == [end.id])
    #expect(try await store.claim(now: now).isEmpty)
    #expect(try await store.nextDue() == nil)
  }
}
