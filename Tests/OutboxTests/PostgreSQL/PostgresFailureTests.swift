import FCMMessage
import Outbox
import Telemetry
import TestSupport
import Testing
@testable import SQL

/// A PostgreSQL queue whose server crashes, disappears or cannot be used.
@Suite(.serialized, .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresFailureTests {
  /// A server that these tests may crash.
  private static let own = Result { try PostgresCluster() }

  private let queue: SharedQueue

  init() throws { queue = try SharedQueue(try Self.own.get()) }

  /// Which notifications a store accepted, and of which it could not tell: on a slow machine, the server may
  /// be away for longer than a caller waits. It refused the others.
  struct Answers: Sendable {
    var kept: [NotificationID] = []
    var unknown: [NotificationID] = []
  }

  /// Enqueues one notification after the other while `body` disturbs the server.
  private func enqueue(in store: DurableOutboxStore, during body: () throws -> Void) async throws -> Answers {
    let begun = Signal()
    let callers = (0..<8).map { _ in
      Task {
        var answers = Answers()
        repeat {
          let given = notification()
          do {
            try await store.enqueue([given])
            answers.kept.append(given.id)
            begun.send()
          } catch let error as OutboxError {
            if error.code == .outcomeUnknown { answers.unknown.append(given.id) }
          } catch {
            Issue.record(error)
          }
        } while !Task.isCancelled
        return answers
      }
    }
    await begun.wait()
    let outcome = Result { try body() }
    for caller in callers { caller.cancel() }
    var all = Answers()
    for caller in callers {
      let answers = await caller.value
      all.kept += answers.kept
      all.unknown += answers.unknown
    }
    try outcome.get()
    return all
  }

  /// Expects everything that was accepted, nothing that was refused, and a store that has recovered.
  private func expect(
    _ store: DurableOutboxStore, toHave answers: Answers
  ) async throws {
    // Each connection notices that it was cut off only at its next call, which fails.
    try await eventually {
      do {
        _ = try await store.counts()
        return try await store.nextDue() != nil && store.degradation == nil
      } catch let error as OutboxError where error.code == .unavailable {
        return false
      }
    }
    #expect(!answers.kept.isEmpty)
    let counts = try await store.counts()
    var claimed: Set<NotificationID> = []
    while true {
      let batch = try await store.claim(limit: 500)
      if batch.isEmpty { break }
      claimed.formUnion(batch.map(\.notification))
    }
    #expect(counts == [.queued: claimed.count])
    #expect(claimed.isSuperset(of: answers.kept))
    #expect(claimed.isSubset(of: answers.kept + answers.unknown))
  }

  @Test func losesNothingWhenTheServerCrashes() async throws {
    let store = try queue.open()
    let answers = try await enqueue(in: store) {
      try queue.cluster.crash()
      try queue.cluster.begin()
    }
    try await expect(store, toHave: answers)
  }

  @Test func losesNothingWhenItsConnectionIsKilled() async throws {
    let store = try queue.open()
    let answers = try await enqueue(in: store) {
      for _ in 0..<20 {
        try queue.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dragoman'")
      }
    }
    try await expect(store, toHave: answers)
  }

  /// Enqueues with a COMMIT whose answer is lost: one that waits for a standby can be cut off after it was
  /// written. Returns when the store knows that it was.
  private func enqueueUncertainly(_ given: NewNotification, in store: some OutboxStore) async throws {
    try queue.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try queue.query("SELECT pg_reload_conf()")
    async let answer: Void = store.enqueue([given])
    let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    try await eventually { try queue.query("SELECT count(*) \(waiting)") != "0" }
    try queue.query("SELECT pg_terminate_backend(pid) \(waiting)")
    try queue.query("ALTER SYSTEM RESET synchronous_standby_names")
    try queue.query("SELECT pg_reload_conf()")
    try await answer
    try await eventually { store.degradation == nil }
  }

  @Test func findsTheOutcomeOfAnUncertainCommit() async throws {
    let store = try queue.open()
    let given = notification()
    try await store.enqueue([notification(), notification()])
    try await enqueueUncertainly(given, in: store)
    #expect(try await store.notification(given.id)?.status == "queued")
    #expect(try await store.counts() == [.queued: 3])
  }

  @Test func opensDegradedAndRecoversWithoutARestart() async throws {
    try queue.cluster.crash()
    let store = try queue.open()
    #expect(store.degradation?.code == .unavailable)
    let error = await #expect(throws: OutboxError.self) { try await store.enqueue([notification()]) }
    #expect(error?.code == .unavailable)
    await #expect(throws: OutboxError.self) { _ = try await store.claim() }
    await #expect(throws: OutboxError.self) { _ = try await store.list() }
    try queue.cluster.begin()
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    #expect(try await store.claim().count == 1)
    #expect(try await store.list().notifications.count == 1)
  }

  @Test func keepsItsClaimsAfterAServerCrash() async throws {
    let store = try queue.open()
    try await store.enqueue([notification(count: 3)])
    let ids = try await store.claim(limit: 2).map(\.id)
    try queue.cluster.crash()
    let error = await #expect(throws: OutboxError.self) {
      try await store.settle(ids[0], .sent(messageName: "n"))
    }
    #expect(error?.code == .unavailable)
    try queue.cluster.begin()
    try await eventually { store.degradation == nil }
    try await store.settle(ids.map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
    #expect(try await store.counts() == [.sent: 2, .queued: 1])
  }

  /// A store whose engine would claim ten deliveries, and which knows that nothing waits.
  private func openClaimingAhead() async throws -> DurableOutboxStore {
    let store = try queue.open()
    store.onAccept { _ in 10 }
    #expect(try await store.nextDue() == nil)
    return store
  }

  @Test func givesOutWhatItClaimedAheadOnlyWhileTheServerAnswers() async throws {
    let store = try await openClaimingAhead()
    let given = notification(count: 3)
    try await store.enqueue([given])
    try queue.cluster.crash()
    await #expect(throws: OutboxError.self) { _ = try await store.counts() }
    await #expect(throws: OutboxError.self) { _ = try await store.claim() }
    try queue.cluster.begin()
    try await eventually { store.degradation == nil }
    let claimed = try await store.claim()
    #expect(claimed.map(\.id) == given.deliveries.map(\.id))
    #expect(claimed.allSatisfy(store.holds))
    try await store.settle(
      claimed.map { SettledDelivery($0.id, at: start, .sent(messageName: "n")) })
    #expect(try await store.counts() == [.sent: 3])
  }

  @Test func givesOutWhatAnUncertainCommitClaimedAhead() async throws {
    let store = try await openClaimingAhead()
    let given = [notification(), notification()]
    try await store.enqueue([given[0]])
    try await enqueueUncertainly(given[1], in: store)
    #expect(try await store.claim().map(\.notification) == given.map(\.id))
    #expect(try await store.counts() == [.sending: 2])
  }

  @Test func refusesANewerSchema() async throws {
    await (try queue.open()).close()
    try queue.query("INSERT INTO dragoman_version VALUES (99)")
    let error = #expect(throws: OutboxError.self) { _ = try queue.open() }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains("newer dragoman") ?? false)
  }

  @Test func refusesASessionThatDoesNotSync() throws {
    let error = #expect(throws: OutboxError.self) {
      _ = try queue.open(parameters: "%20-csynchronous_commit%3Doff")
    }
    #expect(error?.description.contains("synchronous_commit=off") ?? false)
    #expect(try queue.query("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema") == "0")
  }

  @Test func refusesToStartWhenTheServerRefusesIt() throws {
    let wrong = queue.url.replacing("postgres?", with: "nowhere?")
    let error = #expect(throws: OutboxError.self) {
      _ = try DurableOutboxStore(url: try PostgresURL(wrong), log: .silent)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.description.contains("\"nowhere\" does not exist") ?? false)
  }

  @Test func quarantinesUnreadableRecords() async throws {
    let store = try queue.open()
    store.logOutcomes([.failed])
    let given = (0..<4).map { _ in notification() }
    try await store.enqueue(given)
    try queue.query(
      "UPDATE dragoman_deliveries SET target_kind = 9 WHERE id = '\(given[0].deliveries[0].id)'")
    try queue.query("UPDATE dragoman_notifications SET message = 'x' WHERE id = '\(given[1].id)'")
    try queue.query("DELETE FROM dragoman_notifications WHERE id = '\(given[2].id)'")
    #expect(try await store.claim().map(\.notification) == [given[3].id])
    #expect(try await store.counts() == [.failed: 3, .sending: 1])
    #expect(try await store.notification(given[1].id)?.deliveries.first?.error?.code == "INTERNAL")
    // Of what cannot be read at all, nobody can be told.
    let page = try await store.webhookEvents()
    #expect(page.events.map(\.outcome?.notification) == [given[1].id])
    #expect(page.events.map(\.outcome?.code) == ["INTERNAL"])
    #expect(page.next == 3)
  }
}
