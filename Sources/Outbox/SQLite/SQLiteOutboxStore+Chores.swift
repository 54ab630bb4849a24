internal import Clock
import Dispatch
import Synchronization
import Telemetry

/// What the store does without being asked, confined to its own pace.
struct Chores: Sendable {
  var isPruning = false
  var expiring: Set<String> = []
  /// Damaged deliveries that could not be set aside yet.
  var damaged: [DamagedDelivery] = []
  var rounds = 0
}

/// Work of the store's own: old things go, what expired behind a paused app ends, and what a crash left half done
/// is finished. All of it in small steps, each a transaction that others may share.
extension SQLiteOutboxStore {
  /// A step waits so long for the next one while callers are being served.
  private static let pauseMilliseconds = 20
  /// Old things are looked for this often at the least.
  private static let pruneIntervalMillisecondsMax: Int64 = 600_000

  func beginChores(hasLeftover: Bool) {
    if hasLeftover { writing.async { [weak self] in self?.finishCancellations() } }
    choresLater()
  }

  private func choresLater() {
    let interval = DispatchTimeInterval.milliseconds(configuration.maintenanceIntervalMilliseconds)
    writing.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self, writer.value != nil else { return }
      doChores()
      choresLater()
    }
  }

  private func doChores() {
    guard degradation == nil, let writer = writer.value else { return }
    let (rounds, damaged) = chores.withLock { chores in
      defer {
        chores.rounds += 1
        chores.damaged = []
      }
      return (chores.rounds, chores.damaged)
    }
    if !writer.leftover.isEmpty { finishCancellations() }
    setAside(damaged)
    do throws(SQLiteError) {
      let since = clock().adding(milliseconds: -configuration.stuckMilliseconds)
      for app in try writer.stuck(since: since) {
        let isNew = chores.withLock { $0.expiring.insert(app).inserted }
        if isNew { expire(app) }
      }
    } catch {
      note(error)
    }
    let pruneInterval = min(configuration.retentionMilliseconds / 12, Self.pruneIntervalMillisecondsMax)
    let roundsBetween = max(1, pruneInterval / Int64(max(1, configuration.maintenanceIntervalMilliseconds)))
    guard Int64(rounds) % roundsBetween == 0 else { return }
    let isNew = chores.withLock { chores in
      defer { chores.isPruning = true }
      return !chores.isPruning
    }
    if isNew { prune() }
  }

  private func expire(_ app: String) {
    let limit = configuration.stepDeliveriesMax
    expire(app: app, now: clock(), limit: limit) { [weak self] result in
      guard let self else { return }
      if case .success(let sweep) = result, !sweep.isComplete { return next { $0.expire(app) } }
      chores.withLock { _ = $0.expiring.remove(app) }
    }
  }

  private func prune() {
    let end = clock().adding(milliseconds: -configuration.retentionMilliseconds)
    prune(endedBy: end, limit: configuration.stepDeliveriesMax) { [weak self] result in
      guard let self else { return }
      if case .success(let step) = result, !step.isComplete { return next { $0.prune() } }
      chores.withLock { $0.isPruning = false }
    }
  }

  private func finishCancellations() {
    let limit = configuration.stepDeliveriesMax
    submit(
      .write(
        .finishCancellations(now: clock(), limit: limit) { [weak self] result in
          if case .success(let left) = result, left > 0 { self?.next { $0.finishCancellations() } }
        }))
  }

  /// Ends what a claim came upon and could not read.
  func setAsideDamaged() {
    guard let writer = writer.value, !writer.damaged.isEmpty else { return }
    let damaged = writer.takeDamaged()
    log.error(
      "queue holds deliveries that cannot be read; they are set aside as failed",
      [
        "count": .integer(damaged.count), "first_row": .integer(Int(damaged.map(\.row).min() ?? 0)),
      ])
    setAside(damaged)
  }

  private func setAside(_ damaged: [DamagedDelivery]) {
    guard !damaged.isEmpty else { return }
    submit(
      .write(
        .setAside(damaged, now: clock()) { [weak self] result in
          guard case .failure = result else { return }
          self?.chores.withLock { $0.damaged += damaged }
        }))
  }

  /// Goes on at once where nobody else waits, and in a moment otherwise.
  private func next(_ step: @escaping @Sendable (SQLiteOutboxStore) -> Void) {
    let isIdle = pending.withLock { $0.isIdle }
    let pause = DispatchTimeInterval.milliseconds(isIdle ? 0 : Self.pauseMilliseconds)
    writing.asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self, writer.value != nil else { return }
      step(self)
    }
  }
}
