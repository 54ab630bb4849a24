import CLinux
import Foundation
import Synchronization

/// The database's file, locked by this process. The kernel releases the lock when the process ends.
final class SQLiteFile: Sendable {
  /// The database, with all symbolic links resolved, so that two names of a file share one lock.
  let path: String
  /// Whether the last process left the database open, and its log is gone.
  let isLogMissing: Bool
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

  /// Creates the folder and an empty database that only its owner can read, if they do not exist.
  init(path given: String) throws(OutboxError) {
    let url = URL(fileURLWithPath: given)
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Self.failure("make the folder of", given, error.localizedDescription)
    }
    path = url.resolvingSymlinksInPath().path
    directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let lock = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.failure("open the lock file of", path, Self.lastError) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let reason = Self.lastError
      Glibc.close(lock)
      guard isTaken else { throw Self.failure("lock", path, reason) }
      throw OutboxError(
        code: .unavailable,
        description: "another process uses the queue \(path); give each gateway a queue of its own")
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
  func unlock() { flock(lock, LOCK_UN) }

  /// The database's length on disk.
  var bytes: Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Unlocks before it closes: otherwise a forked child that has not called exec yet, and has the descriptor
  /// too, keeps the lock a little longer (flock(2)).
  deinit {
    flock(lock, LOCK_UN)
    Glibc.close(lock)
  }

  /// Throws if SQLite would silently skip accepted deliveries: for a damaged log, or one without its
  /// database.
  func inspect() throws(OutboxError) {
    var database = stat()
    var log = stat()
    guard stat(path + "-wal", &log) == 0, log.st_size > 0 else { return }
    // SQLite writes a database's first page before it creates a log.
    if stat(path, &database) == 0, database.st_size == 0 {
      throw OutboxError(
        code: .corrupt,
        description:
          "the queue \(path) is empty, but its log \(path)-wal is not, and may have accepted deliveries: "
          + "restore a copy of both")
    }
    guard let offset = LogInspection.damage(inLogOf: path) else { return }
    throw OutboxError(
      code: .corrupt,
      description:
        "the queue's log \(path)-wal is damaged at byte \(offset), and accepted deliveries follow there: "
        + "`dragoman queue salvage NEW --url sqlite:\(path)` writes a new queue with everything that can be verified"
    )
  }

  /// Remembers which files the connections have opened. From now on the next start notices a missing log.
  func noteOpened() {
    opened.withLock { $0 = identities }
    mark("open")
  }

  /// Records that the database was closed, which removes its log.
  func noteClosed() {
    opened.withLock { $0 = [] }
    mark("")
  }

  /// Records that the database was not opened after all: its connections, as they closed, have moved the log
  /// that a crash had left into the database, and removed it.
  func noteRefused() {
    if !isLogMissing, Identity(path + "-wal") == nil { mark("") }
  }

  /// Whether the paths still name the files that are open. What is written to others is lost.
  var isInPlace: Bool { opened.withLock { $0.isEmpty || $0 == identities } }

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
  func syncFolder() throws(OutboxError) {
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.failure("open the folder of", path, Self.lastError) }
    defer { Glibc.close(folder) }
    guard fsync(folder) == 0 else { throw Self.failure("make durable the folder of", path, Self.lastError) }
  }

  private static var lastError: String { String(cString: strerror(errno)) }

  private static func failure(_ action: String, _ path: String, _ reason: String) -> OutboxError {
    OutboxError(code: .unavailable, description: "cannot \(action) the queue \(path): \(reason)")
  }
}
