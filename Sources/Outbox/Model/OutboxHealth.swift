package import Clock

/// Whether a store can be written, and since when it can or cannot.
package struct OutboxHealth: Sendable {
  /// Why the last write failed; nil while the store can be written.
  package private(set) var degradation: OutboxError?
  /// Apps with deliveries that have been due for long, although this gateway never asked for them: nobody
  /// serves them. In order.
  package internal(set) var unserved: StatusSince<[String]>
  private var works: StatusSince<Bool>

  package init(since: Timestamp) {
    works = StatusSince(true, since: since)
    unserved = StatusSince([], since: since)
  }

  /// When the store became writable or stopped being writable, whatever the reasons were since.
  package var since: Timestamp { works.since }

  /// Records the outcome of a write at `now`: nil for success.
  package mutating func update(_ degradation: OutboxError?, at now: Timestamp) {
    self.degradation = degradation
    works.become(degradation == nil, at: now)
  }
}
