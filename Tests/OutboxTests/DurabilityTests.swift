import Clock
import FCMMessage
import Foundation
import Synchronization
import Telemetry
import Testing

@testable import Outbox
@testable import SQL

/// What a crash, an upgrade, a full disk and a damaged record do to the durable store.
@Suite struct DurabilityTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ path: String? = nil, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log = .silent
  ) throws -> DurableOutboxStore {
    let clock = clock
    return try DurableOutboxStore(
      path: path ?? folder.database, configuration: configuration, log: log, clock: { clock.now })
  }

  /// Polls; each query waits for its turn on the store's own threads.
  private func eventually(_ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while try await !isSo() {
      guard ContinuousClock.now < end else {
        Issue.record("it never came to be")
        return
      }
      await Task.yield()
    }
  }

  /// Waits until `store` has committed something that `isIt`.
  private func commit(
    of store: DurableOutboxStore, where isIt: @escaping @Sendable (OutboxCommit) -> Bool
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    store.onCommit { report in if isIt(report) { continuation.yield() } }
    return stream
  }

  @Test func remembersACancelRequestAfterACrash() async throws {
    let store = try open()
    let given = notification(count: 3)
    try await store.enqueue([given, notification()])
    _ = try await store.claim(limit: 2).left()
    guard case .done(_, cancelled: 1, inFlight: 2) = try await store.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    let survivor = try open(try folder.crashed())
    // It never returns what is to be cancelled.
    #expect(try await survivor.claim(limit: 10).count == 1)
    try await eventually { try await survivor.notification(given.id)?.status == "cancelled" }
    #expect(try await survivor.notification(given.id)?.status == "cancelled")
    #expect(try await survivor.counts() == [.cancelled: 3, .sending: 1])
    await survivor.close()
    let again = try open(folder.path + "/copy.db")
    #expect(try await again.counts() == [.cancelled: 3, .queued: 1])
    #expect(try await again.claim(limit: 10).count == 1)
  }

  @Test func remembersRetriesFeedbackAndTheWebhook() async throws {
    let store = try open()
    let given = notification(count: 2)
    try await store.enqueue([given])
    let ids = try await store.claim().map(\.id)
    try await store.settle(ids[0], .failed(error: refusal, deadRegistration: true))
    let now = start.plus(seconds: 500)
    clock.now = now
    guard case .done = try await store.retry(given.id, now: now) else {
      Issue.record("not retried")
      return
    }
    try await store.setWebhookCursor(1)
    let survivor = try open(try folder.crashed())
    #expect(try await survivor.feedback().events.map(\.target) == [given.deliveries[0].target])
    #expect(try await survivor.webhookCursor() == 1)
    let claimed = try await survivor.claim(now: now).sorted { $0.id < $1.id }
    #expect(claimed.map(\.id) == ids)
    #expect(claimed.map(\.expiresAt) == [now.plus(seconds: 86_400), given.expiresAt])
    #expect(claimed.map(\.dueSince) == [now, start])
    let stored = try #require(try await survivor.notification(given.id))
    #expect(stored.deliveries[0].error == refusal)
  }

  /// The outcome of a delivery is on disk if and only if its final state is.
  @Test func aCrashLosesNoOutcome() async throws {
    let store = try open()
    store.logOutcomes([.sent, .expired])
    try await store.enqueue([notification(count: 40, ttlMilliseconds: 60_000)])
    let ids = try await store.claim(limit: 30).map(\.id)
    let copies = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for id in ids { try await store.settle(id, .sent(messageName: "n")) }
        _ = try await store.expireAll(now: start.plus(seconds: 60), limit: 3)
      }
      // Crashes while it is written to.
      var copies: [String] = []
      for index in 0..<12 {
        copies.append(try folder.crashed(to: "copy-\(index).db"))
        await Task.yield()
      }
      try await group.waitForAll()
      return copies + [try folder.crashed(to: "last.db")]
    }
    for copy in copies {
      let survivor = try open(copy)
      let counts = try await survivor.counts()
      let events = try await survivor.webhookEvents(limit: 1_000).events.compactMap(\.outcome)
      #expect(events.count { $0.outcome == .sent } == counts[.sent, default: 0])
      #expect(events.count { $0.outcome == .expired } == counts[.expired, default: 0])
      #expect(Set(events.map(\.delivery)).count == events.count)
      await survivor.close()
    }
    #expect(try await store.counts() == [.sent: 30, .expired: 10])
  }

  @Test(arguments: [
    "enqueue", "key", "settle", "feedback", "outcome", "cancel", "retry", "expire", "prune", "webhook",
  ])
  func losesNothingToAFullDiskOnAnyWrite(_ kind: String) async throws {
    let store = try open()
    // One notification for each kind, so large that no change to it fits into the existing pages.
    let given = notification(app: kind, count: 400)
    let dead = notification(app: "dead", count: 400)
    try await store.enqueue([given, dead])
    let ids = try await store.claim(kind, limit: 200).map(\.id)
    let deadIDs = try await store.claim("dead", limit: 400).map(\.id)
    let long = DeliveryError(
      code: "INTERNAL", httpStatus: 500, message: String(repeating: "x", count: 900), apnsReason: nil)
    try await store.settle(
      deadIDs.map { SettledDelivery($0, at: start, .failed(error: refusal)) })
    if kind == "outcome" { store.logOutcomes([.failed]) }
    let before = try await store.allCounts()
    let failure = Outcome.failed(error: long, deadRegistration: kind == "feedback")

    func write() async throws {
      switch kind {
      case "enqueue": try await store.enqueue([notification(app: kind, count: 400)])
      case "key": _ = try await store.enqueue([], record("a", answer: Self.longAnswer))
      case "settle", "feedback", "outcome":
        try await store.settle(ids.map { SettledDelivery($0, at: start, failure) })
      case "cancel": _ = try await store.cancel(given.id)
      case "retry": _ = try await store.retry(dead.id)
      case "expire": _ = try await store.expire(kind, now: start.plus(seconds: 99_999), limit: 1_000)
      case "prune": _ = try await store.prune(endedBy: start, limit: 500)
      default: try await store.setWebhookCursor(3)
      }
    }
    await store.limitPages(to: 1)
    let writesSomethingNew = ["enqueue", "key", "settle", "feedback", "outcome", "retry"].contains(
      kind)
    if writesSomethingNew {
      let error = await #expect(throws: OutboxError.self) { try await write() }
      #expect(error?.code == .unavailable)
      #expect(store.degradation?.code == .unavailable)
      #expect(try await store.allCounts() == before)
      #expect(try await store.idempotent(record("a")) == nil)
      #expect(try await store.webhookEvents().events.isEmpty)
    }
    await store.limitPages(to: 0)
    try await write()
    let events = try await store.webhookEvents(limit: 1_000).events
    #expect(events.map(\.id) == (kind == "feedback" || kind == "outcome" ? Array(1...200) : []))
    #expect(store.degradation == nil)
    #expect(try await store.allCounts() != before || kind == "key" || kind == "webhook")
    let survivor = try open(try folder.crashed())
    for app in [kind, "dead"] {
      var after = try await store.counts(app)
      // Claimed deliveries wait again, unless they were cancelled meanwhile.
      if let claimed = after.removeValue(forKey: .sending) {
        after[kind == "cancel" ? .cancelled : .queued, default: 0] += claimed
      }
      try await eventually { try await survivor.counts(app) == after }
    }
  }

  private static let longAnswer = StoredAnswer(
    status: 202, headers: [], body: Array(repeating: 7, count: 200_000))

  @Test func quarantinesUnreadableRecordsAndContinues() async throws {
    let store = try open()
    let given = (0..<6).map { _ in notification() }
    try await store.enqueue(given)
    await store.close()
    do {
      let connection = try SQLiteConnection(path: folder.database)
      try connection.execute(
        """
        UPDATE dragoman_deliveries SET target_kind = 9 WHERE row = 1 << 12;
        UPDATE dragoman_deliveries SET id = x'00' WHERE row = 2 << 12;
        UPDATE dragoman_notifications SET message = x'FF' WHERE row = 3;
        DELETE FROM dragoman_notifications WHERE row = 4;
        """)
    }
    let lines = Mutex<[String]>([])
    let log = Log(sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    let damaged = try open(log: log)
    damaged.logOutcomes([.failed])
    let quarantined = commit(of: damaged) { $0.deliveries == 4 }
    #expect(try await damaged.claim().map(\.notification) == [given[4].id, given[5].id])
    for await _ in quarantined.prefix(1) {}
    #expect(try await damaged.counts() == [.failed: 4, .sending: 2])
    #expect(damaged.degradation == nil)
    // Of what cannot be read at all, nobody can be told.
    let events = try await damaged.webhookEvents().events
    #expect(events.map(\.outcome?.notification) == [given[2].id])
    #expect(events.map(\.outcome?.code) == ["INTERNAL"])
    log.flush()
    #expect(
      lines.withLock { $0 }.contains {
        $0.contains("unreadable feedback events") && $0.contains("\"count\":3")
      })
    #expect(lines.withLock { $0 }.contains { $0.contains("cannot be read") && $0.contains("\"count\":4") })
    #expect(try await damaged.nextDue() == nil)
    let stored = try #require(try await damaged.notification(given[2].id))
    #expect(stored.status == "failed")
    #expect(stored.deliveries[0].error?.code == "INTERNAL")
    // Readable rows are listed, and the rest blocks nothing.
    #expect(try await damaged.listAll() == [given[5].id, given[4].id, given[2].id])
    await #expect(throws: OutboxError.damagedRecord) { _ = try await damaged.notification(given[0].id) }
    await #expect(throws: OutboxError.damagedRecord) { _ = try await damaged.retry(given[1].id) }
    // What has ended is not cancelled, whether it can be read or not.
    guard case .allFinal = try await damaged.cancel(given[0].id) else {
      Issue.record("a failed delivery was cancelled")
      return
    }
    #expect(damaged.degradation == nil)
    await damaged.close()
    #expect(try await open().counts() == [.failed: 4, .queued: 2])
  }

  @Test func performsMaintenanceWhenIdle() async throws {
    var configuration = OutboxConfiguration()
    configuration.maintenanceIntervalMilliseconds = 5
    configuration.retentionMilliseconds = 60_000
    configuration.stepDeliveriesMax = 3
    let store = try open(configuration: configuration)
    try await store.enqueue([notification(app: "paused", count: 10), notification()])
    let sent = try await store.claim()
    try await store.settle(sent[0].id, .sent(messageName: "n"))
    clock.now = start.plus(seconds: 86_400)
    try await eventually { try await store.counts("paused") == [.expired: 10] }
    clock.now = start.plus(seconds: 200_000)
    try await eventually { try await store.list().notifications.isEmpty }
    #expect(try await store.counts("paused") == [:])
    #expect(try await store.counts() == [:])
    await store.close()
  }

  @Test func returnsNoRowTwice() async throws {
    let store = try open()
    let first = notification()
    try await store.enqueue([first])
    let page = try await store.list(limit: 1)
    let claimed = try await store.claim()
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    _ = try await store.pruneAll(endedBy: start)
    #expect(try await store.list().notifications.isEmpty)
    #expect(page.next == nil)
    await store.close()
    let reopened = try open()
    try await reopened.enqueue([notification()])
    // An earlier cursor precedes everything that came later.
    #expect(try await reopened.list(limit: 10, NotificationCursor(before: 2)).notifications.isEmpty)
  }

  @Test func keepsTheWriteAheadLogShort() async throws {
    var configuration = OutboxConfiguration()
    configuration.logBytesMax = 200 << 10
    let store = try open(configuration: configuration)
    for _ in 0..<60 { try await store.enqueue((0..<50).map { _ in notification() }) }
    let log = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")
    // Some 6 MB went through it; it may grow to four times its limit and one more commit.
    #expect(try #require(log[.size] as? NSNumber).intValue < 2_000_000)
    #expect(try await store.counts() == [.queued: 3_000])
  }
}
