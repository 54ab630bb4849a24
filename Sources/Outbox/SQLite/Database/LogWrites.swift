import CSQLite
import Glibc

/// How the writer's connection writes its log: all frames of a transaction at once.
///
/// SQLite appends each page to the log in two writes, of a header of 24 bytes and of the page, and then
/// syncs. Here they are gathered until the sync, or whatever else concerns the file, so that a small commit
/// makes one system call in place of ten. SQLite sees the files as it would without this: nobody looks at a
/// frame before it was synced, but the connection itself, whose reads come after its writes.
///
/// Only for a connection with `synchronous=FULL`: other connections find frames once their commit is over,
/// which it is after the sync then.
///
/// It is an SQLite VFS (sqlite.org/vfs.html) over the system's own, which does everything but the gathering.
enum LogWrites {
  /// The name of the VFS; nil if SQLite refuses it, and each write is then one of the system.
  static let vfs: String? = register()

  /// More than that is written in parts.
  static let gatheredBytesMax = 65_536

  private static let name = "dragoman"

  private static func register() -> String? {
    guard let system = sqlite3_vfs_find(nil), let ownName = strdup(name) else { return nil }
    // Both live as long as the process, as SQLite requires.
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: system.pointee)
    vfs.pointee.zName = UnsafePointer(ownName)
    vfs.pointee.pNext = nil
    vfs.pointee.szOsFile += Int32(MemoryLayout<LogFile>.stride)
    vfs.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let system = sqlite3_vfs_find(nil), let file else { return SQLITE_MISUSE }
      // All other files, such as the database, are the system's own, in the same memory.
      guard flags & SQLITE_OPEN_WAL != 0 else {
        return system.pointee.xOpen?(system, path, file, flags, outFlags) ?? SQLITE_MISUSE
      }
      return LogFile.open(at: file) {
        system.pointee.xOpen?(system, path, $0, flags, outFlags) ?? SQLITE_MISUSE
      }
    }
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : nil
  }
}

/// What SQLite knows as the log: begins as SQLite expects of a file, and is followed by the system's file.
/// Used by one thread at a time, like its connection.
private struct LogFile {
  private var methods: UnsafePointer<sqlite3_io_methods>?
  /// What was written and has not reached the system: `count` bytes, from `start` in the file.
  private var gathered: UnsafeMutableRawPointer
  private var start: sqlite3_int64 = 0
  private var count = 0

  private typealias File = UnsafeMutablePointer<sqlite3_file>

  /// Calls `openSystemFile` with the place of the system's file; returns its result code.
  static func open(
    at file: UnsafeMutablePointer<sqlite3_file>,
    _ openSystemFile: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    file.pointee.pMethods = nil
    guard let gathered = malloc(LogWrites.gatheredBytesMax) else { return SQLITE_NOMEM }
    let code = openSystemFile(system(file))
    guard code == SQLITE_OK else {
      free(gathered)
      return code
    }
    UnsafeMutableRawPointer(file).initializeMemory(
      as: LogFile.self, to: LogFile(methods: ioMethods, gathered: gathered))
    return SQLITE_OK
  }

  private init(methods: UnsafePointer<sqlite3_io_methods>, gathered: UnsafeMutableRawPointer) {
    self.methods = methods
    self.gathered = gathered
  }

  private static func system(_ file: File) -> File {
    (UnsafeMutableRawPointer(file) + MemoryLayout<LogFile>.stride).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func log(_ file: File) -> UnsafeMutablePointer<LogFile> {
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self)
  }

  private static func write(
    _ file: File, _ bytes: UnsafeRawPointer, _ count: Int32, at offset: sqlite3_int64
  ) -> Int32 {
    let log = log(file)
    let end = log.pointee.start + sqlite3_int64(log.pointee.count)
    if offset != end || log.pointee.count + Int(count) > LogWrites.gatheredBytesMax {
      let code = flush(file)
      guard code == SQLITE_OK else { return code }
      log.pointee.start = offset
    }
    guard Int(count) <= LogWrites.gatheredBytesMax else {
      return system(file).pointee.pMethods.pointee.xWrite?(system(file), bytes, count, offset)
        ?? SQLITE_MISUSE
    }
    (log.pointee.gathered + log.pointee.count).copyMemory(from: bytes, byteCount: Int(count))
    log.pointee.count += Int(count)
    return SQLITE_OK
  }

  /// Writes what was gathered. It is forgotten even if that fails: SQLite gives the transaction up then.
  private static func flush(_ file: File) -> Int32 {
    let log = log(file)
    guard log.pointee.count > 0 else { return SQLITE_OK }
    let count = log.pointee.count
    log.pointee.count = 0
    let (system, gathered, start) = (system(file), log.pointee.gathered, log.pointee.start)
    return system.pointee.pMethods.pointee.xWrite?(system, gathered, Int32(count), start) ?? SQLITE_MISUSE
  }

  /// Writes what was gathered, then performs `operation` on the system's file.
  private static func flushed(
    _ file: File?, _ operation: (File, sqlite3_io_methods) -> Int32?
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let code = flush(file)
    guard code == SQLITE_OK else { return code }
    return passed(file, operation)
  }

  /// Performs `operation` on the system's file.
  private static func passed(_ file: File?, _ operation: (File, sqlite3_io_methods) -> Int32?) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    return operation(system(file), system(file).pointee.pMethods.pointee) ?? SQLITE_MISUSE
  }

  /// Lives as long as the process. Version 1: the database has the shared memory, and logs are not mapped.
  // Guard: nobody changes what it points to.
  private nonisolated(unsafe) static let ioMethods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let written = flush(file)
      free(log(file).pointee.gathered)
      let closed = passed(file) { $1.xClose?($0) }
      return written == SQLITE_OK ? closed : written
    }
    methods.xRead = { file, bytes, count, offset in flushed(file) { $1.xRead?($0, bytes, count, offset) } }
    methods.xWrite = { file, bytes, count, offset in
      guard let file, let bytes else { return SQLITE_MISUSE }
      return write(file, bytes, count, at: offset)
    }
    methods.xTruncate = { file, size in flushed(file) { $1.xTruncate?($0, size) } }
    methods.xSync = { file, flags in flushed(file) { $1.xSync?($0, flags) } }
    methods.xFileSize = { file, size in flushed(file) { $1.xFileSize?($0, size) } }
    methods.xLock = { file, level in passed(file) { $1.xLock?($0, level) } }
    methods.xUnlock = { file, level in passed(file) { $1.xUnlock?($0, level) } }
    methods.xCheckReservedLock = { file, result in passed(file) { $1.xCheckReservedLock?($0, result) } }
    methods.xFileControl = { file, operation, argument in
      passed(file) { $1.xFileControl?($0, operation, argument) }
    }
    methods.xSectorSize = { file in passed(file) { $1.xSectorSize?($0) } }
    methods.xDeviceCharacteristics = { file in passed(file) { $1.xDeviceCharacteristics?($0) } }
    let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    place.initialize(to: methods)
    return UnsafePointer(place)
  }()
}
