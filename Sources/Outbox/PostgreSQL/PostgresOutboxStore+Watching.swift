internal import Clock
import Dispatch
import Synchronization
import Telemetry

/// What the store does without being asked: it renews its lease, sees what other gateways have accepted or left behind,
/// ends what expired behind a paused app, and removes what is old.
extension PostgresOutboxStore {
  /// Old things are looked for this often at the least.
  private static let pruneIntervalMillisecondsMax: Int64 = 600_000
  /// A step of pruning waits so long for the next one, so that callers come in between.
  private static let pauseMilliseconds = 20

  func watchLater() {
    let interval = DispatchTimeInterval.milliseconds(configuration.watchIntervalMilliseconds)
    writing.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self, !session.isFinished else { return }
      watch()
      watchLater()
    }
  }

  private func watch() {
    guard let writer = session.writer else { return }
    do throws(PostgresError) {
      // In trouble it writes, since only that tells whether writing works again.
      let isDue =
        ContinuousClock.now - session.leaseKeptAt > .milliseconds(configuration.leaseMilliseconds / 3)
      if isDue || degradation != nil {
        try writer.renewLease()
        session.leaseKeptAt = .now
      }
      let buried = try writer.buryLost(now: clock())
      if buried.replicas > 0 {
        log.warning(
          "queue: the leases of other gateways are over; what they had claimed is due again",
          ["gateways": .integer(buried.replicas), "deliveries": .integer(buried.deliveries)])
      }
      notifyDue(try writer.due(now: clock()))
      let last = try writer.lastEvent()
      if last > session.lastEvent, let notify = listeners.withLock({ $0.onFeedback }) { notify() }
      session.lastEvent = max(last, session.lastEvent)
      healed()
    } catch {
      if error.state == PostgresWriter.leaseLost.state { _ = takeNewNumber() } else { note(error) }
    }
    let waiting = session.waitingForTurn
    session.waitingForTurn = []
    for turn in waiting { turn(nil) }
  }
}

// MARK: - Chores

extension PostgresOutboxStore {
  func choresLater() {
    let interval = DispatchTimeInterval.milliseconds(configuration.maintenanceIntervalMilliseconds)
    writing.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self, !session.isFinished else { return }
      doChores()
      choresLater()
    }
  }

  private func doChores() {
    guard degradation == nil, let writer = session.writer else { return }
    do throws(PostgresError) {
      let since = clock().adding(milliseconds: -configuration.stuckMilliseconds)
      for app in try writer.due(now: since) where session.expiring.insert(app).inserted { expire(app) }
    } catch {
      note(error)
    }
    let pruneInterval = min(configuration.retentionMilliseconds / 12, Self.pruneIntervalMillisecondsMax)
    let roundsBetween = max(1, pruneInterval / Int64(max(1, configuration.maintenanceIntervalMilliseconds)))
    defer { session.rounds += 1 }
    guard Int64(session.rounds) % roundsBetween == 0, !session.isPruning else { return }
    session.isPruning = true
    prune()
  }

  private func expire(_ app: String) {
    expire(app: app, now: clock(), limit: configuration.stepDeliveriesMax) { [weak self] result in
      self?.next { store in
        if case .success(let sweep) = result, !sweep.isComplete { return store.expire(app) }
        store.session.expiring.remove(app)
      }
    }
  }

  private func prune() {
    let end = clock().adding(milliseconds: -configuration.retentionMilliseconds)
    prune(endedBy: end, limit: configuration.stepDeliveriesMax) { [weak self] result in
      self?.next { store in
        if case .success(let step) = result, !step.isComplete { return store.prune() }
        store.session.isPruning = false
      }
    }
  }

  private func next(_ step: @escaping @Sendable (PostgresOutboxStore) -> Void) {
    writing.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) { [weak self] in
      guard let self, !session.isFinished else { return }
      step(self)
    }
  }
}
