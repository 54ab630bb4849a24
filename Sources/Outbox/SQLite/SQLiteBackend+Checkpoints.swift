import Dispatch
import Synchronization
import Telemetry

extension SQLiteBackend {
  /// Moves a long log into the database, on a thread and a connection of its own, so that no commit waits for
  /// it; then the writing thread moves what was added meanwhile, which is little, so that the log starts
  /// over.
  ///
  /// Under a load that outruns the disk the log would grow without bound: from four times the length on, the
  /// writing thread moves all of it.
  func checkpointIfLong(in store: Store) {
    guard let writer = writer.value, writer.logPages >= configuration.logPagesMax else { return }
    if writer.logPages >= 4 * configuration.logPagesMax { return finishCheckpoint() }
    guard isCheckpointing.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
      return
    }
    checkpointing.async { [self] in
      checkpoint { () throws(SQLiteError) in try checkpointer.value?.checkpointPassively() ?? 0 }
      store.writing.async { [self] in
        finishCheckpoint()
        isCheckpointing.store(false, ordering: .relaxed)
      }
    }
  }

  private func finishCheckpoint() {
    checkpoint { () throws(SQLiteError) in try writer.value?.checkpointPassively() ?? 0 }
  }

  /// A failure loses nothing: everything stays in the log until a later checkpoint.
  private func checkpoint(_ body: () throws(SQLiteError) -> Int) {
    do throws(SQLiteError) {
      _ = try body()
    } catch {
      log.warning("queue checkpoint failed", ["reason": .string(error.message)])
    }
  }
}
