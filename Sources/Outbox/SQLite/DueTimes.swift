internal import Clock
import FCMMessage
import SQL

/// Due times that were written while the machine's clock was ahead of what it is now.
///
/// A running gateway notices that its clock was set back, and shifts due times. One that starts finds on disk
/// what was written in its own future. Each delivery then waits for as long as was meant when it was written,
/// from now on. Times that a caller gave (`send_at`) are not the gateway's, and stay.
enum DueTimes {
  /// A smaller difference is drift.
  private static let leastMilliseconds: Int64 = 1_000

  /// Corrects the due times of waiting deliveries; how many there were. Nothing is written if there are none.
  /// O(apps · log n) then.
  static func correct(_ connection: SQLiteConnection, now: Timestamp) throws(DatabaseError) -> Int {
    let found = try connection.run(
      """
      SELECT d.row, d.next_attempt_at, d.updated_at, d.expires_at, n.ttl, d.id, d.target_kind, d.target, d.activity,
        d.checksum
      FROM dragoman_apps AS a, (VALUES (0), (1)) AS p
        CROSS JOIN dragoman_deliveries AS d INDEXED BY dragoman_deliveries_waiting
        CROSS JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.app = a.id AND d.priority = p.column1 AND d.state < 3 AND d.claimed_by IS NULL AND d.state = 1
        AND d.next_attempt_at > $1 AND d.updated_at > $2
      """, [.time(now), .time(now.adding(milliseconds: leastMilliseconds))])
    guard !found.isEmpty else { return 0 }
    try connection.execute("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      for row in found.rows { try correct(row, connection, now: now) }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
    return found.count
  }

  private static func correct(
    _ row: SQLRow, _ connection: SQLiteConnection, now: Timestamp
  ) throws(DatabaseError) {
    func checksum(_ id: UUIDv7, _ target: Target, expiresAt: Timestamp) -> Int64 {
      RowChecksum.delivery(
        row: row.integer(0), id, to: target, expiresAt: expiresAt, activity: row.text(8), .queued)
    }
    // One that cannot be read is met when it is claimed; a new checksum would make it look intact.
    guard let id = row.uuid(5), let target = Target(kind: row.integer(6), value: row.text(7) ?? ""),
      row.integer(9) == checksum(id, target, expiresAt: row.time(3))
    else { return }
    let meant = max(row.time(2).milliseconds(until: row.time(1)), 0)
    let wait = min(meant, now.milliseconds(until: row.time(1)))
    // A retry of a dead letter began a ttl of its own then, which begins now.
    let end = min(row.time(3), now.adding(milliseconds: row.integer(4)))
    try connection.run(
      """
      UPDATE dragoman_deliveries SET next_attempt_at = $1, expires_at = $2, updated_at = $3, checksum = $4
      WHERE row = $5
      """,
      [
        .time(now.adding(milliseconds: wait)), .time(end), .time(now),
        .integer(checksum(id, target, expiresAt: end)), .integer(row.integer(0)),
      ])
  }
}
