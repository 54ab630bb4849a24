/// Why the queue did not perform an operation.
package struct OutboxError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The disk is full or fails, or the database is locked or out of reach: nothing was kept. Try again
    /// later.
    case unavailable
    /// It may have been kept, or not: the database did not answer in time, or did not confirm that the write
    /// is durable.
    case outcomeUnknown
    /// The queue holds as many deliveries as its configuration allows.
    case full
    /// The queue holds as many deliveries of this client as its share allows.
    case clientFull
    /// The enqueue has more deliveries than the queue, or the client's share of it, holds at all.
    case neverFits(count: Int, limit: Int)
    /// The database is damaged or belongs to another program: an operator must act.
    case corrupt
    /// The record that the call needs is damaged; others are not affected.
    case damagedRecord
    /// Another gateway has taken the turn that the call needs: nothing was kept.
    case turnLost
    /// The store was closed.
    case closed
  }

  package let code: Code
  package let description: String

  package init(code: Code, description: String) {
    self.code = code
    self.description = description
  }

  /// The error if a queue with `count` deliveries has no room for more.
  package static func full(_ count: Int, adding added: Int, of limit: Int) -> OutboxError {
    neverFits(added, of: limit)
      ?? OutboxError(code: .full, description: "the queue holds \(count) deliveries of at most \(limit)")
  }

  /// The error if a client that has `count` deliveries in the queue may not have more.
  package static func clientFull(_ count: Int, adding added: Int, of limit: Int) -> OutboxError {
    neverFits(added, of: limit)
      ?? OutboxError(
        code: .clientFull,
        description: "the queue holds \(count) deliveries of this client, which may have \(limit)")
  }

  private static func neverFits(_ added: Int, of limit: Int) -> OutboxError? {
    guard added > limit else { return nil }
    return OutboxError(
      code: .neverFits(count: added, limit: limit),
      description: "\(added) deliveries at once never fit into the queue, which holds \(limit) of a client")
  }

  /// The error of every call on a closed store.
  package static let closed = OutboxError(code: .closed, description: "the queue is closed")
}
