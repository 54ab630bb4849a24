import FCMMessage

/// The dictionaries that the database has, and which notifications may need them. Confined to the writer.
final class StoredDictionaries {
  private final class Known {
    /// Nil until it has been compared with what is on disk.
    let dictionary: MessageDictionary?
    /// No notification after this one is stored with it.
    var lastRow: Int64

    init(_ dictionary: MessageDictionary?, lastRow: Int64) {
      self.dictionary = dictionary
      self.lastRow = lastRow
    }
  }

  private let select: SQLiteStatement
  private let insert: SQLiteStatement
  private let delete: SQLiteStatement
  /// By key.
  private var known: [Int64: Known] = [:]
  /// What the open transaction has added to the database, and what it has removed.
  private var added: [Int64] = []
  private var removed: [Int64: Known] = [:]

  /// With what the database has, which notifications before `nextRow` may need.
  init(_ connection: SQLiteConnection, nextRow: Int64) throws(SQLiteError) {
    select = try connection.prepare("SELECT key, bytes, copy FROM message_dictionaries WHERE key = ?")
    insert = try connection.prepare(
      "INSERT OR REPLACE INTO message_dictionaries (key, bytes, copy) VALUES (?1, ?2, ?2)")
    delete = try connection.prepare("DELETE FROM message_dictionaries WHERE key = ?")
    let keys = try connection.prepare("SELECT key FROM message_dictionaries")
    while try keys.step() { known[keys.integer(0)] = Known(nil, lastRow: nextRow - 1) }
  }

  /// How the message of the notification in `row` is stored. Adds its dictionary to the database, in the open
  /// transaction, where it is not there yet.
  func stored(_ new: NewNotification, row: Int64) throws(SQLiteError) -> StoredMessage {
    try StoredMessage(of: new, row: row) { dictionary throws(SQLiteError) in try has(dictionary, for: row) }
  }

  /// Whether the database has the dictionary for the notification in `row`. Another one of the same key
  /// stays, but for a damaged one.
  private func has(_ dictionary: MessageDictionary, for row: Int64) throws(SQLiteError) -> Bool {
    let key = dictionary.key
    if let one = known[key], let compared = one.dictionary {
      guard compared === dictionary || compared.bytes == dictionary.bytes else { return false }
      one.lastRow = max(one.lastRow, row)
      return true
    }
    if let bytes = try bytes(of: key) {
      guard bytes == dictionary.bytes else { return false }
    } else {
      guard known.count < StoredMessage.dictionariesMax else { return false }
      try insert.bind(1, key)
      try insert.run(binding: dictionary.bytes, at: 2)
      added.append(key)
    }
    known[key] = Known(dictionary, lastRow: max(known[key]?.lastRow ?? row, row))
    return true
  }

  private func bytes(of key: Int64) throws(SQLiteError) -> [UInt8]? {
    try select.bind(1, key)
    defer { select.reset() }
    return try select.step() ? select.dictionary(0) : nil
  }

  /// The keys of those that no notification from `first` on needs. O(dictionaries).
  func unused(since first: Int64) -> [Int64] { known.filter { $0.value.lastRow < first }.map(\.key) }

  /// Removes one in the open transaction. It is looked for on disk when it is next needed.
  func remove(_ key: Int64) throws(SQLiteError) {
    try delete.bind(1, key)
    try delete.run()
    removed[key] = known.removeValue(forKey: key)
  }

  /// Ends the open transaction: its changes are kept or not.
  func transactionEnded(isCommitted: Bool) {
    if !isCommitted {
      for key in added { known[key] = nil }
      known.merge(removed) { _, removed in removed }
    }
    added = []
    removed = [:]
  }
}

extension SQLiteStatement {
  /// The dictionary whose key, bytes and copy are in three columns from `column` on; nil without an intact
  /// one.
  func dictionary(_ column: Int32) -> [UInt8]? {
    for place in [column + 1, column + 2] {
      let bytes = blob(place)
      if MessageDictionary.key(of: bytes) == integer(column) { return bytes }
    }
    return nil
  }

  /// The message in its stored form, which `column` has unless the three columns from `dictionary` on have a
  /// dictionary. `read` holds those that the caller has read, by key. Nil if the message cannot be read.
  func message(_ column: Int32, dictionary: Int32, _ read: inout [Int64: [UInt8]]) -> [UInt8]? {
    if isNull(dictionary) { return blob(column) }
    let key = integer(dictionary)
    guard let bytes = read[key] ?? self.dictionary(dictionary) else { return nil }
    read[key] = bytes
    return MessageDictionary.message(from: blob(column), bytes)
  }
}
