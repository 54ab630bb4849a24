internal import Clock
import SQL

extension QueueEngine {
  /// One sweep in this many continues to the newest notification. The others stop if they find nothing old,
  /// which is not the end if the clock was wrong for a while.
  private static let thoroughSweepEvery = 24
  /// The number of consecutive notifications that are not old after which a sweep stops.
  private static let youngMax = 256

  /// Removes, in one step, what ended at or before `end`, and idempotency records that expired by `now`.
  func prune(
    endedBy end: Timestamp, now: Timestamp, limit: Int, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> PruneStep {
    let limit = max(1, limit)
    var step = PruneStep()
    let skip = driver.dialect.forUpdateSkipLocked
    step.idempotencyRecords = try remove(
      "dragoman_idempotency WHERE (owner, key) IN",
      "SELECT owner, key FROM dragoman_idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 \(skip)",
      upTo: now, limit)
    let dead = try remove(
      "dragoman_feedback WHERE id IN",
      "SELECT id FROM dragoman_feedback WHERE at <= $1 ORDER BY at LIMIT $2 \(skip)", upTo: end, limit)
    // Their ids are in the order of time, but for a clock that was wrong: an index by time is not worth it.
    let outcomes = try remove(
      "dragoman_outcomes WHERE id IN",
      """
      SELECT id FROM dragoman_outcomes WHERE at <= $1 AND id IN (
        SELECT id FROM dragoman_outcomes ORDER BY id LIMIT $2) \(skip)
      """, upTo: end, limit)
    step.feedbackEvents = dead + outcomes
    let place = try pruneNotifications(endedBy: end, limit: limit, &step, &transaction)
    step.isComplete =
      place == nil && step.idempotencyRecords < limit && dead < limit && outcomes < limit
    // When only the other tables have more to remove, the sweep stays at its end.
    transaction.pruned = .some(step.isComplete ? nil : place ?? .max)
    if step.notifications + step.idempotencyRecords + step.feedbackEvents > 0 {
      transaction.hasChanged = true
    }
    return step
  }

  /// Deletes what `selection` finds, if it finds anything; returns how many rows.
  private func remove(
    _ table: String, _ selection: String, upTo time: Timestamp, _ limit: Int
  ) throws(DatabaseError) -> Int {
    let values: [SQLValue] = [.time(time), .integer(Int64(limit))]
    guard try !driver.run(selection, values).isEmpty else { return 0 }
    return try driver.run("DELETE FROM \(table) (\(selection))", values).changed
  }

  /// Returns the last row of the sweep so far; nil at its end.
  private func pruneNotifications(
    endedBy end: Timestamp, limit: Int, _ step: inout PruneStep, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> Int64? {
    let isThorough = memory.pruneSweeps % Self.thoroughSweepEvery == Self.thoroughSweepEvery - 1
    var place = memory.pruned ?? 0
    let count = max(limit, Self.youngMax)
    let candidates = try driver.run(
      """
      SELECT row, created_at, deliveries FROM dragoman_notifications WHERE row > $1
        AND \(driver.dialect.isComplete("row")) ORDER BY row LIMIT $2
      """, [.integer(place), .integer(Int64(count))])
    var (seen, old): (Int, [Int64]) = (0, [])
    for candidate in candidates.rows where seen < limit {
      place = candidate.integer(0)
      // A notification that was accepted later cannot have ended earlier.
      guard candidate.time(1) <= end else { continue }
      seen += max(1, Int(clamping: candidate.integer(2)))
      old.append(place)
    }
    let over = try lockEnded(old, by: end)
    if !over.isEmpty {
      try driver.willPrune()
      for (app, state, count) in try delete(over) {
        if let state = DeliveryState(stored: state) { transaction.counts.add(-count, app, state) }
        step.deliveries += count
      }
      step.notifications += over.count
    }
    if seen >= limit { return place }
    return candidates.count < count || (seen == 0 && !isThorough) ? nil : place
  }

  /// Locks notifications that are to be deleted, so that no retry intervenes; returns those all of whose
  /// deliveries have ended even then. Others may have locked or deleted some. A lock on one that stays would
  /// make others wait, and leave a version of its row to be removed.
  private func lockEnded(_ rows: [Int64], by end: Timestamp) throws(DatabaseError) -> [Int64] {
    let ended = try ended(rows, by: end)
    guard !ended.isEmpty, !driver.dialect.forUpdate.isEmpty else { return ended }
    let locked = try driver.run(
      """
      SELECT row FROM dragoman_notifications WHERE row IN \(driver.dialect.elements("$1"))
      \(driver.dialect.forUpdateSkipLocked)
      """, [.integers(ended)])
    return try self.ended(locked.rows.map { $0.integer(0) }, by: end)
  }

  /// The notifications among `rows` all of whose deliveries ended at or before `end`.
  private func ended(_ rows: [Int64], by end: Timestamp) throws(DatabaseError) -> [Int64] {
    guard !rows.isEmpty else { return [] }
    return try driver.run(
      """
      SELECT n.row FROM dragoman_notifications AS n WHERE n.row IN \(driver.dialect.elements("$1"))
        AND NOT EXISTS (SELECT 1 FROM dragoman_deliveries AS d
          WHERE d.row BETWEEN \(RowLayout.deliveryRowsSQL(of: "n.row"))
            AND (d.state < 3 OR d.updated_at > $2))
      """, [.integers(rows), .time(end)]
    ).rows.map { $0.integer(0) }
  }

  /// Deletes notifications with their deliveries; returns how many deliveries of each app were in each state.
  func delete(_ rows: [Int64]) throws(DatabaseError) -> [(app: Int64, state: Int64, count: Int)] {
    let deliveries = """
      FROM dragoman_notifications AS n
        JOIN dragoman_deliveries AS d ON d.row BETWEEN \(RowLayout.deliveryRowsSQL(of: "n.row"))
      WHERE n.row IN \(driver.dialect.elements("$1"))
      """
    let found = try driver.run(
      "SELECT d.app, d.state, count(*) \(deliveries) GROUP BY d.app, d.state", [.integers(rows)])
    try driver.send(
      "DELETE FROM dragoman_deliveries WHERE row IN (SELECT d.row \(deliveries))", [.integers(rows)])
    try driver.send(
      "DELETE FROM dragoman_notifications WHERE row IN \(driver.dialect.elements("$1"))", [.integers(rows)])
    return found.rows.map { ($0.integer(0), $0.integer(1), Int(clamping: $0.integer(2))) }
  }
}
