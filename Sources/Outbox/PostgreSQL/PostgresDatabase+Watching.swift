import Clock
import Dispatch
import JSON
import SendingLimits
import Synchronization
import Telemetry
import SQL

/// Watching the database that other gateways share: this gateway renews its lease, reaps the leases of those
/// that are gone, and notices what the others have accepted.
extension PostgresDatabase {
  func watchLater(in store: DurableOutboxStore) {
    let interval = DispatchTimeInterval.milliseconds(configuration.watchIntervalMilliseconds)
    store.writing.asyncAfter(deadline: .now() + interval) { [weak self, weak store] in
      guard let self, let store, !store.isClosed else { return }
      watch(in: store)
      watchLater(in: store)
    }
  }

  private func watch(in store: DurableOutboxStore) {
    guard let engine, let driver else { return }
    do throws(DatabaseError) {
      try look(engine, driver, in: store)
    } catch {
      assess(error)
      if error.kind == .leaseLost { _ = takeNewLease(in: store) } else { store.note(error) }
    }
    webhook.askAgain()
  }

  private func look(
    _ engine: QueueEngine, _ driver: PostgresDriver, in store: DurableOutboxStore
  ) throws(DatabaseError) {
    if ContinuousClock.now - leasing.renewedAt > .milliseconds(configuration.leaseMilliseconds / 3) {
      try renewLease(driver)
    }
    try driver.readClock()
    try driver.recallCancelled()
    let reaped = try driver.reapLeases(now: clock())
    if reaped.leases > 0 {
      log.warning(
        "queue: leases of other gateways have ended; what they had claimed is due again",
        ["gateways": .integer(reaped.leases), "deliveries": .integer(reaped.deliveries)])
    }
    liveGateways.store(try driver.liveGateways(), ordering: .relaxed)
    // Leaves the turn to the others if this gateway's webhook has ended, as after a reload without one.
    if webhook.takeUnused() { try driver.giveUpWebhookTurn() }
    try limits.exchange(with: driver.limits, now: clock(), reads: true)
    store.releaseUnused()
    let due = try engine.appsDue(since: clock())
    memory.ready.note(due: due)
    store.notifyDue(due)
    let last = try engine.lastEvent()
    if last > lastEvent, let notify = store.listeners.withLock({ $0.onFeedback }) { notify() }
    lastEvent = max(last, lastEvent)
  }

  /// Writes at once what this gateway has learnt about sending.
  func exchangeLimits(in store: DurableOutboxStore) {
    guard let driver else { return limits.refuseQuestions() }
    do throws(DatabaseError) {
      try limits.exchange(with: driver.limits, now: clock(), reads: false)
    } catch {
      limits.refuseQuestions()
      assess(error)
      store.note(error)
    }
  }
}
