/// Whom a store tells of what it does.
///
/// In a struct, because a closure that is itself what a generic holds, as in `Mutex<(() -> Void)?>`, comes out of it
/// wrapped in a thunk and is put back so: with each reading it would grow by a thunk more.
struct OutboxListeners: Sendable {
  var onDue: (@Sendable (_ app: String) -> Void)?
  var onCommit: (@Sendable (OutboxCommit) -> Void)?
  var onFeedback: (@Sendable () -> Void)?
}
