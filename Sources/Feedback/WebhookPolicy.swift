internal import DeliveryReports

/// When and how many webhook requests are sent. Times in milliseconds.
struct WebhookPolicy: Sendable {
  /// When an event is attempted, counted from its first failure (Standard Webhooks' example schedule); after
  /// the last attempt it is given up.
  var schedule: [Int64] = [
    0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ]
  /// The part of its wait by which an attempt is delayed at most, so that events that failed together spread
  /// out.
  var jitter = 0.1
  /// Requests under way.
  var inFlightMax = 4
  /// The same with outcomes, of which there may be one for each message.
  static let inFlightMaxWithOutcomes = 16
  /// Events in memory that never failed: not yet attempted, or being sent for the first time.
  var outstandingMax = 100
  /// Events in memory that failed and are not given up. Usually they take less than 1 KB each.
  var failedMax = 10_000
  /// Events that fail, with none delivered between them, before the receiver counts as degraded.
  var failuresMax = 5
  /// While the receiver is degraded, one event is attempted after the first interval, then after intervals
  /// that double up to the second.
  var probeIntervalMin: Int64 = 10_000
  var probeIntervalMax: Int64 = 300_000
  /// Over how long a hundred failed events are attempted again once the receiver has recovered; more of them
  /// take longer in proportion.
  var recoverySpread: Int64 = 30_000
  /// A longer `Retry-After` is capped at this.
  var retryAfterMax: Int64 = 86_400_000
  /// The wait before the queue is read or written again after a failure.
  var storeBackoff: Int64 = 5_000
}

extension WebhookPolicy {
  /// The policy for a webhook that carries these events.
  init(events: Set<WebhookEventType>) {
    self.init()
    if !events.outcomes.isEmpty { inFlightMax = Self.inFlightMaxWithOutcomes }
  }
}
