internal import Clock

extension PostgresWriter {
  /// Notifications that one step examines; each may have a thousand deliveries.
  private static let candidatesMax = 100

  /// Removes, in one step, what ended at or before `end`, and idempotency records that expired by `now`.
  func prune(
    endedBy end: Timestamp, now: Timestamp, limit: Int, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> PruneStep {
    let limit = max(1, limit)
    var step = PruneStep()
    step.idempotencyRecords = try connection.run(
      """
      DELETE FROM dragoman_idempotency WHERE (owner, key) IN (
        SELECT owner, key FROM dragoman_idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
        FOR UPDATE SKIP LOCKED)
      """, [.integer(now.milliseconds), .integer(Int64(limit))]
    ).changed
    let dead = try connection.run(
      """
      DELETE FROM dragoman_feedback WHERE id IN (
        SELECT id FROM dragoman_feedback WHERE at <= $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
      """, [.integer(end.milliseconds), .integer(Int64(limit))]
    ).changed
    // Their ids are in the order of time, but for a clock that was wrong: an index by time is not worth it.
    let outcomes = try connection.run(
      """
      DELETE FROM dragoman_outcomes WHERE id IN (
        SELECT id FROM dragoman_outcomes WHERE at <= $1 AND id IN (
          SELECT id FROM dragoman_outcomes ORDER BY id LIMIT $2)
        FOR UPDATE SKIP LOCKED)
      """, [.integer(end.milliseconds), .integer(Int64(limit))]
    ).changed
    step.feedbackEvents = dead + outcomes
    let place = try pruneNotifications(endedBy: end, limit: limit, &step, &transaction)
    step.isComplete =
      place == nil && step.idempotencyRecords < limit && dead < limit && outcomes < limit
    if step.isComplete { try removeUnusedDictionaries() }
    transaction.hasPruned = true
    // When only the other tables have more to remove, the sweep stays at its end.
    transaction.pruned = step.isComplete ? nil : place ?? PrunePlace(createdAt: .max, row: .max)
    if step.notifications + step.idempotencyRecords + step.feedbackEvents > 0 {
      transaction.hasChanged = true
    }
    return step
  }

  /// Returns the last place of the sweep so far; nil at its end.
  private func pruneNotifications(
    endedBy end: Timestamp, limit: Int, _ step: inout PruneStep, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> PrunePlace? {
    let count = min(limit, Self.candidatesMax)
    let from = memory.pruned ?? PrunePlace(createdAt: .min, row: .min)
    // A notification that was accepted later cannot have ended earlier. What is only looked at is not locked.
    let candidates = try connection.run(
      """
      SELECT row, created_at FROM dragoman_notifications
      WHERE created_at <= $1 AND (created_at, row) > ($2, $3)
      ORDER BY created_at, row LIMIT $4
      """,
      [.integer(end.milliseconds), .integer(from.createdAt), .integer(from.row), .integer(Int64(count))])
    var place: PrunePlace?
    var seen = 0
    var over: [Int64] = []
    let endings = try endings(of: candidates.rows.map { $0.integer(.row) }, by: end)
    for candidate in candidates.rows where seen < limit {
      place = PrunePlace(createdAt: candidate.integer(.createdAt), row: candidate.integer(.row))
      let ending = endings[candidate.integer(.row)]
      seen += max(1, ending?.deliveries ?? 0)
      if ending?.isOver ?? true { over.append(candidate.integer(.row)) }
    }
    try delete(try lock(over, endedBy: end), &step, &transaction)
    return candidates.count < count && seen < limit ? nil : place
  }

  /// Locks notifications that are to be deleted, so that no retry intervenes; returns those that have ended
  /// even now. Others may have locked or deleted some.
  private func lock(_ rows: [Int64], endedBy end: Timestamp) throws(PostgresError) -> [Int64] {
    guard !rows.isEmpty else { return [] }
    let locked = try connection.run(
      "SELECT row FROM dragoman_notifications WHERE row = ANY ($1::bigint[]) FOR UPDATE SKIP LOCKED",
      [.integers(rows)]
    ).rows.map { $0.integer(.row) }
    let endings = try endings(of: locked, by: end)
    return locked.filter { endings[$0]?.isOver ?? true }
  }

  /// How many deliveries notifications have, and whether all of them ended by `end`.
  private func endings(
    of rows: [Int64], by end: Timestamp
  ) throws(PostgresError) -> [Int64: (deliveries: Int, isOver: Bool)] {
    guard !rows.isEmpty else { return [:] }
    let found = try connection.run(
      """
      SELECT n.row, count(*) AS deliveries,
        sum(CASE WHEN d.state >= 3 AND d.updated_at <= $2 THEN 0 ELSE 1 END)::bigint AS open
      FROM unnest($1::bigint[]) AS n(row)
        JOIN dragoman_deliveries AS d ON d.row BETWEEN \(RowLayout.deliveryRowsSQL(of: "n.row"))
      GROUP BY n.row
      """, [.integers(rows), .integer(end.milliseconds)])
    var endings: [Int64: (deliveries: Int, isOver: Bool)] = [:]
    for row in found.rows {
      endings[row.integer(.row)] = (Int(row.integer(.deliveries)), row.integer(.open) == 0)
    }
    return endings
  }

  private func delete(
    _ rows: [Int64], _ step: inout PruneStep, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    guard !rows.isEmpty else { return }
    let deliveries = try connection.run(
      """
      WITH gone AS (
        DELETE FROM dragoman_deliveries AS d USING unnest($1::bigint[]) AS n(row)
        WHERE d.row BETWEEN \(RowLayout.deliveryRowsSQL(of: "n.row")) RETURNING d.app, d.state)
      SELECT app, state, count(*) FROM gone GROUP BY app, state
      """, [.integers(rows)])
    for row in deliveries.rows {
      let count = Int(row.integer(.count))
      transaction.count(
        -count, row.integer(.app), DeliveryState(rawValue: Int(row.integer(.state))) ?? .failed)
      step.deliveries += count
    }
    step.notifications += try connection.run(
      "DELETE FROM dragoman_notifications WHERE row = ANY ($1::bigint[])", [.integers(rows)]
    ).changed
  }
}
