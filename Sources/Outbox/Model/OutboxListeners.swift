/// The callbacks of a store.
///
/// In a struct, because a closure that is itself a generic argument, as in `Mutex<(() -> Void)?>`, is wrapped
/// in a thunk each time it is read and stored, so that it grows with every read.
package struct OutboxListeners: Sendable {
  package var onDue: (@Sendable (_ app: String) -> Void)?
  package var onAccept: (@Sendable (_ app: String) -> Int?)?
  package var onCommit: (@Sendable (OutboxCommit) -> Void)?
  package var onFeedback: (@Sendable () -> Void)?

  package init() {}
}
