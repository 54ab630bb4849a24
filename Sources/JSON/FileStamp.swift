internal import Glibc

/// What changes when a file does.
package struct FileStamp: Sendable, Equatable {
  package let size: Int
  private let device: UInt64
  private let inode: UInt64
  private let modified: [Int]
  private let changed: [Int]
  /// Whether the file's next change gets another time than its last one, even where times are counted in
  /// steps of two seconds (FAT). A younger file may have been read between two changes with one time.
  package let isSettled: Bool

  private static let stepSeconds = 2

  /// Nil if there is no such file. Symbolic links are followed: it does not matter whether the file, its
  /// folder or a link to that is replaced, as Kubernetes does.
  package init?(path: String) {
    var (status, now) = (stat(), timespec())
    guard stat(path, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    size = Int(status.st_size)
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    isSettled = status.st_mtim.tv_sec < now.tv_sec - Self.stepSeconds
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.size == right.size && left.device == right.device && left.inode == right.inode
      && left.modified == right.modified && left.changed == right.changed
  }
}
