import Foundation
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Outbox
@testable import SQL

/// What callers are told while a database stops answering without an error.
@Suite(.serialized) struct WriteTimeoutTests {
  private static let timeoutMilliseconds = 200

  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> DurableOutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.writeTimeoutMilliseconds = Self.timeoutMilliseconds
    return try DurableOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
  }

  /// The error of a call, and nil where it succeeds.
  private func error(_ call: () async throws -> Void) async throws -> OutboxError? {
    do {
      try await call()
      return nil
    } catch let error as OutboxError {
      return error
    }
  }

  /// The database is held by a second connection, for which the writer waits as for a slow disk.
  @Test func answersWhileTheDiskStalls() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    let other = try SQLiteConnection(path: folder.database)
    try other.execute("BEGIN IMMEDIATE")
    let given = notification()
    let begun = ContinuousClock.now
    let unknown = try await error { _ = try await store.enqueue([given], record("a")) }
    #expect(unknown?.code == .outcomeUnknown)
    #expect(ContinuousClock.now - begun < .seconds(2))
    try await eventually { store.degradation?.code == .unavailable }
    // From now on nobody waits.
    let refused = try await error { try await store.enqueue([notification()]) }
    #expect(refused?.code == .unavailable)
    try other.execute("ROLLBACK")
    try await eventually { store.degradation == nil }
    // The first write was kept after all, and its key counts once.
    guard case .replay = try await store.enqueue([given], record("a")) else {
      Issue.record("the key is free")
      return
    }
    #expect(try await store.counts() == [.queued: 2])
    await store.close()
  }

  @Test func keepsNothingOfWhatHadNotBegun() async throws {
    let store = try open()
    let other = try SQLiteConnection(path: folder.database)
    try other.execute("BEGIN IMMEDIATE")
    let begun = Signal()
    async let first = error {
      begun.send()
      try await store.enqueue([notification()])
    }
    await begun.wait()
    // The first write occupies the writer before these arrive, or shares its transaction.
    var codes: [OutboxError.Code?] = []
    for _ in 0..<3 { codes.append(try await error { try await store.enqueue([notification()]) }?.code) }
    try other.execute("ROLLBACK")
    codes.append(try await first?.code)
    try await eventually { store.degradation == nil }
    let kept = try await store.counts()[.queued] ?? 0
    #expect(kept <= codes.count { $0 == .outcomeUnknown })
    #expect(codes.allSatisfy { $0 != nil })
    await store.close()
  }
}

/// The same for a PostgreSQL server that stops answering.
@Suite(.serialized, .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresStallTests {
  private static let own = Result { try PostgresCluster() }

  private let queue: SharedQueue

  init() throws { queue = try SharedQueue(try Self.own.get()) }

  private func open() throws -> DurableOutboxStore {
    var configuration = OutboxConfiguration()
    configuration.writeTimeoutMilliseconds = 300
    configuration.watchIntervalMilliseconds = 100
    configuration.reconnectMillisecondsMin = 10
    configuration.reconnectMillisecondsMax = 50
    return try DurableOutboxStore(
      url: try PostgresURL(queue.url), configuration: configuration, log: .silent, clock: { start })
  }

  private func backends() throws -> [pid_t] {
    try queue.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'dragoman'")
      .split(separator: "\n").compactMap { pid_t($0) }
  }

  @Test(.enabled(if: getuid() == 0, "only root can stop the server's processes"))
  func answersWhileTheServersProcessesAreStopped() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    _ = try await store.list()
    let stopped = try backends()
    #expect(!stopped.isEmpty)
    for process in stopped { kill(process, SIGSTOP) }
    let errors = await withTaskGroup(of: OutboxError?.self) { group in
      for _ in 0..<3 {
        group.addTask {
          do { try await store.enqueue([notification()]) } catch { return error as? OutboxError }
          return nil
        }
      }
      group.addTask {
        do { _ = try await store.list() } catch { return error as? OutboxError }
        return nil
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.allSatisfy { $0 != nil })
    try await eventually { store.degradation != nil }
    // Once the stall is known, nobody waits for a look-up that could only be followed by a write.
    try await eventually { store.isStalled.load(ordering: .acquiring) }
    let key = IdempotencyKey(client: "orders", key: "k")
    let refused = await withCheckedContinuation { continuation in
      store.idempotent(key, fingerprint: []) { continuation.resume(returning: $0) }
    }
    #expect(throws: OutboxError.stalled) { try refused.get() }
    for process in stopped { kill(process, SIGCONT) }
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    #expect(try await store.list().notifications.count >= 2)
  }
}
