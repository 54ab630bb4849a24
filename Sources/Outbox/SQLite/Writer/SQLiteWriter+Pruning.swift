internal import Clock

extension SQLiteWriter {
  /// One sweep in this many continues to the newest notification. The others stop if they find nothing old,
  /// which is not the end if the clock was wrong for a while.
  private static let thoroughSweepEvery = 24
  /// The number of consecutive notifications that are not old after which a sweep stops.
  private static let youngMax = 256

  /// Removes, in one step, what ended at or before `end`, and idempotency records that expired by `now`.
  func prune(
    endedBy end: Timestamp, now: Timestamp, limit: Int, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> PruneStep {
    let limit = max(1, limit)
    var step = PruneStep()
    if try pruning.hasRecords(upTo: now) {
      try begin(&transaction)
      step.idempotencyRecords = try pruning.deleteRecords(upTo: now, limit: limit)
    }
    var (dead, outcomes) = (0, 0)
    if try pruning.hasFeedback(upTo: end) {
      try begin(&transaction)
      dead = try pruning.deleteFeedback(upTo: end, limit: limit)
    }
    if try pruning.hasOutcomes(upTo: end, limit: limit) {
      try begin(&transaction)
      outcomes = try pruning.deleteOutcomes(upTo: end, limit: limit)
    }
    step.feedbackEvents = dead + outcomes
    let place = try pruneNotifications(endedBy: end, limit: limit, &step, &transaction)
    let isThrough = place == nil && step.idempotencyRecords < limit && dead < limit && outcomes < limit
    step.isComplete = isThrough
    if isThrough { try pruneDictionaries(&transaction) }
    // When only the other tables have more to remove, the sweep stays at its end.
    transaction.effects.append(.pruned(upTo: isThrough ? nil : place ?? nextRow))
    return step
  }

  /// Removes the dictionaries that no notification needs any more.
  private func pruneDictionaries(_ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    let unused = dictionaries.unused(since: try pruning.firstRow() ?? nextRow)
    if unused.isEmpty { return }
    try begin(&transaction)
    for key in unused { try dictionaries.remove(key) }
  }

  /// Returns the last row of the sweep so far; nil at its end.
  private func pruneNotifications(
    endedBy end: Timestamp, limit: Int, _ step: inout PruneStep, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Int64? {
    let isThorough = pruneSweeps % Self.thoroughSweepEvery == Self.thoroughSweepEvery - 1
    var place = pruned ?? 0
    let count = max(limit, Self.youngMax)
    let candidates = try pruning.candidates(after: place, limit: count)
    var seen = 0
    for candidate in candidates {
      place = candidate.row
      // A notification that was accepted later cannot have ended earlier.
      guard candidate.createdAt <= end else { continue }
      let ending = try pruning.ending(of: candidate.row)
      seen += max(1, ending.deliveries)
      if let endedAt = ending.endedAt, endedAt <= end {
        try begin(&transaction)
        if candidate.row > transaction.indexed { try indexAll(&transaction) }
        if step.notifications == 0 { try changing.setMark(.nextRow, to: nextRow) }
        try pruning.delete(candidate.row)
        for (app, counts) in ending.counts {
          for (state, count) in counts { transaction.count(-count, app, state, row: candidate.row) }
        }
        step.notifications += 1
        step.deliveries += ending.deliveries
      }
      if seen >= limit { return place }
    }
    if candidates.count < count || (seen == 0 && !isThorough) { return nil }
    return place
  }
}
