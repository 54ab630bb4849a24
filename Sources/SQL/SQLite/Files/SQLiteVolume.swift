import Foundation
import Synchronization

/// The volume of a database's file: how much of it is free, and a reserve that is given back when it is full.
///
/// While the disk is full, SQLite cannot move its log into the database, because the database has to grow
/// first, and it cannot shorten the log before that. The reserve is space for exactly this growth.
package final class SQLiteVolume: Sendable {
  package struct Space: Sendable {
    package var freeBytes: Int64 = 0
    package var totalBytes: Int64 = 0
  }

  private static let reserveBytesMin: Int64 = 1 << 20
  private static let reserveBytesMax: Int64 = 16 << 20
  /// The volume's size divided by the reserve's, between its limits.
  private static let reserveShare: Int64 = 16

  private struct State: Sendable {
    var space = Space()
    var isHeld = false
    /// Whether the file system cannot reserve space for a file.
    var isUnsupported = false
    /// The pages within the database that are free to be used again.
    var reusableBytes: Int64 = 0
    /// By how much the database has to grow for its log to be moved into it.
    var growthBytes: Int64 = 0
  }

  /// The size of the reserve. A log whose checkpoint would need more is moved into the database.
  package let reserveBytes: Int64
  private let folder: String
  private let path: String
  private let state = Mutex(State())

  /// Looks at the volume of `database`. The reserve of an earlier process is taken over, or given back at
  /// once where the disk is too full to open the database.
  package init(of database: String) {
    folder = URL(fileURLWithPath: database).deletingLastPathComponent().path
    path = database + "-reserve"
    let space = Self.space(of: folder)
    reserveBytes = max(
      Self.reserveBytesMin, min(Self.reserveBytesMax, (space?.totalBytes ?? 0) / Self.reserveShare))
    if let space { state.withLock { $0.space = space } }
    if let space, space.freeBytes < reserveBytes { giveBack() }
  }

  /// The space as of the last `refresh`.
  package var space: Space { state.withLock { $0.space } }

  /// Whether the disk is too full to accept anything, so that what is left serves to end what was begun.
  package var isShort: Bool {
    state.withLock { state in
      let isFree = state.space.freeBytes >= reserveBytes
      return !(state.isHeld || isFree && (state.isUnsupported || state.reusableBytes >= 2 * reserveBytes))
    }
  }

  /// Whether the log could soon not be moved into the database any more, for which the database has to grow.
  /// That is possible only while somebody reads an old state: otherwise the log is moved before.
  package var isCramped: Bool {
    state.withLock { state in
      guard state.growthBytes > reserveBytes else { return false }
      let room = state.space.freeBytes + (state.isHeld ? reserveBytes : 0)
      return room < state.growthBytes + max(reserveBytes, state.growthBytes / 4)
    }
  }

  /// Records by how much the database has to grow for its log to be moved into it.
  func note(growthBytes: Int64) {
    state.withLock { $0.growthBytes = growthBytes }
    if growthBytes > reserveBytes { measure() }
  }

  /// Makes the reserve available to the database.
  func giveBack() {
    unlink(path)
    state.withLock { $0.isHeld = false }
    measure()
  }

  /// Measures the free space, and takes the reserve where there is twice as much.
  package func refresh() {
    measure()
    let (isHeld, freeBytes) = state.withLock { ($0.isHeld || $0.isUnsupported, $0.space.freeBytes) }
    if !isHeld, freeBytes >= 2 * reserveBytes { take() }
  }

  /// Records how much of the database itself can be used again.
  func note(reusableBytes: Int64) { state.withLock { $0.reusableBytes = reusableBytes } }

  private func measure() {
    guard let space = Self.space(of: folder) else { return }
    state.withLock { $0.space = space }
  }

  private func take() {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return state.withLock { $0.isUnsupported = true } }
    defer { Glibc.close(descriptor) }
    let failure = posix_fallocate(descriptor, 0, Int(reserveBytes))
    if failure == 0 {
      state.withLock { $0.isHeld = true }
    } else {
      let isUnsupported = failure != ENOSPC && failure != EINTR
      unlink(path)
      state.withLock { $0.isUnsupported = isUnsupported }
    }
    measure()
  }

  private static func space(of folder: String) -> Space? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    let unit = Int64(clamping: status.f_frsize)
    return Space(
      freeBytes: bytes(Int64(clamping: status.f_bavail), unit),
      totalBytes: bytes(Int64(clamping: status.f_blocks), unit))
  }

  private static func bytes(_ count: Int64, _ unit: Int64) -> Int64 {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: unit)
    return overflow ? .max : bytes
  }
}
