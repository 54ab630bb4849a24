import Clock
import FCMMessage
import Outbox
import OutboxModel
import Synchronization
import TestSupport
import Testing

/// Random histories of which each transaction has several calls: the durable stores answer as the model does,
/// in which one call comes after the other.
@Suite struct TransactionHistoryTests {
  private static let histories: [(StoreKind, UInt64)] =
    (1...12).map { (.sqlite, $0) } + (PostgresCluster.isInstalled ? (1...6).map { (.postgres, $0) } : [])

  /// A call with its answer in words. A transaction begins with its settlements, which make room, and goes on
  /// with what is new.
  private struct Call: Sendable {
    enum Rank: Int { case settle, enqueue, other }

    let rank: Rank
    let name: String
    let perform: @Sendable (any OutboxStore, @escaping @Sendable (String) -> Void) -> Void
  }

  private let book = ClaimBook()

  private final class Answers: Sendable {
    private let words: Mutex<[String]>

    init(_ count: Int) { words = Mutex(Array(repeating: "none", count: count)) }

    var all: [String] { words.withLock { $0 } }

    func take(_ index: Int) -> @Sendable (String) -> Void {
      { answer in self.words.withLock { $0[index] = answer } }
    }
  }

  @Test(arguments: histories) func answersAsTheModelDoes(_ kind: StoreKind, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (durable, model) = (try Fixture(kind), try Fixture(.memory))
    let stores = [durable.store, model.store]
    for store in stores { store.logOutcomes(Set(DeliveryOutcome.allCases)) }
    var claimed: [DeliveryID] = []
    var known: [NewNotification] = []
    var now = start
    for step in 0..<80 {
      var calls: [Call] = []
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        calls.append(someCall(now, &claimed, &known, &random))
      }
      let (ours, theirs) = (Answers(calls.count), Answers(calls.count))
      try await durable.store.together {
        for (index, call) in calls.enumerated() { call.perform(durable.store, ours.take(index)) }
      }
      for (index, call) in calls.enumerated().sorted(by: {
        $0.element.rank.rawValue < $1.element.rank.rawValue
      }) {
        await withCheckedContinuation { continuation in
          call.perform(model.store) { answer in
            theirs.take(index)(answer)
            continuation.resume()
          }
        }
      }
      let names = calls.map(\.name).joined(separator: ", ")
      #expect(ours.all == theirs.all, "step \(step): \(names)")
      for app in ["default", "live"] {
        #expect(try await durable.store.counts(app) == model.store.counts(app), "step \(step): \(names)")
      }
      // What is cancelled in the transaction of its claim cannot have left before.
      let open = stores.map { book.open(in: $0) }
      #expect(open[0].map(\.id) == open[1].map(\.id), "step \(step): \(names)")
      let leaving = open[0].map { _ in Bool.random(using: &random) }
      for claims in open {
        for (claim, leaves) in zip(claims, leaving) where leaves { _ = claim.departure.leave() }
      }
      claimed = open[0].map(\.id)
      now = now.adding(milliseconds: Int64.random(in: 0...2_000, using: &random))
      (durable.clock.now, model.clock.now) = (now, now)
      guard ours.all == theirs.all else { return }
    }
    // Nothing is lost: what waits or comes back is claimed.
    now = now.plus(seconds: 60)
    (durable.clock.now, model.clock.now) = (now, now)
    for store in stores {
      let claims = claimed.map { SettledDelivery($0, at: now, .release) }
      try await store.settle(book.settlements(claims, of: store))
    }
    for app in ["default", "live"] {
      let last = try await stores[0].claim(app, limit: 10_000, now: now).map(\.id)
      #expect(try await stores[1].claim(app, limit: 10_000, now: now).map(\.id) == last)
    }
    for given in known {
      let ours = try await stores[0].notification(given.id)?.deliveries
      let theirs = try await stores[1].notification(given.id)?.deliveries
      #expect(theirs == ours)
    }
  }

  private func someCall(
    _ now: Timestamp, _ claimed: inout [DeliveryID], _ known: inout [NewNotification],
    _ random: inout SeededGenerator
  ) -> Call {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2: return enqueue(someNotifications(now, &random), &known)
    case 2..<5:
      let ids = Array(claimed.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
      // Others of the transaction settle other claims.
      claimed.removeAll { ids.contains($0) }
      return settle(ids.map { SettledDelivery($0, at: now, someOutcome(now, &random)) })
    case 5..<8:
      // The model ends all updates that have been replaced, and a store those that its claim comes across.
      guard Bool.random(using: &random) else { return claim("live", limit: 500, now) }
      return claim("default", limit: Int.random(in: 1...8, using: &random), now)
    case 8:
      let app = Bool.random(using: &random) ? "default" : "live"
      return Call(rank: .other, name: "expire \(app)") { store, answer in
        store.expire(app: app, now: now, limit: 500) { answer("\($0.map(\.expired))") }
      }
    default:
      guard let id = known.randomElement(using: &random)?.id else { return enqueue([], &known) }
      return Bool.random(using: &random) ? cancel(id, now) : retry(id, now)
    }
  }

  private func enqueue(_ given: [NewNotification], _ known: inout [NewNotification]) -> Call {
    known += given
    return Call(rank: .enqueue, name: "enqueue") { store, answer in
      store.enqueue(given) { answer("\($0.map { "accepted" })") }
    }
  }

  private func settle(_ outcomes: [SettledDelivery]) -> Call {
    let book = book
    return Call(rank: .settle, name: "settle \(outcomes.map { "\($0.delivery) \($0.outcome)" })") {
      store, answer in
      let settlements = book.settlements(outcomes, of: store)
      book.close(outcomes.map(\.delivery), of: store)
      store.settle(settlements, waitMilliseconds: 0) { answer("\($0)") }
    }
  }

  private func claim(_ app: String, limit: Int, _ now: Timestamp) -> Call {
    let book = book
    return Call(rank: .other, name: "claim \(app) \(limit)") { store, answer in
      store.claim(app: app, limit: limit, normalMin: 1, now: now) { result in
        guard let claims = try? result.get().deliveries else { return answer("refused") }
        book.note(claims, of: store)
        answer("\(claims.map { "\($0.id) \($0.attempts) \($0.expiresAt)" })")
      }
    }
  }

  private func cancel(_ id: NotificationID, _ now: Timestamp) -> Call {
    Call(rank: .other, name: "cancel \(id)") { store, answer in
      store.cancel(id, now: now) { result in
        if case .success(.done(let stored, let cancelled, let inFlight)) = result {
          return answer("\(cancelled) \(inFlight) \(stored.deliveries.map(\.state.name))")
        }
        answer("\(result)")
      }
    }
  }

  private func retry(_ id: NotificationID, _ now: Timestamp) -> Call {
    Call(rank: .other, name: "retry \(id)") { store, answer in
      store.retry(id, now: now) { result in
        if case .success(.done(let stored, let queued)) = result {
          return answer("\(queued) \(stored.deliveries.map(\.state.name))")
        }
        answer("\(result)")
      }
    }
  }

  private func someNotifications(_ now: Timestamp, _ random: inout SeededGenerator) -> [NewNotification] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let priority: DeliveryPriority = Bool.random(using: &random) ? .high : .normal
      let sendAt = Int.random(in: 0..<4, using: &random) == 0 ? now.plus(seconds: 2) : nil
      guard Bool.random(using: &random) else {
        return notification(
          count: Int.random(in: 1...3, using: &random), createdAt: now, sendAt: sendAt, priority: priority,
          ttlMilliseconds: Int64.random(in: 3_000...40_000, using: &random))
      }
      return activity(
        [.update, .update, .end, .start].randomElement(using: &random) ?? .update,
        ["x", "y"].randomElement(using: &random) ?? "x", app: "live", createdAt: now, priority: priority)
    }
  }

  private func someOutcome(_ now: Timestamp, _ random: inout SeededGenerator) -> Outcome {
    let later = now.adding(milliseconds: Int64.random(in: -500...4_000, using: &random))
    return switch Int.random(in: 0..<7, using: &random) {
    case 0: .retry(at: later, error: refusal)
    case 1: .deferred(until: later)
    case 2, 3: .release
    case 4: .failed(error: refusal, deadRegistration: true)
    case 5: .expired(error: nil)
    default: .sent(messageName: "n")
    }
  }
}
