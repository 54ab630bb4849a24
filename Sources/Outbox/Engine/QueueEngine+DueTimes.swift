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
      SELECT d.row, d.next_attempt_at, d.updated_at, d.expires_at, n.ttl, d.id, d.target_kind, d.target, d.activity,
        d.checksum, a.id, a.name
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
      guard let delivery = MistimedDelivery(row), claim(of: delivery.id, in: transaction) == nil,
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
        .time(delivery.dueAt(now: now)), .time(end), .time(now), .integer(delivery.checksum(expiresAt: end)),
        .integer(delivery.row),
      ]
    ).changed > 0
  }
}

/// A waiting delivery whose due time is from a clock that was ahead.
private struct MistimedDelivery {
  let app: QueueApp
  let row: Int64
  let id: DeliveryID
  private let dueAt: Timestamp
  private let updatedAt: Timestamp
  private let expiresAt: Timestamp
  private let ttlMilliseconds: Int64
  private let target: Target
  private let activity: String?

  /// Nil for one that cannot be read, which is met when it is claimed: a new checksum would make it look
  /// intact.
  init?(_ stored: SQLRow) {
    guard let id = stored.uuid(5).map(DeliveryID.init),
      let target = Target(kind: stored.integer(6), value: stored.text(7) ?? "")
    else { return nil }
    app = QueueApp(id: stored.integer(10), name: stored.text(11) ?? "")
    row = stored.integer(0)
    self.id = id
    (dueAt, updatedAt, expiresAt) = (stored.time(1), stored.time(2), stored.time(3))
    ttlMilliseconds = stored.integer(4)
    self.target = target
    activity = stored.text(8)
    guard stored.integer(9) == checksum(expiresAt: expiresAt) else { return nil }
  }

  /// When it is due if it waits from `now` on for as long as was meant.
  func dueAt(now: Timestamp) -> Timestamp {
    let meant = max(updatedAt.milliseconds(until: dueAt), 0)
    return now.adding(milliseconds: min(meant, now.milliseconds(until: dueAt)))
  }

  /// A retry of a dead letter began a ttl of its own when it was written, which begins now.
  func expiresAt(now: Timestamp) -> Timestamp { min(expiresAt, now.adding(milliseconds: ttlMilliseconds)) }

  func checksum(expiresAt: Timestamp) -> Int64 {
    RowChecksum.delivery(row: row, id.uuid, to: target, expiresAt: expiresAt, activity: activity, .queued)
  }
}
