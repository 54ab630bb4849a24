import Clock
import Dispatch
import JSON
import Synchronization
import Telemetry
import SQL

/// The progress of a store's maintenance.
struct MaintenanceState: Sendable {
  var rounds = 0
  var isPruning = false
  /// The apps whose expired deliveries are being ended.
  var expiring: Set<ExactText> = []
  /// The apps that this gateway has asked for.
  var served: Set<ExactText> = []
}

/// Maintenance: old records are removed, and deliveries that expired behind a paused app are ended. It
/// proceeds in small steps, each of which is a write that shares its transaction with the callers'.
extension DurableOutboxStore {
  /// The pause between two steps while callers are being served.
  private static var pauseMilliseconds: Int { 20 }
  /// The longest interval between two sweeps of pruning.
  private static var pruneIntervalMillisecondsMax: Int64 { 600_000 }

  func scheduleMaintenance() {
    let interval = DispatchTimeInterval.milliseconds(configuration.maintenanceIntervalMilliseconds)
    writing.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self, !isClosed else { return }
      maintain()
      scheduleMaintenance()
    }
  }

  private func maintain() {
    // On a full disk, removing old records makes room within the database.
    guard degradation == nil || database.shortage != nil else { return }
    database.maintain(in: self)
    expireStuck()
    let pruneInterval = min(configuration.retentionMilliseconds / 12, Self.pruneIntervalMillisecondsMax)
    let roundsBetween = max(1, pruneInterval / Int64(max(1, configuration.maintenanceIntervalMilliseconds)))
    let starts = maintenance.withLock { state in
      defer { state.rounds += 1 }
      guard Int64(state.rounds) % roundsBetween == 0, !state.isPruning else { return false }
      state.isPruning = true
      return true
    }
    if starts { prune() }
  }

  /// Ends expired deliveries of the apps whose first delivery has been due for long.
  private func expireStuck() {
    do throws(DatabaseError) {
      let since = clock().adding(milliseconds: -configuration.stuckMilliseconds)
      let apps = try database.ask { engine throws(DatabaseError) in try engine.appsDue(since: since) }
      noteUnserved(apps)
      for app in apps {
        let isNew = maintenance.withLock { $0.expiring.insert(ExactText(app)).inserted }
        if isNew { expire(app) }
      }
    } catch {
      note(error)
    }
  }

  /// Notes that this gateway sends the deliveries of `app`.
  func serve(_ app: String) {
    let name = ExactText(app)
    maintenance.withLock { if !$0.served.contains(name) { $0.served.insert(name) } }
  }

  package func serve(only apps: [String]) {
    let names = Set(apps.map(ExactText.init))
    maintenance.withLock { $0.served = names }
  }

  /// Reports which of the apps whose deliveries have been due for long nobody serves. An app that another
  /// gateway serves is not due for long, unless it is paused there.
  private func noteUnserved(_ due: [String]) {
    let served = maintenance.withLock { $0.served }
    let unserved = due.filter { !served.contains(ExactText($0)) }.sorted()
    let now = clock()
    let isNew = healthState.withLock { state in
      defer { state.health.unserved.become(unserved, at: now) }
      return state.health.unserved.status != unserved
    }
    guard isNew, !unserved.isEmpty else { return }
    log.warning(
      "queue holds due deliveries of apps that this gateway does not serve; configure them, or cancel those",
      ["apps": .string(unserved.joined(separator: ", "))])
  }

  private func expire(_ app: String) {
    expire(app: app, now: clock(), limit: configuration.stepDeliveriesMax) { [weak self] result in
      guard let self else { return }
      if case .success(let sweep) = result, !sweep.isComplete { return continueLater { $0.expire(app) } }
      maintenance.withLock { _ = $0.expiring.remove(ExactText(app)) }
    }
  }

  private func prune() {
    let end = clock().adding(milliseconds: -configuration.retentionMilliseconds)
    prune(endedBy: end, limit: configuration.stepDeliveriesMax) { [weak self] result in
      guard let self else { return }
      if case .success(let step) = result, !step.isComplete { return continueLater { $0.prune() } }
      maintenance.withLock { $0.isPruning = false }
    }
  }

  /// Corrects due times at the start, and as long as the clock shows an earlier time than before: what is
  /// claimed is corrected when it waits again.
  func followClock() {
    let now = clock()
    if watch.withLock({ $0.beginsCorrecting(at: now) }) { correctDueTimes(now: now, before: 0) }
  }

  /// `before`: how many were corrected in the steps before this one.
  private func correctDueTimes(now: Timestamp, before: Int) {
    let limit = configuration.stepDeliveriesMax
    let completion: QueueWrite.Completion<Int> = { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(limit): return continueLater { $0.correctDueTimes(now: now, before: before + limit) }
      case .success(let count): correctedDueTimes(count: before + count, now: now)
      // The round of the store's watch that follows its recovery begins again.
      case .failure: watch.withLock { $0.isCorrecting = false }
      }
    }
    change(.concernsOutcomes, deliveryCount: limit, completion) { engine, transaction throws(DatabaseError) in
      try engine.correctDueTimes(now: now, limit: limit, &transaction)
    }
  }

  private func correctedDueTimes(count: Int, now: Timestamp) {
    watch.withLock { watch in
      watch.isCorrecting = false
      watch.latest = max(watch.latest ?? now, now)
    }
    guard count > 0 else { return }
    log.warning(
      "queue: deliveries were written while the clock was ahead of what it is now; they wait no longer for it",
      ["count": .integer(count)])
  }

  /// Takes the next step at once if nothing else waits, and after a pause otherwise. Other gateways' callers
  /// cannot be seen, so a shared database always gets the pause.
  func continueLater(_ step: @escaping @Sendable (DurableOutboxStore) -> Void) {
    let pauses = database.isShared || !pending.withLock { $0.isIdle }
    let pause = DispatchTimeInterval.milliseconds(pauses ? Self.pauseMilliseconds : 0)
    writing.asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self, !isClosed else { return }
      step(self)
    }
  }
}
