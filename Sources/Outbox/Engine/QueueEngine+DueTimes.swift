internal import Clock
import FCMMessage
import JSON
import SQL

/// Due times that were written while the clock was ahead of what it is now.
///
/// Each delivery then waits for as long as was meant when it was written, from now on. Times that a caller
/// gave (`send_at`) are not the gateway's, and stay.
extension QueueEngine {
  /// A smaller difference is drift.
  static let clockStepMillisecondsMin: Int64 = 1_000

  /// Corrects the due times of up to `limit` waiting deliveries; returns how many it found. Those that are
  /// claimed are corrected once they wait again. O(apps · log n) if there are none, but for scheduled ones.
  func correctDueTimes(
    now: Timestamp, limit: Int, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> Int {
    let index = driver.dialect == .sqlite ? "INDEXED BY dragoman_deliveries_waiting" : ""
    let found = try driver.run(
      """
      SELECT \(StoredDelivery.columns), d.next_attempt_at, d.updated_at, n.ttl, a.id, a.name
      FROM dragoman_apps AS a CROSS JOIN (VALUES (0), (1)) AS p
        CROSS JOIN dragoman_deliveries AS d \(index) CROSS JOIN dragoman_notifications AS n
      WHERE d.app = a.id AND d.priority = p.column1 AND d.state < 3 AND d.claimed_by IS NULL AND d.state = 1
        AND d.next_attempt_at > $1 AND d.updated_at > $2
        AND n.row = \(RowLayout.notificationRowSQL(of: "d.row")) AND \(driver.dialect.isComplete("n.row"))
      LIMIT $3
      """,
      [
        .time(now), .time(now.adding(milliseconds: Self.clockStepMillisecondsMin)), .integer(Int64(limit)),
      ])
    var corrected = 0
    for row in found.rows {
      guard let delivery = MistimedDelivery(row), claim(of: delivery.stored.id, in: transaction) == nil,
        try correct(delivery, now: now)
      else { continue }
      corrected += 1
      transaction.hasChanged = true
      transaction.report.deliveries += 1
      driver.reread(delivery.app, from: delivery.dueAt(now: now))
      transaction.due.insert(ExactText(delivery.app.name))
    }
    return corrected
  }

  /// Whether it still waits.
  private func correct(_ delivery: MistimedDelivery, now: Timestamp) throws(DatabaseError) -> Bool {
    let end = delivery.expiresAt(now: now)
    return try driver.run(
      """
      UPDATE dragoman_deliveries SET next_attempt_at = $1, expires_at = $2, updated_at = $3, checksum = $4
      WHERE row = $5 AND state = 1 AND claimed_by IS NULL
      """,
      [
        .time(delivery.dueAt(now: now)), .time(end), .time(now),
        .integer(delivery.stored.checksum(expiresAt: end, .queued)), .integer(delivery.stored.row),
      ]
    ).changed > 0
  }
}

/// A waiting delivery whose due time is from a clock that was ahead.
private struct MistimedDelivery {
  let app: QueueApp
  let stored: StoredDelivery
  private let dueAt: Timestamp
  private let updatedAt: Timestamp
  private let ttlMilliseconds: Int64

  /// Nil for one that cannot be read, which is met when it is claimed.
  init?(_ row: SQLRow) {
    guard let stored = StoredDelivery(row), stored.isIntact(.queued) else { return nil }
    self.stored = stored
    let next = StoredDelivery.columnCount
    (dueAt, updatedAt, ttlMilliseconds) = (row.time(next), row.time(next + 1), row.integer(next + 2))
    app = QueueApp(id: row.integer(next + 3), name: row.text(next + 4) ?? "")
  }

  /// When it is due if it waits from `now` on for as long as was meant.
  func dueAt(now: Timestamp) -> Timestamp {
    let meant = max(updatedAt.milliseconds(until: dueAt), 0)
    return now.adding(milliseconds: min(meant, now.milliseconds(until: dueAt)))
  }

  /// A retry of a dead letter began a ttl of its own when it was written, which begins now.
  func expiresAt(now: Timestamp) -> Timestamp {
    min(stored.expiresAt, now.adding(milliseconds: ttlMilliseconds))
  }
}
