import JSON

extension QueueWriter {
  /// Deliveries read at a time when a window has run empty.
  private static let refillCount = 1_000

  func claim(app name: String, limit: Int, now: Timestamp) throws(SQLiteFailure) -> [ClaimedDelivery] {
    guard let app = apps[ExactText(name)] else { return [] }
    try passSchedule(app, now: now)
    var taken: [QueuedDelivery] = []
    taken.reserveCapacity(min(limit, app.inMemory))
    do throws(SQLiteFailure) {
      for priority in [DeliveryPriority.high, .normal] {
        while taken.count < limit {
          try refill(app, priority)
          guard let delivery = app.popDue(priority, now: now) else { break }
          inMemory -= 1
          taken.append(delivery)
        }
      }
    } catch {
      for delivery in taken {
        app.unclaimed()
        add(delivery, to: app)
      }
      throw error
    }
    claims.insert(taken)
    return taken.map(\.claimed)
  }

  /// When the app's first waiting delivery is due.
  func nextDue(app name: String) throws(SQLiteFailure) -> Timestamp? {
    guard let app = apps[ExactText(name)] else { return nil }
    for priority in [DeliveryPriority.high, .normal] { try refill(app, priority) }
    return app.firstDue
  }

  func counts(now: Timestamp) throws(SQLiteFailure) -> [String: OutboxCounts] {
    var counts: [String: OutboxCounts] = [:]
    for app in apps.values {
      try passSchedule(app, now: now)
      counts[app.name] = app.counts
    }
    return counts
  }

  /// Reads from disk where a window is empty and more may wait beyond the horizon. What is claimed lies before
  /// the horizon as a rule, but not where older deliveries have pushed the horizon back since.
  private func refill(_ app: AppQueue, _ priority: DeliveryPriority) throws(SQLiteFailure) {
    let isFull = inMemory >= configuration.windowTotalMax
    let limit = min(Self.refillCount, isFull ? configuration.windowMin : configuration.windowMax)
    while app.lanes[priority.rawValue].window.isEmpty, let horizon = app.lanes[priority.rawValue].horizon {
      let page = try statements.waiting(app, priority, from: horizon, limit: limit)
      let next = page.count < limit ? nil : page.last.map { DueKey(at: $0.dueAt, row: $0.row + 1) }
      let waiting = claims.waiting(of: page)
      app.refill(priority, with: waiting, next: next)
      inMemory += waiting.count
    }
  }

  /// Counts as queued what was scheduled up to `now`; each scheduled delivery is counted once, by index.
  private func passSchedule(_ app: AppQueue, now: Timestamp) throws(SQLiteFailure) {
    guard now > app.scheduleSeen else { return }
    let count = app.ahead == 0 ? 0 : try statements.scheduled(app: app.id, after: app.scheduleSeen, to: now)
    app.schedulePassed(count, now: now)
  }
}
