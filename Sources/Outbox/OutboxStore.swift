package import FCMMessage

/// A delivery that was claimed for one attempt.
package struct ClaimedDelivery: Sendable {
  package let id: DeliveryID
  package let notification: NotificationID
  package let app: String
  package let target: Target
  package let message: SealedMessage
  package let priority: DeliveryPriority
  /// Attempts counted before this one.
  package let attempts: Int
  package let createdAt: Timestamp
  package let expiresAt: Timestamp

  package init(
    id: DeliveryID, notification: NotificationID, app: String, target: Target, message: SealedMessage,
    priority: DeliveryPriority, attempts: Int, createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.id = id
    self.notification = notification
    self.app = app
    self.target = target
    self.message = message
    self.priority = priority
    self.attempts = attempts
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}

/// What became of a claimed delivery.
package struct Settlement: Sendable {
  package enum Result: Sendable {
    case sent(messageName: String)
    /// Back to the queue, to be tried at `at`.
    case retry(at: Timestamp, error: DeliveryError)
    /// Back to the queue as it was, with no attempt counted.
    case release
    case failed(error: DeliveryError)
    case expired(error: DeliveryError?)
  }

  package let delivery: DeliveryID
  package let at: Timestamp
  package let result: Result

  package init(delivery: DeliveryID, at: Timestamp, result: Result) {
    self.delivery = delivery
    self.at = at
    self.result = result
  }
}

/// Why the queue could not do what it was asked.
package struct OutboxError: Error, Sendable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// Disk full, I/O error, locked: nothing was kept, try again later.
    case unavailable
    /// The queue holds as many deliveries as it may.
    case full
    /// The database is damaged or of another program; an operator must act.
    case corrupt
    /// The store was closed.
    case closed
  }

  package let code: Code
  package let description: String

  package init(code: Code, description: String) {
    self.code = code
    self.description = description
  }
}

/// How many deliveries of an app are in each state.
package struct OutboxCounts: Sendable, Equatable {
  package var byState: [DeliveryState: Int] = [:]
  package init() {}
}

/// The durable queue: one protocol, several stores, one conformance suite.
///
/// All calls return at once. Completions are called exactly once, on the store's own thread, in the order of the
/// commits; they must not block. Those of `notification` may come from a second thread of the store's.
package protocol OutboxStore: Sendable {
  /// Keeps `notifications`, all or none. `completion` gets success only when they are on disk.
  func enqueue(
    _ notifications: [NewNotification], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void)

  /// Claims up to `limit` due deliveries of `app`: high priority first, then by when they became due. What is
  /// claimed stays so until it is settled or the process ends. Fewer than `limit` means that no more are due now.
  func claim(
    app: String, limit: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<[ClaimedDelivery], OutboxError>) -> Void)

  /// Records outcomes. On failure all of them stay claimed, and the caller tries again. What is not claimed, being
  /// settled already say, is passed over, so that trying again is harmless.
  func settle(
    _ settlements: [Settlement], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void)

  /// When the next delivery of `app` that is not claimed becomes due; nil when none waits.
  func nextDue(app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void)

  func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void)

  /// Deliveries by app and state; for stats and health.
  func counts(completion: @escaping @Sendable (Result<[String: OutboxCounts], OutboxError>) -> Void)

  /// Called after each commit that made deliveries of `app` due earlier than what `claim` last said, on the
  /// store's thread. Set once, before the first call.
  func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void)

  /// Whether the last write succeeded; nil where all is well, else why not. A store in trouble tries by itself
  /// whether it is over.
  var trouble: OutboxError? { get }

  /// Finishes what was asked before and closes. Further calls fail with `closed`.
  func close() async
}
