package import Dispatch

/// Moves the write-ahead log of a database into it, before the log is long or the disk too full for that.
///
/// A log that is becoming long is moved on a thread and a connection of its own, so that no commit waits for
/// it, in rounds, each for what was added during the one before; then the writing thread moves the rest,
/// which is little, so that the log starts over.
///
/// Under a load that outruns the disk the log would grow without bound: from four times the length on, or
/// where the database would have to grow by most of the reserve, the writing thread moves all of it.
///
/// Guard: `checkpointer` belongs to `queue`, and everything else to the queue that writes.
package final class SQLiteCheckpoints: @unchecked Sendable {
  /// Below this length the log is left alone even on a full disk.
  private static let movedBytesMin = 256 << 10
  /// What the writing thread may be left to move, and the most rounds until then.
  private static let leftBytesMax = 128 << 10
  private static let roundsMax = 5
  /// The change of the log from which the database is measured again.
  private static let measuredLogBytes = 64 << 10

  private let file: SQLiteFile
  private let volume: SQLiteVolume
  private var writer: SQLiteConnection?
  private var checkpointer: SQLiteConnection?
  private let queue: DispatchQueue
  /// The bounds of the length from which the log is moved; a quarter of the database's in between.
  private let logBytes: ClosedRange<Int>
  private let pageBytes: Int
  private let report: @Sendable (DatabaseError) -> Void
  private var isRunning = false
  /// The result of the last measurement of the database's length, and the log's length then.
  private var measured = (logPages: 0, databasePages: 0)

  /// `writer` is the connection that writes, and `checkpointer` another one. `report` is called with errors.
  package init(
    _ file: SQLiteFile, _ volume: SQLiteVolume, writer: SQLiteConnection, checkpointer: SQLiteConnection,
    queue: DispatchQueue, logBytes: ClosedRange<Int>, report: @escaping @Sendable (DatabaseError) -> Void
  ) throws(DatabaseError) {
    self.file = file
    self.volume = volume
    self.writer = writer
    self.checkpointer = checkpointer
    self.queue = queue
    self.logBytes = logBytes
    self.report = report
    pageBytes = Int(clamping: try writer.integer("PRAGMA page_size") ?? 0)
  }

  /// Called after each transaction on the queue that writes.
  package func moveIfLong(from writing: DispatchQueue) {
    guard let writer, writer.logPages * pageBytes >= measuredBytesMin else { return }
    let databasePages = databasePages(writer)
    let pagesMax = pagesMax(databasePages)
    let growth = growthBytes(databasePages)
    if writer.logPages >= 4 * pagesMax || growth >= volume.reserveBytes / 4 * 3 || volume.isShort {
      finish(pagesMax: pagesMax)
      return volume.note(growthBytes: growthBytes(databasePages))
    }
    guard !isRunning, writer.logPages >= pagesMax || growth >= volume.reserveBytes / 2 else { return }
    isRunning = true
    queue.async { [self] in
      move { () throws(DatabaseError) in try moveInRounds() }
      writing.async { [self] in
        finish(pagesMax: pagesMax)
        isRunning = false
      }
    }
  }

  private func moveInRounds() throws(DatabaseError) {
    guard let checkpointer else { return }
    var moved = 0
    for _ in 0..<Self.roundsMax {
      let before = moved
      moved = try checkpointer.checkpointPassively()
      if (moved - before) * pageBytes <= Self.leftBytesMax { break }
    }
  }

  /// Whether the log can still be moved into the database. It cannot while somebody reads an old state of it,
  /// and whatever is written then takes the space that moving it needs later.
  package func hasRoom() -> Bool {
    guard volume.isCramped, let writer else { return true }
    let databasePages = databasePages(writer)
    finish(pagesMax: pagesMax(databasePages))
    volume.note(growthBytes: growthBytes(databasePages))
    return !volume.isCramped
  }

  /// Gives the reserve to the database, so that its log can be moved into it and shortened.
  package func makeRoom() {
    volume.giveBack()
    emptyLog()
    volume.refresh()
  }

  package func emptyLog() {
    move { () throws(DatabaseError) in try writer?.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Records how much of the database can be used again. If that cannot be read, it is nothing.
  package func measureReusable() {
    guard let writer else { return }
    let pages = (try? writer.run("PRAGMA freelist_count").value) ?? 0
    volume.note(reusableBytes: pages * Int64(pageBytes))
  }

  /// Closes the checkpointer's connection, as part of `group`.
  package func close(in group: DispatchGroup) { queue.async(group: group) { [self] in checkpointer = nil } }

  /// Moves the whole log, and lets go of the writer's connection.
  package func end() {
    emptyLog()
    writer = nil
  }

  /// Below this length of the log nothing can follow from that of the database, which takes several system
  /// calls to find out: moving the log makes the database grow by no more than the log's own length.
  private var measuredBytesMin: Int {
    let bytesMin =
      volume.isShort
      ? Self.movedBytesMin : min(logBytes.lowerBound, Int(clamping: volume.reserveBytes / 2))
    return min(bytesMin, logBytes.upperBound)
  }

  /// On a small volume, the log is moved earlier.
  private func pagesMax(_ databasePages: Int) -> Int {
    let bytesMin = min(logBytes.lowerBound, Int(clamping: volume.reserveBytes))
    return min(logBytes.upperBound, max(bytesMin, databasePages * pageBytes / 4)) / pageBytes
  }

  /// What a checkpoint needs on the disk before it gives back any of the log.
  private func growthBytes(_ databasePages: Int) -> Int64 {
    max(0, Int64(databasePages) * Int64(pageBytes) - file.bytes)
  }

  /// The database's length in pages, with what only the log has. It is read again when the log has changed by
  /// `measuredLogBytes`: each time takes and releases a lock on the file, which costs more than a small
  /// commit's statements.
  private func databasePages(_ writer: SQLiteConnection) -> Int {
    if abs(writer.logPages - measured.logPages) * pageBytes >= Self.measuredLogBytes {
      measured = (writer.logPages, Int(clamping: (try? writer.run("PRAGMA page_count").value) ?? 0))
    }
    return measured.databasePages
  }

  private func finish(pagesMax: Int) {
    move { () throws(DatabaseError) in
      guard let writer else { return }
      // A log that is shortened and grows again costs writes: keep the length that it usually has.
      try writer.execute("PRAGMA journal_size_limit = \(2 * pagesMax * pageBytes)")
      do throws(DatabaseError) {
        _ = try writer.checkpointPassively()
      } catch  where error.kind == .full {
        makeRoom()
      }
    }
  }

  /// A failure loses nothing: everything stays in the log until a later checkpoint.
  private func move(_ body: () throws(DatabaseError) -> Void) {
    do throws(DatabaseError) { try body() } catch { report(error) }
  }
}
