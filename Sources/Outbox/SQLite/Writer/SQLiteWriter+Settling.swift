internal import Clock
import FCMMessage
import JSON

extension SQLiteWriter {
  /// Records the outcome of a claimed delivery; ignores what is not claimed.
  func settle(
    _ settlement: Settlement, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    guard let delivery = claims[settlement.delivery]?.delivery,
      let app = apps[ExactText(delivery.notification.app)],
      transaction.settled.insert(settlement.delivery).inserted
    else { return }
    transaction.report.deliveries += 1
    var rule = SettlementRule(settlement.result)
    let isCancelled = try takeCancelRequest(delivery.row, &transaction) && rule.waitsAgain
    if rule.waitsAgain, !isCancelled, try isSuperseded(delivery, app, now: settlement.at, transaction) {
      rule = rule.superseded
    }
    guard let state = isCancelled ? .cancelled : rule.state else {
      transaction.effects.append(.settled(app, delivery.id, again: delivery))
      return
    }
    try begin(&transaction)
    let again = isCancelled ? nil : rule.next(of: delivery)
    try record(rule, of: delivery, of: app, as: state, next: again?.dueAt, at: settlement.at)
    try log(outcomeOf: delivery.row, state, &transaction)
    if let event = rule.feedback(of: delivery) {
      try feedback.insert(
        takeEvent(&transaction), delivery, app: app.id, code: event.code, at: settlement.at,
        activityToken: event.activityToken)
    }
    if state == .cancelled { transaction.report.cancelled[ExactText(app.name), default: 0] += 1 }
    transaction.count(-1, app.id, delivery.state, delivery: delivery.row, of: delivery.notification.client)
    transaction.count(1, app.id, state, delivery: delivery.row, of: delivery.notification.client)
    transaction.effects.append(.settled(app, delivery.id, again: again))
  }

  private func record(
    _ rule: SettlementRule, of delivery: QueuedDelivery, of app: AppQueue, as state: DeliveryState,
    next: Timestamp?, at: Timestamp
  ) throws(SQLiteError) {
    if let name = rule.messageName {
      let stored = try messageNames.stored(name)
      app.named(stored)
      return try statements.markSent(delivery, at: at, name: stored)
    }
    if let error = rule.error, !(state == .cancelled && rule.dropsErrorWhenCancelled) {
      let attempts = delivery.attempts + (rule.countsAttempt ? 1 : 0)
      return try statements.mark(delivery, state, attempts: attempts, next: next, at: at, error: error)
    }
    if state == .cancelled { return try changing.markCancelled(delivery.row, at: at) }
    guard let next else { return try statements.markExpired(delivery.row, at: at) }
    try statements.markDeferred(delivery, until: next, at: at)
  }

  /// Whether the delivery's cancellation was requested. Its settlement removes the request.
  private func takeCancelRequest(
    _ row: Int64, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> Bool {
    guard transaction.cancelRequests.remove(row) != nil || cancelRequests.contains(row) else { return false }
    try begin(&transaction)
    try changing.deleteCancelRequest(row)
    transaction.effects.append(.cancelRequestRemoved(row))
    return true
  }
}

extension SettlementRule {
  /// The delivery as it waits again; nil when it has ended.
  fileprivate func next(of delivery: QueuedDelivery) -> QueuedDelivery? {
    guard let nextAttemptAt else { return nil }
    return countsAttempt ? delivery.retried(at: nextAttemptAt) : delivery.deferred(until: nextAttemptAt)
  }
}
