package import Clock

/// Whether a store can be written, and since when it can or cannot.
package struct OutboxHealth: Sendable {
  /// Why the last write failed; nil where all is well.
  package private(set) var trouble: OutboxError?
  private var works: StatusSince<Bool>

  init(since: Timestamp) { works = StatusSince(true, since: since) }

  /// When it began to work, or to fail for whatever reasons.
  package var since: Timestamp { works.since }

  mutating func become(_ trouble: OutboxError?, at now: Timestamp) {
    self.trouble = trouble
    works.become(trouble == nil, at: now)
  }
}
