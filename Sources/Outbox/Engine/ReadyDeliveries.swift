import Clock
import JSON
import Synchronization

/// Deliveries that this gateway accepted as claimed, ahead of the sender's claims, which take them from here
/// without a transaction; and the apps of which nothing waits in the database.
///
/// An app has at most as many here as its sender takes in a second, since nobody else can send them
/// meanwhile. Used on any thread.
final class ReadyDeliveries: Sendable {
  /// What a store inserted as claimed, until the sender takes it or it is given back.
  struct Entry: Sendable {
    let delivery: ClaimedDelivery
    let since: ContinuousClock.Instant
  }

  private struct State: Sendable {
    var apps: [ExactText: App] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let appMax: Int
  private let totalMax: Int

  init(appMax: Int, totalMax: Int) { (self.appMax, self.totalMax) = (appMax, totalMax) }

  /// How many more of an app's deliveries may be inserted as claimed. `offered` is the claim that the sender
  /// would make if one became due; it has none to offer while it handles the answers to its last claims.
  func claimLimit(for app: ExactText, offered: Int?, at now: ContinuousClock.Instant = .now) -> Int {
    state.withLock { state in
      let known = state.apps[app]
      let most = max(offered ?? 0, known?.pace.secondsWorth(at: now) ?? 0)
      return max(0, min(min(most, appMax) - (known?.count ?? 0), totalMax - state.count))
    }
  }

  /// Applies what a committed transaction has changed: the deliveries that it claimed ahead, by app; the apps
  /// of which something may be due in the database; and when the first one of others is due there, nil inside
  /// where that is not known.
  func take(
    _ ahead: [ExactText: [ClaimedDelivery]], due: Set<ExactText>, nextDue: [ExactText: Timestamp??],
    at now: ContinuousClock.Instant = .now
  ) {
    guard !ahead.isEmpty || !due.isEmpty || !nextDue.isEmpty else { return }
    state.withLock { state in
      for (app, next) in nextDue { state.apps[app, default: App()].nextDue = next }
      for app in due { state.apps[app]?.nextDue = .none }
      for (app, deliveries) in ahead {
        state.apps[app, default: App()].add(deliveries.map { Entry(delivery: $0, since: now) })
        state.count += deliveries.count
      }
    }
  }

  /// The answer to a claim, as far as it needs no transaction; nil if it does.
  func answer(_ claim: ClaimRequest, at now: ContinuousClock.Instant = .now) -> ClaimedDeliveries? {
    guard claim.limit > 0 else { return nil }
    return state.withLock { state in
      let claimed = state.apps[ExactText(claim.app), default: App()].answer(claim, at: now)
      state.count -= claimed?.deliveries.count ?? 0
      return claimed
    }
  }

  /// Takes note of deliveries that a claim found in the database.
  func note(claimed count: Int, of app: ExactText, at now: ContinuousClock.Instant = .now) {
    state.withLock { $0.apps[app, default: App()].pace.took(count, at: now) }
  }

  /// Removes what the sender has not taken since `moment`: it pauses, or sends more slowly than before.
  func takeUnused(since moment: ContinuousClock.Instant) -> [Entry] {
    state.withLock { state in
      guard state.count > 0 else { return [] }
      var unused: [Entry] = []
      for app in Array(state.apps.keys) { unused += state.apps[app]?.takeUnused(since: moment) ?? [] }
      state.count -= unused.count
      return unused
    }
  }

  /// Returns what `takeUnused` has removed, since it is still claimed.
  func putBack(_ entries: [Entry]) {
    state.withLock { state in
      for (app, entries) in Dictionary(grouping: entries, by: { ExactText($0.delivery.app) }) {
        state.apps[app, default: App()].putBack(entries)
      }
      state.count += entries.count
    }
  }

  /// Forgets all deliveries, which are not claimed any more, and what is known of the database.
  func clear() { state.withLock { $0 = State() } }
}

// MARK: - What waits in the database

extension ReadyDeliveries {
  /// Whether nothing of an app waits unclaimed that is due at `now`, as far as this gateway knows.
  func isIdle(_ app: ExactText, at now: Timestamp) -> Bool {
    state.withLock { $0.apps[app]?.isIdle(at: now) ?? false }
  }

  /// Takes note of when an app's first unclaimed delivery is due; nil for none.
  func note(nextDue: Timestamp?, of app: ExactText) {
    state.withLock { $0.apps[app, default: App()].nextDue = .some(nextDue) }
  }

  /// Takes note of apps of which something waits unclaimed.
  func note(due apps: [String]) {
    state.withLock { state in for app in apps { state.apps[ExactText(app)]?.nextDue = .none } }
  }
}

extension ReadyDeliveries {
  private struct App: Sendable {
    private var high = Line()
    private var normal = Line()
    /// Whether the sender hears of deliveries here that a claim may have taken meanwhile.
    private var isAnnounced = false
    /// When something may be due again in the database, nil inside for never; nil if something may be now.
    var nextDue: Timestamp??
    var pace = ClaimPace()

    var count: Int { high.count + normal.count }

    func isIdle(at now: Timestamp) -> Bool {
      guard let next = nextDue else { return false }
      return next.map { $0 > now } ?? true
    }

    mutating func add(_ entries: [Entry]) {
      for entry in entries {
        if entry.delivery.priority == .high { high.append(entry) } else { normal.append(entry) }
      }
      isAnnounced = true
    }

    mutating func putBack(_ entries: [Entry]) {
      high.putBack(entries.filter { $0.delivery.priority == .high })
      normal.putBack(entries.filter { $0.delivery.priority != .high })
    }

    mutating func answer(_ claim: ClaimRequest, at now: ContinuousClock.Instant) -> ClaimedDeliveries? {
      pace.asked(for: claim.limit, at: now)
      let isIdle = isIdle(at: claim.now)
      // A claim that follows the announcement of what an earlier one has taken finds nothing new in the
      // database.
      guard count > 0 || isAnnounced && isIdle else { return nil }
      if count == 0 { isAnnounced = false }
      let reserved = min(max(0, claim.normalMin), normal.count, claim.limit)
      let first = high.take(claim.limit - reserved)
      let taken = first + normal.take(claim.limit - first.count)
      pace.took(taken.count, at: now)
      return count == 0 && isIdle ? ClaimedDeliveries(taken, nextDue: nextDue) : ClaimedDeliveries(taken)
    }

    mutating func takeUnused(since moment: ContinuousClock.Instant) -> [Entry] {
      high.takeUnused(since: moment) + normal.takeUnused(since: moment)
    }
  }

  /// Deliveries of one priority, in the order in which they are sent.
  private struct Line: Sendable {
    private var entries: [Entry] = []
    private var first = 0

    var count: Int { entries.count - first }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    mutating func putBack(_ taken: [Entry]) { entries.insert(contentsOf: taken, at: first) }

    mutating func take(_ most: Int) -> [ClaimedDelivery] {
      removeFirst(max(0, min(most, count))).map(\.delivery)
    }

    mutating func takeUnused(since moment: ContinuousClock.Instant) -> [Entry] {
      removeFirst(entries[first...].prefix { $0.since <= moment }.count)
    }

    private mutating func removeFirst(_ count: Int) -> [Entry] {
      let taken = Array(entries[first..<(first + count)])
      first += count
      // Amortized: each is moved at most once.
      if first * 2 >= entries.count {
        entries.removeFirst(first)
        first = 0
      }
      return taken
    }
  }
}

/// How many deliveries of an app its sender claims.
struct ClaimPace: Sendable {
  private var askedFor = 0
  private var askedAt: ContinuousClock.Instant?
  /// The second that is counted now, and how many were taken in it and in the one before.
  private var second: ContinuousClock.Instant?
  private var taken = 0
  private var takenBefore = 0

  mutating func asked(for count: Int, at now: ContinuousClock.Instant) {
    (askedFor, askedAt) = (count, now)
  }

  mutating func took(_ count: Int, at now: ContinuousClock.Instant) {
    let began = second ?? now
    if now - began >= .seconds(1) {
      takenBefore = now - began < .seconds(2) ? taken : 0
      (second, taken) = (now, count)
    } else {
      (second, taken) = (began, taken + count)
    }
  }

  /// How many it takes in about a second: its last claim, and what it took in a second; 0 if it has claimed
  /// nothing for as long.
  func secondsWorth(at now: ContinuousClock.Instant) -> Int {
    guard let askedAt, now - askedAt < .seconds(1) else { return 0 }
    return askedFor + max(taken, takenBefore)
  }
}
