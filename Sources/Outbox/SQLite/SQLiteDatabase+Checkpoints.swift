import Dispatch
import Synchronization
import Telemetry
import SQL

extension SQLiteDatabase {
  /// Below this length the log is left alone even on a full disk.
  private static let movedBytesMin = 256 << 10

  /// Moves a long log into the database, on a thread and a connection of its own, so that no commit waits for
  /// it; then the writing thread moves what was added meanwhile, which is little, so that the log starts
  /// over.
  ///
  /// Under a load that outruns the disk the log would grow without bound: from four times the length on, or
  /// where the database would have to grow by most of the reserve, the writing thread moves all of it.
  func checkpointIfLong(in store: DurableOutboxStore) {
    guard let writer = connections.value?.writer.connection, writer.logPages * pageBytes >= measuredBytesMin
    else { return }
    let databasePages = databasePages(writer)
    let pagesMax = pagesMax(databasePages)
    let growth = growthBytes(databasePages)
    let isLong = writer.logPages >= 4 * pagesMax || growth >= volume.reserveBytes / 4 * 3
    if isLong || volume.isShort {
      finishCheckpoint(pagesMax: pagesMax)
      return volume.note(growthBytes: growthBytes(databasePages))
    }
    guard writer.logPages >= pagesMax || growth >= volume.reserveBytes / 2 else { return }
    guard isCheckpointing.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
      return
    }
    checkpointing.async { [self] in
      checkpoint { () throws(DatabaseError) in try checkpointer.value?.checkpointPassively() ?? 0 }
      store.writing.async { [self] in
        finishCheckpoint(pagesMax: pagesMax)
        isCheckpointing.store(false, ordering: .relaxed)
      }
    }
  }

  /// Below this length of the log nothing can follow from that of the database, which takes several system
  /// calls to find out: moving the log makes the database grow by no more than the log's own length.
  private var measuredBytesMin: Int {
    let bytesMin =
      volume.isShort
      ? Self.movedBytesMin : min(configuration.logBytesMin, Int(clamping: volume.reserveBytes / 2))
    return min(bytesMin, configuration.logBytesMax)
  }

  /// Throws where the log cannot be moved into the database, because somebody reads an old state of it, and
  /// whatever is written takes the space that moving it needs later.
  func verifyRoom() throws(DatabaseError) {
    guard volume.isCramped, let writer = connections.value?.writer.connection else { return }
    let databasePages = databasePages(writer)
    finishCheckpoint(pagesMax: pagesMax(databasePages))
    volume.note(growthBytes: growthBytes(databasePages))
    guard volume.isCramped else { return }
    throw .store(
      OutboxError(
        code: .unavailable,
        description: "the queue's log cannot be moved into its database while another process reads it, and "
          + "the disk has no space for more; nothing was kept; end that process (a backup?), or free space"))
  }

  /// On a small volume, the log is moved earlier.
  private func pagesMax(_ databasePages: Int) -> Int {
    let bytesMin = min(configuration.logBytesMin, Int(clamping: volume.reserveBytes))
    return min(configuration.logBytesMax, max(bytesMin, databasePages * pageBytes / 4)) / pageBytes
  }

  /// What a checkpoint needs on the disk before it gives back any of the log.
  private func growthBytes(_ databasePages: Int) -> Int64 {
    max(0, Int64(databasePages) * Int64(pageBytes) - file.bytes)
  }

  private var pageBytes: Int { SQLiteSchema.pageBytes }

  /// The change of the log from which the database is measured again.
  private static let measuredLogBytes = 64 << 10

  /// The database's length in pages, with what only the log has. It is read again when the log has changed by
  /// `measuredLogBytes`: each time takes and releases a lock on the file, which costs more than a small
  /// commit's statements.
  private func databasePages(_ writer: SQLiteConnection) -> Int {
    measured.withLock { measured in
      guard abs(writer.logPages - measured.logPages) * pageBytes >= Self.measuredLogBytes else {
        return measured.databasePages
      }
      measured = (writer.logPages, Int(clamping: (try? writer.run("PRAGMA page_count").value) ?? 0))
      return measured.databasePages
    }
  }

  private func finishCheckpoint(pagesMax: Int) {
    checkpoint { () throws(DatabaseError) in
      guard let writer = connections.value?.writer.connection else { return 0 }
      // A log that is shortened and grows again costs writes: keep the length that it usually has.
      try writer.execute("PRAGMA journal_size_limit = \(2 * pagesMax * pageBytes)")
      do throws(DatabaseError) {
        return try writer.checkpointPassively()
      } catch  where error.kind == .full {
        makeRoom()
        return 0
      }
    }
  }

  /// A failure loses nothing: everything stays in the log until a later checkpoint.
  private func checkpoint(_ body: () throws(DatabaseError) -> Int) {
    do throws(DatabaseError) {
      _ = try body()
    } catch {
      log.warning("queue checkpoint failed", ["reason": .string(error.message)])
    }
  }
}
