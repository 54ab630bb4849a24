package import Clock
package import Outbox
package import SendingLimits

// What a queue in a test need not say: that it has one gateway, and nothing in it waits.

extension DeliveryQueue {
  package var now: Timestamp { .now }

  package var gatewayCount: Int { 1 }

  package var sharedLimits: (any SharedLimits)? { nil }

  package func onAccept(_ offer: @escaping @Sendable (_ app: String) -> Int?) {}

  /// Records outcomes at once.
  package func settle(
    _ settlements: [Settlement], completion: @escaping @Sendable (Result<[DeliveryID], OutboxError>) -> Void
  ) {
    settle(settlements, waitMilliseconds: 0, completion: completion)
  }

  /// For a queue in which nothing waits.
  package func settleNow() {}

  /// For a queue that reports no apps.
  package func serve(only apps: [String]) {}

  /// For a queue with one gateway, which holds its claims until it settles them.
  package func holds(_ delivery: ClaimedDelivery) -> Bool { true }
}

extension OutboxStore {
  package var diskSpace: OutboxDiskSpace? { nil }

  package var clockSkewMilliseconds: Int64? { nil }

  package var lostLeaseCount: Int { 0 }

  /// For a store with one gateway, whose turn it always is.
  package func endWebhook() {}

  /// For a store with one gateway: there are no others.
  package func onFeedback(_ notify: @escaping @Sendable () -> Void) {}

  /// Keeps `notifications`, all or none, without an idempotency key.
  package func enqueue(
    _ notifications: [NewNotification], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    enqueue(notifications, idempotency: nil) { result in completion(result.map { _ in }) }
  }
}
