import CSQLite
import Glibc
import Synchronization

@testable import Outbox

/// Faults in SQLite's reads and writes of files, for a test that is alone in its process.
enum FileFaults {
  enum Fault: UInt8, AtomicRepresentable {
    /// One read of twenty fails with `someFailingReads`.
    case none, failingReads, someFailingReads, garbledPages, failingWrites, fullDisk
  }

  private typealias Reading = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
  private typealias Writing = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int

  private static let fault = Atomic<Fault>(.none)
  /// How many operations go well before the fault.
  private static let ahead = Atomic<Int>(0)
  /// How many more operations the fault concerns.
  private static let left = Atomic<Int>(0)
  private static let met = Atomic<Int>(0)
  private static let pageBytes = SQLiteSchema.pageBytes

  /// Lets `count` operations of a kind meet a fault, after the next `ahead` ones, while `body` runs; returns
  /// how many did.
  static func during(
    _ fault: Fault, after ahead: Int = 0, count: Int, _ body: () async throws -> Void
  ) async rethrows -> Int {
    _ = installed
    self.ahead.store(ahead, ordering: .relaxed)
    met.store(0, ordering: .relaxed)
    left.store(count, ordering: .relaxed)
    self.fault.store(fault, ordering: .sequentiallyConsistent)
    defer { self.fault.store(.none, ordering: .sequentiallyConsistent) }
    try await body()
    return met.load(ordering: .relaxed)
  }

  private static func meets(_ kind: Fault) -> Bool {
    guard fault.load(ordering: .sequentiallyConsistent) == kind,
      ahead.subtract(1, ordering: .relaxed).newValue < 0,
      left.subtract(1, ordering: .relaxed).newValue >= 0
    else { return false }
    met.add(1, ordering: .relaxed)
    return true
  }

  /// SQLite's own hooks for such tests (sqlite3_vfs.xSetSystemCall).
  private static let installed: Void = {
    guard let vfs = sqlite3_vfs_find(nil), let set = vfs.pointee.xSetSystemCall else { return }
    let read: Reading = { descriptor, buffer, count, offset in
      let isOneOfTwenty = FileFaults.meets(.someFailingReads) && met.load(ordering: .relaxed) % 20 == 0
      if isOneOfTwenty || FileFaults.meets(.failingReads) {
        errno = EIO
        return -1
      }
      let got = pread(descriptor, buffer, count, offset)
      if got == FileFaults.pageBytes, let buffer, FileFaults.meets(.garbledPages) { memset(buffer, 0, got) }
      return got
    }
    let write: Writing = { descriptor, buffer, count, offset in
      if FileFaults.meets(.failingWrites) {
        errno = EIO
        return -1
      }
      if FileFaults.meets(.fullDisk) {
        errno = ENOSPC
        return -1
      }
      return pwrite(descriptor, buffer, count, offset)
    }
    for name in ["pread", "pread64"] {
      _ = set(vfs, name, unsafeBitCast(read, to: sqlite3_syscall_ptr.self))
    }
    for name in ["pwrite", "pwrite64"] {
      _ = set(vfs, name, unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    }
  }()
}
