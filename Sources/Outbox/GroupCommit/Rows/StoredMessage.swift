import FCMMessage

/// A notification's message as a row has it: whole, or as its delta from a dictionary that the database has.
struct StoredMessage {
  /// The most dictionaries of a database. The messages of further templates are stored whole.
  static let dictionariesMax = 16_384
  /// A delta that saves fewer bytes is not worth its dictionary's key and the look-up.
  private static let savedBytesMin = 48

  let bytes: [UInt8]
  /// The key of the dictionary; nil for a whole message.
  let dictionary: Int64?
  /// Of the notification with the whole message: see `RowChecksum`.
  let checksum: Int64

  /// How the message of the notification in `row` is stored. `isKept` says whether the database has a
  /// dictionary with which it would be shorter.
  init<Failure: Error>(
    of new: NewNotification, row: Int64, isKept: (MessageDictionary) throws(Failure) -> Bool
  ) throws(Failure) {
    let message = new.message.encoded
    checksum = RowChecksum.notification(
      row: row, new.id.uuid, createdAt: new.createdAt, ttlMilliseconds: new.ttlMilliseconds, message: message)
    guard let shared = new.dictionary, let delta = shared.delta(of: message),
      delta.count + Self.savedBytesMin <= message.count, try isKept(shared)
    else {
      (bytes, dictionary) = (message, nil)
      return
    }
    (bytes, dictionary) = (delta, shared.key)
  }
}
