import Clock
import Dispatch
import Synchronization
import Telemetry
import SQL

/// A store's health, and whether it tries to recover.
struct HealthState: Sendable {
  var health: OutboxHealth
  var isRecovering = false
  var lostClaimCount = 0
}

/// Degradation and recovery.
extension DurableOutboxStore {
  /// The answer to callers while the database is out of reach.
  var outOfReach: OutboxError {
    health.degradation ?? OutboxError(code: .unavailable, description: "the queue's database is out of reach")
  }

  /// Records an error: the store is degraded unless the error concerns only one operation.
  func note(_ error: DatabaseError) { if error.concernsStore { degraded(error.outboxError) } }

  /// Records that the store cannot be written, and begins to recover.
  func degraded(_ error: OutboxError) {
    let now = clock()
    let (isNew, starts) = healthState.withLock { state in
      let isNew = state.health.degradation?.description != error.description
      state.health.update(error, at: now)
      let starts = !state.isRecovering
      state.isRecovering = true
      return (isNew, starts)
    }
    wake()
    if isNew { log.error("queue is degraded", ["reason": .string(error.description)]) }
    if starts { writing.async { [weak self] in self?.recoverLater() } }
  }

  /// Takes note of whether the disk has room for more. Like a failed write, a shortage makes the store
  /// degraded; unlike it, what was accepted is settled meanwhile.
  func noteShortage() { if let shortage = database.shortage { degraded(shortage) } }

  /// Records that the store was written. A write that was admitted before the database was out of reach says
  /// nothing about those that are refused since; then only the database's own recovery ends the degradation.
  func recovered() {
    let wasDegraded = healthState.withLock { state in
      guard state.health.degradation != nil, database.isReachable else { return false }
      if let shortage = database.shortage {
        state.health.update(shortage, at: clock())
        return false
      }
      state.health.update(nil, at: clock())
      return true
    }
    if wasDegraded { log.info("queue recovered", database.logFields) }
  }

  /// Probes by itself: a gateway that is not ready receives no requests that would show that the queue works
  /// again.
  private func recoverLater() {
    let delay = DispatchTimeInterval.milliseconds(database.recoveryDelayMilliseconds)
    writing.asyncAfter(deadline: .now() + delay) { [weak self] in self?.recover() }
  }

  private func recover() {
    let isOver = healthState.withLock { state in
      state.isRecovering = state.health.degradation != nil && !isClosed
      return !state.isRecovering
    }
    if isOver { return }
    do throws(DatabaseError) {
      let due = try database.recover(in: self)
      if let shortage = database.shortage { throw DatabaseError.store(shortage) }
      healthState.withLock { $0.isRecovering = false }
      recovered()
      notifyDue(due)
    } catch {
      degraded(error.outboxError)
      recoverLater()
    }
  }
}
