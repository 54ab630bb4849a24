import CLinux
import Foundation
import Synchronization

/// Why a database's file cannot be used.
package struct SQLiteFileError: Error {
  package enum Code: Sendable {
    /// Another process has it open.
    case inUse
    /// The system refuses an action: its name, such as `lock`, and the system's reason.
    case system(String, reason: String)
    /// The database is empty, but its log is not.
    case emptyBesideLog
    /// Its log is damaged at this byte, and whole transactions follow there.
    case damagedLog(at: Int)
  }

  package let code: Code
  package let path: String
}

/// A database's file, locked by this process. The kernel releases the lock when the process ends.
package final class SQLiteFile: Sendable {
  /// The database, with all symbolic links resolved, so that two names of a file share one lock.
  package let path: String
  /// Whether the last process left the database open, and its log is gone.
  package let isLogMissing: Bool
  private let directory: String
  private let lock: Int32
  /// What the database and its log were when they were opened.
  private let opened = Mutex<[Identity?]>([])

  /// Which file a path names: it changes when the file is removed or replaced (inode(7)).
  ///
  /// Does not ask for the file's times, as `stat` would. From Linux 6.13 on, the next write after such a look
  /// gets a time of its own, which its sync then brings to the disk, too (multigrain timestamps).
  private struct Identity: Equatable {
    private let major: UInt32
    private let minor: UInt32
    private let inode: UInt64

    init?(_ path: String) {
      var found = statx()
      guard statx(AT_FDCWD, path, 0, UInt32(STATX_INO), &found) == 0 else { return nil }
      (major, minor) = (found.stx_dev_major, found.stx_dev_minor)
      inode = found.stx_ino
    }
  }

  /// Creates the folder and an empty database that only their owner can use, if they do not exist.
  package init(path given: String) throws(SQLiteFileError) {
    let url = URL(fileURLWithPath: given)
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Self.failure("make the folder of", given, error.localizedDescription)
    }
    path = url.resolvingSymlinksInPath().path
    directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let lock = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw Self.failure("open the lock file of", path, Self.lastError) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let reason = Self.lastError
      Glibc.close(lock)
      guard isTaken else { throw Self.failure("lock", path, reason) }
      throw SQLiteFileError(code: .inUse, path: path)
    }
    self.lock = lock
    isLogMissing = Self.isMarkedOpen(lock) && Identity(path) != nil && Identity(path + "-wal") == nil
    // SQLite would make it readable for all users. An existing one is not opened: closing any descriptor of a
    // database releases this process's POSIX locks on it.
    let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made >= 0 {
      Glibc.close(made)
    } else if errno != EEXIST {
      throw Self.failure("make", path, Self.lastError)
    }
  }

  /// Lets another process open the database.
  package func unlock() { flock(lock, LOCK_UN) }

  /// The database's length on disk.
  package var bytes: Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Unlocks before it closes: otherwise a forked child that has not called exec yet, and has the descriptor
  /// too, keeps the lock a little longer (flock(2)).
  deinit {
    flock(lock, LOCK_UN)
    Glibc.close(lock)
  }

  /// Throws if SQLite would silently skip transactions: for a damaged log, or one without its database.
  /// `pageBytes` is the usual page size.
  package func inspect(pageBytes: Int) throws(SQLiteFileError) {
    var database = stat()
    var log = stat()
    guard stat(path + "-wal", &log) == 0, log.st_size > 0 else { return }
    // SQLite writes a database's first page before it creates a log.
    if stat(path, &database) == 0, database.st_size == 0 {
      throw SQLiteFileError(code: .emptyBesideLog, path: path)
    }
    guard let offset = LogInspection.damage(inLogOf: path, pageBytes: pageBytes) else { return }
    throw SQLiteFileError(code: .damagedLog(at: offset), path: path)
  }

  /// Remembers which files the connections have opened. From now on the next start notices a missing log.
  package func noteOpened() {
    opened.withLock { $0 = identities }
    mark("open")
  }

  /// Records that the database was closed, which removes its log.
  package func noteClosed() {
    opened.withLock { $0 = [] }
    mark("")
  }

  /// Records that the database was not opened after all: its connections, as they closed, have moved the log
  /// that a crash had left into the database, and removed it.
  package func noteRefused() {
    if !isLogMissing, Identity(path + "-wal") == nil { mark("") }
  }

  /// Whether the paths still name the files that are open. What is written to others is lost.
  package var isInPlace: Bool { opened.withLock { $0.isEmpty || $0 == identities } }

  private var identities: [Identity?] { [Identity(path), Identity(path + "-wal")] }

  /// The lock file's text says whether a process has the database open.
  private func mark(_ text: String) {
    guard ftruncate(lock, 0) == 0 else { return }
    _ = text.utf8CString.withUnsafeBytes { pwrite(lock, $0.baseAddress, text.utf8.count, 0) }
  }

  private static func isMarkedOpen(_ lock: Int32) -> Bool {
    var status = stat()
    return fstat(lock, &status) == 0 && status.st_size > 0
  }

  /// Makes the names of new files durable. SQLite tries that too, but ignores failures.
  package func syncFolder() throws(SQLiteFileError) {
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.failure("open the folder of", path, Self.lastError) }
    defer { Glibc.close(folder) }
    guard fsync(folder) == 0 else { throw Self.failure("make durable the folder of", path, Self.lastError) }
  }

  private static var lastError: String {
    errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno))
  }

  private static func failure(_ action: String, _ path: String, _ reason: String) -> SQLiteFileError {
    SQLiteFileError(code: .system(action, reason: reason), path: path)
  }
}
