/// A connection that writes in transactions. Confined to its owner: one thread at a time.
package protocol SQLWriter: SQLConnection {
  associatedtype Connection: SQLConnection

  /// For statements outside its transactions.
  var connection: Connection { get }

  /// Whether a transaction has begun.
  var isOpen: Bool { get }

  /// Begins a transaction unless one is open.
  func begin() throws(DatabaseError)

  /// Runs a statement whose result nobody needs, at the latest before the next one whose result is needed.
  func send(_ sql: String, _ values: [SQLValue]) throws(DatabaseError)

  func commit() throws(DatabaseError)

  /// Takes the transaction back after an error; returns the error with what is known of the outcome.
  func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError
}
