import Dispatch
import JSON
import Synchronization

/// The queue in memory, for tests: nothing outlives it. It keeps the same rules as the durable store, written
/// down a second time and as plainly as possible.
package final class MemoryOutboxStore: OutboxStore {
  private let configuration: OutboxConfiguration
  private let clock: @Sendable () -> Timestamp
  private let queue = DispatchQueue(label: "dragoman.outbox.memory")
  private let contents = Mutex(Contents())
  private let notify = Mutex<(@Sendable (String) -> Void)?>(nil)

  package init(
    configuration: OutboxConfiguration = OutboxConfiguration(),
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.configuration = configuration
    self.clock = clock
  }

  package var trouble: OutboxError? { contents.withLock { $0.trouble } }

  /// Lets every write fail with `error` from now on, as a full disk would; nil ends that.
  package func failWrites(with error: OutboxError?) { contents.withLock { $0.trouble = error } }

  package func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void) {
    self.notify.withLock { $0 = notify }
  }

  package func enqueue(
    _ notifications: [NewNotification], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    change(completion) { [configuration] contents throws(OutboxError) in
      try contents.enqueue(notifications, depthMax: configuration.depthMax)
    }
  }

  package func settle(
    _ settlements: [Settlement], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    change(completion) { contents throws(OutboxError) in try contents.settle(settlements) }
  }

  package func claim(
    app: String, limit: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<[ClaimedDelivery], OutboxError>) -> Void
  ) {
    ask(completion) { $0.claim(app: ExactText(app), limit: limit, now: now) }
  }

  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    ask(completion) { $0.waiting[ExactText(app)]?.compactMap { $0.first?.dueAt }.min() }
  }

  package func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    ask(completion) { [clock] in $0.stored(id, now: clock()) }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[String: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(completion) { [clock] in $0.counts(now: clock()) }
  }

  package func close() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        contents.withLock { $0.isClosed = true }
        continuation.resume()
      }
    }
  }

  private func ask<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (inout Contents) -> Value
  ) {
    queue.async { [self] in
      completion(contents.withLock { $0.isClosed ? .failure(.closed) : .success(body(&$0)) })
    }
  }

  private func change(
    _ completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void,
    _ body: @escaping @Sendable (inout Contents) throws(OutboxError) -> Set<ExactText>
  ) {
    queue.async { [self] in
      let result = contents.withLock { contents -> Result<Set<ExactText>, OutboxError> in
        if contents.isClosed { return .failure(.closed) }
        if let trouble = contents.trouble { return .failure(trouble) }
        do throws(OutboxError) { return .success(try body(&contents)) } catch { return .failure(error) }
      }
      completion(result.map { _ in })
      if case .success(let apps) = result, let notify = notify.withLock({ $0 }) {
        for app in apps { notify(app.text) }
      }
    }
  }
}

extension MemoryOutboxStore {
  /// A delivery with all that is known of it.
  private struct Entry {
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

  private struct Contents {
    var isClosed = false
    var trouble: OutboxError?
    var waiting: [ExactText: [WaitingWindow]] = [:]
    private var entries: [DeliveryID: Entry] = [:]
    private var notifications: [NotificationID: NewNotification] = [:]
    private var claimed: Set<DeliveryID> = []
    private var nextRow: Int64 = 1
    private var depth = 0

    mutating func enqueue(_ new: [NewNotification], depthMax: Int) throws(OutboxError) -> Set<ExactText> {
      let count = new.reduce(0) { $0 + $1.deliveries.count }
      guard depth + count <= depthMax else {
        throw OutboxError(
          code: .full, description: "the queue holds \(depth) deliveries of at most \(depthMax)")
      }
      guard Set(new.map(\.id)).count == new.count, new.allSatisfy({ notifications[$0.id] == nil }) else {
        throw OutboxError(
          code: .unavailable,
          description: "the queue holds such a notification already; nothing was kept")
      }
      for notification in new { insert(notification) }
      depth += count
      return Set(new.map { ExactText($0.app) })
    }

    private mutating func insert(_ new: NewNotification) {
      notifications[new.id] = new
      let shared = QueuedNotification(new)
      let start = new.start
      for delivery in new.deliveries {
        let queued = QueuedDelivery(
          row: nextRow, id: delivery.id, target: delivery.target, notification: shared, state: start.state,
          attempts: 0, dueAt: start.dueAt)
        nextRow += 1
        entries[delivery.id] = Entry(queued: queued, state: start.state, updatedAt: new.createdAt)
        wait(queued)
      }
    }

    private mutating func wait(_ delivery: QueuedDelivery) {
      waiting[ExactText(delivery.notification.app), default: [WaitingWindow(), WaitingWindow()]][
        delivery.notification.priority.rawValue
      ].insert(delivery)
    }

    mutating func claim(app: ExactText, limit: Int, now: Timestamp) -> [ClaimedDelivery] {
      var taken: [ClaimedDelivery] = []
      for priority in [DeliveryPriority.high.rawValue, DeliveryPriority.normal.rawValue] {
        while taken.count < limit, let first = waiting[app]?[priority].first, first.dueAt <= now,
          let delivery = waiting[app]?[priority].popFirst()
        {
          claimed.insert(delivery.id)
          taken.append(delivery.claimed)
        }
      }
      return taken
    }

    mutating func settle(_ settlements: [Settlement]) throws(OutboxError) -> Set<ExactText> {
      var apps: Set<ExactText> = []
      for settlement in settlements where claimed.remove(settlement.delivery) != nil {
        guard var entry = entries[settlement.delivery] else { continue }
        apply(settlement, to: &entry)
        entries[settlement.delivery] = entry
        if entry.state.isFinal {
          depth -= 1
        } else {
          wait(entry.queued)
          apps.insert(ExactText(entry.queued.notification.app))
        }
      }
      return apps
    }

    private func apply(_ settlement: Settlement, to entry: inout Entry) {
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
      case .failed(let error, _):
        entry.state = .failed
        entry.error = error
        entry.queued = entry.queued.retried(at: settlement.at)
      case .expired(let error):
        entry.state = .expired
        entry.error = error ?? entry.error
      }
      entry.updatedAt = settlement.at
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
      return counts
    }
  }
}
