internal import Clock
import FCMMessage
import JSON

extension SQLiteWriter {
  /// Ends a notification's waiting deliveries, and records a cancel request for its claimed ones.
  func cancel(
    _ id: NotificationID, now: Timestamp, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Result<CancelOutcome, OutboxError> {
    let head: NotificationStatements.Head
    let app: AppQueue
    let places: [NotificationStatements.Place]
    switch try recordResult({ () throws(SQLiteError) in try find(id, transaction) }) {
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
        if try recall(place, app, now: now, &transaction) {
          cancelled += 1
          continue
        }
        guard !cancelRequests.contains(place.row), transaction.cancelRequests.insert(place.row).inserted
        else { continue }
        try changing.insertCancelRequest(place.row, at: now)
        transaction.effects.append(.cancelRequested(place.row))
      } else {
        try end(place, app, of: head.client, now: now, &transaction)
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
    switch try recordResult({ () throws(SQLiteError) in try find(id, transaction) }) {
    case .failure(let error): return .failure(error)
    case .success(nil): return .success(.notFound)
    case .success(let found?):
      (head, app) = (found.head, found.app)
      dead = found.places.filter { ($0.state == .failed || $0.state == .expired) && $0.isIntact }
    }
    guard !dead.isEmpty else { return .success(.none) }
    if let full = full(adding: dead.count, of: head.client, transaction) { return .failure(full) }
    let notification: QueuedNotification
    switch try recordResult({ () throws(SQLiteError) in try changing.queued(head) }) {
    case .failure(let error): return .failure(error)
    case .success(let read): notification = read
    }
    try begin(&transaction)
    let expiresAt = now.adding(milliseconds: notification.ttlMilliseconds)
    for place in dead {
      try activities.raiseEnd(place.row, now: now)
      let queued = QueuedDelivery(
        row: place.row, id: place.id, target: place.target, notification: notification, state: .queued,
        attempts: 0, dueAt: now, expiresAt: expiresAt, activity: try activities.activity(of: place.row))
      try changing.requeue(queued, at: now)
      transaction.count(-1, app.id, place.state, delivery: place.row)
      transaction.effects.append(.waits(app, queued))
    }
    transaction.count(dead.count, app.id, .queued, row: head.row, of: head.client)
    transaction.report.deliveries += dead.count
    let stored = try self.notification(head, now: now, transaction)
    return .success(.done(stored, queued: dead.count))
  }

  /// Cancels deliveries that were claimed when their cancellation was requested and the process ended;
  /// returns how many remain.
  func finishCancellations(
    now: Timestamp, limit: Int, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Int {
    let rows = Array(recoveredCancellations.prefix(limit))
    for row in rows {
      let places = try recordResult { () throws(SQLiteError) in try reading.places(in: row...row) }
      try begin(&transaction)
      // An unreadable one is quarantined when a claim meets it.
      if case .success(let places) = places {
        for place in places where !place.state.isFinal {
          guard let app = appsByID[place.app] else { continue }
          let client = try changing.tally(of: row)?.client
          try end(place, app, of: client, now: now, &transaction)
        }
      }
      try changing.deleteCancelRequest(row)
      transaction.effects.append(.cancelRequestRemoved(row))
    }
    return recoveredCancellations.count - rows.count
  }

  /// Checks the next `limit` due deliveries of an app, and ends those that have expired.
  func expire(
    app name: String, now: Timestamp, limit: Int, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> ExpirySweep {
    guard let app = apps[ExactText(name)] else { return ExpirySweep(expired: 0, isComplete: true) }
    // The sweep follows the index of what waits.
    try indexAll(&transaction)
    var next: (priority: DeliveryPriority, key: DueKey)? = app.sweep ?? (.high, .first)
    var left = max(1, limit)
    var expired = 0
    while let place = next, left > 0 {
      let page = try changing.due(app: app.id, place.priority, from: place.key, upTo: now, limit: left)
      for entry in page {
        guard let end = entry.end, end.at <= now, !isClaimed(end.id, transaction) else { continue }
        try begin(&transaction)
        try statements.markExpired(entry.key.row, at: now)
        try log(outcomeOf: entry.key.row, .expired, &transaction)
        transaction.count(-1, app.id, entry.state, delivery: entry.key.row, of: entry.client)
        transaction.count(1, app.id, .expired, delivery: entry.key.row)
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
    if expired > 0 { transaction.report.expired[ExactText(app.name), default: 0] += expired }
    transaction.report.deliveries += expired
    transaction.effects.append(.swept(app, next))
    return ExpirySweep(expired: expired, isComplete: next == nil)
  }

  /// Ends a delivery whose record cannot be read, so that it neither blocks the others nor waits forever.
  func quarantine(
    _ delivery: UnreadableDelivery, now: Timestamp, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    guard let (app, state, client) = try changing.tally(of: delivery.row), !state.isFinal else { return }
    try begin(&transaction)
    try changing.quarantine(delivery.row, at: now)
    try log(outcomeOf: delivery.row, .failed, &transaction)
    transaction.count(-1, app, state, delivery: delivery.row, of: client)
    transaction.count(1, app, .failed, delivery: delivery.row)
    transaction.report.deliveries += 1
    if let app = appsByID[app] { transaction.effects.append(.quarantined(app)) }
  }
}

extension SQLiteWriter {
  private typealias Found = (
    head: NotificationStatements.Head, app: AppQueue, places: [NotificationStatements.Place]
  )

  private func find(
    _ id: NotificationID, _ transaction: SQLiteTransaction
  ) throws(SQLiteError) -> Found? {
    guard let head = try reading.head(id, row: transaction.tail[id]), let app = apps[ExactText(head.app)]
    else { return nil }
    return (head, app, try reading.places(in: head.deliveryRows))
  }

  /// An unreadable record fails the call that needs it, and no other call of the transaction.
  func recordResult<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Result<Value, OutboxError> {
    do throws(SQLiteError) {
      return .success(try body())
    } catch {
      guard error.isUnreadableRecord else { throw error }
      return .failure(error.outboxError)
    }
  }

  func isClaimed(_ id: DeliveryID, _ transaction: SQLiteTransaction) -> Bool {
    claims[id] != nil && !transaction.settled.contains(id)
  }

  /// Cancels a claimed delivery whose request has not left, and never will; false if it has.
  func recall(
    _ place: NotificationStatements.Place, _ app: AppQueue, now: Timestamp,
    _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Bool {
    guard let claim = claims[place.id], !cancelRequests.contains(place.row), claim.departure.recall() else {
      return false
    }
    try changing.markCancelled(place.row, at: now)
    transaction.settled.insert(place.id)
    let client = claim.delivery.notification.client
    transaction.count(-1, app.id, claim.delivery.state, delivery: place.row, of: client)
    transaction.count(1, app.id, .cancelled, delivery: place.row)
    transaction.report.deliveries += 1
    transaction.report.cancelled[ExactText(app.name), default: 0] += 1
    transaction.effects.append(.settled(app, place.id, again: nil))
    return true
  }

  /// Cancels a waiting delivery.
  func end(
    _ place: NotificationStatements.Place, _ app: AppQueue, of client: String?, now: Timestamp,
    _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    try changing.markCancelled(place.row, at: now)
    transaction.count(-1, app.id, place.state, delivery: place.row, of: client)
    transaction.count(1, app.id, .cancelled, delivery: place.row)
    transaction.report.deliveries += 1
    transaction.report.cancelled[ExactText(app.name), default: 0] += 1
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
