/// When and how many webhook requests go out. Times in milliseconds.
struct WebhookPolicy: Sendable {
  /// When an event is tried, counted from its first failure (Standard Webhooks' example schedule); after the last of
  /// them it is given up.
  var schedule: [Int64] = [
    0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ]
  /// A try comes up to this part of its time later, so that events that failed together do not come together.
  var jitter = 0.1
  /// Requests under way.
  var inFlightMax = 4
  /// Events in memory that are not done: being sent, waiting for another try, or not yet tried.
  var outstandingMax = 100
  /// Events that fail, with none delivered between them, before the receiver itself is taken to be in trouble.
  var failuresMax = 5
  /// While the receiver is in trouble, one event is tried after the first time, then after twice as long each time, up
  /// to the second.
  var probeIntervalMin: Int64 = 10_000
  var probeIntervalMax: Int64 = 300_000
  /// Over how long failed events are tried again when the receiver is out of trouble.
  var recoverySpread: Int64 = 30_000
  /// A longer `Retry-After` is taken for this long.
  var retryAfterMax: Int64 = 86_400_000
  /// Between two tries to read or write the queue when it failed.
  var storeBackoff: Int64 = 5_000
}
