import FCMMessage

/// The table of dictionaries: see `PostgresDictionaries`.
extension PostgresWriter {
  func recordDictionaries(of writes: [PostgresBackend.Write]) throws(PostgresError) {
    let now = ContinuousClock.now
    for case .queue(.enqueue(let notifications, _, _, _)) in writes {
      try recordDictionaries(of: notifications, at: now)
    }
  }

  /// Records that the dictionaries of new notifications are in use, before their transaction.
  func recordDictionaries(
    of notifications: [NewNotification], at now: ContinuousClock.Instant = .now
  ) throws(PostgresError) {
    let missing = memory.dictionaries.unrecorded(of: notifications, at: now)
    guard !missing.isEmpty,
      try memory.dictionaries.areReadByAll(at: now, { () throws(PostgresError) in try olderGateways() })
    else { return }
    for dictionary in missing { try record(dictionary, at: now) }
  }

  /// How many gateways have a lease that cannot read messages that are stored with dictionaries.
  private func olderGateways() throws(PostgresError) -> Int64 {
    try connection.run(
      "SELECT count(*) FROM dragoman_replicas WHERE NOT lost AND schema < $1",
      [.integer(PostgresSchema.firstWithDictionaries)]
    ).value ?? 1
  }

  /// Another dictionary of the same key stays, but for a damaged one.
  private func record(
    _ dictionary: MessageDictionary, at now: ContinuousClock.Instant
  ) throws(PostgresError) {
    let found = try connection.run(
      """
      INSERT INTO dragoman_message_dictionaries (key, bytes, copy, used_at)
      SELECT $1::bigint, $2::bytea, $2::bytea, clock_timestamp()
      WHERE (SELECT count(*) FROM dragoman_message_dictionaries) < $3
      ON CONFLICT (key) DO UPDATE SET used_at = excluded.used_at, last_row = NULL
      RETURNING key, bytes, copy
      """,
      [
        .integer(dictionary.key), .bytes(dictionary.bytes), .integer(Int64(StoredMessage.dictionariesMax)),
      ])
    guard let row = found.first else { return memory.dictionaries.note(dictionary, isUsable: false, at: now) }
    let kept = row.dictionary
    if kept == nil {
      try connection.run(
        "UPDATE dragoman_message_dictionaries SET bytes = $2, copy = $2 WHERE key = $1",
        [.integer(dictionary.key), .bytes(dictionary.bytes)])
    }
    memory.dictionaries.note(dictionary, isUsable: kept == nil || kept == dictionary.bytes, at: now)
  }

  /// Reads the dictionaries that the messages of some notifications need.
  func readDictionaries(of notifications: PostgresRows) throws(PostgresError) {
    let keys = Set(notifications.rows.compactMap { $0.optionalInteger(.dictionary) })
    let unread = memory.dictionaries.unread(keys)
    guard !unread.isEmpty else { return }
    let found = try connection.run(
      "SELECT key, bytes, copy FROM dragoman_message_dictionaries WHERE key = ANY ($1::bigint[])",
      [.integers(unread)])
    for row in found.rows {
      if let bytes = row.dictionary { memory.dictionaries.note(bytes, of: row.integer(.key)) }
    }
  }

  /// Removes the dictionaries that no notification needs. One that nobody has recorded for a day is not used
  /// any more, so that no notification after those of this moment needs it; once these are gone, it goes too.
  func removeUnusedDictionaries() throws(PostgresError) {
    try connection.run(
      """
      UPDATE dragoman_message_dictionaries SET last_row = (SELECT last_value FROM dragoman_notification_rows)
      WHERE last_row IS NULL AND used_at < clock_timestamp() - INTERVAL '1 day'
      """)
    try connection.run(
      """
      DELETE FROM dragoman_message_dictionaries
      WHERE last_row < coalesce((SELECT min(row) FROM dragoman_notifications), \(Int64.max))
      """)
  }
}

extension PostgresRows.Row {
  /// The dictionary of a row with its `key`, `bytes` and `copy`; nil without an intact one.
  fileprivate var dictionary: [UInt8]? {
    [bytes(.bytes), bytes(.copy)].first { MessageDictionary.key(of: $0) == integer(.key) }
  }
}
