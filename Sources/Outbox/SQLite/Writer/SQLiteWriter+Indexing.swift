import FCMMessage
import JSON

/// Bringing the indexes and the counts up to date: see `Tail`.
extension SQLiteWriter {
  /// Reads the tail of a database.
  static func tail(of connection: SQLiteConnection) throws(SQLiteError) -> Tail {
    let indexed = try ChangeStatements(connection).mark(.indexed) ?? 0
    return Tail(try TailStatements(connection).ids(after: indexed))
  }

  /// Adds to the indexes everything that the database has, including what this transaction has written.
  func indexAll(_ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    try index(upTo: nextRow - 1, &transaction)
  }

  /// Adds to the indexes the notifications up to `last`, and their deliveries to the stored counts.
  func index(upTo last: Int64, _ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    guard last > transaction.indexed else { return }
    try begin(&transaction)
    let rows = transaction.indexed + 1...last
    try tailing.index(rows)
    for (app, state, count) in try tailing.states(in: rows) {
      try statements.count(count, app: app, state: state.rawValue)
    }
    try changing.setMark(.indexed, to: last)
    transaction.indexed(upTo: last)
  }

  /// Keeps the tail short. What a long one had before this transaction is indexed: what the transaction
  /// itself has accepted will soon have ended, and then never needs to be listed as waiting. A transaction
  /// that accepts nothing does not make the tail longer, and may have to fit on a full disk.
  func indexIfLong(before firstRow: Int64, _ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    guard nextRow > firstRow, transaction.indexed == indexed,
      tailDeliveries >= configuration.tailDeliveriesMax
    else { return }
    try index(upTo: firstRow - 1, &transaction)
  }

  /// Throws if there is a notification with this id already. Ids ascend, so that it rarely has to be looked
  /// up.
  func requireNew(_ id: NotificationID, _ transaction: SQLiteTransaction) throws(SQLiteError) {
    guard let newest = newestID, id <= newest else {
      newestID = id
      return
    }
    let known = if let row = transaction.tail[id] { row } else { try reading.row(of: id) }
    guard known == nil else { throw SQLiteError.duplicateID }
  }
}
