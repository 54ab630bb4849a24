/// A state and the moment it began.
package struct Standing<State: Equatable & Sendable>: Sendable, Equatable {
  package private(set) var state: State
  package private(set) var since: Timestamp

  package init(_ state: State, since: Timestamp) {
    self.state = state
    self.since = since
  }

  /// Takes the state at `now`; one that is the same began when it did.
  package mutating func become(_ new: State, at now: Timestamp) {
    guard new != state else { return }
    state = new
    since = now
  }
}

/// Whether a store can be written, and since when it can or cannot.
package struct OutboxHealth: Sendable {
  /// Why the last write failed; nil while the store can be written.
  package private(set) var degradation: OutboxError?
  private var works: Standing<Bool>

  package init(since: Timestamp) { works = Standing(true, since: since) }

  /// When the store became writable or stopped being writable, whatever the reasons were since.
  package var since: Timestamp { works.since }

  /// Records the outcome of a write at `now`: nil for success.
  package mutating func update(_ degradation: OutboxError?, at now: Timestamp) {
    self.degradation = degradation
    works.become(degradation == nil, at: now)
  }
}
