import Clock
import Outbox
import SQL
import Telemetry
import TestSupport
import Testing

@testable import QueueRepair

/// The check of a queue in PostgreSQL.
@Suite(.enabled(if: PostgresCluster.isInstalled)) struct PostgresInspectionTests {
  @Test func listsWhatWasChanged() async throws {
    let url = try PostgresURL(try PostgresCluster.shared.newSchema().url)
    #expect(throws: QueueRepairError.self) { try PostgresInspection.check(url) }
    let store = try DurableOutboxStore(url: url, log: .silent, clock: { start })
    try await QueueFixture.fill(store, round: 0, count: 30)
    #expect(try PostgresInspection.check(url).damage.listed.map(\.description) == [])
    let connection = try PostgresConnection(url)
    let last = try #require(try connection.run("SELECT max(row) FROM dragoman_notifications").value)
    try connection.execute(
      """
      UPDATE dragoman_deliveries SET target = 'other' WHERE row = \(1 << 12);
      UPDATE dragoman_notifications SET ttl = 5 WHERE row = 2;
      DELETE FROM dragoman_deliveries WHERE row = \(3 << 12);
      UPDATE dragoman_deliveries SET app = app + 1 WHERE row = \(4 << 12);
      INSERT INTO dragoman_deliveries SELECT \((last + 9) << 12), app, priority, state, attempts, next_attempt_at,
        updated_at, expires_at, claimed_by, cancel_asked, checksum, id, target_kind, target FROM dragoman_deliveries
        WHERE row = \(5 << 12)
      """)
    let report = try PostgresInspection.check(url)
    let found = report.damage.listed.map { "\($0.table?.rawValue ?? "") \($0.row ?? 0) \($0.problem)" }
    #expect(
      found == [
        "notifications 2 its checksum does not fit",
        "deliveries 4096 its checksum does not fit",
        "deliveries 8192 its notification is missing",
        "deliveries 8193 its notification is missing",
        "deliveries 16384 its app or its priority is not its notification's",
        "deliveries \((last + 9) << 12) its checksum does not fit",
        "notifications 3 it says that it has 3 deliveries; 2 can be verified",
      ])
    await store.close()
    try connection.execute("INSERT INTO dragoman_version VALUES (2)")
    let error = #expect(throws: QueueRepairError.self) { try PostgresInspection.check(url) }
    #expect(error?.code == .refused)
    #expect(error?.description.contains("written by a newer dragoman") == true)
  }

  @Test func hidesThePassword() throws {
    let url = try PostgresURL("postgres://gateway:s3cret@127.0.0.1:1/queue?sslpassword=s3cret")
    let error = #expect(throws: QueueRepairError.self) { try PostgresInspection.check(url) }
    #expect(error?.code == .refused)
    #expect(error?.description.hasPrefix("postgres://gateway@127.0.0.1:1/queue: ") == true)
    #expect(error?.description.contains("s3cret") == false)
  }
}
