import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Outbox
@testable import SQL

/// What PostgreSQL does not confirm, and whom a session keeps waiting.
@Suite(.serialized, .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresConfirmationTests {
  /// A server whose settings these tests may change.
  private static let own = Result { try PostgresCluster() }

  private let queue: SharedQueue

  init() throws { queue = try SharedQueue(try Self.own.get()) }

  /// PostgreSQL answers such a COMMIT with success and a warning.
  @Test func doesNotAcceptWhatNoStandbyHas() async throws {
    let store = try queue.open()
    try await store.enqueue([notification()])
    try queue.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try queue.query("SELECT pg_reload_conf()")
    let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    // A reload takes effect a little later; until then, commits are confirmed at once.
    var confirmed = 0
    var answer: Task<Bool, any Error>
    repeat {
      confirmed += 1
      let key = record("a\(confirmed)")
      answer = Task { try await isUnknown { _ = try await store.enqueue([notification()], key) } }
      let visible = "\(confirmed + 1)"
      try await eventually {
        try queue.query("SELECT count(*) \(waiting)") != "0"
          || queue.query("SELECT count(*) FROM dragoman_notifications") == visible
      }
    } while try queue.query("SELECT count(*) \(waiting)") == "0"
    let key = record("a\(confirmed)")
    try queue.query("SELECT pg_cancel_backend(pid) \(waiting)")
    #expect(try await answer.value)
    #expect(store.degradation?.code == .outcomeUnknown)
    #expect(try await isUnknown { _ = try await store.idempotent(key) })
    try queue.query("ALTER SYSTEM RESET synchronous_standby_names")
    try queue.query("SELECT pg_reload_conf()")
    try await eventually { store.degradation == nil }
    // It is confirmed now, together with what followed.
    guard case .replay = try await store.enqueue([notification()], key) else {
      Issue.record("the key is free")
      return
    }
    #expect(try await store.counts() == [.queued: confirmed + 1])
  }

  /// The server has the transaction, but a failover would forget it.
  @Test func doesNotTrustAServerWhoseStandbyIsGone() async throws {
    var configuration = OutboxConfiguration()
    configuration.writeTimeoutMilliseconds = 1_000
    configuration.reconnectMillisecondsMin = 10
    configuration.reconnectMillisecondsMax = 50
    let store = try DurableOutboxStore(
      url: try PostgresURL(queue.url), configuration: configuration, log: .silent, clock: { start })
    try await store.enqueue([notification()])
    try queue.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try queue.query("SELECT pg_reload_conf()")
    try await eventually { try queue.query("SHOW synchronous_standby_names") == "nobody" }
    let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    let answer = Task { try await isUnknown { _ = try await store.enqueue([notification()], record("a")) } }
    try await eventually { try queue.query("SELECT count(*) \(waiting)") != "0" }
    try queue.query("SELECT pg_terminate_backend(pid) \(waiting)")
    #expect(try await answer.value)
    try queue.query("ALTER SYSTEM RESET synchronous_standby_names")
    try queue.query("SELECT pg_reload_conf()")
    try await eventually { store.degradation == nil }
    guard case .replay = try await store.enqueue([notification()], record("a")) else {
      Issue.record("the key is free")
      return
    }
    #expect(try await store.counts() == [.queued: 2])
    await store.close()
  }

  private func isUnknown(_ call: @Sendable () async throws -> Void) async throws -> Bool {
    do {
      try await call()
      return false
    } catch let error as OutboxError {
      return error.code == .outcomeUnknown
    }
  }

  private func open(leaseMilliseconds: Int64, watchIntervalMilliseconds: Int) throws -> DurableOutboxStore {
    var configuration = OutboxConfiguration()
    configuration.leaseMilliseconds = leaseMilliseconds
    configuration.watchIntervalMilliseconds = watchIntervalMilliseconds
    configuration.reconnectMillisecondsMin = 10
    configuration.reconnectMillisecondsMax = 50
    return try DurableOutboxStore(
      url: try PostgresURL(queue.url), configuration: configuration, log: .silent, clock: { start })
  }

  @Test func holdsNoClaimBeyondItsLease() async throws {
    let store = try open(leaseMilliseconds: 300, watchIntervalMilliseconds: 3_600_000)
    try await store.enqueue([notification()])
    let claimed = try #require(try await store.claim().first)
    try await eventually { !store.holds(claimed) }
    // A gateway whose claims were taken over has a new lease, and none of its old claims.
    try queue.query("UPDATE dragoman_leases SET lost = true")
    try await store.enqueue([notification()])
    #expect(!store.holds(claimed))
    let fresh = try #require(try await store.claim().first)
    #expect(store.holds(fresh))
    await store.close()
  }

  /// Whatever ran before the COMMIT, it is the COMMIT that renews.
  @Test func aRenewalWhoseCommitFailsRenewsNothing() async throws {
    let store = try open(leaseMilliseconds: 1_500, watchIntervalMilliseconds: 10)
    try await store.enqueue([notification()])
    let claimed = try #require(try await store.claim().first)
    try queue.query(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON dragoman_leases DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    #expect(store.holds(claimed))
    try await eventually { store.degradation != nil }
    try await eventually { !store.holds(claimed) }
    await #expect(throws: OutboxError.self) { try await store.settle([.release(claimed, at: start)]) }
    #expect(!store.holds(claimed))
    #expect(try queue.query("SELECT count(*) FROM dragoman_leases WHERE until >= clock_timestamp()") == "0")
    try queue.query("DROP TRIGGER refuse ON dragoman_leases")
    try await eventually { store.degradation == nil }
    // Nobody has reaped the lease meanwhile, so that it goes on.
    try await eventually { store.holds(claimed) }
    #expect(try await store.settle([.sent(claimed, at: start, messageName: "n")]) == [])
    await store.close()
  }

  @Test func attemptsToConnectRenewNothing() async throws {
    let cluster = try PostgresCluster()
    let queue = try SharedQueue(cluster)
    var configuration = OutboxConfiguration()
    configuration.leaseMilliseconds = 1_500
    configuration.watchIntervalMilliseconds = 10
    configuration.reconnectMillisecondsMin = 10
    configuration.reconnectMillisecondsMax = 50
    let store = try DurableOutboxStore(
      url: try PostgresURL(queue.url), configuration: configuration, log: .silent, clock: { start })
    try await store.enqueue([notification()])
    let claimed = try #require(try await store.claim().first)
    #expect(store.holds(claimed))
    try cluster.crash()
    try await eventually { store.degradation != nil }
    try await eventually { !store.holds(claimed) }
    for _ in 0..<3 {
      await #expect(throws: OutboxError.self) { try await store.enqueue([notification()]) }
      #expect(!store.holds(claimed))
    }
    try cluster.begin()
    try await eventually { store.holds(claimed) }
    #expect(try await store.settle([.sent(claimed, at: start, messageName: "n")]) == [])
    await store.close()
  }
}
