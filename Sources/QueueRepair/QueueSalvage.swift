import Glibc
import Outbox
import SQL

extension DamagedQueue {
  /// Writes a new queue with everything that can be verified. It has its name only once it is complete and on
  /// disk.
  package func salvage(to path: String) throws(QueueRepairError) -> SalvageReport {
    for name in [path, path + "-wal"] where access(name, F_OK) == 0 {
      throw QueueRepairError(.refused, "\(name) exists already: name a new file")
    }
    let draft = "\(path).salvage-\(getpid())"
    defer { for suffix in ["", "-wal", "-shm"] { unlink(draft + suffix) } }
    let report = try write(to: draft)
    try sync(draft, O_RDONLY)
    guard access(path, F_OK) != 0, rename(draft, path) == 0 else {
      throw .system("cannot rename the new queue to", path)
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    try sync(folder, O_RDONLY | O_DIRECTORY)
    return report
  }

  private func write(to draft: String) throws(QueueRepairError) -> SalvageReport {
    // SQLite would make it readable for all users.
    let made = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw .system("cannot make the new queue", draft) }
    close(made)
    let writer = try writing { () throws(DatabaseError) in try SalvageWriter(path: draft) }
    let (contents, changed) = try scan { table, row, values throws(QueueRepairError) in
      try self.writing { () throws(DatabaseError) in try writer.write(table, row, values) }
    }
    try writing { () throws(DatabaseError) in try writer.finish(contents, changed) }
    return SalvageReport(lost: contents.lost, counts: contents.counts)
  }

  private func writing<Value>(_ body: () throws(DatabaseError) -> Value) throws(QueueRepairError) -> Value {
    do throws(DatabaseError) { return try body() } catch {
      let reason = error.code.map { "\(error.message), \($0)" } ?? error.message
      throw QueueRepairError(.failed, "the new queue cannot be written (\(reason))", underlying: error)
    }
  }

  private func sync(_ path: String, _ flags: Int32) throws(QueueRepairError) {
    let descriptor = open(path, flags | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0 else { throw .system("cannot sync", path) }
  }
}

/// Writes records to a new queue.
private final class SalvageWriter {
  /// So that the log does not become as large as the queue.
  private static let recordsPerTransaction = 5_000
  /// More events than that cannot have been.
  private static let numberMax: Int64 = 1 << 50

  private let connection: SQLiteConnection
  private var written = 0
  private var marks: [String: Int64] = [:]

  init(path: String) throws(DatabaseError) {
    // A connection follows no links.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    connection = try SQLiteConnection(path: resolved.map { String(cString: $0) } ?? path)
    try SQLiteSchema.create(connection)
    try connection.execute("BEGIN IMMEDIATE")
  }

  func write(_ table: QueueTable, _ row: Int64, _ values: [StoredValue]) throws(DatabaseError) {
    var values = values.map(\.sqlValue)
    switch table {
    case .marks:
      if case .bytes(let name?) = values[0], case .integer(let value?) = values[1] {
        marks[String(decoding: name, as: UTF8.self)] = value
      }
      return
    // Apps are written at the end. The rest is made anew.
    case .apps, .counts, .intakes, .probe, .schema: return
    case .deliveries: values[8] = .integer(nil)
    case .notifications, .idempotency, .feedback, .outcomes: break
    }
    if table != .idempotency { values[0] = .integer(row) }
    let places = (1...values.count).map { "$\($0)" }.joined(separator: ", ")
    try connection.run("INSERT OR IGNORE INTO \(table.name) VALUES (\(places))", values)
    written += 1
    guard written % Self.recordsPerTransaction == 0 else { return }
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE")
  }

  /// Writes what depends on all records.
  func finish(
    _ contents: QueueContents, _ changed: [(row: Int64, deliveries: Int64)]
  ) throws(DatabaseError) {
    for (app, name) in contents.apps.sorted(by: { $0.key < $1.key }) {
      // A flipped bit may have made it the name of another one.
      for name in [name, contents.appsInIndex[app] ?? name] {
        try connection.run(
          "INSERT OR IGNORE INTO dragoman_apps (id, name) VALUES ($1, $2)", [.integer(app), .bytes(name)])
      }
    }
    for (row, deliveries) in changed {
      try connection.run(
        "UPDATE dragoman_notifications SET deliveries = $1 WHERE row = $2",
        [.integer(deliveries), .integer(row)])
    }
    let next = RowLayout.notificationRows.contains(marks["next_row"] ?? 0) ? marks["next_row"] ?? 1 : 1
    let event = min(max(marks["feedback"] ?? 0, 0), Self.numberMax)
    try connection.execute(
      """
      DELETE FROM dragoman_notifications WHERE deliveries = 0;
      INSERT INTO dragoman_counts SELECT app, 0, state, count(*) FROM dragoman_deliveries GROUP BY app, state;
      UPDATE dragoman_marks SET value = max(\(next), (SELECT coalesce(max(row), 0) + 1 FROM dragoman_notifications))
        WHERE name = 'next_row';
      UPDATE dragoman_marks SET value = (SELECT value FROM dragoman_marks WHERE name = 'next_row')
        << \(RowLayout.deliveryBits) WHERE name = 'claimed_from';
      UPDATE dragoman_marks SET value = max(\(event), (SELECT coalesce(max(id), 0) FROM dragoman_feedback),
        (SELECT coalesce(max(id), 0) FROM dragoman_outcomes)) WHERE name = 'feedback';
      """)
    if let webhook = marks["webhook"], webhook >= 0 {
      try connection.run(
        """
        INSERT INTO dragoman_marks (name, value)
        SELECT 'webhook', min($1, value) FROM dragoman_marks WHERE name = 'feedback'
        """, [.integer(webhook)])
    }
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

extension StoredValue {
  fileprivate var sqlValue: SQLValue {
    switch self {
    case .null: .integer(nil)
    case .integer(let number): .integer(number)
    case .bytes(let bytes), .text(let bytes): .bytes(bytes)
    }
  }
}

extension QueueRepairError {
  /// An error of the system, from `errno`.
  fileprivate static func system(_ action: String, _ path: String) -> QueueRepairError {
    QueueRepairError(.failed, "\(action) \(path): \(String(cString: strerror(errno)))")
  }
}
