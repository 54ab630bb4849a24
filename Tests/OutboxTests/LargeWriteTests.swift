import Clock
import Dispatch
import FCMMessage
import Foundation
import Synchronization
import Telemetry
import TestSupport
import OutboxModel
import Testing

@testable import Outbox
@testable import SQL

/// Enqueues that are written in parts, so that others do not wait for them.
@Suite struct LargeWriteTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ path: String? = nil, depthMax: Int = 1_000_000, partDeliveriesMax: Int = 10
  ) throws -> DurableOutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.depthMax = depthMax
    configuration.partDeliveriesMax = partDeliveriesMax
    return try DurableOutboxStore(
      path: path ?? folder.database, configuration: configuration, log: .silent, clock: { clock.now })
  }

  private let given = (0..<40).map { _ in notification(count: 5) }

  /// Blocks the writing thread of a store after its commit with this number, until it is released.
  private func hold(_ store: DurableOutboxStore, afterCommit number: Int) -> (Signal, DispatchSemaphore) {
    let (held, release) = (Signal(), DispatchSemaphore(value: 0))
    let commits = Atomic<Int>(0)
    store.onCommit { _ in
      guard commits.add(1, ordering: .relaxed).newValue == number else { return }
      held.send()
      release.wait()
    }
    return (held, release)
  }

  @Test func keepsALargeEnqueueAsAWhole() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    #expect(try await store.enqueue(given, record("a", answer: answer("first"))) == .accepted)
    #expect(store.commitCount == 21)
    #expect(try await store.counts() == [.queued: 201])
    #expect(try await store.listAll().count == 41)
    #expect(try await store.enqueue(given, record("a")) == .replay(of: answer("first")))
    let claimed = try await store.claim(limit: 500)
    #expect(claimed.dropFirst().map(\.id) == given.flatMap { $0.deliveries.map(\.id) })
    await store.close()
    let reopened = try open()
    #expect(try await reopened.counts() == [.queued: 201])
    #expect(try await reopened.claim(limit: 500).count == 201)
  }

  @Test func letsOthersWriteBetweenTheParts() async throws {
    let store = try open()
    let answers = Mutex<[String]>([])
    await withCheckedContinuation { continuation in
      let answer: @Sendable (String) -> Void = { name in
        let count = answers.withLock { answers in
          answers.append(name)
          return answers.count
        }
        if count == 3 { continuation.resume() }
      }
      store.enqueue(given) { _ in answer("large") }
      store.enqueue([notification()]) { _ in
        answer("small")
        store.enqueue([notification()]) { _ in answer("next") }
      }
    }
    #expect(answers.withLock { $0 } == ["small", "next", "large"])
  }

  @Test func showsNothingOfAnIncompleteEnqueue() async throws {
    let store = try open()
    let (held, release) = hold(store, afterCommit: 3)
    async let outcome = store.enqueue(given, record("a"))
    await held.wait()
    #expect(try await store.list().notifications.isEmpty)
    #expect(try await store.notification(given[0].id) == nil)
    #expect(try await store.idempotent(record("a")) == .inProgress)
    let crashed = try folder.crashed()
    release.signal()
    #expect(try await outcome == .accepted)
    #expect(try await store.claim(limit: 500).count == 200)

    // What a crash left behind is not shown either, and is removed.
    let survivor = try open(crashed)
    #expect(try await survivor.counts() == [:])
    #expect(try await survivor.claim(limit: 500).isEmpty)
    #expect(try await survivor.listAll().isEmpty)
    guard case .notFound = try await survivor.cancel(given[0].id) else {
      Issue.record("an incomplete notification was found")
      return
    }
    #expect(try await survivor.expireAll(now: start.plus(seconds: 99_999)) == 0)
    // New rows do not get into those that are removed.
    let other = notification()
    try await survivor.enqueue([other])
    try await eventually { try rows(in: crashed) == 1 }
    #expect(try await survivor.enqueue(given, record("a")) == .accepted)
    #expect(try await survivor.counts() == [.queued: 201])
    #expect(try await survivor.notification(other.id) != nil)
  }

  /// Notifications in a database, whether they are hidden or not.
  private func rows(in path: String) throws -> Int64? {
    let connection = try SQLiteConnection(path: path)
    guard try connection.integer("SELECT count(*) FROM dragoman_intakes") == 0 else { return nil }
    return try connection.integer("SELECT count(*) FROM dragoman_notifications")
  }

  @Test func keepsNothingOfAnEnqueueThatFails() async throws {
    let store = try open()
    let twice = given[0]
    // A part breaks a rule of the schema: the same id a second time.
    await #expect(throws: OutboxError.self) { _ = try await store.enqueue(given + [twice], record("a")) }
    #expect(try await store.counts() == [:])
    #expect(try await store.listAll().isEmpty)
    try await eventually { try rows(in: folder.database) == 0 }
    #expect(try await store.enqueue(given, record("a")) == .accepted)
    #expect(try await store.counts() == [.queued: 200])
    #expect(store.degradation == nil)
  }

  @Test func keepsNothingOfAnEnqueueThatFillsTheDisk() async throws {
    let store = try open(partDeliveriesMax: 100)
    let large = (0..<40).map { _ in notification(count: 50) }
    let (held, release) = hold(store, afterCommit: 2)
    async let code = failure { _ = try await store.enqueue(large, record("a")) }
    await held.wait()
    async let limited: Void = store.limitPages(to: 1)
    release.signal()
    #expect(await code == .unavailable)
    await limited
    await store.limitPages(to: 0)
    try await eventually { store.degradation == nil }
    #expect(try await store.enqueue(large, record("a")) == .accepted)
    #expect(try await store.counts() == [.queued: 2_000])
    try await eventually { try rows(in: folder.database) == 40 }
  }

  @Test func countsAnIncompleteEnqueueTowardsTheDepth() async throws {
    let store = try open(depthMax: 300)
    let (held, release) = hold(store, afterCommit: 2)
    async let outcome = store.enqueue(given, record("a"))
    await held.wait()
    async let second = failure { try await store.enqueue((0..<11).map { _ in notification(count: 10) }) }
    release.signal()
    #expect(try await outcome == .accepted)
    #expect(await second == .full)
    try await store.enqueue([notification(count: 100)])
  }

  /// The code of a call's error; nil where it succeeds.
  private func failure(_ call: @Sendable () async throws -> Void) async -> OutboxError.Code? {
    do { try await call() } catch { return (error as? OutboxError)?.code }
    return nil
  }
}

/// The same in PostgreSQL, where a large enqueue has a connection of its own.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresLargeWriteTests {
  private let queue: SharedQueue
  private let given = (0..<40).map { _ in notification(count: 50) }

  init() throws { queue = try SharedQueue() }

  @Test func keepsALargeEnqueueOnce() async throws {
    let stores = [try queue.open(), try queue.open()]
    let outcomes = try await withThrowingTaskGroup(of: EnqueueOutcome.self) { group in
      for store in stores {
        group.addTask {
          try await store.enqueue((0..<40).map { _ in notification(count: 50) }, record("a"))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .accepted } == 1)
    #expect(try await stores[0].counts() == [.queued: 2_000])
    #expect(try await stores[1].claim(limit: 5_000).count == 2_000)
  }

  @Test func letsOthersWriteMeanwhile() async throws {
    let store = try queue.open()
    try await store.enqueue([notification()])
    // The large enqueue waits for a lock that only its last statement but one needs.
    let locker = try PostgresConnection(try PostgresURL(queue.url))
    try locker.execute("BEGIN; LOCK TABLE dragoman_idempotency IN ACCESS EXCLUSIVE MODE")
    async let outcome = store.enqueue(given, record("a"))
    try await store.enqueue([notification()])
    #expect(try await store.counts() == [.queued: 2])
    try locker.execute("COMMIT")
    #expect(try await outcome == .accepted)
    #expect(try await store.counts() == [.queued: 2_002])
  }

  @Test func keepsNothingOfAnEnqueueThatFails() async throws {
    let store = try queue.open()
    await #expect(throws: OutboxError.self) {
      _ = try await store.enqueue(given + [given[0]], record("a"))
    }
    #expect(try await store.counts() == [:])
    #expect(try await store.enqueue(given, record("a")) == .accepted)
    #expect(store.degradation == nil)
    #expect(try await store.counts() == [.queued: 2_000])
  }

  /// The next one finds no transaction that failed.
  @Test func rollsBackWhatFailsWithItsLastStatements() async throws {
    let store = try queue.open()
    try queue.query("ALTER TABLE dragoman_counts ADD CONSTRAINT none CHECK (deliveries < 0) NOT VALID")
    await #expect(throws: OutboxError.self) { _ = try await store.enqueue(given, record("a")) }
    try queue.query("ALTER TABLE dragoman_counts DROP CONSTRAINT none")
    #expect(try await store.enqueue(given, record("a")) == .accepted)
    #expect(try await store.counts() == [.queued: 2_000])
  }
}

/// A client's share of the queue.
@Suite struct ClientDepthTests {
  @Test(arguments: StoreKind.allCases)
  func limitsTheShareOfAClient(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind, depthMax: 100, clientDepthMax: 6)
    let store = fixture.store
    try await store.enqueue([notification(count: 3, client: "a"), notification(count: 2, client: "a")])
    let error = await #expect(throws: OutboxError.self) {
      try await store.enqueue([notification(count: 2, client: "a")])
    }
    #expect(error?.code == .clientFull)
    let never = await #expect(throws: OutboxError.self) {
      try await store.enqueue([notification(count: 7, client: "b")])
    }
    #expect(never?.code == .neverFits(count: 7, limit: 6))
    try await store.enqueue([notification(count: 6, client: "b")])
    try await store.enqueue([notification(count: 6, client: nil)])
    await #expect(throws: OutboxError.self) { try await store.enqueue([notification(client: nil)]) }
    // What ends makes room, whatever the end is.
    let claimed = try await store.claim(limit: 2)
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    try await store.settle(claimed[1].id, .retry(at: start.plus(seconds: 9), error: refusal))
    try await store.enqueue([notification(count: 2, client: "a")])
    await #expect(throws: OutboxError.self) { try await store.enqueue([notification(client: "a")]) }
    let waiting = try #require(
      try await store.list(NotificationFilter(owner: .client("b"))).notifications.first)
    guard case .done = try await store.cancel(waiting.id) else {
      Issue.record("not cancelled")
      return
    }
    try await store.enqueue([notification(count: 6, client: "b")])
    _ = try await store.expireAll(now: start.plus(seconds: 99_999))
    try await store.enqueue([notification(count: 6, client: "a")])
    try await store.enqueue([notification(count: 6, client: nil)])
    guard kind != .memory else { return }
    // The share is known after a restart.
    await store.close()
    let reopened = try fixture.reopened(clientDepthMax: 6)
    let full = await #expect(throws: OutboxError.self) {
      try await reopened.enqueue([notification(count: 1, client: "a")])
    }
    #expect(full?.code == .clientFull)
    await reopened.close()
  }
}

/// Reads wait neither for writes nor for slower reads.
@Suite struct ReadingLaneTests {
  @Test func looksUpAKeyWhileListsWait() async throws {
    let store = try Fixture(.sqlite).store
    let (held, release) = (Signal(), DispatchSemaphore(value: 0))
    store.list(NotificationFilter(), limit: 1, cursor: nil) { _ in
      held.send()
      release.wait()
    }
    await held.wait()
    defer { release.signal() }
    #expect(try await store.idempotent(record("a")) == nil)
    #expect(try await store.enqueue([notification()], record("a")) == .accepted)
  }
}
