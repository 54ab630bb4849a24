import Clock

/// An enqueue that is too large for one transaction, because others would have to wait for it.
///
/// The database receives it in parts, between which others write, and shows nothing of it before the last
/// part. Its caller is answered once.
final class LargeEnqueue: Sendable {
  let work: NewWork
  /// The notifications of each part, by their indices.
  let parts: [Range<Int>]
  /// Begins when it is written; each part then has as long as another write has in all.
  let call: TimedCall

  init(_ work: NewWork, partDeliveriesMax: Int, call: TimedCall) {
    self.work = work
    self.call = call
    var parts: [Range<Int>] = []
    var (start, count) = (0, 0)
    for (index, notification) in work.notifications.enumerated() {
      let next = notification.deliveries.count
      if count > 0, count + next > partDeliveriesMax {
        parts.append(start..<index)
        (start, count) = (index, 0)
      }
      count += next
    }
    parts.append(start..<work.notifications.count)
    self.parts = parts
  }
}

extension OutboxError {
  /// The result of a call whose time was over before its turn. Nobody sees it: the call was answered.
  static let late = OutboxError(
    code: .unavailable, description: "the queue's database did not answer in time; nothing was kept")
}
