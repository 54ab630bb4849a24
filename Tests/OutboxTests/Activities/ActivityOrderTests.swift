import Clock
import FCMMessage
import JSON
import Outbox
import Synchronization
import Testing

/// The order of messages to one Live Activity, in every store.
@Suite struct ActivityOrderTests {
  @Test(arguments: StoreKind.allCases) func anUpdateReplacesTheOneThatWaits(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = [activity(.update), activity(.update, priority: .high), activity(.update, "other")]
    let cancelled = Mutex(0)
    store.onCommit { report in
      cancelled.withLock { $0 += report.cancelled[ExactText("default")] ?? 0 }
    }
    for notification in given { try await store.enqueue([notification]) }
    #expect(try await store.state(given[0]) == "cancelled SUPERSEDED")
    let stored = try #require(try await store.notification(given[0].id)?.deliveries.first)
    #expect(stored.nextAttemptAt == nil)
    #expect(stored.error?.httpStatus == nil)
    #expect(try await store.claimed() == [given[1].id, given[2].id])
    #expect(try await store.counts() == [.sending: 2, .cancelled: 1])
    #expect(cancelled.withLock { $0 } == 1)
  }

  @Test(arguments: StoreKind.allCases) func anEndReplacesUpdatesThatWait(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let (update, end) = (activity(.update, client: "other"), activity(.end))
    try await store.enqueue([update])
    try await store.enqueue([end])
    #expect(try await store.state(update) == "cancelled SUPERSEDED")
    #expect(try await store.claimed() == [end.id])
  }

  /// With one token of this kind, several activities can be started.
  @Test(arguments: StoreKind.allCases) func startsReplaceNothing(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = [activity(.start), activity(.start), activity(.update, app: "b"), activity(.start)]
    for notification in given { try await store.enqueue([notification]) }
    #expect(try await store.claimed() == [given[0].id, given[1].id, given[3].id])
    #expect(try await store.claimed("b") == [given[2].id])
  }

  @Test(arguments: StoreKind.allCases) func inOneRequestOnlyTheLastIsSent(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let waiting = activity(.update)
    try await store.enqueue([waiting])
    let given = [activity(.update), activity(.update), notification(), activity(.end), activity(.start)]
    try await store.enqueue(given)
    #expect(Set(try await store.claimed()) == Set([given[2].id, given[3].id, given[4].id]))
    for notification in [waiting] + given[...1] {
      #expect(try await store.state(notification) == "cancelled SUPERSEDED")
    }
    #expect(try await store.counts() == [.sending: 3, .cancelled: 3])
  }

  @Test(arguments: StoreKind.allCases) func timesNeverGoBack(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let times: [Int64] = [0, -10, 5, 4, 100]
    let events: [ActivityEvent] = [.update, .update, .start, .end, .update]
    var seen: [Int64] = []
    for (seconds, event) in zip(times, events) {
      let given = activity(event, createdAt: start.plus(seconds: seconds))
      try await store.enqueue([given])
      let claimed = try #require(try await store.claim(now: start.plus(seconds: 200)).left().first)
      #expect(claimed.notification == given.id)
      seen.append(start.milliseconds(until: try #require(claimed.activity).at) / 1000)
      try await store.settle(given, .sent(messageName: "n"))
    }
    #expect(seen == [0, 0, 5, 5, 100])
    _ = try await store.pruneAll(endedBy: start.plus(seconds: 1000))
    let young = activity(.update, createdAt: start.plus(seconds: 50))
    try await store.enqueue([young])
    let last = try #require(try await store.claim(now: start.plus(seconds: 200)).first?.activity)
    #expect(last == LiveActivity(token: "activity", event: .update, at: start.plus(seconds: 50)))
  }

  @Test(arguments: StoreKind.allCases) func aScheduledOneWaitsFromItsTimeOn(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let later = start.plus(seconds: 60)
    let (scheduled, update) = (activity(.update, sendAt: later), activity(.update))
    try await store.enqueue([scheduled])
    try await store.enqueue([update])
    #expect(try await store.state(scheduled) == "scheduled")
    #expect(try await store.claimed() == [update.id])
    try await store.settle(update, .retry(at: later.plus(seconds: 30), error: refusal))
    fixture.clock.now = later
    let claimed = try await store.claim(now: later).left()
    #expect(claimed.map(\.notification) == [scheduled.id])
    #expect(claimed.first?.activity?.at == later)
    #expect(try await store.state(update) == "cancelled SUPERSEDED")
    #expect(try await store.claimed(now: later.plus(seconds: 99)) == [])
  }

  @Test(arguments: StoreKind.allCases) func whatIsOlderThanWhatWasSentIsNotSent(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let (old, new) = (activity(.update), activity(.update, createdAt: start.plus(seconds: 1)))
    try await store.enqueue([old])
    #expect(try await store.claimed() == [old.id])
    try await store.settle(old, .failed(error: refusal))
    try await store.enqueue([new])
    #expect(try await store.claimed(now: start.plus(seconds: 1)) == [new.id])
    try await store.settle(new, .sent(messageName: "n"))
    _ = try await store.retry(old.id, now: start.plus(seconds: 2))
    #expect(try await store.claimed(now: start.plus(seconds: 2)) == [])
    #expect(try await store.state(old) == "cancelled SUPERSEDED")
  }
}

/// What is on its way when a newer message is accepted.
@Suite struct ActivityOvertakingTests {
  @Test(arguments: StoreKind.allCases, ["sent", "failed", "retry", "release", "deferred"])
  func anEndWaitsForTheUpdateThatIsBeingSent(_ kind: StoreKind, _ outcome: String) async throws {
    let store = try Fixture(kind).store
    let (update, end) = (activity(.update), activity(.end, priority: .high))
    try await store.enqueue([update])
    #expect(try await store.claimed() == [update.id])
    try await store.enqueue([end])
    #expect(try await store.state(update) == "sending")
    #expect(try await store.claimed() == [])
    #expect(try await store.firstDueAt() == start)
    let soon = start.plus(seconds: 10)
    let results: [String: Outcome] = [
      "sent": .sent(messageName: "n"), "failed": .failed(error: refusal), "release": .release,
      "retry": .retry(at: soon, error: refusal), "deferred": .deferred(until: soon, error: refusal),
    ]
    try await store.settle(update, try #require(results[outcome]))
    let states = ["sent": "sent", "failed": "failed UNAVAILABLE"]
    #expect(try await store.state(update) == states[outcome] ?? "cancelled SUPERSEDED")
    #expect(try await store.claimed() == [end.id])
    try await store.settle(end, .sent(messageName: "n"))
    #expect(try await store.claimed(now: start.plus(seconds: 99)) == [])
  }

  @Test(arguments: StoreKind.allCases) func whatHasNotLeftIsRecalled(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let (old, new) = (activity(.update), activity(.update))
    try await store.enqueue([old])
    let claimed = try #require(try await store.claim().first)
    try await store.enqueue([new])
    #expect(claimed.departure.isRecalled)
    #expect(try await store.state(old) == "cancelled SUPERSEDED")
    #expect(try await store.counts() == [.cancelled: 1, .queued: 1])
    #expect(try await store.claimed() == [new.id])
    // The sender hands back what it may not send.
    try await store.settle(old, .release)
    #expect(try await store.counts() == [.cancelled: 1, .sending: 1])
  }

  @Test(arguments: StoreKind.allCases, ["sent", "failed", "cancelled", "expired"])
  func whatComesAfterAnEndWaitsForIt(_ kind: StoreKind, _ outcome: String) async throws {
    let store = try Fixture(kind).store
    let (end, update) = (activity(.end), activity(.update, createdAt: start.plus(seconds: 20)))
    let (soon, later) = (start.plus(seconds: 30), start.plus(seconds: 86_410))
    try await store.enqueue([end])
    #expect(try await store.claimed() == [end.id])
    try await store.settle(end, .retry(at: soon, error: refusal))
    try await store.enqueue([update])
    #expect(try await store.claimed(now: start.plus(seconds: 25)) == [])
    var now = soon
    switch outcome {
    case "cancelled": _ = try await store.cancel(end.id, now: now)
    case "expired":
      now = later
      #expect(try await store.expireAll(now: later) == 1)
    default:
      #expect(try await store.claimed(now: soon) == [end.id])
      try await store.settle(
        end, at: soon, outcome == "sent" ? .sent(messageName: "n") : .failed(error: refusal))
    }
    #expect(try await store.claimed(now: now) == [update.id])
  }

  @Test(arguments: StoreKind.allCases) func anEndThatIsTriedAgainCountsFromTheNewest(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let (end, update) = (activity(.end), activity(.update, createdAt: start.plus(seconds: 5)))
    let later = start.plus(seconds: 20)
    try await store.enqueue([end])
    #expect(try await store.claimed() == [end.id])
    try await store.settle(end, .failed(error: refusal))
    try await store.enqueue([update])
    #expect(try await store.claimed(now: later) == [update.id])
    try await store.settle(update, at: later, .sent(messageName: "n"))
    _ = try await store.retry(end.id, now: later)
    let claimed = try #require(try await store.claim(now: later).first)
    #expect(claimed.notification == end.id)
    #expect(claimed.activity?.at == start.plus(seconds: 5))
  }

  /// Many wait for older messages, behind them ordinary ones, in a window that holds three.
  @Test(arguments: StoreKind.allCases) func whatWaitsHoldsUpNothingElse(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let ends = (0..<9).map { activity(.end, "\($0)") }
    try await store.enqueue(ends)
    #expect(Set(try await store.claimed()) == Set(ends.map(\.id)))
    let updates = (0..<9).map { activity(.update, "\($0)") }
    let others = (0..<9).map { _ in notification() }
    try await store.enqueue(updates)
    try await store.enqueue(others)
    #expect(Set(try await store.claimed()) == Set(others.map(\.id)))
    for end in ends { try await store.settle(end, .sent(messageName: "n")) }
    #expect(Set(try await store.claimed()) == Set(updates.map(\.id)))
    #expect(try await store.nextDue() == nil)
  }

  @Test(arguments: StoreKind.allCases) func aClaimGoesOnPastWhatMustWait(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([activity(.update)])
    #expect(try await store.claimed().count == 1)
    let others = (0..<3).map { _ in notification(priority: .high) }
    try await store.enqueue([activity(.end, priority: .high), notification()] + others)
    // No message of normal priority before those of high priority.
    #expect(try await store.claim(limit: 2).map(\.notification) == others[..<2].map(\.id))
    #expect(try await store.claim(limit: 1).map(\.notification) == [others[2].id])
  }

  @Test(arguments: StoreKind.durableCases) func aCancelTellsThatAnotherMessageIsDue(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let (end, update) = (activity(.end), activity(.update))
    try await store.enqueue([end])
    let claim = try #require(try await store.claim().left().first)
    try await store.settle([.retry(claim, at: start, dueAt: start.plus(seconds: 60), error: refusal)])
    try await store.enqueue([update])
    #expect(try await store.claimed() == [])
    let told = Mutex<[String]>([])
    store.onDue { app in told.withLock { $0.append(app) } }
    _ = try await store.cancel(end.id)
    try await eventually { told.withLock { $0 } == ["default"] }
    #expect(try await store.claimed() == [update.id])
  }

  /// One claim passes over an end, and ends an update of another activity.
  @Test(arguments: StoreKind.allCases) func whatWasPassedOverIsNotForgottenWhenAnotherEnds(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let (update, end) = (activity(.update, "a"), activity(.end, "a"))
    let soon = start.plus(seconds: 10)
    let (old, new) = (activity(.update, "b"), activity(.update, "b", sendAt: soon))
    try await store.enqueue([update, old, new])
    let claims = try await store.claim().left()
    try await store.settle(old, .retry(at: start.plus(seconds: 60), error: refusal))
    try await store.enqueue([end])
    #expect(claims.map(\.notification) == [update.id, old.id])
    // As many as there are due, so that the claim looks for more.
    #expect(try await store.claim(limit: 2, now: soon).map(\.notification) == [new.id])
    #expect(try await store.state(old) == "cancelled SUPERSEDED")
    try await store.settle(update, at: soon, .sent(messageName: "n"))
    #expect(try await store.claimed(now: soon) == [end.id])
  }

  @Test(arguments: StoreKind.allCases) func aDeadActivityIsNotADeadRegistration(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let given = [activity(.update, "dead"), activity(.update, "b"), activity(.update, "c"), notification()]
    try await store.enqueue(given)
    _ = try await store.claimed()
    try await store.settle(given[0], .failed(error: refusal, deadActivity: true))
    try await store.settle(given[1], .failed(error: refusal, deadRegistration: true))
    try await store.settle(given[2], .failed(error: refusal))
    try await store.settle(given[3], .failed(error: refusal, deadActivity: true))
    let events = try await store.feedback().events
    #expect(events.map(\.notification) == [given[0].id, given[1].id])
    #expect(events.map(\.activityToken) == ["dead", nil])
    #expect(events.map(\.target) == [.token("phone"), .token("phone")])
    #expect(events.map(\.code) == ["UNAVAILABLE", "UNAVAILABLE"])
  }
}
