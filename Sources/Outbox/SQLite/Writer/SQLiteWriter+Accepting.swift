internal import Clock
import FCMMessage
import JSON

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
      let row = takeRows(1).lowerBound
      let app = try insert(notification, row: row, isHidden: false, &transaction)
      transaction.accept(notification, row: row)
      transaction.report.deliveries += notification.deliveries.count
      transaction.count(
        notification.deliveries.count, app.id, notification.start.state, row: row, of: notification.client)
    }
    if let record {
      try begin(&transaction)
      if let kept { try idempotency.remove(row: kept.row) }
      try idempotency.insert(record)
    }
    return .success(.accepted)
  }

  /// Why new notifications of one client may not be kept.
  func refusal(
    of notifications: [NewNotification], _ transaction: SQLiteTransaction
  ) -> OutboxError? {
    let count = notifications.reduce(0) { $0 + $1.deliveries.count }
    if let full = full(adding: count, of: notifications.first?.client, transaction) { return full }
    guard notifications.allSatisfy({ $0.deliveries.count <= RowLayout.deliveriesMax }) else {
      return OutboxError(
        code: .unavailable,
        description: "a notification has more than \(RowLayout.deliveriesMax) deliveries")
    }
    return nil
  }

  /// The error if `count` more deliveries of a client would exceed the depth, or the client's share of it.
  func full(adding count: Int, of client: String?, _ transaction: SQLiteTransaction) -> OutboxError? {
    var largeCount = intakes.deliveryCount
    for intake in transaction.intakes.values { largeCount += intake.large.deliveryCount }
    guard depth + transaction.depth + largeCount + count <= configuration.depthMax else {
      return .full(depth + largeCount, adding: count, of: configuration.depthMax)
    }
    guard configuration.sharesDepth else { return nil }
    let name = client.map(ExactText.init)
    var own = clients[name, default: 0] + transaction.clients[name, default: 0]
    for intake in Array(intakes.open.values) + transaction.intakes.values
    where intake.large.notifications.first?.client.map(ExactText.init) == name {
      own += intake.large.deliveryCount
    }
    return own + count <= configuration.clientDepthMax
      ? nil : .clientFull(own, adding: count, of: configuration.clientDepthMax)
  }

  /// Writes a notification, which the next claim may find unless it `isHidden`.
  @discardableResult
  func insert(
    _ new: NewNotification, row: Int64, isHidden: Bool, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> AppQueue {
    try requireNew(new.id, transaction)
    let app = try app(named: new.app, &transaction)
    let notification = QueuedNotification(new)
    try statements.insert(new, try dictionaries.stored(new, row: row), app: app.id, row: row)
    let start = new.start
    let activity = try activity(of: new, app: app.id)
    // What fits into the window will most likely be sent before it would have to be found on disk.
    let isUnlisted =
      !isHidden && activity == nil && start.state == .queued
      && app.lanes[new.priority.rawValue].horizon == nil
    for (position, delivery) in new.deliveries.enumerated() {
      let queued = QueuedDelivery(
        row: RowLayout.deliveryRow(of: row, position: position), id: delivery.id, target: delivery.target,
        notification: notification, state: start.state, attempts: 0, dueAt: start.dueAt,
        expiresAt: new.expiresAt, activity: activity)
      try inserts.insert(queued, app: app, isUnlisted: isUnlisted)
      if let activity {
        try inserts.flush()
        try activities.write(activity, of: queued.row)
      }
      if isHidden { continue }
      if let activity, start.state == .queued {
        try supersede(by: activity, row: queued.row, in: app, now: new.createdAt, &transaction)
      }
      transaction.effects.append(.waits(app, queued))
    }
    return app
  }
}
