internal import Clock

extension SQLiteWriter {
  /// Every so many sweeps one goes through to the newest notification. The others stop where they find nothing
  /// old any more, which is not the end where the clock was wrong for a while.
  private static let thoroughSweepEvery = 24
  /// Notifications of which none is old, one after the other, at which a sweep stops.
  private static let youngMax = 256

  /// One step of removing what ended at or before `end`, and idempotency records that expired by `now`.
  func prune(
    endedBy end: Timestamp, now: Timestamp, limit: Int, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> PruneStep {
    let limit = max(1, limit)
    var step = PruneStep()
    if try pruning.hasRecords(upTo: now) {
      try begin(&transaction)
      step.idempotencyRecords = try pruning.deleteRecords(upTo: now, limit: limit)
    }
    if try pruning.hasFeedback(upTo: end) {
      try begin(&transaction)
      step.feedbackEvents = try pruning.deleteFeedback(upTo: end, limit: limit)
    }
    let place = try pruneNotifications(endedBy: end, limit: limit, &step, &transaction)
    let isThrough = place == nil && step.idempotencyRecords < limit && step.feedbackEvents < limit
    step.isComplete = isThrough
    // Where only the other tables have more, the sweep stays at its end.
    transaction.effects.append(.pruned(upTo: isThrough ? nil : place ?? nextRow))
    return step
  }

  /// Returns the row up to which the sweep has come; nil at its end.
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
      // What was accepted later cannot have ended earlier.
      guard candidate.createdAt <= end else { continue }
      let ending = try pruning.ending(of: candidate.row)
      seen += max(1, ending.deliveries)
      if let endedAt = ending.endedAt, endedAt <= end {
        try begin(&transaction)
        if step.notifications == 0 { try changing.setMark(.nextRow, to: nextRow) }
        try pruning.delete(candidate.row)
        for (app, counts) in ending.counts {
          for (state, count) in counts { transaction.count(-count, app, state) }
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
