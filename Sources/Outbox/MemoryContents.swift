internal import Clock
import FCMMessage
import JSON

/// All that a `MemoryOutboxStore` holds: accepting, claiming, settling and reading.
struct MemoryContents {
  /// A delivery with all that is known of it.
  struct Entry {
    var queued: QueuedDelivery
    var state: DeliveryState
    var messageName: String?
    var error: DeliveryError?
    var updatedAt: Timestamp

    func state(now: Timestamp, isClaimed: Bool) -> DeliveryState {
      if isClaimed { return .sending }
      return state == .scheduled && queued.dueAt <= now ? .queued : state
    }
  }

  var isClosed = false
  var health: OutboxHealth
  var webhookCursor: Int64?
  /// What the change that is being made has done.
  var report = OutboxCommit()
  var due: Set<ExactText> = []

  var waiting: [ExactText: [WaitingWindow]] = [:]
  var entries: [DeliveryID: Entry] = [:]
  var notifications: [NotificationID: NewNotification] = [:]
  /// By place in the order of acceptance.
  var order: [Int64: NotificationID] = [:]
  var claimed: Set<DeliveryID> = []
  /// Claimed ones that are to end as cancelled rather than wait again.
  var wished: Set<DeliveryID> = []
  var records: [IdempotencyKey: IdempotencyRecord] = [:]
  var events: [FeedbackEvent] = []
  var depth = 0
  private var nextRow: Int64 = 1
  private var nextEvent: Int64 = 1

  init(since: Timestamp) { health = OutboxHealth(since: since) }

  func outcome(of key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp) -> EnqueueOutcome? {
    guard let record = records[key], now < record.expiresAt else { return nil }
    return record.fingerprint == fingerprint ? .replay(of: record.answer) : .mismatch
  }

  mutating func enqueue(
    _ new: [NewNotification], _ record: IdempotencyRecord?, now: Timestamp, depthMax: Int
  ) throws(OutboxError) -> EnqueueOutcome {
    if let record, let outcome = outcome(of: record.key, fingerprint: record.fingerprint, now: now) {
      return outcome
    }
    try checkDepth(adding: new.reduce(0) { $0 + $1.deliveries.count }, max: depthMax)
    guard Set(new.map(\.id)).count == new.count, new.allSatisfy({ notifications[$0.id] == nil }) else {
      throw OutboxError(
        code: .unavailable, description: "the queue holds such a notification already; nothing was kept")
    }
    for notification in new { insert(notification) }
    if let record { records[record.key] = record }
    return .accepted
  }

  func checkDepth(adding count: Int, max: Int) throws(OutboxError) {
    guard depth + count > max else { return }
    throw OutboxError(code: .full, description: "the queue holds \(depth) deliveries of at most \(max)")
  }

  private mutating func insert(_ new: NewNotification) {
    notifications[new.id] = new
    order[nextRow] = new.id
    nextRow += 1
    let shared = QueuedNotification(new)
    let start = new.start
    for delivery in new.deliveries {
      let queued = QueuedDelivery(
        row: nextRow, id: delivery.id, target: delivery.target, notification: shared, state: start.state,
        attempts: 0, dueAt: start.dueAt, expiresAt: new.expiresAt)
      nextRow += 1
      entries[delivery.id] = Entry(queued: queued, state: start.state, updatedAt: new.createdAt)
      wait(queued)
    }
    depth += new.deliveries.count
    report.calls = 1
    report.deliveries += new.deliveries.count
  }

  mutating func wait(_ delivery: QueuedDelivery) {
    let app = ExactText(delivery.notification.app)
    let priority = delivery.notification.priority.rawValue
    waiting[app, default: [WaitingWindow(), WaitingWindow()]][priority].insert(delivery)
    due.insert(app)
  }

  mutating func claim(app: ExactText, limit: Int, normalMin: Int, now: Timestamp) -> [ClaimedDelivery] {
    let reserved = min(max(0, normalMin), dueCount(of: app, .normal, now: now), limit)
    let high = take(limit - reserved, of: app, .high, now: now)
    return high + take(limit - high.count, of: app, .normal, now: now)
  }

  private func dueCount(of app: ExactText, _ priority: DeliveryPriority, now: Timestamp) -> Int {
    entries.values.count { entry in
      ExactText(entry.queued.notification.app) == app && entry.queued.notification.priority == priority
        && !entry.state.isFinal && !claimed.contains(entry.queued.id) && entry.queued.dueAt <= now
    }
  }

  private mutating func take(
    _ count: Int, of app: ExactText, _ priority: DeliveryPriority, now: Timestamp
  ) -> [ClaimedDelivery] {
    var taken: [ClaimedDelivery] = []
    while taken.count < count, let first = waiting[app]?[priority.rawValue].first, first.dueAt <= now,
      let delivery = waiting[app]?[priority.rawValue].popFirst()
    {
      claimed.insert(delivery.id)
      taken.append(delivery.claimed)
    }
    return taken
  }

  func firstDue(of app: ExactText) -> Timestamp? { waiting[app]?.compactMap { $0.first?.dueAt }.min() }

  mutating func settle(_ settlements: [Settlement]) {
    for settlement in settlements where claimed.remove(settlement.delivery) != nil {
      guard var entry = entries[settlement.delivery] else { continue }
      report.calls = 1
      report.deliveries += 1
      apply(settlement, to: &entry)
      let isCancelled = wished.remove(settlement.delivery) != nil
      if isCancelled, !entry.state.isFinal {
        entry.state = .cancelled
        entry.updatedAt = settlement.at
        report.cancelled[entry.queued.notification.app, default: 0] += 1
      }
      entries[settlement.delivery] = entry
      if entry.state.isFinal { depth -= 1 } else { wait(entry.queued) }
    }
  }

  private mutating func apply(_ settlement: Settlement, to entry: inout Entry) {
    switch settlement.result {
    case .release: return
    case .sent(let name):
      entry.state = .sent
      entry.messageName = name
      entry.queued = entry.queued.retried(at: settlement.at)
    case .retry(let next, let error):
      entry.state = .queued
      entry.error = error
      entry.queued = entry.queued.retried(at: next)
    case .deferred(let until, let error):
      entry.state = .queued
      if !wished.contains(settlement.delivery) { entry.error = error ?? entry.error }
      entry.queued = entry.queued.deferred(until: until)
    case .failed(let error, let isDead):
      entry.state = .failed
      entry.error = error
      entry.queued = entry.queued.retried(at: settlement.at)
      if isDead { tell(of: entry.queued, code: error.code, at: settlement.at) }
    case .expired(let error, let attempted):
      entry.state = .expired
      entry.error = error ?? entry.error
      if error != nil, attempted { entry.queued = entry.queued.retried(at: settlement.at) }
    }
    entry.updatedAt = settlement.at
  }

  private mutating func tell(of delivery: QueuedDelivery, code: String, at: Timestamp) {
    switch delivery.target {
    case .topic, .condition: return
    case .token, .fid: break
    }
    events.append(
      FeedbackEvent(
        id: nextEvent, app: delivery.notification.app, target: delivery.target, code: code,
        notification: delivery.notification.id, at: at, trace: delivery.notification.trace))
    nextEvent += 1
    report.feedbackEvents += 1
  }

  func stored(_ id: NotificationID, now: Timestamp) -> StoredNotification? {
    guard let notification = notifications[id] else { return nil }
    let deliveries = notification.deliveries.compactMap { entries[$0.id] }.map { entry in
      StoredNotification.Delivery(
        id: entry.queued.id, target: entry.queued.target,
        state: entry.state(now: now, isClaimed: claimed.contains(entry.queued.id)),
        attempts: entry.queued.attempts, nextAttemptAt: entry.state.isFinal ? nil : entry.queued.dueAt,
        messageName: entry.messageName, error: entry.error, updatedAt: entry.updatedAt)
    }
    return StoredNotification(
      id: id, app: notification.app, template: notification.template, client: notification.client,
      createdAt: notification.createdAt, deliveries: deliveries)
  }

  func counts(now: Timestamp) -> [String: OutboxCounts] {
    var none = OutboxCounts()
    for state in DeliveryState.allCases { none.byState[state] = 0 }
    var counts: [String: OutboxCounts] = [:]
    for (id, entry) in entries {
      let state = entry.state(now: now, isClaimed: claimed.contains(id))
      counts[entry.queued.notification.app, default: none].byState[state, default: 0] += 1
    }
    for app in counts.keys { counts[app]?.firstDueAt = firstDue(of: ExactText(app)) }
    return counts
  }
}
