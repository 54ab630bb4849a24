import FCMMessage

/// The dictionaries that the database has, as far as a writer knows: see `MessageDictionary`. Confined to the
/// writer.
///
/// A gateway records a dictionary in a transaction of its own before it stores a message with it, and again
/// after an hour of use. So whichever gateway removes dictionaries sees which are in use.
final class PostgresDictionaries {
  /// How long a dictionary is used before it is recorded again. Far less than the day after which one that
  /// nobody has recorded counts as unused.
  static let recordedFor = Duration.seconds(3_600)
  /// How long after older gateways were found the database is asked for them again.
  private static let askAfter = Duration.seconds(1)

  private struct Recorded {
    let dictionary: MessageDictionary
    let at: ContinuousClock.Instant
    /// False if the database has another one of the same key, or no room for it.
    let isUsable: Bool
  }

  /// By key.
  private var recorded: [Int64: Recorded] = [:]
  /// What messages in the database were read with, by key.
  private var read: [Int64: [UInt8]] = [:]
  /// Whether every gateway can read messages that are stored with dictionaries. Once all can, older ones
  /// cannot take a lease any more.
  private var areRead = false
  private var askedAt: ContinuousClock.Instant?

  /// Forgets everything, for a connection to a server that may have other contents.
  func forget() {
    recorded = [:]
    read = [:]
    areRead = false
    askedAt = nil
  }

  /// Those that must be recorded before messages are stored with them.
  func unrecorded(
    of notifications: [NewNotification], at now: ContinuousClock.Instant = .now
  ) -> [MessageDictionary] {
    var missing: [Int64: MessageDictionary] = [:]
    var last: MessageDictionary?
    for case let dictionary? in notifications.lazy.map(\.dictionary) where dictionary !== last {
      last = dictionary
      if let known = recorded[dictionary.key] {
        if now - known.at < Self.recordedFor { continue }
      } else if recorded.count + missing.count >= StoredMessage.dictionariesMax {
        continue
      }
      missing[dictionary.key] = dictionary
    }
    return Array(missing.values)
  }

  func note(_ dictionary: MessageDictionary, isUsable: Bool, at now: ContinuousClock.Instant = .now) {
    recorded[dictionary.key] = Recorded(dictionary: dictionary, at: now, isUsable: isUsable)
  }

  /// Whether all gateways can read such messages; `count` returns how many cannot.
  func areReadByAll(
    at now: ContinuousClock.Instant = .now, _ count: () throws(PostgresError) -> Int64
  ) throws(PostgresError) -> Bool {
    if !areRead {
      if let askedAt, now - askedAt < Self.askAfter { return false }
      areRead = try count() == 0
      askedAt = now
    }
    return areRead
  }

  /// How the message of the notification in `row` is stored.
  func stored(_ new: NewNotification, row: Int64) -> StoredMessage {
    StoredMessage(of: new, row: row) { dictionary in
      guard let known = recorded[dictionary.key], known.isUsable else { return false }
      return known.dictionary === dictionary || known.dictionary.bytes == dictionary.bytes
    }
  }

  /// The keys among those of some notifications whose dictionaries have not been read.
  func unread(_ keys: Set<Int64>) -> [Int64] { keys.filter { read[$0] == nil } }

  /// Keeps a dictionary that was read.
  func note(_ bytes: [UInt8], of key: Int64) {
    if read.count >= StoredMessage.dictionariesMax { read = [:] }
    read[key] = bytes
  }

  /// The message in its stored form, of a row with its `message` and its `dictionary`; nil if it cannot be
  /// read.
  func message(in row: PostgresRows.Row) -> [UInt8]? {
    guard let key = row.optionalInteger(.dictionary) else { return row.bytes(.message) }
    return read[key].flatMap { MessageDictionary.message(from: row.bytes(.message), $0) }
  }
}
