import Dispatch
import Synchronization
import Telemetry
import SQL

/// The files of the queue and the space that they have.
extension SQLiteDatabase {
  var diskSpace: OutboxDiskSpace? {
    let space = volume.space
    return OutboxDiskSpace(freeBytes: space.freeBytes, totalBytes: space.totalBytes)
  }

  var shortage: OutboxError? {
    guard volume.isShort else { return nil }
    return OutboxError(
      code: .unavailable,
      description: "the queue's disk is full and nothing was kept; what was accepted before is still sent; "
        + "free at least \(2 * volume.reserveBytes >> 20) MiB")
  }

  /// Verifies the place of the files and the space on their volume, unless the file system still keeps an
  /// earlier inspection waiting.
  func inspect(in store: DurableOutboxStore) {
    guard !isInspecting.exchange(true, ordering: .relaxed) else { return }
    inspecting.async { [weak self, weak store] in
      guard let self else { return }
      if let store, !store.isClosed { verifyFiles(in: store) }
      isInspecting.store(false, ordering: .relaxed)
    }
  }

  private func verifyFiles(in store: DurableOutboxStore) {
    do throws(DatabaseError) { try verifyPlace(.unavailable) } catch { store.note(error) }
    let wasShort = volume.isShort
    volume.refresh()
    guard wasShort || volume.isShort else { return }
    store.noteShortage()
    store.writing.async { [checkpoints] in checkpoints.measureReusable() }
  }

  /// Throws where the database or its log was removed, moved or replaced: what is written then is lost with
  /// the open file.
  func verifyPlace(_ code: OutboxError.Code) throws(DatabaseError) {
    guard !file.isInPlace else { return }
    isDisplaced.store(true, ordering: .releasing)
    throw .store(
      OutboxError(
        code: code,
        description: "the queue's file \(file.path) or its log was removed, moved or replaced while it was "
          + "open; put the file back, or restart the gateway with the file that is there now"))
  }

  /// Throws where the log cannot be moved into the database any more.
  func verifyRoom() throws(DatabaseError) {
    guard !checkpoints.hasRoom() else { return }
    throw .store(
      OutboxError(
        code: .unavailable,
        description: "the queue's log cannot be moved into its database while another process reads it, and "
          + "the disk has no space for more; nothing was kept; end that process (a backup?), or free space"))
  }

  /// Makes what was reserved available to the database; then the store's health says what is short.
  func makeRoom(in store: DurableOutboxStore) {
    checkpoints.makeRoom()
    store.noteShortage()
  }
}
