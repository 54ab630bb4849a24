import Delivery
import FCM
import Feedback
import HTTPServer
import JSON
import Outbox
import Synchronization

/// `GET /readyz`: whether the gateway accepts notifications, and what stands in the way of sending them.
extension GatewayHandler {
  /// A check's state. `failed` means that nothing can be accepted; `warning` that something needs a look.
  enum CheckStatus: String, Sendable { case ok, warning, failed }

  struct Check: Sendable {
    let status: CheckStatus
    let detail: String?
    let since: Timestamp?

    static let ok = Check(status: .ok, detail: nil, since: nil)

    func since(_ time: Timestamp) -> Check { Check(status: status, detail: detail, since: since ?? time) }

    var json: JSON {
      var object = JSON.Object([("status", .string(status.rawValue))])
      if let detail { object.members.append(("detail", .string(detail))) }
      if let since { object.members.append(("since", .string(since.rfc3339))) }
      return .object(object)
    }
  }

  func showReadiness(_ call: Call) {
    var checks: [(key: String, value: Check)] = [
      ("queue", queueCheck), ("catalog", catalogCheck(call.snapshot)), ("credentials", credentialsCheck),
      ("fcm", fcmCheck),
    ]
    if let webhook = state.webhook { checks.append(("webhook", webhookCheck(webhook.health))) }
    checks = checks.map { ($0.key, $0.value.since(checkHistory.since($0.key, $0.value.status, now: .now))) }
    let statuses = checks.map(\.value.status)
    let isReady = !statuses.contains(.failed) && !state.isShuttingDown
    let word = !isReady ? "unready" : statuses.contains(.warning) ? "degraded" : "ready"
    let body: JSON = [
      "status": .string(word),
      "checks": .object(.init(checks.map { ($0.key, $0.value.json) })),
    ]
    call.respond(.json(isReady ? 200 : 503, body.serialized))
  }

  private var queueCheck: Check {
    guard let trouble = store.trouble else { return .ok }
    return Check(status: .failed, detail: trouble.description, since: nil)
  }

  private func catalogCheck(_ snapshot: GatewayState.Snapshot) -> Check {
    for app in snapshot.apps {
      guard let failure = app.reloadFailure else { continue }
      return Check(
        status: .warning,
        detail: "\(app.name): the last reload failed, the older catalog is in force; the log says why",
        since: failure.since)
    }
    return .ok
  }

  /// What keeps an app's messages from being sent: our credentials and permissions, or FCM itself.
  private var credentialsCheck: Check {
    for health in engine.health {
      guard let since = health.pausedSince else { continue }
      let code = health.lastFailure?.code.rawValue ?? "UNKNOWN"
      return Check(
        status: .warning, detail: "\(health.app): FCM refuses the app as a whole (\(code)); its queue waits",
        since: since)
    }
    return .ok
  }

  /// Failures in a row, FCM's or the network's, from which on FCM counts as troubled.
  static let serviceFailuresWarned = 5

  private var fcmCheck: Check {
    for health in engine.health {
      let code = health.lastFailure?.code.rawValue ?? "UNKNOWN"
      if let since = health.breakerOpenSince {
        return Check(
          status: .warning, detail: "\(health.app): the breaker is open (\(code)); its queue waits",
          since: since)
      }
      if health.serviceFailuresInARow >= Self.serviceFailuresWarned {
        return Check(
          status: .warning,
          detail: "\(health.app): the last \(health.serviceFailuresInARow) attempts failed (\(code))",
          since: nil)
      }
    }
    return .ok
  }

  private func webhookCheck(_ health: WebhookHealth) -> Check {
    if health.isDisabled {
      return Check(
        status: .warning, detail: "the receiver answered 410 and gets nothing more until a reload",
        since: health.lastFailure?.at)
    }
    guard health.failing > 0, let failure = health.lastFailure else { return .ok }
    return Check(
      status: .warning, detail: "\(health.failing) events wait for another try: \(failure.reason)", since: nil
    )
  }
}

/// Since when each check has had its status, as far as anybody asked.
final class CheckHistory: Sendable {
  private let states = Mutex<[String: (status: GatewayHandler.CheckStatus, since: Timestamp)]>([:])

  func since(_ name: String, _ status: GatewayHandler.CheckStatus, now: Timestamp) -> Timestamp {
    states.withLock { states in
      if let known = states[name], known.status == status { return known.since }
      states[name] = (status, now)
      return now
    }
  }
}
