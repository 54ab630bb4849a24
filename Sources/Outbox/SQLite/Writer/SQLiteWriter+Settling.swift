internal import Clock
import FCMMessage
import JSON

extension SQLiteWriter {
  /// Records the outcome of a claimed delivery; passes over what is not claimed.
  func settle(
    _ settlement: Settlement, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    guard let delivery = claims[settlement.delivery],
      let app = apps[ExactText(delivery.notification.app)],
      transaction.settled.insert(settlement.delivery).inserted
    else { return }
    transaction.report.deliveries += 1
    let isCancelled = try takeWish(delivery.row, &transaction)
    if case .release = settlement.result, !isCancelled {
      transaction.effects.append(.settled(app, delivery.id, again: delivery))
      return
    }
    try begin(&transaction)
    var again: QueuedDelivery?
    let state: DeliveryState
    switch settlement.result {
    case .deferred(let until, let error) where !isCancelled:
      state = .queued
      let deferred = delivery.deferred(until: until)
      again = deferred
      if let error {
        try statements.mark(
          deferred, state, attempts: deferred.attempts, next: until, at: settlement.at, error: error)
      } else {
        try statements.markDeferred(deferred, at: settlement.at)
      }
    case .release, .deferred:
      state = .cancelled
      try changing.markCancelled(delivery.row, at: settlement.at)
    case .sent(let name):
      state = .sent
      try statements.markSent(delivery, at: settlement.at, name: name)
    case .retry(let next, let error):
      state = isCancelled ? .cancelled : .queued
      again = isCancelled ? nil : delivery.retried(at: next)
      try statements.mark(
        delivery, state, attempts: delivery.attempts + 1, next: again?.dueAt, at: settlement.at, error: error)
    case .failed(let error, let isDead):
      state = .failed
      try statements.mark(
        delivery, state, attempts: delivery.attempts + 1, next: nil, at: settlement.at, error: error)
      if isDead { try report(delivery, app, code: error.code, at: settlement.at, &transaction) }
    case .expired(let error, let attempted):
      state = .expired
      if let error {
        try statements.mark(
          delivery, state, attempts: delivery.attempts + (attempted ? 1 : 0), next: nil, at: settlement.at,
          error: error)
      } else {
        try statements.markExpired(delivery.row, at: settlement.at)
      }
    }
    if state == .cancelled { transaction.report.cancelled[app.name, default: 0] += 1 }
    transaction.count(-1, app.id, delivery.state)
    transaction.count(1, app.id, state)
    transaction.effects.append(.settled(app, delivery.id, again: again))
  }

  /// Whether the delivery was to be cancelled; what is settled needs no such wish any more.
  private func takeWish(
    _ row: Int64, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Bool {
    guard transaction.wished.remove(row) != nil || wishes.contains(row) else { return false }
    try begin(&transaction)
    try changing.unwish(row)
    transaction.effects.append(.unwished(row))
    return true
  }

  /// A topic or a condition is no registration, and so is never dead.
  private func report(
    _ delivery: QueuedDelivery, _ app: AppQueue, code: String, at: Timestamp,
    _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    switch delivery.target {
    case .topic, .condition: return
    case .token, .fid:
      try changing.insertFeedback(delivery, app: app.id, code: code, at: at)
      transaction.report.feedbackEvents += 1
    }
  }
}
