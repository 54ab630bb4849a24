import Glibc
import JSON
import Outbox
import SQL

/// A queue in SQLite that no gateway has open, read page by page.
package final class DamagedQueue {
  package let path: String
  let pages: DatabasePages
  let map: PageMap
  /// Nil if the system could not read it.
  private let header: DatabaseHeader?
  private let lock: QueueLock
  private let isLogMissing: Bool

  /// Locks and reads the queue in a file. Nothing in it, and no file beside it, is changed.
  package convenience init(path given: String) throws(QueueRepairError) {
    let (file, log): (FileBytes, FileBytes?)
    let path =
      realpath(given, nil).map { resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? given
    do throws(FileReadError) {
      file = try FileBytes(path: path)
    } catch {
      throw QueueRepairError(.refused, "\(given): cannot be opened: \(error.shortReason)", underlying: error)
    }
    do throws(FileReadError) {
      log = try FileBytes(path: path + "-wal")
    } catch {
      guard error.code == .system(ENOENT) else {
        throw QueueRepairError(
          .refused, "\(given)-wal: cannot be opened: \(error.shortReason)", underlying: error)
      }
      log = nil
    }
    try self.init(path: path, file: file, log: log)
  }

  init(path: String, file: any StoredBytes, log: (any StoredBytes)?) throws(QueueRepairError) {
    self.path = path
    lock = try QueueLock(of: path)
    isLogMissing = lock.isMarkedOpen && log == nil
    guard file.count > 0 || log.map({ $0.count > 0 }) ?? false else {
      throw QueueRepairError(
        .refused, "the queue \(path) is empty: a gateway makes its tables when it starts")
    }
    pages = DatabasePages(file: file, log: log)
    do throws(PageError) {
      header = DatabaseHeader(bytes: try pages.read(1))
    } catch {
      header = error.isUnread ? nil : DatabaseHeader(bytes: [])
    }
    map = PageMap(pages, header: header)
  }

  /// Reads all records, and passes on those that can be verified.
  func scan(
    keep: @escaping (QueueTable, Int64, [StoredValue]) throws(QueueRepairError) -> Void
  ) throws(QueueRepairError) -> (contents: QueueContents, changed: [(row: Int64, deliveries: Int64)]) {
    var scan = RecordScan(pages, map, keep: keep)
    if isLogMissing {
      scan.report(
        QueueDamage("the log \(path)-wal is missing although the queue was not closed", isLoss: true))
    }
    let refusal = header.flatMap {
      SQLiteSchema.refusal(application: $0.isSQLite ? $0.application : 0, version: $0.version)
    }
    if let refusal, !map.isSchemaKnown, header?.isNewer == true {
      throw QueueRepairError(.refused, refusal.message)
    }
    for problem in headerProblems(refusal) { scan.report(QueueDamage(problem, page: 1)) }
    let changed = try scan.run()
    // A flipped bit in the header makes no other program's file of it.
    if let refusal, !map.isSchemaKnown, scan.contents.counts.deliveries == 0 {
      throw QueueRepairError(.refused, refusal.message)
    }
    return (scan.contents, changed)
  }

  private func headerProblems(_ refusal: DatabaseError?) -> [String] {
    guard let header else { return [] }
    var problems = [header.problem].compactMap(\.self)
    if refusal != nil, header.isSQLite {
      problems.append("the database's header has another application or version")
    }
    if pages.count == DatabasePages.countMax {
      problems.append("the file is too large: only its first \(pages.count) pages were read")
    } else if let count = header.pageCount, count > pages.count {
      problems.append("the file is cut off: it has \(pages.count) of \(count) pages")
    } else if pages.isTorn {
      problems.append("the file is cut off within its last page")
    }
    return problems
  }

  /// What is wrong with the queue.
  package func check() throws(QueueRepairError) -> QueueReport {
    let contents = try scan { _, _, _ in }.contents
    return QueueReport(damage: contents.damage, counts: contents.counts)
  }
}

/// The lock that a gateway holds while it has a queue open. Nobody else can take it while this exists.
private final class QueueLock {
  /// Whether the last gateway has not closed the queue.
  let isMarkedOpen: Bool
  private let descriptor: Int32

  /// A gateway makes the lock's file before it opens the queue; without one, there is nothing to lock.
  init(of path: String) throws(QueueRepairError) {
    descriptor = open(path + "-lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else {
        throw QueueRepairError(
          .refused, "\(path)-lock: cannot be opened: \(String(cString: strerror(errno)))")
      }
      isMarkedOpen = false
      return
    }
    var status = stat()
    isMarkedOpen = fstat(descriptor, &status) == 0 && status.st_size > 0
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw QueueRepairError(.refused, "a gateway has the queue \(path) open: stop it first")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
