/// The transactions of the connection that writes a database. Confined like it.
package final class SQLiteWriter: SQLWriter {
  package let connection: SQLiteConnection
  package private(set) var isOpen = false
  private let beginning: SQLiteStatement
  private let committing: SQLiteStatement
  private let rollingBack: SQLiteStatement
  private let probing: SQLiteStatement

  /// `probe` is a statement that changes a page of its own.
  package init(_ connection: SQLiteConnection, probe: String) throws(DatabaseError) {
    self.connection = connection
    beginning = try connection.prepare("BEGIN IMMEDIATE")
    committing = try connection.prepare("COMMIT")
    rollingBack = try connection.prepare("ROLLBACK")
    probing = try connection.prepare(probe)
  }

  package var dialect: SQLDialect { .sqlite }

  /// Begins a transaction first if the statement writes.
  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult {
    if try !connection.statement(sql).isReadOnly { try begin() }
    return try connection.run(sql, values)
  }

  package func send(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) { try run(sql, values) }

  package func begin() throws(DatabaseError) {
    guard !isOpen else { return }
    try beginning.run()
    isOpen = true
  }

  package func commit() throws(DatabaseError) {
    if isOpen { try committing.run() }
    isOpen = false
  }

  package func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError {
    guard isOpen else { return error }
    isOpen = false
    takeBack()
    switch error.kind {
    case .constraint, .unreadableRecord, .operation: return error
    default: break
    }
    var failure = error
    // On a full disk, the write of a page failed, so that the log lacks the end of the transaction.
    failure.isOutcomeUnknown = !overwriteLog() && isCommitting && error.kind != .full
    return failure
  }

  private func takeBack() {
    guard connection.isInTransaction else { return }
    // It fails only if the transaction is over already; otherwise the next BEGIN fails.
    do throws(DatabaseError) { try rollingBack.run() } catch {}
  }

  /// Overwrites what a failed transaction has left in the log.
  ///
  /// When the sync after a COMMIT fails, the log holds the whole transaction, its end included. A start after
  /// a crash would then restore it, although its callers were answered that it was not kept. Frames after an
  /// overwritten one are void, because each checksum covers all before it (SQLite file format, §4.2), so that
  /// a write of one page is enough, whether or not it can be synced. False while even that fails; then a
  /// later `probe` writes the same page.
  private func overwriteLog() -> Bool {
    do throws(DatabaseError) { try probe() } catch { return error.kind == .sync }
    return true
  }

  /// Throws if the database cannot be written.
  package func probe() throws(DatabaseError) {
    do throws(DatabaseError) {
      try beginning.run()
      try probing.run()
      try committing.run()
    } catch {
      takeBack()
      throw error
    }
  }
}
