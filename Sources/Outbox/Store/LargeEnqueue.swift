import Clock

/// An enqueue that is too large for one transaction, because others would have to wait for it.
///
/// The database receives it in parts, between which others write, and shows nothing of it before the last
/// part. Its caller is answered once.
final class LargeEnqueue: Sendable {
  let notifications: [NewNotification]
  let record: IdempotencyRecord?
  let now: Timestamp
  let deliveryCount: Int
  /// The notifications of each part, by their indices.
  let parts: [Range<Int>]
  private let call: TimedCall
  private let completion: QueueWrite.Completion<EnqueueOutcome>

  init(
    _ notifications: [NewNotification], _ record: IdempotencyRecord?, now: Timestamp,
    partDeliveriesMax: Int, call: TimedCall, completion: @escaping QueueWrite.Completion<EnqueueOutcome>
  ) {
    self.notifications = notifications
    self.record = record
    self.now = now
    self.call = call
    self.completion = completion
    var parts: [Range<Int>] = []
    var (start, count, all) = (0, 0, 0)
    for (index, notification) in notifications.enumerated() {
      let next = notification.deliveries.count
      if count > 0, count + next > partDeliveriesMax {
        parts.append(start..<index)
        (start, count) = (index, 0)
      }
      count += next
      all += next
    }
    parts.append(start..<notifications.count)
    self.parts = parts
    deliveryCount = all
  }

  /// Whether to write it. False when its time was over before: then nothing may be written.
  func begin() -> Bool { call.begin() }

  /// Gives it more time: each part has as long as another write has in all.
  func madeProgress() { call.madeProgress() }

  func answer(_ result: Result<EnqueueOutcome, OutboxError>) { completion(result) }
}

extension OutboxError {
  /// The result of a call whose time was over before its turn. Nobody sees it: the call was answered.
  static let late = OutboxError(
    code: .unavailable, description: "the queue's database did not answer in time; nothing was kept")
}
