internal import Clock
import FCMMessage
import JSON

extension SQLiteWriter {
  /// Writes a part of a large enqueue; nil while there are more. Only the last one makes it visible, counts
  /// it, and keeps its idempotency key.
  func accept(
    _ part: EnqueuePart, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Result<EnqueueOutcome?, OutboxError> {
    let large = part.large
    let kept =
      if let record = large.record { try idempotency.find(record.key) } else { StoredIdempotency?.none }
    if part.isFirst {
      if let kept, let record = large.record,
        let outcome = kept.outcome(fingerprint: record.fingerprint, now: large.now)
      {
        return .success(outcome)
      }
      if let refusal = refusal(of: large.notifications, transaction) { return .failure(refusal) }
      guard large.begin() else { return .failure(.late) }
      try begin(&transaction)
      let rows = takeRows(large.notifications.count)
      // The indexes get its parts as they are written, so that they must have everything before it.
      try index(upTo: rows.upperBound, &transaction)
      try intaking.insert(rows)
      transaction.intakes[large.number] = SQLiteIntakes.Intake(large: large, rows: rows)
    }
    guard let intake = transaction.intakes[large.number] ?? intakes.open[large.number] else {
      return .failure(.late)
    }
    try begin(&transaction)
    let indices = large.parts[part.index]
    for index in indices {
      try insert(
        large.notifications[index], row: intake.rows.lowerBound + Int64(index), isHidden: true, &transaction)
    }
    try inserts.flush()
    if let last = indices.last {
      let first = intake.rows.lowerBound + Int64(indices.lowerBound)
      try tailing.index(first...intake.rows.lowerBound + Int64(last))
    }
    guard part.isLast else { return .success(nil) }
    try intaking.delete(endingAt: intake.rows.upperBound)
    if let record = large.record {
      if let kept { try idempotency.remove(row: kept.row) }
      try idempotency.insert(record)
    }
    for (index, new) in large.notifications.enumerated() {
      let app = try app(named: new.app, &transaction)
      let row = RowLayout.deliveryRow(of: intake.rows.lowerBound + Int64(index), position: 0)
      if new.activity != nil, new.start.state == .queued, let activity = try activities.activity(of: row) {
        try supersede(by: activity, row: row, in: app, now: new.createdAt, &transaction)
      }
      transaction.count(
        new.deliveries.count, app.id, new.start.state, delivery: row, of: new.client)
      transaction.report.deliveries += new.deliveries.count
    }
    transaction.effects.append(.revealed(intake))
    return .success(.accepted)
  }

  /// Lets a completed enqueue be claimed: everything from its first delivery on is read from disk again.
  /// Returns its apps.
  func reveal(_ intake: SQLiteIntakes.Intake) -> [AppQueue] {
    intakes.finish(intake.large.number)
    var revealed: [Int64: AppQueue] = [:]
    for (index, new) in intake.large.notifications.enumerated() {
      guard let app = apps[ExactText(new.app)], !new.deliveries.isEmpty else { continue }
      let row = RowLayout.deliveryRow(of: intake.rows.lowerBound + Int64(index), position: 0)
      let start = new.start
      inMemory -= app.rewind(new.priority, to: DueKey(at: start.dueAt, row: row))
      if start.state == .scheduled { app.scheduled(new.deliveries.count, at: start.dueAt) }
      revealed[app.id] = app
    }
    return Array(revealed.values)
  }

  /// Removes what enqueues that never were complete have left, `limit` deliveries or a little more at a time.
  /// Returns whether there is more.
  func removeAbandoned(limit: Int, _ transaction: inout SQLiteTransaction) throws(SQLiteError) -> Bool {
    guard let rows = intakes.abandoned.first else { return false }
    try begin(&transaction)
    var removed = 0
    var row = rows.lowerBound
    while true {
      removed += try pruning.delete(row) + 1
      if removed >= limit || row == rows.upperBound { break }
      row += 1
    }
    if row == rows.upperBound { try intaking.delete(endingAt: rows.upperBound) }
    transaction.effects.append(.abandonedRemoved(upTo: row))
    return row < rows.upperBound || intakes.abandoned.count > 1
  }
}
