internal import Clock
internal import Outbox

/// Decides which event of the feedback log is sent to the webhook's receiver and when: takes events with
/// their time, returns actions, does no I/O.
///
/// The log stays on disk; this holds a window of at most `outstandingMax` of its events, in order. A failed
/// event waits for its next attempt while later ones are sent, so that one event that the receiver rejects
/// delays no other. When the window is full of failed events, nothing more is read until one of them is
/// delivered, or given up after a day.
///
/// When five events fail and none is delivered between them, the receiver counts as degraded. New events then
/// wait, and one event at a time is attempted, after ten seconds, twenty, and so on up to five minutes: a new
/// one or, where there is none, a failed one outside its schedule. So an outage neither overloads the
/// receiver nor uses up the day of every event that arrives during it. The first success ends it; the failed
/// events are then attempted again soon, which does not count in their schedule either.
///
/// The cursor stays before the first event of the window. So each event is delivered at least once, and
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

  private struct Entry {
    let event: WebhookEvent
    /// The event before it in the log: the cursor while this one is the first that is not done.
    let predecessor: Int64?
    var isSending = false
    /// The index in the schedule of its next or current attempt.
    var step = 0
    var due: Int64
    var failingSince: Int64?
    var triedAt: Int64 = .min
    /// An attempt outside the schedule, after the receiver has recovered.
    var early: Int64?
    /// Whether there was such an attempt since the last one of the schedule: one is enough.
    var wasHastened = false

    var nextTry: Int64 { min(due, early ?? .max) }
  }

  private let policy: WebhookPolicy
  private let random: @Sendable () -> Double
  private(set) var phase = Phase.created
  private var entries: [Entry] = []
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
  var outstanding: Int { entries.count }
  /// The first of them.
  var oldest: WebhookEvent? { entries.first?.event }
  /// Those of them that failed at least once.
  var failing: Int { entries.count { $0.failingSince != nil } }

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
      if !isDisabled, inFlight < policy.inFlightMax, let next { times.append(max(next.time, holdUntil)) }
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
        entries.append(Entry(event: event, predecessor: readUpTo, due: now))
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
    entries = []
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
    guard let index = entries.firstIndex(where: { $0.event.id == id && $0.isSending }) else { return }
    entries[index].isSending = false
    switch answer {
    case .delivered:
      entries.remove(at: index)
      actions.append(.report(.delivered(id)))
      receiverAnswered(now: now)
    case .gone:
      guard !isDisabled else { return }
      isDisabled = true
      actions.append(.report(.disabled(id)))
    case .failed(let reason, let retryAfter):
      if let retryAfter, retryAfter > 0 {
        holdUntil = max(holdUntil, now + min(retryAfter, policy.retryAfterMax))
      }
      failed(at: index, reason: reason, now: now)
    case .unsendable(let reason):
      entries.remove(at: index)
      actions.append(.report(.givenUp(id, reason: reason)))
    case .abandoned: break
    }
  }

  private mutating func failed(at index: Int, reason: String, now: Int64) {
    var entry = entries[index]
    let since = entry.failingSince ?? now
    entry.failingSince = since
    actions.append(.report(.failed(entry.event.id, reason: reason)))
    receiverFailed(by: entry.event.id, reason: reason, now: now)
    let wasEarly = entry.early != nil && entry.due > now
    entry.early = nil
    if !wasEarly { entry.step += 1 }
    guard policy.schedule.indices.contains(entry.step) else {
      entries.remove(at: index)
      actions.append(.report(.givenUp(entry.event.id, reason: reason)))
      return
    }
    if !wasEarly {
      entry.wasHastened = false
      entry.due = due(atStep: entry.step, failingSince: since, now: now)
    }
    entries[index] = entry
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
    for index in entries.indices {
      let entry = entries[index]
      guard !entry.isSending, !entry.wasHastened, entry.failingSince != nil else { continue }
      entries[index].wasHastened = true
      entries[index].early = now + Int64(saturating: Double(policy.recoverySpread) * random())
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
  private var inFlight: Int { entries.count { $0.isSending } }
  private var isReceiverDegraded: Bool { failedInRow.count >= policy.failuresMax }

  /// The last event before which all are done.
  private var cursor: Int64? {
    if let first = entries.first { first.predecessor } else { readUpTo }
  }

  /// The event that is attempted next, and when; nil if none waits.
  private var next: (index: Int, time: Int64)? {
    let probe = isReceiverDegraded ? probe : nil
    return entries.indices.lazy.compactMap { index -> (index: Int, time: Int64)? in
      let entry = entries[index]
      if entry.isSending { return nil }
      let isProbe = index == probe
      if entry.failingSince != nil {
        return (index, isProbe ? min(entry.nextTry, nextProbeAt) : entry.nextTry)
      }
      if isReceiverDegraded { return isProbe ? (index, max(entry.due, nextProbeAt)) : nil }
      return (index, entry.due)
    }
    .min { $0.time < $1.time }
  }

  /// The event that tests whether the receiver has recovered: a new one, otherwise the failed one whose last
  /// attempt is the oldest.
  private var probe: Int? {
    let waiting = entries.indices.filter { !entries[$0].isSending }
    return waiting.first { entries[$0].failingSince == nil }
      ?? waiting.min { entries[$0].triedAt < entries[$1].triedAt }
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
    while inFlight < policy.inFlightMax, let next, next.time <= now {
      if isReceiverDegraded, now >= nextProbeAt, next.index == probe {
        probeInterval = min(2 * probeInterval, policy.probeIntervalMax)
        nextProbeAt = now + probeInterval
      }
      if entries[next.index].due > now { entries[next.index].early = now }
      entries[next.index].isSending = true
      entries[next.index].triedAt = now
      actions.append(.send(entries[next.index].event))
    }
  }

  private mutating func readMore(now: Int64) {
    let untried = entries.count { $0.failingSince == nil }
    let room = policy.outstandingMax - entries.count
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
    if inFlight > 0 {
      guard isLate else { return }
      actions.append(.abandon)
      for index in entries.indices { entries[index].isSending = false }
    }
    guard savingCursor == nil else { return }
    phase = .finished
    actions.append(.finished)
  }
}
