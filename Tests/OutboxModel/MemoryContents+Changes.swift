internal import Clock
import JSON
internal import Outbox

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
    report.calls = 1
    var cancelled = 0
    for delivery in open {
      if let claim = claimed[delivery.id], cancelRequests.contains(delivery.id) || !claim.departure.recall() {
        cancelRequests.insert(delivery.id)
      } else {
        claimed[delivery.id] = nil
        end(delivery.id, as: .cancelled, now: now)
        report.cancelled[ExactText(notification.app), default: 0] += 1
        cancelled += 1
      }
    }
    guard let stored = stored(id, now: now) else { return .notFound }
    return .done(stored, cancelled: cancelled, inFlight: open.count - cancelled)
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
    for var delivery in dead {
      delivery.state = .queued
      delivery.attempts = 0
      delivery.dueAt = now
      delivery.expiresAt = now.adding(milliseconds: notification.ttlMilliseconds)
      delivery.updatedAt = now
      raiseEnd(&delivery, now: now)
      deliveries[delivery.id] = delivery
    }
    due.insert(ExactText(notification.app))
    depth += dead.count
    report.calls = 1
    report.deliveries += dead.count
    guard let stored = stored(id, now: now) else { return .notFound }
    return .done(stored, queued: dead.count)
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
    if let apps, !apps.contains(where: { $0.hasSameBytes(as: notification.app) }) { return false }
    if let template, notification.template?.hasSameBytes(as: template) != true { return false }
    if let mayUse, !mayUse(notification.template) { return false }
    if let status, status != notification.status { return false }
    guard matches(createdAt: notification.createdAt), matches(notification.deliveries) else { return false }
    switch owner {
    case nil: return true
    case .anonymous: return notification.client == nil
    case .client(let name): return notification.client?.hasSameBytes(as: name) ?? false
    }
  }
}
