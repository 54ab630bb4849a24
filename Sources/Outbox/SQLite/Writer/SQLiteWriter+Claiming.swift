internal import Clock
import JSON

extension SQLiteWriter {
  /// Deliveries read at a time when a window is empty.
  private static let refillCount = 1_000

  func claim(
    app name: String, limit: Int, normalMin: Int, now: Timestamp
  ) throws(SQLiteError) -> ClaimedDeliveries {
    guard let app = apps[ExactText(name)] else { return ClaimedDeliveries([], nextDue: .some(nil)) }
    try passSchedule(app, now: now)
    let reserved = max(0, min(normalMin, limit))
    var high: [QueuedDelivery] = []
    var normal: [QueuedDelivery] = []
    do throws(SQLiteError) {
      try take(&high, upTo: limit - reserved, of: app, .high, now: now)
      try take(&normal, upTo: limit - high.count, of: app, .normal, now: now)
      try take(&high, upTo: limit - normal.count, of: app, .high, now: now)
    } catch {
      for delivery in high + normal {
        app.unclaimed()
        add(delivery, to: app)
      }
      throw error
    }
    let taken = (high + normal).map(Claim.init)
    claims.insert(taken)
    let deliveries = taken.map(\.claimed)
    guard taken.count < limit else { return ClaimedDeliveries(deliveries) }
    do throws(SQLiteError) {
      return ClaimedDeliveries(deliveries, nextDue: .some(try firstDue(app)))
    } catch {
      // What was claimed must not be lost; the caller's own query meets the error again and reports it.
      return ClaimedDeliveries(deliveries)
    }
  }

  /// Adds due deliveries to `taken` until it has `count`. On failure it contains what was taken from the
  /// window.
  private func take(
    _ taken: inout [QueuedDelivery], upTo count: Int, of app: AppQueue, _ priority: DeliveryPriority,
    now: Timestamp
  ) throws(SQLiteError) {
    while taken.count < count {
      try refill(app, priority)
      guard let delivery = app.popDue(priority, now: now) else { return }
      inMemory -= 1
      do throws(SQLiteError) {
        let mustHold = try mustHold(delivery, app, now: now)
        if mustHold || recoveredCancellations.contains(delivery.row) {
          app.unclaimed()
        } else {
          taken.append(delivery)
        }
      } catch {
        taken.append(delivery)
        throw error
      }
    }
  }

  /// When the app's first waiting delivery is due.
  func nextDue(app name: String) throws(SQLiteError) -> Timestamp? {
    guard let app = apps[ExactText(name)] else { return nil }
    return try firstDue(app)
  }

  func counts(now: Timestamp) throws(SQLiteError) -> [ExactText: OutboxCounts] {
    var counts: [ExactText: OutboxCounts] = [:]
    for app in apps.values {
      try passSchedule(app, now: now)
      _ = try firstDue(app)
      counts[ExactText(app.name)] = app.counts
    }
    return counts
  }

  /// The apps whose first waiting delivery has been due since `moment` or longer.
  func appsDue(since moment: Timestamp) throws(SQLiteError) -> [String] {
    var names: [String] = []
    for app in apps.values {
      if let first = try firstDue(app), first <= moment { names.append(app.name) }
    }
    return names
  }

  private func firstDue(_ app: AppQueue) throws(SQLiteError) -> Timestamp? {
    for priority in [DeliveryPriority.high, .normal] { try refill(app, priority) }
    return app.firstDue
  }

  /// Reads from disk if a window is empty and more may wait beyond the horizon. Claimed deliveries usually
  /// lie before the horizon, except where older deliveries have moved the horizon back.
  private func refill(_ app: AppQueue, _ priority: DeliveryPriority) throws(SQLiteError) {
    let isFull = inMemory >= configuration.windowTotalMax
    let limit = max(1, min(Self.refillCount, isFull ? configuration.windowMin : configuration.windowMax))
    while app.lanes[priority.rawValue].window.isEmpty, let horizon = app.lanes[priority.rawValue].horizon {
      let page = try statements.waiting(app, priority, from: horizon, limit: limit, indexed: indexed)
      met(unreadable: page.unreadable)
      let waiting = claims.waiting(of: page.deliveries)
      app.refill(priority, with: waiting, next: page.next)
      inMemory += waiting.count
    }
  }

  /// Counts deliveries scheduled up to `now` as queued; each scheduled delivery is counted once, by index.
  private func passSchedule(_ app: AppQueue, now: Timestamp) throws(SQLiteError) {
    guard now > app.scheduleSeen else { return }
    let count = app.ahead == 0 ? 0 : try statements.scheduled(app: app.id, after: app.scheduleSeen, to: now)
    app.schedulePassed(count, now: now)
  }
}
