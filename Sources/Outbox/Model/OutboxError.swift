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
    /// The database is damaged or belongs to another program: an operator must act.
    case corrupt
    /// The store was closed.
    case closed
  }

  package let code: Code
  package let description: String

  package init(code: Code, description: String) {
    self.code = code
    self.description = description
  }

  /// The error of every call on a closed store.
  package static let closed = OutboxError(code: .closed, description: "the queue is closed")
}
