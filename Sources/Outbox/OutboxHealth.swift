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
  /// Why the last write failed; nil where all is well.
  package private(set) var trouble: OutboxError?
  private var works: Standing<Bool>

  init(since: Timestamp) { works = Standing(true, since: since) }

  /// When it began to work, or to fail for whatever reasons.
  package var since: Timestamp { works.since }

  mutating func become(_ trouble: OutboxError?, at now: Timestamp) {
    self.trouble = trouble
    works.become(trouble == nil, at: now)
  }
}
