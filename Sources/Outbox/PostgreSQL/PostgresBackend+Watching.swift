import Clock
import Dispatch
import Synchronization
import Telemetry

/// Watching the database that other gateways share: this gateway renews its lease, reaps the leases of those
/// that are gone, and notices what the others have accepted.
extension PostgresBackend {
  func watchLater(in store: Store) {
    let interval = DispatchTimeInterval.milliseconds(configuration.watchIntervalMilliseconds)
    store.writing.asyncAfter(deadline: .now() + interval) { [weak self, weak store] in
      guard let self, let store, !isClosed else { return }
      watch(in: store)
      watchLater(in: store)
    }
  }

  private func watch(in store: Store) {
    guard let writer else { return }
    do throws(PostgresError) {
      if ContinuousClock.now - leaseRenewedAt > .milliseconds(configuration.leaseMilliseconds / 3) {
        try renewLease(writer)
      }
      try writer.readClock()
      try writer.recallCancelled()
      let reaped = try writer.reapLeases(now: clock())
      if reaped.replicas > 0 {
        log.warning(
          "queue: leases of other gateways have ended; what they had claimed is due again",
          ["gateways": .integer(reaped.replicas), "deliveries": .integer(reaped.deliveries)])
      }
      liveGateways.store(try writer.liveGateways(), ordering: .relaxed)
      try giveUpUnusedTurn(writer)
      try limits.exchange(with: writer, now: clock(), reads: true)
      releaseUnused(in: store)
      let due = try writer.due(now: clock())
      prefetch.note(due: due)
      store.notifyDue(due)
      let last = try writer.lastEvent()
      if last > lastEvent, let notify = store.listeners.withLock({ $0.onFeedback }) { notify() }
      lastEvent = max(last, lastEvent)
    } catch {
      if error.isLeaseLost { _ = takeNewLease(in: store) } else { store.note(assess(error)) }
    }
    let waiting = waitingForTurn
    waitingForTurn = []
    for turn in waiting { turn(nil) }
  }

  /// Hands back what was claimed ahead and the engine has not taken, so that any gateway can send it.
  private func releaseUnused(in store: Store) {
    let unused = prefetch.takeUnused(
      since: .now - .milliseconds(configuration.prefetchMilliseconds))
    guard !unused.isEmpty else { return }
    let now = clock()
    store.settle(
      unused.map { Settlement(delivery: $0.delivery.id, at: now, result: .release) }, waitMilliseconds: 0
    ) { [prefetch] result in
      if case .failure = result { prefetch.putBack(unused) }
    }
  }

  /// Writes at once what this gateway has learnt about sending.
  func exchangeLimits(in store: Store) {
    guard let writer else { return limits.refuseTurns() }
    do throws(PostgresError) {
      try limits.exchange(with: writer, now: clock(), reads: false)
    } catch {
      limits.refuseTurns()
      store.note(assess(error))
    }
  }
}
