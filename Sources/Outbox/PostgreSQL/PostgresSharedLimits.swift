import Clock
import FCMMessage
import Synchronization
import SQL

/// What this gateway and the others know together about sending, as far as it was read from the database.
///
/// Publications and questions wait until the store's writing queue takes them between two transactions. While
/// the database is away, publications wait, merged, and questions are refused.
final class PostgresSharedLimits: SharedLimits {
  /// Holds that wait to be written, and those that are remembered; beyond it the gateway keeps its own only.
  private static let holdsMax = 10_000
  /// Longer targets are not shared: they would not fit into the table's index.
  private static let targetBytesMax = 1_024
  /// A change may become visible this much later than its time says, since transactions end in any order. A
  /// transaction that is left alone ends after five seconds.
  private static let overlapMilliseconds: Int64 = 10_000
  /// How long a gateway may take for a probe.
  private static let turnMilliseconds: Int64 = 120_000
  private static let sweepMilliseconds: Int64 = 60_000

  private struct Turn {
    let app: String
    let stop: Timestamp
    /// Nil for a turn that is given up.
    let completion: (@Sendable (Bool) -> Void)?
  }

  private struct HoldKey: Hashable {
    let app: [UInt8]
    let target: Target

    init(_ hold: TargetHold) {
      app = Array(hold.app.utf8)
      target = hold.target
    }
  }

  private struct Entry {
    let app: String
    var limits: AppLimits
  }

  private struct State {
    var known: [[UInt8]: Entry] = [:]
    var holds: [HoldKey: TargetHold] = [:]
    var waiting: [[UInt8]: Entry] = [:]
    var waitingHolds: [HoldKey: TargetHold] = [:]
    var turns: [Turn] = []
    var isScheduled = false
    var readLimits: Timestamp?
    var readHolds: Timestamp?
    var sweptAt: Timestamp?
  }

  private struct Listeners {
    var schedule: (@Sendable () -> Void)?
    var limits: (@Sendable (String, AppLimits) -> Void)?
    var holds: (@Sendable ([TargetHold]) -> Void)?
  }

  private let state = Mutex(State())
  private let listeners = Mutex(Listeners())

  /// Sets the closure that lets the writing queue call `exchange` soon.
  func attach(_ schedule: @escaping @Sendable () -> Void) { listeners.withLock { $0.schedule = schedule } }

  func onChange(
    limits: @escaping @Sendable (String, AppLimits) -> Void,
    holds: @escaping @Sendable ([TargetHold]) -> Void
  ) {
    listeners.withLock { ($0.limits, $0.holds) = (limits, holds) }
  }

  func publish(_ limits: AppLimits, app: String) {
    schedule {
      $0.waiting[Array(app.utf8), default: Entry(app: app, limits: AppLimits())].limits.merge(limits)
    }
  }

  func publish(_ hold: TargetHold) {
    guard hold.target.value.utf8.count <= Self.targetBytesMax else { return }
    schedule { state in
      let key = HoldKey(hold)
      guard state.waitingHolds.count < Self.holdsMax || state.waitingHolds[key] != nil else { return }
      if state.waitingHolds[key].map({ $0.until < hold.until }) ?? true { state.waitingHolds[key] = hold }
    }
  }

  func takeProbeTurn(
    app: String, stop decidedAt: Timestamp, completion: @escaping @Sendable (Bool) -> Void
  ) {
    schedule { $0.turns.append(Turn(app: app, stop: decidedAt, completion: completion)) }
  }

  func returnProbeTurn(app: String, stop decidedAt: Timestamp) {
    schedule { $0.turns.append(Turn(app: app, stop: decidedAt, completion: nil)) }
  }

  func repeatAll() {
    let (known, holds) = state.withLock { (Array($0.known.values), Array($0.holds.values)) }
    tell(known, holds)
  }

  private func schedule(_ change: (inout State) -> Void) {
    let isScheduled = state.withLock { state in
      change(&state)
      defer { state.isScheduled = true }
      return state.isScheduled
    }
    if !isScheduled { listeners.withLock { $0.schedule }?() }
  }

  private func tell(_ limits: [Entry], _ holds: [TargetHold]) {
    let listeners = listeners.withLock { $0 }
    for entry in limits { listeners.limits?(entry.app, entry.limits) }
    if !holds.isEmpty { listeners.holds?(holds) }
  }
}

// MARK: - On the writing queue

extension PostgresSharedLimits {
  /// Writes what waits, answers what was asked, and reads, if `reads`, what the others have written. What
  /// could not be written waits for the next call.
  func exchange(with writer: PostgresDriver, now: Timestamp, reads: Bool) throws(DatabaseError) {
    let (waiting, holds, turns) = state.withLock { state in
      defer {
        (state.waiting, state.waitingHolds, state.turns) = ([:], [:], [])
        state.isScheduled = false
      }
      return (state.waiting, state.waitingHolds, state.turns)
    }
    var answered = 0
    do throws(DatabaseError) {
      let merged = try writer.merge(waiting.values.map { ($0.app, $0.limits) })
      learn(merged.map { Entry(app: $0.0, limits: $0.1) })
      try writer.merge(Array(holds.values))
      for turn in turns {
        try perform(turn, with: writer, now: now)
        answered += 1
      }
    } catch {
      state.withLock { state in
        for (key, entry) in waiting { state.waiting[key, default: entry].limits.merge(entry.limits) }
        state.waitingHolds.merge(holds) { $0.until < $1.until ? $1 : $0 }
      }
      for turn in turns.dropFirst(answered) { turn.completion?(false) }
      throw error
    }
    if reads { try read(with: writer, now: now) }
  }

  /// Refuses what was asked while there is no database.
  func refuseTurns() {
    let turns = state.withLock { state in
      defer {
        state.turns = []
        state.isScheduled = false
      }
      return state.turns
    }
    for turn in turns { turn.completion?(false) }
  }

  private func perform(_ turn: Turn, with writer: PostgresDriver, now: Timestamp) throws(DatabaseError) {
    guard let completion = turn.completion else {
      return try writer.returnProbeTurn(app: turn.app, stop: turn.stop)
    }
    completion(
      try writer.takeProbeTurn(
        app: turn.app, stop: turn.stop, now: now, until: now.adding(milliseconds: Self.turnMilliseconds)))
  }

  private func read(with writer: PostgresDriver, now: Timestamp) throws(DatabaseError) {
    let since = state.withLock { ($0.readLimits, $0.readHolds) }
    let limits = try writer.limits(
      changedSince: since.0?.adding(milliseconds: -Self.overlapMilliseconds))
    let holds = try writer.targetHolds(
      changedSince: since.1?.adding(milliseconds: -Self.overlapMilliseconds), now: now, limit: Self.holdsMax)
    state.withLock { state in
      state.readLimits = limits.map(\.changedAt).max().map { max($0, since.0 ?? $0) } ?? since.0
      state.readHolds = holds.map(\.changedAt).max().map { max($0, since.1 ?? $0) } ?? since.1
    }
    learn(limits.map { Entry(app: $0.app, limits: $0.limits) })
    learn(holds.map(\.hold), now: now)
    let sweeps = state.withLock { state in
      guard state.sweptAt.map({ $0.adding(milliseconds: Self.sweepMilliseconds) < now }) ?? true else {
        return false
      }
      state.sweptAt = now
      state.holds = state.holds.filter { $0.value.until > now }
      return true
    }
    if sweeps { try writer.removeHolds(endedBefore: now.adding(milliseconds: -Self.sweepMilliseconds)) }
  }

  /// Passes on what was not known.
  private func learn(_ entries: [Entry]) {
    let news = state.withLock { state in
      entries.compactMap { entry -> Entry? in
        var known = state.known[Array(entry.app.utf8)] ?? Entry(app: entry.app, limits: AppLimits())
        let before = known.limits
        known.limits.merge(entry.limits)
        guard known.limits != before else { return nil }
        state.known[Array(entry.app.utf8)] = known
        return known
      }
    }
    tell(news, [])
  }

  private func learn(_ holds: [TargetHold], now: Timestamp) {
    let news = state.withLock { state in
      holds.filter { hold in
        let key = HoldKey(hold)
        if let known = state.holds[key], known.until >= hold.until { return false }
        guard state.holds.count < Self.holdsMax || state.holds[key] != nil else { return true }
        state.holds[key] = hold
        return true
      }
    }
    tell([], news)
  }
}
