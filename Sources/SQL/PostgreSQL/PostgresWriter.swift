/// The transactions of a connection to PostgreSQL, in as few round trips as possible: statements whose
/// results nobody needs share one with the next whose result is needed. Confined like the connection.
package final class PostgresWriter: SQLWriter {
  package let connection: PostgresConnection
  package private(set) var isOpen = false
  private var pending = PostgresBatch()

  package init(_ connection: PostgresConnection) { self.connection = connection }

  package var dialect: SQLDialect { .postgres }

  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult {
    guard !pending.isEmpty else { return try connection.run(sql, values) }
    var batch = takePending()
    let place = batch.add(sql, values)
    return try connection.run(batch)[place]
  }

  package func send(_ sql: String, _ values: [SQLValue]) { pending.add(sql, values) }

  /// The statements that wait, for a batch of the caller's own.
  package func takePending() -> PostgresBatch {
    defer { pending = PostgresBatch() }
    return pending
  }

  package func begin() {
    guard !isOpen else { return }
    isOpen = true
    pending.add("BEGIN ISOLATION LEVEL READ COMMITTED")
  }

  package func commit() throws(DatabaseError) {
    pending.add("COMMIT")
    isOpen = false
    try connection.runCommitting(takePending())
  }

  package func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError {
    pending = PostgresBatch()
    isOpen = false
    guard !error.isConnectionLost else { return error }
    // It fails if the connection does, and then there is nothing left to roll back.
    do throws(DatabaseError) { try connection.execute("ROLLBACK") } catch {}
    return error
  }

  package func inTransaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    do throws(DatabaseError) {
      begin()
      try body()
      try commit()
    } catch {
      throw rollBack(after: error, isCommitting: false)
    }
  }
}
