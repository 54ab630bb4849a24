package import Clock
internal import FCMMessage
import JSON
package import SQL
import Synchronization

/// What this gateway and the others know together about sending, as far as it was read from the database.
///
/// Publications and questions wait until the thread that writes to the database takes them between two
/// transactions. While the database is away, publications wait, merged, and questions are refused.
package final class LimitsExchange: SharedLimits {
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

  private struct Exchange {
    let sample: HistorySample?
    let question: HistoryQuestion
    let completion: @Sendable ([HistorySample]?) -> Void
  }

  private struct State {
    var known = SendingFacts()
    var waiting = SendingFacts()
    var turns: [Turn] = []
    var exchanges: [Exchange] = []
    var isScheduled = false
    /// The database's times of the newest entries that were read.
    var readLimits: Timestamp?
    var readHolds: Timestamp?
    var sweptAt: Timestamp?

    mutating func takeQuestions() -> ([Turn], [Exchange]) {
      defer { (turns, exchanges, isScheduled) = ([], [], false) }
      return (turns, exchanges)
    }
  }

  private struct Listeners {
    var schedule: (@Sendable () -> Void)?
    var limits: (@Sendable (String, AppLimits) -> Void)?
    var holds: (@Sendable ([TargetHold]) -> Void)?
  }

  private let state = Mutex(State())
  private let listeners = Mutex(Listeners())

  package init() {}

  /// Sets the closure that has `exchange` called soon.
  package func attach(_ schedule: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.schedule = schedule }
  }

  package func onChange(
    limits: @escaping @Sendable (String, AppLimits) -> Void,
    holds: @escaping @Sendable ([TargetHold]) -> Void
  ) {
    listeners.withLock { ($0.limits, $0.holds) = (limits, holds) }
  }

  package func publish(_ limits: AppLimits, app: String) {
    schedule { _ = $0.waiting.merge(limits, of: ExactText(app)) }
  }

  package func publish(_ hold: TargetHold) {
    guard hold.target.value.utf8.count <= Self.targetBytesMax else { return }
    schedule { _ = $0.waiting.merge(hold) }
  }

  package func takeProbeTurn(
    app: String, stop decidedAt: Timestamp, completion: @escaping @Sendable (Bool) -> Void
  ) {
    schedule { $0.turns.append(Turn(app: app, stop: decidedAt, completion: completion)) }
  }

  package func returnProbeTurn(app: String, stop decidedAt: Timestamp) {
    schedule { $0.turns.append(Turn(app: app, stop: decidedAt, completion: nil)) }
  }

  package func exchange(
    _ sample: HistorySample?, _ question: HistoryQuestion,
    completion: @escaping @Sendable ([HistorySample]?) -> Void
  ) {
    schedule { $0.exchanges.append(Exchange(sample: sample, question: question, completion: completion)) }
  }

  package func repeatAll() {
    let known = state.withLock { $0.known }
    tell(known.limits, Array(known.holds.values))
  }

  private func schedule(_ change: (inout State) -> Void) {
    let isScheduled = state.withLock { state in
      change(&state)
      defer { state.isScheduled = true }
      return state.isScheduled
    }
    if !isScheduled { listeners.withLock { $0.schedule }?() }
  }

  private func tell(_ limits: [ExactText: AppLimits], _ holds: [TargetHold]) {
    let listeners = listeners.withLock { $0 }
    for (app, limits) in limits { listeners.limits?(app.text, limits) }
    if !holds.isEmpty { listeners.holds?(holds) }
  }
}

// MARK: - On the thread that writes

extension LimitsExchange {
  /// Writes what waits, answers what was asked, and reads, if `reads`, what the others have written. What
  /// could not be written waits for the next call.
  package func exchange(
    with table: LimitsTable, now: Timestamp, reads: Bool
  ) throws(DatabaseError) {
    let (waiting, (turns, exchanges)) = state.withLock { state in
      defer { state.waiting = SendingFacts() }
      return (state.waiting, state.takeQuestions())
    }
    var (answered, exchanged) = (0, 0)
    do throws(DatabaseError) {
      learn(try table.merge(waiting.limits), [])
      try table.merge(Array(waiting.holds.values))
      for turn in turns {
        try perform(turn, with: table, now: now)
        answered += 1
      }
      for each in exchanges {
        each.completion(try table.exchange(each.sample, each.question))
        exchanged += 1
      }
    } catch {
      state.withLock { state in
        for (app, limits) in waiting.limits { _ = state.waiting.merge(limits, of: app) }
        for hold in waiting.holds.values { _ = state.waiting.merge(hold) }
      }
      for turn in turns.dropFirst(answered) { turn.completion?(false) }
      for each in exchanges.dropFirst(exchanged) { each.completion(nil) }
      throw error
    }
    if reads { try read(table, now: now) }
  }

  /// Refuses what was asked while there is no database.
  package func refuseQuestions() {
    let (turns, exchanges) = state.withLock { $0.takeQuestions() }
    for turn in turns { turn.completion?(false) }
    for each in exchanges { each.completion(nil) }
  }

  private func perform(_ turn: Turn, with table: LimitsTable, now: Timestamp) throws(DatabaseError) {
    guard let completion = turn.completion else {
      return try table.returnProbeTurn(app: turn.app, stop: turn.stop)
    }
    let end = now.adding(milliseconds: Self.turnMilliseconds)
    completion(try table.takeProbeTurn(app: turn.app, stop: turn.stop, now: now, until: end))
  }

  private func read(_ table: LimitsTable, now: Timestamp) throws(DatabaseError) {
    let since = state.withLock { ($0.readLimits, $0.readHolds) }
    let limits = try table.limits(
      changedSince: since.0?.adding(milliseconds: -Self.overlapMilliseconds))
    let holds = try table.targetHolds(
      changedSince: since.1?.adding(milliseconds: -Self.overlapMilliseconds), now: now,
      limit: SendingFacts.holdsMax)
    let sweeps = state.withLock { state in
      state.readLimits = (limits.map(\.changedAt) + [since.0].compactMap(\.self)).max()
      state.readHolds = (holds.map(\.changedAt) + [since.1].compactMap(\.self)).max()
      guard state.sweptAt.map({ $0.adding(milliseconds: Self.sweepMilliseconds) < now }) ?? true else {
        return false
      }
      state.sweptAt = now
      state.known.removeHolds(endedBy: now)
      return true
    }
    learn(
      Dictionary(limits.map { (ExactText($0.app), $0.limits) }, uniquingKeysWith: { $1 }), holds.map(\.hold))
    if sweeps { try table.removeHolds(endedBefore: now.adding(milliseconds: -Self.sweepMilliseconds)) }
  }

  /// Passes on what was not known.
  private func learn(_ limits: [ExactText: AppLimits], _ holds: [TargetHold]) {
    let news = state.withLock { state in
      var changed: [ExactText: AppLimits] = [:]
      for (app, entry) in limits where state.known.merge(entry, of: app) {
        changed[app] = state.known.limits[app]
      }
      return (changed, holds.filter { state.known.merge($0) })
    }
    tell(news.0, news.1)
  }
}

/// Limits of apps and holds of targets, each of which the later entry replaces.
private struct SendingFacts {
  /// Beyond it, a gateway keeps its own holds only.
  static let holdsMax = 10_000

  struct HoldKey: Hashable {
    let app: ExactText
    let target: Target
  }

  private(set) var limits: [ExactText: AppLimits] = [:]
  private(set) var holds: [HoldKey: TargetHold] = [:]

  /// Whether anything in the entry is new.
  mutating func merge(_ entry: AppLimits, of app: ExactText) -> Bool {
    let before = limits[app]
    limits[app, default: AppLimits()].merge(entry)
    return limits[app] != before ?? AppLimits()
  }

  /// Whether the hold is new, even if there is no room for it.
  mutating func merge(_ hold: TargetHold) -> Bool {
    let key = HoldKey(app: ExactText(hold.app), target: hold.target)
    if let known = holds[key], known.until >= hold.until { return false }
    if holds.count < Self.holdsMax || holds[key] != nil { holds[key] = hold }
    return true
  }

  mutating func removeHolds(endedBy moment: Timestamp) { holds = holds.filter { $0.value.until > moment } }
}
