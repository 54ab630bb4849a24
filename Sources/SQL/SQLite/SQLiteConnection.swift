import CSQLite
import Glibc

/// One connection to a database, which it closes when it is released. Confined to its owner: one thread at a
/// time.
package final class SQLiteConnection {
  /// SQLite would otherwise lock a mutex for each allocation, to count its memory, which nobody asks for.
  /// False if the process used it before, which changes nothing else.
  private static let countsNoMemory = dragoman_sqlite_count_no_memory() == SQLITE_OK

  let handle: OpaquePointer
  private let logGauge = LogGauge()
  /// By their text.
  private var prepared: [String: SQLiteStatement] = [:]

  /// Opens the database, and creates it if it does not exist. No part of the path may be a symbolic link.
  package init(path: String) throws(DatabaseError) {
    var opened: OpaquePointer?
    _ = Self.countsNoMemory
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw DatabaseError(message: "out of memory") }
    guard code == SQLITE_OK else {
      let error = DatabaseError(code: code, of: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(opened, 2000)
  }

  /// Statements that are still alive keep the database open until they are finalized.
  deinit {
    prepared = [:]
    sqlite3_close_v2(handle)
  }

  /// The target of the commit hook. Confined like its connection: SQLite calls the hook within `step`.
  private final class LogGauge {
    var pages = 0
  }

  /// Leaves checkpoints to the owner, and provides `logPages`. Otherwise SQLite checkpoints within the commit
  /// that makes the log long, before the caller learns that the commit is done.
  package func takeOverCheckpoints() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(logGauge).toOpaque())
  }

  /// Pages in the write-ahead log after the last commit of this connection.
  package var logPages: Int { logGauge.pages }

  /// Moves what it can from the log into the database without waiting; returns how many pages of the log are
  /// in the database. 0 while another checkpoint is running.
  package func checkpointPassively() throws(DatabaseError) -> Int {
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
    if code & 0xFF == SQLITE_BUSY { return 0 }
    try Self.check(code, handle)
    return max(0, Int(moved))
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  package var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Turns return codes into errors, in this one place.
  package static func check(_ code: Int32, _ handle: OpaquePointer) throws(DatabaseError) {
    guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
    throw DatabaseError(code: code, of: handle)
  }

  /// Runs statements that bind nothing and whose rows are ignored.
  package func execute(_ sql: String) throws(DatabaseError) {
    try Self.check(sqlite3_exec(handle, sql, nil, nil, nil), handle)
  }

  /// Compiles a statement that is run often.
  package func prepare(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    try Self.check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil), handle)
    guard let prepared else { throw DatabaseError(message: "empty statement") }
    return SQLiteStatement(handle: prepared, connection: handle)
  }

  /// The statement with a text, compiled when it is first asked for.
  package func statement(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
    if let known = prepared[sql] { return known }
    let statement = try prepare(sql)
    prepared[sql] = statement
    return statement
  }

  /// The first column of a statement's first row; nil when there is none.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of a statement's first row; nil when there is none.
  package func text(_ sql: String) throws(DatabaseError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Whether a transaction is open. SQLite ends one by itself on some errors
  /// (sqlite.org/lang_transaction.html).
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

extension SQLiteConnection: SQLConnection {
  package var dialect: SQLDialect { .sqlite }

  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult {
    let statement = try statement(sql)
    try statement.bind(values)
    let rows = try SQLiteRows(statement)
    return SQLResult(source: rows, count: rows.count, changed: statement.isReadOnly ? 0 : changedRows)
  }
}

extension DatabaseError {
  /// The last error of a connection.
  package init(code: Int32, of handle: OpaquePointer) {
    let message = String(cString: sqlite3_errmsg(handle))
    let primary = code & 0xFF
    var text = "SQLite code \(code)"
    if primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN {
      // 0 where a call wrote a part, or read less than there should be.
      let number = sqlite3_system_errno(handle)
      if number != 0 { text += ", \(String(cString: strerror(number)))" }
    }
    self.init(Self.kind(code), code: text, message: message)
  }

  private static func kind(_ code: Int32) -> Kind {
    if code == dragoman_sqlite_ioerr_fsync || code == dragoman_sqlite_ioerr_dir_fsync { return .sync }
    switch code & 0xFF {
    case SQLITE_CONSTRAINT: return .constraint
    case SQLITE_IOERR, SQLITE_CANTOPEN: return .readOrWrite
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return .damage
    case SQLITE_FULL: return .full
    default: return .statement
    }
  }

  /// A finding of SQLite's own check of its pages. A page that could not be read is not damage: SQLite
  /// reports it as a finding that ends with its error code.
  package static func finding(_ text: String) -> DatabaseError {
    let code = text.split(separator: "error code=").dropFirst().first.flatMap { rest in
      Int32(rest.prefix { $0.isNumber })
    }
    guard let code, code & 0xFF == SQLITE_IOERR else { return DatabaseError(.damage, message: text) }
    return DatabaseError(.readOrWrite, code: "SQLite code \(code)", message: text)
  }
}
