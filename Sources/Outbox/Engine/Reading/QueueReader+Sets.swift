internal import Clock
import JSON
import SQL

extension QueueReader {
  /// Deliveries with their notifications and apps.
  static let wholeDeliveries = """
    dragoman_deliveries AS d
      JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      JOIN dragoman_apps AS a ON a.id = d.app
    """

  /// The deliveries that one step of a change examines at most.
  private static let examinedMax = 5_000

  /// What the next step of a change finds after a row, and the rows of the deliveries that it is to change,
  /// at most `limit`. Those of them that are being sent are counted as skipped as well.
  func step(
    of change: DeliverySetChange, after row: Int64, now: Timestamp, limit: Int
  ) throws(DatabaseError) -> (step: DeliverySetStep, rows: [Int64]) {
    let filter = change.filter
    let code = filter.errorCode.map { [SQLValue.text($0)] } ?? []
    var step = DeliverySetStep()
    let examined = try connection.run(
      """
      SELECT max(row), count(*) FROM (
        SELECT d.row FROM dragoman_deliveries AS d WHERE d.row > $1
          \(code.isEmpty ? "" : "AND d.error_code = $2")
        ORDER BY d.row LIMIT \(Self.examinedMax)) AS e
      """, [.integer(row)] + code
    ).first
    guard let examined, !examined.isNull(0) else { return (step, []) }
    let found = try connection.run(
      """
      SELECT d.row, d.id, d.state, d.claimed_by, d.next_attempt_at, d.error_code, n.template, n.client, a.name
      FROM \(Self.wholeDeliveries)
      WHERE d.row > $1 AND d.row <= $2 AND d.state IN \(dialect.elements("$3"))
        AND d.updated_at >= $4 AND d.updated_at < $5 AND \(dialect.isComplete("n.row"))
        \(code.isEmpty ? "" : "AND d.error_code = $6")
      ORDER BY d.row LIMIT \(limit)
      """,
      [
        .integer(row), .integer(examined.integer(0)),
        .integers(change.states.flatMap { $0.isFinal ? [Int64($0.rawValue)] : [0, 1] }),
        .time(filter.since ?? .init(milliseconds: 0)), .time(filter.until ?? .init(milliseconds: .max)),
      ] + code)
    let claimed =
      dialect.storesClaims
      ? [] : claims.claimed(of: found.rows.compactMap { $0.uuid(1).map(DeliveryID.init) })
    let apps = filter.apps.map { Set($0.map(ExactText.init)) }
    var rows: [Int64] = []
    for row in found.rows {
      guard let id = row.uuid(1).map(DeliveryID.init), let stored = DeliveryState(stored: row.integer(2)),
        filter.matches(
          app: row.text(8) ?? "", among: apps, template: row.text(6), client: row.text(7))
      else { continue }
      let state = stored.shown(
        isClaimed: claimed.contains(id) || !row.isNull(3), next: row.optionalTime(4), now: now)
      guard change.states.contains(state) else { continue }
      step.matched += 1
      if let code = row.text(5), change.skippedCodes.contains(code) {
        step.skipped[code, default: 0] += 1
        continue
      }
      if state == .sending { step.skipped[DeliverySetStep.inFlight, default: 0] += 1 }
      rows.append(row.integer(0))
    }
    let isEnd = found.count < limit && examined.integer(1) < Self.examinedMax
    step.next = isEnd ? nil : found.count == limit ? found.rows.last?.integer(0) : examined.integer(0)
    return (step, rows)
  }
}
