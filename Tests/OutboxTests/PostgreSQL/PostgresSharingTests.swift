import Clock
import FCMMessage
import Outbox
import Synchronization
import Telemetry
import TestSupport
import Testing
@testable import SQL

/// Several gateways on one PostgreSQL database.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresSharingTests {
  private let queue: SharedQueue

  init() throws { queue = try SharedQueue() }

  @Test func createTheTablesConcurrently() async throws {
    let queue = queue
    let stores = try await withThrowingTaskGroup(of: DurableOutboxStore.self) { group in
      for _ in 0..<4 { group.addTask { try queue.open() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for store in stores { try await store.enqueue([notification()]) }
    #expect(try await stores[0].counts() == [.queued: 4])
    #expect(try queue.query("SELECT count(*) = count(DISTINCT version) FROM dragoman_version") == "t")
  }

  @Test func neverClaimTheSame() async throws {
    let stores = [try queue.open(), try queue.open(), try queue.open()]
    let given = (0..<60).map { _ in notification(count: 5) }
    try await stores[0].enqueue(given)
    let claimed = try await withThrowingTaskGroup(of: [DeliveryID].self) { group in
      for store in stores {
        group.addTask {
          var mine: [DeliveryID] = []
          while true {
            let batch = try await store.claim(limit: 7).map(\.id)
            if batch.isEmpty { return mine }
            mine += batch
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(claimed.count == 300)
    #expect(Set(claimed) == Set(given.flatMap { $0.deliveries.map(\.id) }))
    #expect(try await stores[1].counts() == [.sending: 300])
  }

  @Test func takeOverTheClaimsOfALostReplica() async throws {
    let zombie = try queue.open()
    let given = notification(count: 4)
    try await zombie.enqueue([given])
    let ids = try await zombie.claim(limit: 3).map(\.id)
    let heir = try queue.open()
    #expect(try await heir.claim().map(\.id) == [given.deliveries[3].id])
    try queue.endLeases()
    let watcher = try queue.open(watches: true)
    var taken: [ClaimedDelivery] = []
    try await eventually {
      taken += try await watcher.claim()
      return taken.count == 4
    }
    #expect(Set(taken.map(\.id)) == Set(given.deliveries.map(\.id)))
    try await watcher.settle(ids[0], .sent(messageName: "heir"))
    // The suspended gateway's settlements are ignored, whether the delivery has ended meanwhile or not.
    try await zombie.settle(ids[0], .failed(error: refusal, deadRegistration: true))
    try await zombie.settle(ids[1], .sent(messageName: "zombie"))
    let stored = try #require(try await watcher.notification(given.id))
    #expect(stored.deliveries.map(\.state) == [.sent, .sending, .sending, .sending])
    #expect(stored.deliveries[0].messageName == "heir")
    #expect(try await zombie.feedback().events.isEmpty)
    #expect(try await watcher.counts() == [.sent: 1, .sending: 3])
    // It continues under a new number.
    try await zombie.enqueue([notification()])
    #expect(try await zombie.claim().count == 1)
  }

  /// Otherwise another gateway would claim the message while this one is sending it.
  @Test func freeNoNewClaimWithAnOldOne() async throws {
    let store = try queue.open()
    let given = notification(count: 2)
    try await store.enqueue([given])
    let old = try await store.claim()
    try queue.endLeases()
    let other = try queue.open(watches: true)
    try await eventually { try await other.counts() == [.queued: 2] }
    // The gateway that lost them claims them again, under its new lease.
    let new = try await store.claim()
    #expect(new.map(\.id) == old.map(\.id))
    #expect(store.lostLeaseCount == 1)
    #expect(old.allSatisfy { !store.holds($0) })
    #expect(new.allSatisfy(store.holds))
    #expect(try await store.settle(old.map { .release($0, at: start) }) == old.map(\.id))
    #expect(try await other.claim().isEmpty)
    #expect(try await store.counts() == [.sending: 2])
    #expect(try await store.settle(new.map { .sent($0, at: start, messageName: "n") }) == [])
    #expect(try await store.counts() == [.sent: 2])
  }

  @Test func recordOnlyWhatStillHasTheirNumber() async throws {
    let zombie = try queue.open()
    let given = notification(count: 2)
    try await zombie.enqueue([given])
    let ids = try await zombie.claim().map(\.id)
    // As another gateway leaves it that claimed one of them after the lease, without the zombie's row being
    // lost.
    try queue.query("UPDATE dragoman_deliveries SET claimed_by = 999 WHERE id = '\(ids[0])'")
    let over = try await zombie.settle(ids.map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
    #expect(over == [ids[0]])
    #expect(zombie.lostClaimCount == 1)
    #expect(
      try await zombie.notification(given.id)?.deliveries.map(\.state) == [.sending, .sent])
  }

  @Test func cancelDeliveriesClaimedByAnother() async throws {
    let owner = try queue.open()
    let other = try queue.open()
    let given = notification(count: 3)
    try await owner.enqueue([given])
    let ids = try await owner.claim(limit: 2).map(\.id)
    guard case .done(let now, cancelled: 1, inFlight: 2) = try await other.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    #expect(now.deliveries.map(\.state) == [.sending, .sending, .cancelled])
    try await owner.settle(ids[0], .retry(at: start.plus(seconds: 9), error: refusal))
    #expect(try await other.notification(given.id)?.deliveries[0].state == .cancelled)
    // The rest is cancelled once its owner is gone.
    await owner.close()
    #expect(try await other.notification(given.id)?.status == "cancelled")
    #expect(try await other.counts() == [.cancelled: 3])
    #expect(try await other.claim(now: start.plus(seconds: 99)).isEmpty)
  }

  @Test func learnOfCancelsAtAnother() async throws {
    let owner = try queue.open(watches: true)
    let other = try queue.open(watches: true)
    let given = notification(count: 2)
    try await owner.enqueue([given])
    let claimed = try await owner.claim(limit: 2)
    #expect(claimed[0].departure.leave())
    guard case .done(_, cancelled: 0, inFlight: 2) = try await other.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    try await eventually { claimed[1].departure.isRecalled }
    #expect(!claimed[1].departure.leave())
    // Nor is the request repeated that has left.
    #expect(!claimed[0].departure.leave())
    try await owner.settle(claimed[1].id, .release)
    #expect(try await other.notification(given.id)?.deliveries.map(\.state) == [.sending, .cancelled])
  }

  @Test func knowHowManyShareTheQueue() async throws {
    let first = try queue.open(watches: true)
    #expect(first.gatewayCount == 1)
    let second = try queue.open(watches: true)
    #expect(second.gatewayCount == 2)
    try await eventually { first.gatewayCount == 2 }
    await second.close()
    try await eventually { first.gatewayCount == 1 }
  }

  @Test func haveTheDatabasesTime() async throws {
    let ahead = try DurableOutboxStore(
      url: try PostgresURL(queue.url), log: .silent, machine: { .now.adding(milliseconds: 3_600_000) })
    let skew = try #require(ahead.clockSkewMilliseconds)
    #expect((3_599_000...3_601_000).contains(skew))
    #expect(ahead.now.milliseconds(until: .now).magnitude < 1000)
    let given = notification(createdAt: ahead.now)
    try await ahead.enqueue([given])
    let right = try DurableOutboxStore(url: try PostgresURL(queue.url), log: .silent)
    #expect(try await right.claim(now: right.now).count == 1)
    await ahead.close()
    await right.close()
  }

  @Test func releaseClaimsOnClose() async throws {
    let first = try queue.open()
    let second = try queue.open()
    try await first.enqueue([notification(count: 5)])
    #expect(try await first.claim().count == 5)
    #expect(try await second.claim().isEmpty)
    await first.close()
    #expect(try await second.counts() == [.queued: 5])
    #expect(try await second.claim().map(\.attempts) == [0, 0, 0, 0, 0])
  }

  @Test func noticeNotificationsAcceptedByOthers() async throws {
    let signal = Signal()
    let watcher = try queue.open(watches: true)
    watcher.onDue { app in if app == "new" { signal.send() } }
    let other = try queue.open()
    try await other.enqueue([notification(app: "new")])
    await signal.wait()
    #expect(try await watcher.claim("new").count == 1)
  }

  /// A lock on a row that stays would make others wait, and leave a version of it to be removed.
  @Test func pruneWithoutLockingWhatStays() async throws {
    let store = try queue.open()
    let given = (0..<5).map { _ in notification(count: 2) }
    try await store.enqueue(given)
    let ids = try await store.claim(limit: 4).map(\.id)
    try await store.settle(ids.map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
    let step = try await store.pruneAll(endedBy: start)
    #expect(step.notifications == 2)
    #expect(step.deliveries == 4)
    let kept = try queue.query(
      "SELECT count(*), count(*) FILTER (WHERE xmax = 0) FROM dragoman_notifications")
    #expect(kept == "3|3")
  }

  @Test func pruneWithoutLockingOutcomesThatStay() async throws {
    let store = try queue.open()
    store.logOutcomes([.sent])
    try await store.enqueue([notification(count: 3)])
    let ids = try await store.claim(limit: 3).map(\.id)
    try await store.settle(ids.map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
    _ = try await store.pruneAll(endedBy: start.adding(milliseconds: -1))
    let kept = try queue.query("SELECT count(*), count(*) FILTER (WHERE xmax = 0) FROM dragoman_outcomes")
    #expect(kept == "3|3")
    _ = try await store.pruneAll(endedBy: start)
    #expect(try queue.query("SELECT count(*) FROM dragoman_outcomes") == "0")
  }

  @Test func setsAutovacuumForItsTables() async throws {
    _ = try queue.open()
    let unset = try queue.query(
      """
      SELECT relname FROM pg_class WHERE relnamespace = current_schema::regnamespace AND relkind = 'r'
        AND relname IN ('dragoman_deliveries', 'dragoman_notifications', 'dragoman_counts', 'dragoman_leases',
          'dragoman_marks', 'dragoman_client_counts', 'dragoman_idempotency')
        AND NOT coalesce(array_to_string(reloptions, ',') LIKE '%autovacuum%', false)
      """)
    #expect(unset == "")
  }

  @Test func storeAnIdempotencyKeyOnce() async throws {
    let stores = [try queue.open(), try queue.open()]
    let outcomes = try await withThrowingTaskGroup(of: EnqueueOutcome.self) { group in
      for number in 0..<60 {
        group.addTask {
          try await stores[number % 2].enqueue(
            [notification()], record("\(number % 10)", answer: answer("\(number)")))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .accepted } == 10)
    #expect(!outcomes.contains(.mismatch))
    #expect(try await stores[0].counts() == [.queued: 10])
  }

  @Test func shareTheDepthLimit() async throws {
    let first = try queue.open(depthMax: 4)
    let second = try queue.open(depthMax: 4)
    try await first.enqueue([notification(count: 3)])
    let error = await #expect(throws: OutboxError.self) { try await second.enqueue([notification(count: 2)]) }
    #expect(error?.code == .full)
    try await second.enqueue([notification()])
    let id = try #require(try await second.claim(limit: 1).first?.id)
    try await second.settle(id, .sent(messageName: "n"))
    try await first.enqueue([notification()])
  }

  /// A reader of the log misses no event while several gateways write to it.
  @Test func writeOneFeedbackLogInOrder() async throws {
    let stores = [try queue.open(), try queue.open(), try queue.open()]
    let reader = try queue.open()
    for store in stores { store.logOutcomes([.failed]) }
    try await reader.enqueue((0..<150).map { _ in notification(count: 2) })
    let isDone = Atomic<Bool>(false)
    let read = Task {
      var ids: [Int64] = []
      var last = false
      while true {
        let page = try await reader.webhookEvents(after: ids.last, limit: 50)
        ids += page.events.map(\.id)
        if last, page.events.isEmpty { return ids }
        last = isDone.load(ordering: .acquiring)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        group.addTask {
          while true {
            let batch = try await store.claim(limit: 3)
            if batch.isEmpty { return }
            try await store.settle(
              batch.map { .failed($0, at: start, error: refusal, dead: .registration) })
          }
        }
      }
      try await group.waitForAll()
    }
    isDone.store(true, ordering: .releasing)
    #expect(try await read.value == Array(1...600))
    let dead = try await reader.feedback(limit: 1_000).events
    let outcomes = try await reader.webhookEvents(limit: 1_000).events.compactMap(\.outcome)
    #expect(dead.count == 300)
    #expect(Set(outcomes.map(\.delivery)).count == 300)
    #expect(Set(dead.map(\.id)).isDisjoint(with: outcomes.map(\.id)))
  }

  /// A restored backup does not know the gateways that are running, and had fewer of them.
  @Test func haveNumbersOfTheirOwnAfterARestore() async throws {
    let stores = [try queue.open(), try queue.open()]
    try queue.query("DELETE FROM dragoman_leases")
    for store in stores {
      try await store.enqueue([notification()])
      #expect(try await store.claim(limit: 1).count == 1)
    }
    #expect(try queue.query("SELECT count(*) FROM dragoman_leases WHERE NOT lost") == "2")
  }

  @Test func notifyTheWebhookOneAtATime() async throws {
    let first = try queue.open()
    let second = try queue.open(watches: true)
    #expect(try await first.webhookCursor() == nil)
    let answered = Mutex<Int64?>(nil)
    let signal = Signal()
    second.webhookCursor { result in
      answered.withLock { $0 = try? result.get() }
      signal.send()
    }
    let error = await #expect(throws: OutboxError.self) { try await second.setWebhookCursor(3) }
    #expect(error?.code == .turnLost)
    try await first.setWebhookCursor(7)
    #expect(answered.withLock { $0 } == nil)
    await first.close()
    await signal.wait()
    #expect(answered.withLock { $0 } == 7)
    try await second.setWebhookCursor(9)
    #expect(try await second.webhookCursor() == 9)
  }

  @Test func askForNoTurnOfAWebhookThatHasEnded() async throws {
    let first = try queue.open()
    let second = try queue.open(watches: true)
    #expect(try await first.webhookCursor() == nil)
    let ended = Mutex<Result<Int64?, OutboxError>?>(nil)
    let signal = Signal()
    second.webhookCursor { result in
      ended.withLock { $0 = result }
      signal.send()
    }
    second.endWebhook()
    await signal.wait()
    let error = #expect(throws: OutboxError.self) { _ = try ended.withLock { $0 }?.get() }
    #expect(error?.code == .closed)
    // The next one waits as usual.
    async let cursor = second.webhookCursor()
    try await first.setWebhookCursor(7)
    await first.close()
    #expect(try await cursor == 7)
  }

  @Test func leaveTheTurnOfAWebhookThatHasEndedToOthers() async throws {
    let first = try queue.open(watches: true)
    let second = try queue.open(watches: true)
    #expect(try await first.webhookCursor() == nil)
    try await first.setWebhookCursor(7)
    async let cursor = second.webhookCursor()
    first.endWebhook()
    #expect(try await cursor == 7)
    // Until that one ends, too, a new webhook of the first gateway waits.
    async let again = first.webhookCursor()
    try await second.setWebhookCursor(9)
    second.endWebhook()
    #expect(try await again == 9)
  }

  @Test func wakeForEventsOfOthers() async throws {
    let signal = Signal()
    let watcher = try queue.open(watches: true)
    watcher.onFeedback { signal.send() }
    let other = try queue.open()
    try await other.enqueue([notification()])
    let id = try #require(try await other.claim().first?.id)
    try await other.settle(id, .failed(error: refusal, deadRegistration: true))
    await signal.wait()
  }
}
