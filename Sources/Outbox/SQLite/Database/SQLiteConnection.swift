import CSQLite
internal import Clock
import Glibc

/// An error of SQLite.
struct SQLiteError: Error {
  /// The extended result code (sqlite.org/rescode.html).
  let code: Int32
  let message: String
  /// The system's own error of an operation on a file; nil for other errors.
  private(set) var systemError: Int32?
  /// Whether it concerns one unreadable record alone.
  private(set) var isUnreadableRecord = false
  /// Whether a transaction that failed at its COMMIT may be found again after a crash.
  var isOutcomeUnknown = false

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The last error of a connection.
  init(code: Int32, of handle: OpaquePointer) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(handle)))
    guard isReadOrWrite || primaryCode == SQLITE_CANTOPEN else { return }
    // 0 where a call wrote a part, or read less than there should be.
    let number = sqlite3_system_errno(handle)
    if number != 0 { systemError = number }
  }

  /// A record that SQLite reads without an error, but that no version of the gateway could have written.
  static func unreadable(_ message: String) -> SQLiteError {
    var error = SQLiteError(code: SQLITE_CORRUPT, message: message)
    error.isUnreadableRecord = true
    return error
  }

  /// A notification whose id another one has.
  static let duplicateID = SQLiteError(
    code: SQLITE_CONSTRAINT, message: "a notification with this id exists already")

  /// A finding of SQLite's own check of its pages. A page that could not be read is not damage: SQLite
  /// reports it as a finding that ends with its error code.
  static func damagedFile(_ finding: String) -> SQLiteError {
    let code = finding.split(separator: "error code=").dropFirst().first.flatMap { text in
      Int32(text.prefix { $0.isNumber })
    }
    guard let code, code & 0xFF == SQLITE_IOERR else {
      return SQLiteError(code: SQLITE_CORRUPT, message: finding)
    }
    return SQLiteError(code: code, message: finding)
  }

  private var primaryCode: Int32 { code & 0xFF }

  /// Whether the statement broke a rule of the schema, for example with an id that exists already.
  var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

  /// Whether the system could not read or write a file, which may pass.
  var isReadOrWrite: Bool { primaryCode == SQLITE_IOERR }

  /// Whether only the sync to disk failed, so that the kernel has everything.
  var isSync: Bool { [dragoman_sqlite_ioerr_fsync, dragoman_sqlite_ioerr_dir_fsync].contains { $0 == code } }

  /// Whether SQLite found what it never writes. It may have been misread, which `isUnreadableRecord`
  /// excludes.
  var isDamage: Bool {
    !isUnreadableRecord && [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primaryCode)
  }

  /// Whether the disk is full, or the database's own limit is reached.
  var isFull: Bool { primaryCode == SQLITE_FULL }

  /// The error for callers and operators. It contains nothing that was bound to a statement.
  var outboxError: OutboxError {
    if isOutcomeUnknown {
      return OutboxError(
        code: .outcomeUnknown,
        description: "the queue's database failed during a commit (\(reason)), and it may have been kept")
    }
    return switch primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
      OutboxError(
        code: .corrupt,
        description: "the queue's database is damaged (\(message)); move it away or restore a copy of it")
    case SQLITE_FULL:
      OutboxError(
        code: .unavailable, description: "the queue's disk is full and nothing was kept; free some space")
    case SQLITE_CONSTRAINT:
      OutboxError(
        code: .unavailable, description: "the queue holds such a notification already; nothing was kept")
    default:
      OutboxError(
        code: .unavailable,
        description: "the queue's database failed (\(reason)); nothing was kept")
    }
  }

  private var reason: String {
    let system = systemError.map { ", \(String(cString: strerror($0)))" } ?? ""
    return "\(message), SQLite code \(code)\(system)"
  }
}

/// One connection to a database, which it closes when it is released. Confined to its owner: one thread at a
/// time.
final class SQLiteConnection {
  /// SQLite would otherwise lock a mutex for each allocation, to count its memory, which nobody asks for.
  /// False if the process used it before, which changes nothing else.
  private static let countsNoMemory = dragoman_sqlite_count_no_memory() == SQLITE_OK

  private let handle: OpaquePointer
  private let logGauge = LogGauge()

  /// Opens the database, and creates it if it does not exist. `gathersWrites` is for the one that writes,
  /// with `synchronous=FULL`: see `LogWrites`.
  init(path: String, gathersWrites: Bool = false) throws(SQLiteError) {
    var opened: OpaquePointer?
    _ = Self.countsNoMemory
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &opened, flags, gathersWrites ? LogWrites.vfs : nil)
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory") }
    guard code == SQLITE_OK else {
      let error = SQLiteError(code: code, of: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(opened, 2000)
  }

  /// The target of the commit hook. Confined like its connection: SQLite calls the hook within `step`.
  private final class LogGauge {
    var pages = 0
  }

  /// Leaves checkpoints to the owner, and provides `logPages`. Otherwise SQLite checkpoints within the commit
  /// that makes the log long, before the caller learns that the commit is done.
  func takeOverCheckpoints() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(logGauge).toOpaque())
  }

  /// Pages in the write-ahead log after the last commit of this connection.
  var logPages: Int { logGauge.pages }

  /// Moves what it can from the log into the database without waiting; returns how many pages of the log
  /// remain. All of them remain while another checkpoint is running.
  func checkpointPassively() throws(SQLiteError) -> Int {
    var pages: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
    if code & 0xFF == SQLITE_BUSY { return logPages }
    try Self.check(code, handle)
    return max(0, Int(pages) - Int(moved))
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// `sqlite3_close_v2` waits for statements that are still alive.
  deinit { sqlite3_close_v2(handle) }

  /// Turns return codes into errors, in this one place.
  fileprivate static func check(_ code: Int32, _ handle: OpaquePointer) throws(SQLiteError) {
    guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
    throw SQLiteError(code: code, of: handle)
  }

  /// Runs statements that bind nothing and whose rows are ignored.
  func execute(_ sql: String) throws(SQLiteError) {
    try Self.check(sqlite3_exec(handle, sql, nil, nil, nil), handle)
  }

  /// Compiles a statement that is run often.
  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    try Self.check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil), handle)
    guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "empty statement") }
    return SQLiteStatement(handle: prepared, connection: handle, owner: self)
  }

  /// The first column of a statement's first row; nil when there is none.
  func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of a statement's first row; nil when there is none.
  func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Whether a transaction is open. SQLite ends one by itself on some errors
  /// (sqlite.org/lang_transaction.html).
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

/// A compiled statement, which it frees when it is released. Confined like its connection.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let owner: SQLiteConnection

  fileprivate init(handle: OpaquePointer, connection: OpaquePointer, owner: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
    self.owner = owner
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int64) throws(SQLiteError) {
    try SQLiteConnection.check(sqlite3_bind_int64(handle, index, value), connection)
  }

  func bind(_ index: Int32, _ value: Int) throws(SQLiteError) { try bind(index, Int64(value)) }

  func bind(_ index: Int32, _ value: Int?) throws(SQLiteError) {
    if let value { try bind(index, Int64(value)) } else { try bindNull(index) }
  }

  func bindNull(_ index: Int32) throws(SQLiteError) {
    try SQLiteConnection.check(sqlite3_bind_null(handle, index), connection)
  }

  func bind(_ index: Int32, _ value: String?) throws(SQLiteError) {
    guard var value else { return try bindNull(index) }
    let code = value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        dragoman_sqlite_bind_text(handle, index, text.baseAddress, Int32(clamping: text.count))
      }
    }
    try SQLiteConnection.check(code, connection)
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) throws(SQLiteError) {
    let code = bytes.withUnsafeBytes { buffer in
      dragoman_sqlite_bind_blob(handle, index, buffer.baseAddress, Int32(clamping: buffer.count))
    }
    try SQLiteConnection.check(code, connection)
  }

  func bind(_ index: Int32, _ id: UUIDv7) throws(SQLiteError) {
    let code = withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes in
      dragoman_sqlite_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
    }
    try SQLiteConnection.check(code, connection)
  }

  /// Runs the statement with `bytes` bound without a copy. They are unbound before this returns, since SQLite
  /// keeps the pointer.
  func run(binding bytes: [UInt8], at index: Int32) throws(SQLiteError) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, SQLiteError> in
      do throws(SQLiteError) {
        let code = sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(clamping: buffer.count), nil)
        try SQLiteConnection.check(code, connection)
        defer { sqlite3_bind_null(handle, index) }
        try run()
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Runs a statement that has no rows, and makes it ready to run again.
  func run() throws(SQLiteError) {
    let code = sqlite3_step(handle)
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return
    }
    let error = SQLiteError(code: code, of: connection)
    sqlite3_reset(handle)
    throw error
  }

  /// Steps to the next row; false after the last one. A caller that stops earlier calls `reset`.
  func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let error = SQLiteError(code: code, of: connection)
    sqlite3_reset(handle)
    if code == SQLITE_DONE { return false }
    throw error
  }

  func reset() { sqlite3_reset(handle) }

  func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func text(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let blob = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(handle, column))))
  }

  /// Nil if the column does not hold 16 bytes.
  func uuid(_ column: Int32) -> UUIDv7? {
    guard let blob = sqlite3_column_blob(handle, column), sqlite3_column_bytes(handle, column) == 16 else {
      return nil
    }
    return UUIDv7(
      high: UInt64(bigEndian: blob.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: blob.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}
