internal import Clock
internal import Outbox

/// Decides which event of the feedback log is sent to the webhook's receiver and when: takes events with
/// their time, returns actions, does no I/O.
///
/// The log stays on disk; this holds at most `outstandingMax` of its events that were never tried, in order.
/// A failed event waits for its next attempt while later ones are sent, so that events that the receiver
/// rejects delay no others: failed ones take at most half of the requests. If more than
/// `failedMax` events fail, the first of them in the log is given up.
///
/// When five events fail and none is delivered between them, the receiver counts as degraded. An event that
/// failed before and since whose failure others were delivered does not count: the receiver rejects just that
/// one. While the receiver is degraded, new events wait, and one event at a time is attempted, after ten
/// seconds, twenty, and so on up to five minutes: a new one or, where there is none, a failed one outside its
/// schedule. So an outage neither overloads the receiver nor uses up the day of every event that arrives
/// during it. The first success ends it; the failed events are then attempted again soon, about three a
/// second, which does not count in their schedule either.
///
/// The cursor stays before the first event that is not done. So each event is delivered at least once, and
/// events that were delivered after one that still fails are repeated after a restart, with the same
/// `webhook-id`; the failing event's day starts over.
struct WebhookStateMachine {
  enum Phase {
    /// Then `readingCursor`, or `finished`.
    case created
    /// Then `running`, or `stopping`.
    case readingCursor
    /// Then `stopping`, or `readingCursor` when another gateway has taken the turn.
    case running
    /// Then `finished`.
    case stopping(until: Int64)
    case finished
  }

  private let policy: WebhookPolicy
  private let random: @Sendable () -> Double
  private(set) var phase = Phase.created
  private var backlog = WebhookBacklog()
  private var readUpTo: Int64?
  private var savedCursor: Int64?
  private var savingCursor: Int64?
  private var isReading = false
  /// Whether the log may hold events after `readUpTo`.
  private var mayHaveMore = true
  /// After a failed call, the queue is not called before this.
  private var storeRetryAt: Int64 = .min
  /// No request is sent before this, because the receiver asked for a pause.
  private var holdUntil: Int64 = .min
  /// Events that failed since the last one was delivered, up to `failuresMax` of them.
  private var failedInRow: Set<Int64> = []
  /// Counts the events that the receiver has taken.
  private var delivered = 0
  private var nextProbeAt: Int64 = .min
  private var probeInterval: Int64 = 0
  private var actions: [Action] = []
  private(set) var isDisabled = false

  /// `random` gives numbers uniform in 0..<1.
  init(policy: WebhookPolicy, random: @escaping @Sendable () -> Double) {
    self.policy = policy
    self.random = random
  }

  /// Events in memory that are not done.
  var outstanding: Int { backlog.count }
  /// The first of them.
  var oldest: WebhookEvent? { backlog.first?.event }
  /// Those of them that failed at least once.
  var failing: Int { backlog.failedCount }

  /// Handles one event; `now` is in milliseconds of a clock that only goes forward.
  mutating func handle(_ event: Event, now: Int64) -> [Action] {
    actions = []
    take(event, now: now)
    advance(now: now)
    return actions
  }

  /// When `timer` is wanted next; nil for never.
  func timerAt(now: Int64) -> Int64? {
    var times: [Int64] = []
    switch phase {
    case .created, .finished: return nil
    case .stopping(let until): return until > now ? until : nil
    case .readingCursor: times.append(storeRetryAt)
    case .running:
      if !isDisabled, backlog.sendingCount < policy.inFlightMax, let next {
        times.append(max(next.time, holdUntil))
      }
      times.append(storeRetryAt)
    }
    return times.filter { $0 > now }.min()
  }
}

// MARK: Events

extension WebhookStateMachine {
  private mutating func take(_ event: Event, now: Int64) {
    switch event {
    case .start:
      guard case .created = phase else { return }
      phase = .readingCursor
      isReading = true
      actions.append(.readCursor)
    case .cursorRead(let result): takeCursor(result, now: now)
    case .pageRead(let result): takePage(result, now: now)
    case .cursorSaved(let result): takeSaved(result, now: now)
    case .answered(let id, let answer): takeAnswer(answer, to: id, now: now)
    case .wake: mayHaveMore = true
    case .timer: break
    case .stop(let grace): stop(grace: grace, now: now)
    }
  }

  private mutating func takeCursor(_ result: Result<Int64?, OutboxError>, now: Int64) {
    isReading = false
    switch result {
    case .success(let cursor):
      readUpTo = cursor
      savedCursor = cursor
      if case .readingCursor = phase { phase = .running }
    case .failure(let error): storeFailed(error, now: now)
    }
  }

  private mutating func takePage(_ result: Result<WebhookPage, OutboxError>, now: Int64) {
    isReading = false
    // Begun before the turn was lost; the cursor is elsewhere now.
    if case .readingCursor = phase { return }
    switch result {
    case .success(let page):
      // Only forward, whatever the store returns, so that nothing is sent twice because of it.
      for event in page.events where event.id > readUpTo ?? .min {
        backlog.append(WebhookBacklog.Entry(event: event, predecessor: readUpTo, due: now))
        readUpTo = event.id
      }
      if let next = page.next { readUpTo = max(readUpTo ?? .min, next) }
      if page.hasMore { mayHaveMore = true }
    case .failure(let error):
      mayHaveMore = true
      storeFailed(error, now: now)
    }
  }

  private mutating func takeSaved(_ result: Result<Void, OutboxError>, now: Int64) {
    switch result {
    case .success: savedCursor = savingCursor
    case .failure(let error) where error.code == .turnLost: loseTurn()
    case .failure(let error): storeFailed(error, now: now)
    }
    savingCursor = nil
  }

  /// Another gateway notifies the receiver, from the saved cursor on. This one begins again when the store
  /// answers it, which is when it has the turn.
  private mutating func loseTurn() {
    backlog = WebhookBacklog()
    readUpTo = nil
    failedInRow = []
    mayHaveMore = true
    if case .running = phase { phase = .readingCursor }
  }

  private mutating func storeFailed(_ error: OutboxError, now: Int64) {
    storeRetryAt = now + policy.storeBackoff
    actions.append(.report(.storeFailed(error.description)))
  }

  private mutating func takeAnswer(_ answer: WebhookAnswer, to id: Int64, now: Int64) {
    guard let entry = backlog.entry(id), entry.isSending else { return }
    switch answer {
    case .delivered:
      backlog.remove(id)
      delivered += 1
      actions.append(.report(.delivered(id)))
      receiverAnswered(now: now)
    case .gone:
      backlog.update(id) { $0.isSending = false }
      guard !isDisabled else { return }
      isDisabled = true
      actions.append(.report(.disabled(id)))
    case .failed(let reason, let retryAfter):
      if let retryAfter, retryAfter > 0 {
        holdUntil = max(holdUntil, now + min(retryAfter, policy.retryAfterMax))
      }
      failed(entry, reason: reason, now: now)
    case .unsendable(let reason): giveUp(id, reason: reason)
    case .abandoned: backlog.update(id) { $0.isSending = false }
    }
  }

  private mutating func failed(_ entry: WebhookBacklog.Entry, reason: String, now: Int64) {
    let id = entry.id
    let since = entry.failingSince ?? now
    actions.append(.report(.failed(id, reason: reason)))
    if !entry.hasFailed || entry.deliveredAtFailure == delivered {
      receiverFailed(by: id, reason: reason, now: now)
    }
    let wasEarly = entry.early != nil && entry.due > now
    let step = wasEarly ? entry.step : entry.step + 1
    guard policy.schedule.indices.contains(step) else { return giveUp(id, reason: reason) }
    let due = wasEarly ? entry.due : due(atStep: step, failingSince: since, now: now)
    backlog.update(id) { [delivered] entry in
      entry.isSending = false
      entry.failingSince = since
      entry.deliveredAtFailure = delivered
      entry.early = nil
      entry.step = step
      entry.due = due
      if !wasEarly { entry.wasHastened = false }
    }
    if backlog.failedCount > policy.failedMax, let first = backlog.firstFailed {
      giveUp(first.id, reason: "more than \(policy.failedMax) events wait for another attempt")
    }
  }

  private mutating func giveUp(_ id: Int64, reason: String) {
    backlog.remove(id)
    actions.append(.report(.givenUp(id, reason: reason)))
  }

  private func due(atStep step: Int, failingSince since: Int64, now: Int64) -> Int64 {
    let offset = policy.schedule[step]
    let planned = since + offset + Int64(saturating: Double(offset) * policy.jitter * random())
    // A hold may have delayed an attempt beyond the next ones; those must not follow at once.
    let gap = step > 0 ? offset - policy.schedule[step - 1] : 0
    return max(planned, now + gap / 2)
  }

  private mutating func receiverFailed(by id: Int64, reason: String, now: Int64) {
    guard !isReceiverDegraded else { return }
    failedInRow.insert(id)
    guard isReceiverDegraded else { return }
    probeInterval = policy.probeIntervalMin
    nextProbeAt = now + probeInterval
    actions.append(.report(.receiverDegraded(reason: reason)))
  }

  private mutating func receiverAnswered(now: Int64) {
    let wasReceiverDegraded = isReceiverDegraded
    failedInRow = []
    guard wasReceiverDegraded else { return }
    actions.append(.report(.receiverRecovered))
    let hundreds = max(1, Double(backlog.failedCount) / 100)
    let spread = Double(policy.recoverySpread) * hundreds
    backlog.hasten { entry in
      guard !entry.isSending, !entry.wasHastened else { return nil }
      return now + Int64(saturating: spread * random())
    }
  }

  private mutating func stop(grace: Int64, now: Int64) {
    switch phase {
    case .created: phase = .stopping(until: now)
    case .readingCursor, .running: phase = .stopping(until: now + max(0, grace))
    case .stopping, .finished: break
    }
  }
}

// MARK: Decisions

extension WebhookStateMachine {
  private var isReceiverDegraded: Bool { failedInRow.count >= policy.failuresMax }

  /// The last event before which all are done.
  private var cursor: Int64? {
    if let first = backlog.first { first.predecessor } else { readUpTo }
  }

  /// The event that is attempted next, and when; nil if none waits, or only failed ones that have their half
  /// of the requests.
  private var next: WebhookBacklog.Slot? {
    let mayRetry = backlog.retryingCount < max(1, policy.inFlightMax / 2)
    let retry = mayRetry ? backlog.nextRetry : nil
    var other: WebhookBacklog.Slot?
    if let untried = backlog.firstUntried {
      let time = isReceiverDegraded ? max(untried.due, nextProbeAt) : untried.due
      other = WebhookBacklog.Slot(time: time, id: untried.id)
    } else if isReceiverDegraded, mayRetry, let probe = backlog.leastRecentlyTried {
      other = WebhookBacklog.Slot(time: min(probe.nextTry, nextProbeAt), id: probe.id)
    }
    return [other, retry].compactMap { $0 }.min()
  }

  /// Whether an event tests whether a degraded receiver has recovered: a new one, otherwise the failed one
  /// whose last attempt is the oldest.
  private func isProbe(_ id: Int64) -> Bool {
    id == (backlog.firstUntried ?? backlog.leastRecentlyTried)?.id
  }

  private mutating func advance(now: Int64) {
    switch phase {
    case .created, .finished: return
    case .readingCursor:
      if !isReading, now >= storeRetryAt {
        isReading = true
        actions.append(.readCursor)
      }
    case .running:
      if !isDisabled {
        sendWhatIsDue(now: now)
        readMore(now: now)
      }
      saveCursor(now: now)
    case .stopping(let until):
      saveCursor(now: now)
      finishIfDone(isLate: now >= until)
    }
  }

  private mutating func sendWhatIsDue(now: Int64) {
    guard now >= holdUntil else { return }
    while backlog.sendingCount < policy.inFlightMax, let next, next.time <= now {
      if isReceiverDegraded, now >= nextProbeAt, isProbe(next.id) {
        probeInterval = min(2 * probeInterval, policy.probeIntervalMax)
        nextProbeAt = now + probeInterval
      }
      guard let event = backlog.entry(next.id)?.event else { return }
      backlog.update(next.id) { entry in
        if entry.due > now { entry.early = now }
        entry.isSending = true
        entry.triedAt = now
      }
      actions.append(.send(event))
    }
  }

  private mutating func readMore(now: Int64) {
    let untried = backlog.untriedCount
    let room = policy.outstandingMax - untried
    guard mayHaveMore, !isReading, now >= storeRetryAt, room > 0, untried <= policy.inFlightMax else {
      return
    }
    isReading = true
    mayHaveMore = false
    actions.append(.read(after: readUpTo, limit: room))
  }

  private mutating func saveCursor(now: Int64) {
    guard savingCursor == nil, now >= storeRetryAt, let cursor, cursor > savedCursor ?? .min else { return }
    savingCursor = cursor
    actions.append(.saveCursor(cursor))
  }

  private mutating func finishIfDone(isLate: Bool) {
    if backlog.sendingCount > 0 {
      guard isLate else { return }
      actions.append(.abandon)
      backlog.abandon()
    }
    guard savingCursor == nil else { return }
    phase = .finished
    actions.append(.finished)
  }
}
