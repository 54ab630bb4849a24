/// A connection for reading, made when it is needed first, and again after it was lost.
///
/// Guard: it is used on one queue alone.
package final class PostgresReader: @unchecked Sendable {
  private var connection: PostgresConnection?

  package init() {}

  /// Reads, over a new connection from `open` if the old one was lost: an idle connection may have died
  /// unnoticed; only a new one that dies shows that the database is away.
  package func read<Value>(
    opening open: () throws(DatabaseError) -> PostgresConnection,
    _ body: (PostgresConnection) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    do throws(DatabaseError) {
      if let connection { return try body(connection) }
    } catch {
      guard error.isConnectionLost else { throw error }
      connection = nil
    }
    let opened = try open()
    try opened.execute("SET default_transaction_read_only = on")
    connection = opened
    do throws(DatabaseError) {
      return try body(opened)
    } catch {
      if error.isConnectionLost { connection = nil }
      throw error
    }
  }

  package func close() { connection = nil }
}
