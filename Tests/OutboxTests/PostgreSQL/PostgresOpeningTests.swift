import Foundation
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Outbox
@testable import SQL

/// What prevents a gateway from starting on PostgreSQL, and what it only waits for.
@Suite(.serialized, .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresOpeningTests {
  /// A server whose settings these tests may change.
  private static let own = Result { try PostgresCluster() }

  private let queue: SharedQueue

  init() throws { queue = try SharedQueue(try Self.own.get()) }

  @Test func waitsUntilAConnectionIsFree() async throws {
    try makeRole("few", "CONNECTION LIMIT 0")
    let store = try open(queue.url.replacing("app@", with: "few@"))
    #expect(store.degradation?.code == .unavailable)
    #expect(store.degradation?.description.contains("too many connections") ?? false)
    try queue.query("ALTER ROLE few CONNECTION LIMIT 10")
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    await store.close()
  }

  @Test func waitsWhileOnlyAStandbyAnswers() async throws {
    try makeRole("reader")
    try queue.query("ALTER ROLE reader SET default_transaction_read_only = on")
    let store = try open(queue.url.replacing("app@", with: "reader@"))
    #expect(store.degradation?.code == .unavailable)
    try queue.query("ALTER ROLE reader RESET default_transaction_read_only")
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    await store.close()
  }

  @Test func waitsWhileAnotherGatewayMigrates() async throws {
    let other = try PostgresConnection(try PostgresURL(queue.url))
    try other.execute("BEGIN; SELECT pg_advisory_xact_lock(\(0x4472_676D))")
    let store = try open(queue.url)
    #expect(store.degradation?.description.contains("another gateway migrates") ?? false)
    try other.execute("COMMIT")
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    await store.close()
  }

  /// An index of a large table takes longer than a server may usually take to answer.
  @Test func givesAMigrationTime() throws {
    try queue.query(
      """
      CREATE TABLE dragoman_version (version BIGINT NOT NULL);
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(CASE NEW.version WHEN 1 THEN 2 ELSE 0 END); RETURN NEW; END $$;
      CREATE TRIGGER wait BEFORE INSERT ON dragoman_version FOR EACH ROW EXECUTE FUNCTION wait()
      """)
    let connection = try PostgresConnection(try PostgresURL(queue.url))
    connection.responseMax = .seconds(1)
    try PostgresSchema.prepare(connection, log: .silent)
    #expect(connection.responseMax == .seconds(1))
  }

  @Test(arguments: [true, false]) func reachesEachVersionOnce(_ isNew: Bool) async throws {
    if !isNew {
      let store = try queue.open()
      try await store.enqueue([notification()])
      await store.close()
    }
    let migrations = [
      "ALTER TABLE dragoman_apps ADD COLUMN color TEXT; UPDATE dragoman_apps SET color = 'red'"
    ]
    // The second time would fail: the column is there.
    for _ in 0..<2 {
      let connection = try PostgresConnection(try PostgresURL(queue.url))
      try PostgresSchema.prepare(connection, log: .silent, migrations: migrations)
      #expect(try queue.query("SELECT max(version) FROM dragoman_version") == "2")
      let found = try queue.query("SELECT count(*) FROM dragoman_apps WHERE color = 'red'")
      #expect(found == (isNew ? "0" : "1"))
    }
    let error = #expect(throws: OutboxError.self) { _ = try queue.open() }
    #expect(error?.code == .corrupt)
    #expect(
      error?.description
        == "the queue was written by a newer dragoman (schema 2, this one knows 1): run that version, or "
        + "name another database")
  }

  @Test func keepsTheOldVersionIfAMigrationFails() async throws {
    await (try queue.open()).close()
    let connection = try PostgresConnection(try PostgresURL(queue.url))
    let error = #expect(throws: DatabaseError.self) {
      try PostgresSchema.prepare(
        connection, log: .silent,
        migrations: ["ALTER TABLE dragoman_apps ADD COLUMN color TEXT; SELECT nothing"])
    }
    #expect(error?.kind == .statement)
    #expect(try queue.query("SELECT max(version) FROM dragoman_version") == "1")
    let store = try queue.open()
    try await store.enqueue([notification()])
    await store.close()
  }

  @Test func refusesADatabaseFromBeforeTheFirstRelease() throws {
    try queue.query("CREATE TABLE dragoman_schema (version BIGINT NOT NULL)")
    let error = #expect(throws: OutboxError.self) { _ = try queue.open() }
    #expect(error?.code == .corrupt)
    #expect(
      error?.description
        == "the database has the queue of a dragoman before its first release: name another database or "
        + "schema"
    )
    #expect(try queue.query("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema") == "1")
  }

  @Test(arguments: [("app@", "nobody@"), ("/postgres?", "/nowhere?")])
  func refusesWhatAPersonMustChange(_ part: String, _ wrong: String) {
    #expect(throws: OutboxError.self) { _ = try open(queue.url.replacing(part, with: wrong)) }
  }

  private func makeRole(_ name: String, _ options: String = "") throws {
    try queue.query(
      "CREATE ROLE \(name) LOGIN \(options); GRANT ALL ON SCHEMA \(queue.schema) TO \(name)")
  }

  @Test func warnsOfACommitThatIsLocal() async throws {
    let lines = Mutex<[String]>([])
    let log = Log(sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    let store = try queue.open(log: log, parameters: "%20-csynchronous_commit%3Dlocal")
    try await store.enqueue([notification()])
    log.flush()
    #expect(lines.withLock { $0 }.contains { $0.contains("synchronous_commit=local") })
    await store.close()
  }

  @Test func refusesAServerThatDoesNotSync() throws {
    try queue.query("ALTER SYSTEM SET fsync = off")
    try queue.query("SELECT pg_reload_conf()")
    defer {
      _ = try? queue.query("ALTER SYSTEM RESET fsync")
      _ = try? queue.query("SELECT pg_reload_conf()")
    }
    let deadline = ContinuousClock.now + .seconds(30)
    while try queue.query("SHOW fsync") != "off", ContinuousClock.now < deadline {}
    let error = #expect(throws: OutboxError.self) { _ = try queue.open() }
    #expect(error?.description.contains("fsync=off") ?? false)
  }

  private func open(_ url: String) throws -> DurableOutboxStore {
    var configuration = OutboxConfiguration()
    configuration.reconnectMillisecondsMin = 10
    configuration.reconnectMillisecondsMax = 50
    return try DurableOutboxStore(
      url: try PostgresURL(url), configuration: configuration, log: .silent, clock: { start })
  }
}

/// A queue behind pgbouncer.
@Suite(
  .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)),
  .enabled(if: PgBouncer.isInstalled, Comment(rawValue: PgBouncer.absence)))
struct PgBouncerTests {
  private static let own = Result { try PostgresCluster() }

  private func open(mode: String) async throws -> (PgBouncer, DurableOutboxStore) {
    let bouncer = try PgBouncer(mode: mode, serverOf: try Self.own.get().newSchema().url)
    try await eventually { bouncer.isListening }
    return (bouncer, try DurableOutboxStore(url: try PostgresURL(bouncer.url), log: .silent))
  }

  @Test(arguments: ["transaction", "statement"])
  func refusesAPoolerThatChangesTheServersProcess(_ mode: String) async throws {
    let error = await #expect(throws: OutboxError.self) { _ = try await open(mode: mode) }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains("pgbouncer with pool_mode=transaction") ?? false)
  }

  @Test func worksWithAPoolOfSessions() async throws {
    let (bouncer, store) = try await open(mode: "session")
    #expect(store.degradation == nil)
    try await store.enqueue([notification()])
    #expect(try await store.claim().count == 1)
    #expect(try await store.list().notifications.count == 1)
    await store.close()
    withExtendedLifetime(bouncer) {}
  }
}
