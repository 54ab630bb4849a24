internal import Clock
import Delivery
import FCM
import Feedback
import HTTPServer
import JSON
import Outbox

/// `GET /readyz`: whether the gateway accepts notifications, and what stands in the way of sending them.
extension GatewayHandler {
  /// A check's state. `failed` means that nothing can be accepted; `warning` that something needs a look.
  enum CheckStatus: String, Sendable { case ok, warning, failed }

  struct Check: Sendable {
    let status: CheckStatus
    /// Nil where all is well.
    let detail: String?
    /// When it came to have this status.
    let since: Timestamp

    static func ok(since: Timestamp) -> Check { Check(status: .ok, detail: nil, since: since) }

    var json: JSON {
      var object = JSON.Object([("status", .string(status.rawValue))])
      if let detail { object.members.append(("detail", .string(detail))) }
      object.members.append(("since", .string(since.rfc3339)))
      return .object(object)
    }
  }

  func showReadiness(_ call: Call) {
    let sending = engine.overallHealth
    var checks: [(key: String, value: Check)] = [
      ("queue", queueCheck(store.health)), ("catalog", catalogCheck(state.isReloaded)),
      ("credentials", credentialsCheck(sending)), ("fcm", fcmCheck(sending)),
    ]
    if let webhook = state.webhook { checks.append(("webhook", webhookCheck(webhook.health))) }
    let statuses = checks.map(\.value.status)
    let isReady = !statuses.contains(.failed) && !state.isShuttingDown
    let word = !isReady ? "unready" : statuses.contains(.warning) ? "degraded" : "ready"
    let body: JSON = [
      "status": .string(word),
      "checks": .object(.init(checks.map { ($0.key, $0.value.json) })),
    ]
    call.respond(.json(isReady ? 200 : 503, body.serialized))
  }

  private func queueCheck(_ health: OutboxHealth) -> Check {
    guard let degradation = health.degradation else { return .ok(since: health.since) }
    return Check(status: .failed, detail: degradation.description, since: health.since)
  }

  private func catalogCheck(_ isReloaded: StatusSince<Bool>) -> Check {
    guard !isReloaded.status else { return .ok(since: isReloaded.since) }
    return Check(
      status: .warning,
      detail: "the last reload failed, the older configuration and catalogs are in force; the log says why",
      since: isReloaded.since)
  }

  /// What keeps an app's messages from being sent: our credentials and permissions.
  private func credentialsCheck(_ health: DeliveryHealth) -> Check {
    guard health.isRefused.status, let app = health.apps.first(where: \.isPaused) else {
      return .ok(since: health.isRefused.since)
    }
    return Check(
      status: .warning,
      detail: "\(app.app): FCM refuses the app as a whole (\(code(of: app))); its queue waits",
      since: health.isRefused.since)
  }

  /// The same of FCM itself, and of the way to it.
  private func fcmCheck(_ health: DeliveryHealth) -> Check {
    guard health.isDegraded.status,
      let app = health.apps.first(where: \.isBreakerOpen) ?? health.apps.first(where: \.isDegraded)
    else { return .ok(since: health.isDegraded.since) }
    let detail =
      app.isBreakerOpen
      ? "\(app.app): the breaker is open (\(code(of: app))); its queue waits"
      : "\(app.app): the last \(app.serviceFailuresInARow) attempts failed (\(code(of: app)))"
    return Check(status: .warning, detail: detail, since: health.isDegraded.since)
  }

  private func code(of app: AppHealth) -> String { app.lastFailure?.code.rawValue ?? "UNKNOWN" }

  private func webhookCheck(_ health: WebhookHealth) -> Check {
    guard health.isDegraded.status else { return .ok(since: health.isDegraded.since) }
    let detail =
      health.isDisabled
      ? "the receiver answered 410 and gets nothing more until a reload"
      : "\(health.failing) events wait for another try: \(health.lastFailure?.reason ?? "it failed")"
    return Check(status: .warning, detail: detail, since: health.isDegraded.since)
  }
}
