/// One of the backend's connections for reading, made when it is needed first.
///
/// Guard: it is used on one of the store's reading queues alone.
final class PostgresReading: @unchecked Sendable {
  private var reader: PostgresReader?

  /// Reads, over a new connection if the old one was lost. A failed read does not degrade the store: the
  /// writer has a connection of its own.
  func read<Value>(
    in backend: PostgresBackend, _ body: (PostgresReader) throws(PostgresError) -> Value
  ) throws(BackendError) -> Value {
    do throws(PostgresError) {
      let isOld = reader != nil
      do throws(PostgresError) {
        return try body(try open(in: backend))
      } catch {
        guard error.isConnectionLost else { throw error }
        reader = nil
        // An idle connection may have died unnoticed; only a new one that dies shows that the database is
        // away.
        guard isOld else { throw error }
        return try body(try open(in: backend))
      }
    } catch {
      throw BackendError(.operation, error.outboxError)
    }
  }

  func close() { reader = nil }

  private func open(in backend: PostgresBackend) throws(PostgresError) -> PostgresReader {
    if let reader { return reader }
    let connection = try backend.openConnection()
    try connection.execute("SET default_transaction_read_only = on")
    let opened = PostgresReader(connection: connection)
    reader = opened
    return opened
  }
}
