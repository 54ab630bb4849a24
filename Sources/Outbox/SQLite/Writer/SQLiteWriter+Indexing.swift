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

  /// Keeps the tail short. Of a long one, its oldest part is indexed: few enough that the callers of this
  /// transaction hardly wait longer than others, and what is newer will soon have ended, and then never needs
  /// to be listed as waiting. A transaction that accepts nothing does not make the tail longer, and may have
  /// to fit on a full disk.
  func indexIfLong(before firstRow: Int64, _ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    let countMax = configuration.tailDeliveriesMax
    guard nextRow > firstRow, transaction.indexed == indexed, tailLength.deliveries >= countMax,
      let last = tailLength.row(leaving: max(0, countMax - configuration.indexedDeliveriesMin))
    else { return }
    try index(upTo: last, &transaction)
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
