internal import SQL

/// One of the database's connections for reading, made when it is needed first.
///
/// Guard: it is used on one of the store's reading queues alone.
final class PostgresReading: @unchecked Sendable {
  private var connection: PostgresConnection?

  /// Reads, over a new connection if the old one was lost. A failed read does not degrade the store: the
  /// writer has a connection of its own.
  func read<Value>(
    in database: PostgresDatabase, _ body: (QueueReader) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    do throws(DatabaseError) {
      let isOld = connection != nil
      do throws(DatabaseError) {
        return try body(try open(in: database))
      } catch {
        guard error.isConnectionLost else { throw error }
        connection = nil
        // An idle connection may have died unnoticed; only a new one that dies shows that the database is
        // away.
        guard isOld else { throw error }
        return try body(try open(in: database))
      }
    } catch {
      throw error.kind == .unreadableRecord ? error : .operation(error.outboxError)
    }
  }

  func close() { connection = nil }

  private func open(in database: PostgresDatabase) throws(DatabaseError) -> QueueReader {
    if connection == nil {
      let opened = try database.openConnection()
      try opened.execute("SET default_transaction_read_only = on")
      connection = opened
    }
    guard let connection else { throw .operation(.outOfReach) }
    return QueueReader(connection: connection, claims: database.memory.claims)
  }
}
