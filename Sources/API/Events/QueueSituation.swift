internal import Clock
internal import DeliveryReports
internal import FCM
internal import JSON
internal import Outbox

/// How the queue stands: deliveries by state as in `GET /v1/stats`, and how each app sends.
struct QueueSituation: Sendable, Equatable {
  struct App: Sendable, Equatable {
    let name: String
    let counts: OutboxCounts
    let oldestQueuedSeconds: Double
    /// Nil for an app that this gateway does not serve.
    let sending: AppSending?
  }

  let apps: [App]

  init(apps names: [String], counts: [ExactText: OutboxCounts], health: [AppHealth], now: Timestamp) {
    let all = Set(names.map(ExactText.init)).union(counts.keys)
    apps = all.sorted { $0.text < $1.text }.map { name in
      let own = counts[name] ?? OutboxCounts()
      return App(
        name: name.text, counts: own, oldestQueuedSeconds: own.oldestQueuedSeconds(now: now),
        sending: health.first { $0.app.hasSameBytes(as: name.text) }.map { AppSending($0, now: now) })
    }
  }

  /// The apps that the caller may use, each and together.
  func json(for principal: Principal) -> JSON {
    let visible = apps.filter { principal.mayUse(app: $0.name) }
    var object = Self.json(visible)
    let each = visible.map { app in
      var own = Self.json([app])
      if let sending = app.sending { own.members.append(("sending", sending.json)) }
      return (app.name, JSON.object(own))
    }
    object.members.append(("apps", .object(.init(each))))
    return .object(object)
  }

  private static func json(_ apps: [App]) -> JSON.Object {
    let states = DeliveryState.allCases.map { state in
      (state.name, JSON(apps.reduce(0) { $0 + ($1.counts.byState[state] ?? 0) }))
    }
    let oldest = apps.map(\.oldestQueuedSeconds).max() ?? 0
    return JSON.Object([
      ("deliveries", .object(.init(states))),
      ("oldest_queued_seconds", JSON.Number(oldest).map { .number($0) } ?? 0),
    ])
  }
}

/// How fast an app sends, and why it does not.
struct AppSending: Sendable, Equatable {
  let messagesPerSecond: Double
  let inFlight: Int
  let heldTargets: Int
  let wait: SendingWait?

  init(_ health: AppHealth, now: Timestamp) {
    messagesPerSecond = health.messagesPerSecond
    inFlight = health.inFlight
    heldTargets = health.holds
    wait = SendingWait(health, now: now)
  }

  var json: JSON {
    [
      // A rate without a limit is no JSON number.
      "messages_per_second": JSON.Number(messagesPerSecond).map { .number($0) } ?? .null,
      "in_flight": JSON(inFlight), "held_targets": JSON(heldTargets), "wait": wait?.json ?? .null,
    ]
  }
}

/// Why an app sends nothing, or only probes, and until when.
struct SendingWait: Sendable, Equatable {
  let reason: AppWait.Reason
  /// The code of the answer that it waits for.
  let code: String?
  let since: Timestamp
  /// When it sends again, or the next probe.
  let until: Timestamp
  let isProbing: Bool

  /// Nil for an app that sends.
  init?(_ health: AppHealth, now: Timestamp) {
    guard let wait = health.wait else { return nil }
    reason = wait.reason
    code = health.lastFailure?.code.rawValue
    since = wait.since
    until = now.adding(milliseconds: health.waitMilliseconds)
    isProbing = health.isProbing
  }

  /// Whether it differs by more than the reading of a clock.
  func isNews(after other: SendingWait?) -> Bool {
    guard let other, other.reason == reason, other.since == since, other.code == code else { return true }
    return abs(other.until.milliseconds(until: until)) > 500
  }

  var json: JSON {
    var object = JSON.Object([("reason", .string(reason.rawValue))])
    if let code { object.members.append(("code", .string(code))) }
    object.members += [
      ("since", .string(since.rfc3339)), ("until", .string(until.rfc3339)), ("probing", .bool(isProbing)),
    ]
    return .object(object)
  }
}
