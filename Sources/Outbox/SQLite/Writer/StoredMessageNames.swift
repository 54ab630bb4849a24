/// FCM's name of a message as a delivery's row has it.
enum StoredMessageName {
  case whole(String)
  /// The key of its prefix, which is one byte, and the bytes after the prefix.
  case shortened([UInt8])

  var byteCount: Int {
    switch self {
    case .whole(let name): name.utf8.count
    case .shortened(let bytes): bytes.count
    }
  }
}

/// The beginnings of FCM's names, which the database has once. Confined to the writer.
///
/// All names of a project begin with `projects/PROJECT/messages/`. A row has a blob with the key of that
/// prefix and the rest of the name. It has text if the name does not look like that, if there are too many
/// prefixes, or if an earlier version wrote it. A blob of zeros is room for a name: no prefix has the key 0.
final class StoredMessageNames {
  /// The names of further projects are stored whole.
  static let prefixesMax = Int(UInt8.max)
  /// A project's id has at most 30 characters.
  static let prefixBytesMax = 128
  private static let start = Array("projects/".utf8)
  private static let end = Array("/messages/".utf8)

  private let insert: SQLiteStatement
  private var keys: [[UInt8]: UInt8] = [:]
  /// Keys ascend and are never used again.
  private var lastKey: UInt8 = 0
  /// What the last name began with.
  private var latest: (prefix: [UInt8], key: UInt8)?
  /// What the open transaction has added to the database.
  private var added: [[UInt8]] = []

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    insert = try connection.prepare("INSERT INTO message_name_prefixes (key, prefix) VALUES (?, ?)")
    let prefixes = try connection.prepare("SELECT key, prefix FROM message_name_prefixes")
    while try prefixes.step() {
      let key = prefixes.blob(0)
      guard key.count == 1, key[0] > 0, let prefix = prefixes.text(1) else { continue }
      keys[Array(prefix.utf8)] = key[0]
      lastKey = max(lastKey, key[0])
    }
  }

  /// SQL for the name that a column of `deliveries` has; NULL without one, or if its prefix is missing.
  static func sql(_ column: String) -> String {
    """
    iif(typeof(\(column)) = 'text', \(column),
      (SELECT p.prefix || CAST(substr(\(column), 2) AS TEXT) FROM message_name_prefixes AS p
        WHERE p.key = substr(\(column), 1, 1)))
    """
  }

  /// How a name is stored. Adds its prefix to the database, in the open transaction, where it is not there
  /// yet.
  func stored(_ name: String) throws(SQLiteError) -> StoredMessageName {
    var bytes = Array(name.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")), let key = try key(of: bytes[...slash]) else {
      return .whole(name)
    }
    bytes.replaceSubrange(...slash, with: CollectionOfOne(key))
    return .shortened(bytes)
  }

  private func key(of prefix: ArraySlice<UInt8>) throws(SQLiteError) -> UInt8? {
    if let latest, latest.prefix.elementsEqual(prefix) { return latest.key }
    let bytes = Array(prefix)
    guard let key = if let known = keys[bytes] { known } else { try add(bytes) } else { return nil }
    latest = (bytes, key)
    return key
  }

  private func add(_ prefix: [UInt8]) throws(SQLiteError) -> UInt8? {
    guard lastKey < Self.prefixesMax, prefix.count <= Self.prefixBytesMax,
      prefix.starts(with: Self.start), prefix.suffix(Self.end.count).elementsEqual(Self.end)
    else { return nil }
    let key = lastKey + 1
    try insert.bind(1, [key])
    try insert.bind(2, String(decoding: prefix, as: UTF8.self))
    try insert.run()
    keys[prefix] = key
    lastKey = key
    added.append(prefix)
    return key
  }

  /// Ends the open transaction: what it has added is kept or not.
  func transactionEnded(isCommitted: Bool) {
    if !isCommitted, !added.isEmpty {
      for prefix in added { keys[prefix] = nil }
      lastKey -= UInt8(added.count)
      latest = nil
    }
    added = []
  }
}
