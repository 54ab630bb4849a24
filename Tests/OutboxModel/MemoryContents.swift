internal import Clock
import JSON

@testable import Outbox

/// Everything a `MemoryOutboxStore` holds: accepting, claiming, settling and reading.
struct MemoryContents {
  var isClosed = false
  var health: OutboxHealth
  var webhookCursor: Int64?
  /// What the current change has done.
  var report = OutboxCommit()
  var due: Set<ExactText> = []

  var deliveries: [DeliveryID: ModelDelivery] = [:]
  var notifications: [NotificationID: NewNotification] = [:]
  /// By place in the order of acceptance.
  var order: [Int64: NotificationID] = [:]
  var claimed: [DeliveryID: ClaimedDelivery] = [:]
  /// Claimed deliveries whose cancellation was requested: they end as cancelled instead of waiting again.
  var cancelRequests: Set<DeliveryID> = []
  var records: [IdempotencyKey: IdempotencyRecord] = [:]
  /// The feedback log with everything in it.
  var events: [WebhookEvent] = []
  /// The clients of the notifications that dead registrations are about, by the events' ids.
  var clientOfEvent: [Int64: String] = [:]
  var loggedOutcomes: Set<DeliveryOutcome> = []
  var depth = 0
  private var nextRow: Int64 = 1
  private var nextEvent: Int64 = 1
  private var nextClaim: Int64 = 1

  init(since: Timestamp) { health = OutboxHealth(since: since) }

  func outcome(of key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp) -> EnqueueOutcome? {
    guard let record = records[key], now < record.expiresAt else { return nil }
    return record.fingerprint == fingerprint ? .replay(of: record.answer) : .mismatch
  }

  mutating func enqueue(
    _ new: [NewNotification], _ record: IdempotencyRecord?, now: Timestamp,
    _ limits: OutboxConfiguration
  ) throws(OutboxError) -> EnqueueOutcome {
    if let record, let outcome = outcome(of: record.key, fingerprint: record.fingerprint, now: now) {
      return outcome
    }
    let count = new.reduce(0) { $0 + $1.deliveries.count }
    try checkDepth(adding: count, of: new.first?.client, limits)
    guard Set(new.map(\.id)).count == new.count, new.allSatisfy({ notifications[$0.id] == nil }) else {
      throw OutboxError(
        code: .unavailable, description: "the queue holds such a notification already; nothing was kept")
    }
    for notification in new { insert(notification) }
    if let record { records[record.key] = record }
    return .accepted
  }

  func checkDepth(
    adding count: Int, of client: String?, _ limits: OutboxConfiguration
  ) throws(OutboxError) {
    guard depth + count <= limits.depthMax else {
      throw .full(depth, adding: count, of: limits.depthMax)
    }
    guard count > 0, limits.clientDepthMax < limits.depthMax else { return }
    let name = client.map(ExactText.init)
    let own = deliveries.values.count {
      !$0.state.isFinal && $0.notification.client.map(ExactText.init) == name
    }
    guard own + count <= limits.clientDepthMax else {
      throw .clientFull(own, adding: count, of: limits.clientDepthMax)
    }
  }

  private mutating func insert(_ new: NewNotification) {
    notifications[new.id] = new
    order[nextRow] = new.id
    nextRow += 1
    for (id, target) in new.deliveries {
      var delivery = ModelDelivery(id, to: target, of: new, row: nextRow)
      delivery.activity = activity(of: new)
      deliveries[id] = delivery
      nextRow += 1
      if delivery.state == .queued { supersede(by: delivery, now: new.createdAt) }
    }
    if !new.deliveries.isEmpty { due.insert(ExactText(new.app)) }
    depth += new.deliveries.count
    report.calls = 1
    report.deliveries += new.deliveries.count
  }

  /// The deliveries of an app that are neither final nor claimed, in the order in which they are sent.
  func waiting(of app: ExactText) -> [ModelDelivery] {
    deliveries.values
      .filter { ExactText($0.notification.app) == app && !$0.state.isFinal && claimed[$0.id] == nil }
      .sorted { ($0.dueAt, $0.row) < ($1.dueAt, $1.row) }
  }

  mutating func claim(app: ExactText, limit: Int, normalMin: Int, now: Timestamp) -> [ClaimedDelivery] {
    endReplaced(in: app, now: now)
    let due = waiting(of: app).filter { $0.dueAt <= now && !mustWait($0, now: now) }
    let high = due.filter { $0.notification.priority == .high }
    let normal = due.filter { $0.notification.priority == .normal }
    let reserved = min(max(0, normalMin), normal.count, limit)
    let taken = high.prefix(limit - reserved)
    let all = taken + normal.prefix(limit - taken.count)
    return all.map { delivery in
      let claim = delivery.claimed(ClaimNumber(number: nextClaim))
      nextClaim += 1
      claimed[claim.id] = claim
      return claim
    }
  }

  func firstDue(of app: ExactText) -> Timestamp? { waiting(of: app).first?.dueAt }

  /// The deliveries whose claims were over.
  mutating func settle(_ settlements: [Settlement]) -> [DeliveryID] {
    settlements.filter { !settle($0) }.map(\.claim.id)
  }

  private mutating func settle(_ settlement: Settlement) -> Bool {
    let id = settlement.claim.id
    guard claimed[id]?.claim == settlement.claim.claim, let before = deliveries[id] else { return false }
    claimed[id] = nil
    report.calls = 1
    report.deliveries += 1
    var delivery = before
    let isCancelled = cancelRequests.remove(id) != nil
    delivery.apply(settlement, isCancelled: isCancelled)
    if !delivery.state.isFinal {
      let isReplaced = !isCancelled && isReplaced(before, now: settlement.at)
      if isReplaced { delivery.error = .superseded }
      if isReplaced || isCancelled {
        delivery.state = .cancelled
        delivery.updatedAt = settlement.at
        report.cancelled[ExactText(delivery.notification.app), default: 0] += 1
      }
    }
    deliveries[id] = delivery
    logOutcome(of: delivery)
    logDeath(of: delivery, settlement)
    if delivery.state.isFinal { depth -= 1 } else { due.insert(ExactText(delivery.notification.app)) }
    return true
  }

  /// Adds the end of a delivery to the feedback log, if such outcomes are logged.
  mutating func logOutcome(of delivery: ModelDelivery) {
    guard let outcome = DeliveryOutcome(delivery.state), loggedOutcomes.contains(outcome) else { return }
    let notification = delivery.notification
    events.append(
      .outcome(
        OutcomeEvent(
          id: nextEvent, outcome: outcome, app: notification.app, template: notification.template,
          client: notification.client, notification: notification.id, delivery: delivery.id,
          target: delivery.target, activityToken: delivery.activity?.token, attempts: delivery.attempts,
          code: outcome == .sent ? nil : delivery.error?.code, messageName: delivery.messageName,
          at: delivery.updatedAt, trace: notification.trace)))
    nextEvent += 1
    report.feedbackEvents += 1
  }

  private mutating func logDeath(of delivery: ModelDelivery, _ settlement: Settlement) {
    guard let code = settlement.error?.code, delivery.isRegistration else { return }
    switch settlement.dead {
    case .registration: log(delivery, code: code, at: settlement.at)
    case .activity:
      guard let token = delivery.activity?.token else { return }
      log(delivery, code: code, at: settlement.at, activityToken: token)
    case nil: break
    }
  }

  /// Adds a dead registration, or a dead activity, to the feedback log.
  private mutating func log(
    _ delivery: ModelDelivery, code: String, at: Timestamp, activityToken: String? = nil
  ) {
    clientOfEvent[nextEvent] = delivery.notification.client
    events.append(
      .dead(
        FeedbackEvent(
          id: nextEvent, app: delivery.notification.app, target: delivery.target, code: code,
          notification: delivery.notification.id, at: at, trace: delivery.notification.trace,
          activityToken: activityToken)))
    nextEvent += 1
    report.feedbackEvents += 1
  }

  func stored(_ id: NotificationID, withContent: Bool = false, now: Timestamp) -> StoredNotification? {
    guard let notification = notifications[id] else { return nil }
    let deliveries = notification.deliveries.compactMap { self.deliveries[$0.id] }.map { delivery in
      StoredNotification.Delivery(
        id: delivery.id, target: delivery.target,
        state: delivery.state(now: now, isClaimed: claimed[delivery.id] != nil),
        attempts: delivery.attempts, nextAttemptAt: delivery.state.isFinal ? nil : delivery.dueAt,
        messageName: delivery.messageName, error: delivery.error, updatedAt: delivery.updatedAt,
        expiresAt: delivery.expiresAt, activityAt: delivery.activity?.at)
    }
    return StoredNotification(
      id: id, app: notification.app, template: notification.template, client: notification.client,
      createdAt: notification.createdAt, deliveries: deliveries,
      content: withContent ? (notification.message, notification.ttlMilliseconds) : nil)
  }

  func counts(now: Timestamp) -> [ExactText: OutboxCounts] {
    var none = OutboxCounts()
    for state in DeliveryState.allCases { none.byState[state] = 0 }
    var counts: [ExactText: OutboxCounts] = [:]
    for (id, delivery) in deliveries {
      let state = delivery.state(now: now, isClaimed: claimed[id] != nil)
      counts[ExactText(delivery.notification.app), default: none].byState[state, default: 0] += 1
    }
    for app in counts.keys { counts[app]?.firstDueAt = firstDue(of: app) }
    return counts
  }
}
