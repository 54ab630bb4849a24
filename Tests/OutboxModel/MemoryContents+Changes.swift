internal import Clock
import JSON

@testable import Outbox

/// Listing, cancelling, retrying, expiring and pruning.
extension MemoryContents {
  func list(_ filter: NotificationFilter, limit: Int, before row: Int64?, now: Timestamp) -> NotificationPage
  {
    var found: [StoredNotification] = []
    var place: Int64?
    for (row, id) in order.filter({ $0.key < row ?? .max }).sorted(by: { $0.key > $1.key }) {
      if found.count == limit {
        return NotificationPage(notifications: found, next: place.map(NotificationCursor.init(before:)))
      }
      place = row
      guard let notification = stored(id, now: now), filter.matches(notification) else { continue }
      found.append(notification)
    }
    return NotificationPage(notifications: found, next: nil)
  }

  mutating func cancel(_ id: NotificationID, now: Timestamp) -> CancelOutcome {
    guard let notification = notifications[id] else { return .notFound }
    let open = notification.deliveries.compactMap { deliveries[$0.id] }.filter { !$0.state.isFinal }
    guard !open.isEmpty else { return .allFinal }
    let cancelled = cancel(open, now: now)
    guard let stored = stored(id, now: now) else { return .notFound }
    return .done(stored, cancelled: cancelled, inFlight: open.count - cancelled)
  }

  /// Returns how many were cancelled.
  private mutating func cancel(_ open: [ModelDelivery], now: Timestamp) -> Int {
    report.calls = 1
    var cancelled = 0
    for delivery in open {
      if let claim = claimed[delivery.id], cancelRequests.contains(delivery.id) || !claim.departure.recall() {
        cancelRequests.insert(delivery.id)
      } else {
        claimed[delivery.id] = nil
        end(delivery.id, as: .cancelled, now: now)
        report.cancelled[ExactText(delivery.notification.app), default: 0] += 1
        cancelled += 1
      }
    }
    return cancelled
  }

  mutating func end(_ id: DeliveryID, as state: DeliveryState, now: Timestamp) {
    deliveries[id]?.state = state
    deliveries[id]?.updatedAt = now
    depth -= 1
    report.calls = 1
    report.deliveries += 1
  }

  mutating func retry(
    _ id: NotificationID, now: Timestamp, _ limits: OutboxConfiguration
  ) throws(OutboxError) -> RetryOutcome {
    guard let notification = notifications[id] else { return .notFound }
    let dead = notification.deliveries.compactMap { deliveries[$0.id] }
      .filter { $0.state == .failed || $0.state == .expired }
    guard !dead.isEmpty else { return .none }
    try checkDepth(adding: dead.count, of: notification.client, limits)
    requeue(dead, now: now)
    guard let stored = stored(id, now: now) else { return .notFound }
    return .done(stored, queued: dead.count)
  }

  private mutating func requeue(_ dead: [ModelDelivery], now: Timestamp) {
    for var delivery in dead {
      delivery.state = .queued
      delivery.attempts = 0
      delivery.dueAt = now
      delivery.expiresAt = now.adding(milliseconds: delivery.notification.ttlMilliseconds)
      delivery.updatedAt = now
      raiseEnd(&delivery, now: now)
      deliveries[delivery.id] = delivery
      due.insert(ExactText(delivery.notification.app))
    }
    depth += dead.count
    report.calls = 1
    report.deliveries += dead.count
  }

  /// Does the whole change at once.
  mutating func change(
    _ change: DeliverySetChange, _ progress: DeliverySetProgress?, now: Timestamp,
    _ limits: OutboxConfiguration
  ) throws(OutboxError) -> DeliverySetStep {
    var (step, selected) = select(change, now: now)
    if let progress {
      let record = progress.record(step)
      guard
        outcome(of: record.key, fingerprint: record.fingerprint, now: now)
          == progress.known.map(EnqueueOutcome.replay)
      else { throw OutboxError(code: .turnLost, description: "another call goes on with this change") }
    }
    switch change.verb {
    case .retry:
      for (client, own) in Dictionary(grouping: selected, by: { $0.notification.client }) {
        try checkDepth(adding: own.count, of: client, limits)
      }
      requeue(selected, now: now)
      step.changed = selected.count
    case .cancel:
      step.changed = cancel(selected, now: now)
      let inFlight = selected.count - step.changed
      step.skipped[DeliverySetStep.inFlight] = inFlight > 0 ? inFlight : nil
    }
    if let record = progress?.record(step) { records[record.key] = record }
    return step
  }

  func select(
    _ change: DeliverySetChange, now: Timestamp
  ) -> (step: DeliverySetStep, deliveries: [ModelDelivery]) {
    var step = DeliverySetStep()
    let filter = change.filter
    let apps = filter.apps.map { Set($0.map(ExactText.init)) }
    var selected: [ModelDelivery] = []
    for delivery in deliveries.values.sorted(by: { $0.row < $1.row }) {
      let new = delivery.notification
      let state = delivery.state(now: now, isClaimed: claimed[delivery.id] != nil)
      guard change.states.contains(state),
        filter.matches(app: new.app, among: apps, template: new.template, client: new.client),
        filter.errorCode.map({ delivery.error?.code.hasSameBytes(as: $0) == true }) ?? true,
        filter.matches(createdAt: delivery.updatedAt)
      else { continue }
      step.matched += 1
      if let code = delivery.error?.code, change.skippedCodes.contains(code) {
        step.skipped[code, default: 0] += 1
      } else {
        if state == .sending { step.skipped[DeliverySetStep.inFlight, default: 0] += 1 }
        selected.append(delivery)
      }
    }
    return (step, selected)
  }

  /// Does the whole sweep at once.
  mutating func expire(app: ExactText, now: Timestamp) -> ExpirySweep {
    let over = waiting(of: app).filter { $0.dueAt <= now && $0.expiresAt <= now }
    // The durable stores sweep high priority first.
    for delivery in over.filter({ $0.notification.priority == .high })
      + over.filter({ $0.notification.priority == .normal })
    {
      end(delivery.id, as: .expired, now: now)
      if let ended = deliveries[delivery.id] { logOutcome(of: ended) }
    }
    if !over.isEmpty { report.expired[app, default: 0] += over.count }
    return ExpirySweep(expired: over.count, isComplete: true)
  }

  /// Does the whole sweep at once.
  mutating func prune(endedBy end: Timestamp, now: Timestamp) -> PruneStep {
    var step = PruneStep()
    for (row, id) in order {
      guard let notification = notifications[id], notification.createdAt <= end else { continue }
      let own = notification.deliveries.compactMap { deliveries[$0.id] }
      guard own.allSatisfy({ $0.state.isFinal && $0.updatedAt <= end }) else { continue }
      for delivery in notification.deliveries { deliveries[delivery.id] = nil }
      notifications[id] = nil
      order[row] = nil
      step.notifications += 1
      step.deliveries += own.count
    }
    let (eventCount, recordCount) = (events.count, records.count)
    events.removeAll { $0.at <= end }
    records = records.filter { $0.value.expiresAt > now }
    step.feedbackEvents = eventCount - events.count
    step.idempotencyRecords = recordCount - records.count
    step.isComplete = true
    return step
  }

  mutating func setWebhookCursor(_ event: Int64) {
    webhookCursor = event
    events.removeAll { if case .outcome = $0 { $0.id <= event } else { false } }
  }

  func webhookEvents(after: Int64?, limit: Int) -> WebhookPage {
    let later = events.filter { $0.id > after ?? 0 }
    let page = Array(later.prefix(limit))
    return WebhookPage(events: page, next: page.last?.id ?? after, hasMore: later.count > limit)
  }

  func feedback(after: Int64?, apps: [String]?, client: String?, limit: Int) -> FeedbackPage {
    let apps = apps.map { Set($0.map(ExactText.init)) }
    var found: [FeedbackEvent] = []
    var next = after
    for case .dead(let event) in events where event.id > after ?? 0 {
      if let client, clientOfEvent[event.id]?.hasSameBytes(as: client) != true { continue }
      if found.count == limit { return FeedbackPage(events: found, next: next, hasMore: true) }
      next = event.id
      if apps?.contains(ExactText(event.app)) ?? true { found.append(event) }
    }
    return FeedbackPage(events: found, next: next, hasMore: false)
  }
}

extension NotificationFilter {
  fileprivate func matches(_ notification: StoredNotification) -> Bool {
    if let status, status != notification.status { return false }
    return matches(createdAt: notification.createdAt) && matches(notification.deliveries)
      && matches(
        app: notification.app, among: apps.map { Set($0.map(ExactText.init)) },
        template: notification.template, client: notification.client)
  }
}
