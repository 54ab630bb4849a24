import Foundation

/// The database's file, locked by this process. The kernel releases the lock when the process ends.
final class SQLiteFile: Sendable {
  /// The database, with all symbolic links resolved, so that two names of a file share one lock.
  let path: String
  private let directory: String
  private let lock: Int32

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
    // SQLite would make it readable for all users. An existing one is not opened: closing any descriptor of a
    // database releases this process's POSIX locks on it.
    let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made >= 0 {
      Glibc.close(made)
    } else if errno != EEXIST {
      throw Self.failure("make", path, Self.lastError)
    }
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
          "the queue \(path) is empty, but its log \(path)-wal is not: restore a copy of both, or move "
          + "the log away to start with an empty queue")
    }
    guard let offset = LogInspection.damage(inLogOf: path) else { return }
    throw OutboxError(
      code: .corrupt,
      description:
        "the queue's log \(path)-wal is damaged at byte \(offset), and accepted deliveries follow "
        + "there: restore a copy of it, or `truncate -s \(offset)` it to continue without them")
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
