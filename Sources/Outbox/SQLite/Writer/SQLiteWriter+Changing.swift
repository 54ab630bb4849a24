internal import Clock
import FCMMessage
import JSON

extension SQLiteWriter {
  /// Ends what waits of a notification, and notes of what is claimed that it is not to wait again.
  func cancel(
    _ id: NotificationID, now: Timestamp, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Result<CancelOutcome, OutboxError> {
    let head: NotificationStatements.Head
    let app: AppQueue
    let places: [NotificationStatements.Place]
    switch try ofOneRecord({ () throws(SQLiteError) in try find(id) }) {
    case .failure(let error): return .failure(error)
    case .success(nil): return .success(.notFound)
    case .success(let found?): (head, app, places) = found
    }
    let open = places.filter { !$0.state.isFinal }
    guard !open.isEmpty else { return .success(.allFinal) }
    try begin(&transaction)
    var cancelled = 0
    for place in open {
      if isClaimed(place.id, transaction) {
        guard !wishes.contains(place.row), transaction.wished.insert(place.row).inserted else { continue }
        try changing.wish(place.row, at: now)
        transaction.effects.append(.wished(place.row))
      } else {
        try end(place, app, now: now, &transaction)
        cancelled += 1
      }
    }
    let stored = try notification(head, now: now, transaction)
    return .success(.done(stored, cancelled: cancelled, inFlight: open.count - cancelled))
  }

  /// Queues failed and expired deliveries again, as if they had just been accepted.
  func retry(
    _ id: NotificationID, now: Timestamp, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Result<RetryOutcome, OutboxError> {
    let head: NotificationStatements.Head
    let app: AppQueue
    let dead: [NotificationStatements.Place]
    switch try ofOneRecord({ () throws(SQLiteError) in try find(id) }) {
    case .failure(let error): return .failure(error)
    case .success(nil): return .success(.notFound)
    case .success(let found?):
      (head, app) = (found.head, found.app)
      dead = found.places.filter { $0.state == .failed || $0.state == .expired }
    }
    guard !dead.isEmpty else { return .success(.none) }
    if let full = full(adding: dead.count, transaction) { return .failure(full) }
    let notification: QueuedNotification
    switch try ofOneRecord({ () throws(SQLiteError) in try changing.queued(head) }) {
    case .failure(let error): return .failure(error)
    case .success(let read): notification = read
    }
    try begin(&transaction)
    let expiresAt = now.adding(milliseconds: notification.ttlMilliseconds)
    for place in dead {
      let queued = QueuedDelivery(
        row: place.row, id: place.id, target: place.target, notification: notification, state: .queued,
        attempts: 0, dueAt: now, expiresAt: expiresAt)
      try changing.requeue(queued, at: now)
      transaction.count(-1, app.id, place.state)
      transaction.effects.append(.waits(app, queued))
    }
    transaction.count(dead.count, app.id, .queued)
    transaction.report.deliveries += dead.count
    let stored = try self.notification(head, now: now, transaction)
    return .success(.done(stored, queued: dead.count))
  }

  /// Cancels what was claimed when its cancellation was asked for and the process ended; returns how many are left.
  func finishCancellations(
    now: Timestamp, limit: Int, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Int {
    let rows = Array(leftover.prefix(limit))
    for row in rows {
      let places = try ofOneRecord { () throws(SQLiteError) in try reading.places(in: row...row) }
      try begin(&transaction)
      // One that cannot be read is set aside when a claim comes upon it.
      if case .success(let places) = places {
        for place in places where !place.state.isFinal {
          if let app = appsByID[place.app] { try end(place, app, now: now, &transaction) }
        }
      }
      try changing.unwish(row)
      transaction.effects.append(.unwished(row))
    }
    return leftover.count - rows.count
  }

  /// Looks at the next `limit` deliveries of an app that are due, and ends those whose ttl is over.
  func expire(
    app name: String, now: Timestamp, limit: Int, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> ExpirySweep {
    guard let app = apps[ExactText(name)] else { return ExpirySweep(expired: 0, isComplete: true) }
    var next: (priority: DeliveryPriority, key: DueKey)? = app.sweep ?? (.high, .first)
    var left = max(1, limit)
    var expired = 0
    while let place = next, left > 0 {
      let page = try changing.due(app: app.id, place.priority, from: place.key, upTo: now, limit: left)
      for entry in page {
        guard let end = entry.end, end.at <= now, !isClaimed(end.id, transaction) else { continue }
        try begin(&transaction)
        try statements.markExpired(entry.key.row, at: now)
        transaction.count(-1, app.id, entry.state)
        transaction.count(1, app.id, .expired)
        transaction.effects.append(.ended(app, place.priority, entry.key, was: entry.state))
        expired += 1
      }
      if page.count >= left, let last = page.last {
        next = (place.priority, last.key.next)
      } else {
        next = place.priority == .high ? (.normal, .first) : nil
      }
      left -= page.count
    }
    if expired > 0 { transaction.report.expired[app.name, default: 0] += expired }
    transaction.report.deliveries += expired
    transaction.effects.append(.swept(app, next))
    return ExpirySweep(expired: expired, isComplete: next == nil)
  }

  /// Ends a delivery whose record cannot be read, so that it neither blocks the others nor waits for ever.
  func setAside(
    _ delivery: DamagedDelivery, now: Timestamp, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    guard let (app, state) = try changing.damagedState(delivery.row), !state.isFinal else { return }
    try begin(&transaction)
    try changing.setAside(delivery.row, at: now)
    transaction.count(-1, app, state)
    transaction.count(1, app, .failed)
    transaction.report.deliveries += 1
  }
}

extension SQLiteWriter {
  private typealias Found = (
    head: NotificationStatements.Head, app: AppQueue, places: [NotificationStatements.Place]
  )

  private func find(_ id: NotificationID) throws(SQLiteError) -> Found? {
    guard let head = try reading.head(id), let app = apps[ExactText(head.app)] else { return nil }
    return (head, app, try reading.places(in: head.deliveryRows))
  }

  /// A record that cannot be read is the trouble of who asked for it, and of nobody else in the transaction.
  private func ofOneRecord<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Result<Value, OutboxError> {
    do throws(SQLiteError) {
      return .success(try body())
    } catch {
      guard error.isOfOneRecord else { throw error }
      return .failure(error.outboxError)
    }
  }

  private func isClaimed(_ id: DeliveryID, _ transaction: SQLiteTransaction) -> Bool {
    claims[id] != nil && !transaction.settled.contains(id)
  }

  /// Cancels a delivery that waits.
  private func end(
    _ place: NotificationStatements.Place, _ app: AppQueue, now: Timestamp,
    _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    try changing.markCancelled(place.row, at: now)
    transaction.count(-1, app.id, place.state)
    transaction.count(1, app.id, .cancelled)
    transaction.report.deliveries += 1
    transaction.report.cancelled[app.name, default: 0] += 1
    let key = DueKey(at: place.nextAttemptAt ?? now, row: place.row)
    transaction.effects.append(.ended(app, place.priority, key, was: place.state))
  }

  /// The notification as the transaction leaves it.
  private func notification(
    _ head: NotificationStatements.Head, now: Timestamp, _ transaction: SQLiteTransaction
  ) throws(SQLiteError) -> StoredNotification {
    try reading.notification(
      head, now: now, claimed: { claims.claimed(of: $0).subtracting(transaction.settled) })
  }
}
