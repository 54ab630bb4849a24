internal import Clock
import FCMMessage

extension SQLiteWriter {
  /// Keeps new notifications and their idempotency key.
  func accept(
    _ notifications: [NewNotification], _ record: IdempotencyRecord?, now: Timestamp,
    _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Result<EnqueueOutcome, OutboxError> {
    // Before anything else: a repeat is answered even when the queue is full.
    let kept = if let record { try idempotency.find(record.key) } else { StoredIdempotency?.none }
    if let kept, let record, let outcome = kept.outcome(fingerprint: record.fingerprint, now: now) {
      return .success(outcome)
    }
    if let refusal = refusal(of: notifications, transaction) { return .failure(refusal) }
    for notification in notifications {
      try begin(&transaction)
      try insert(notification, &transaction)
    }
    if let record {
      try begin(&transaction)
      if let kept { try idempotency.remove(row: kept.row) }
      try idempotency.insert(record)
    }
    return .success(.accepted)
  }

  private func refusal(
    of notifications: [NewNotification], _ transaction: SQLiteTransaction
  ) -> OutboxError? {
    let count = notifications.reduce(0) { $0 + $1.deliveries.count }
    if let full = full(adding: count, transaction) { return full }
    guard notifications.allSatisfy({ $0.deliveries.count <= RowLayout.deliveriesMax }) else {
      return OutboxError(
        code: .unavailable,
        description: "a notification has more than \(RowLayout.deliveriesMax) deliveries")
    }
    return nil
  }

  /// The error if `count` more deliveries would exceed the depth.
  func full(adding count: Int, _ transaction: SQLiteTransaction) -> OutboxError? {
    guard depth + transaction.depth + count > configuration.depthMax else { return nil }
    return OutboxError(
      code: .full,
      description: "the queue holds \(depth) deliveries of at most \(configuration.depthMax)")
  }

  private func insert(
    _ new: NewNotification, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    let app = try app(named: new.app, &transaction)
    let notification = QueuedNotification(new)
    let row = takeRow()
    try statements.insert(new, app: app.id, row: row)
    let start = new.start
    for (position, delivery) in new.deliveries.enumerated() {
      let queued = QueuedDelivery(
        row: RowLayout.deliveryRow(of: row, position: position), id: delivery.id, target: delivery.target,
        notification: notification, state: start.state, attempts: 0, dueAt: start.dueAt,
        expiresAt: new.expiresAt)
      try statements.insert(queued, app: app.id)
      transaction.effects.append(.waits(app, queued))
    }
    transaction.report.deliveries += new.deliveries.count
    transaction.count(new.deliveries.count, app.id, start.state)
  }
}
