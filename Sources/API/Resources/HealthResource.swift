internal import Clock
internal import DeliveryReports
internal import FCM
internal import HTTPServer
internal import JSON
internal import Outbox

/// `GET /healthz`: whether the process answers. `GET /readyz`: whether the gateway accepts notifications, and
/// what prevents it from sending them.
struct HealthResource: Sendable {
  let state: APIState
  let store: any OutboxStore
  let engine: any DeliveryService
  let logins: LoginGuard

  func showLiveness(_ call: APICall) { call.respond(.text("ok\n")) }

  /// Without a key, a check says what is affected, and nothing about hosts, apps and errors.
  func showReadiness(_ call: APICall) {
    let reader = logins.reader(of: call)
    let sending = engine.overallHealth
    var checks: [(key: String, value: ReadinessCheck)] = [
      ("queue", queueCheck(store.health, store.diskSpace, skewMilliseconds: store.clockSkewMilliseconds)),
      ("catalog", catalogCheck(state.isReloaded)),
      ("credentials", credentialsCheck(sending)), ("fcm", fcmCheck(sending)),
    ]
    if let webhook = state.webhook { checks.append(("webhook", webhookCheck(webhook.health))) }
    let statuses = checks.map(\.value.status)
    let isReady = !statuses.contains(.failed) && !state.isShuttingDown
    let word = !isReady ? "unready" : statuses.contains(.warning) ? "degraded" : "ready"
    var body = JSON.Object([
      ("status", .string(word)),
      ("checks", .object(.init(checks.map { ($0.key, $0.value.json(for: reader)) }))),
    ])
    if let emulator = state.emulator { body.members.append(("emulator", .string(emulator))) }
    var response = HTTPResponse.json(isReady ? 200 : 503, JSON.object(body).serialized)
    if call.snapshot.authenticator.asksForKeys { response.headers.add("Vary", "Authorization") }
    call.respond(response)
  }

  /// A greater difference between the clocks of a gateway and of the shared database is worth a warning.
  private static let skewMillisecondsMax: Int64 = 5_000

  private func queueCheck(
    _ health: OutboxHealth, _ space: OutboxDiskSpace?, skewMilliseconds: Int64?
  ) -> ReadinessCheck {
    guard let degradation = health.degradation else {
      if let skew = skewMilliseconds, skew.magnitude > Self.skewMillisecondsMax.magnitude {
        let side = skew > 0 ? "ahead of" : "behind"
        return ReadinessCheck(
          status: .warning, summary: "this gateway's clock differs from its database's",
          detail:
            "this gateway's clock is \(skew.magnitude / 1000) s \(side) the queue's database, whose time decides",
          since: health.since)
      }
      if !health.unserved.status.isEmpty {
        return ReadinessCheck(
          status: .warning, summary: "deliveries are due for apps that this gateway does not serve",
          detail: "deliveries are due for apps that this gateway does not serve: "
            + health.unserved.status.joined(separator: ", "),
          since: health.unserved.since)
      }
      guard let space, space.isLow else { return .ok(since: health.since) }
      return ReadinessCheck(
        status: .warning, summary: "the queue's disk is nearly full",
        detail: "the queue's disk has \(space.freeBytes >> 20) MiB left of \(space.totalBytes >> 20) MiB",
        since: health.since)
    }
    return ReadinessCheck(
      status: .failed, summary: "the queue cannot be written", detail: degradation.description,
      since: health.since)
  }

  private func catalogCheck(_ isReloaded: StatusSince<Bool>) -> ReadinessCheck {
    guard !isReloaded.status else { return .ok(since: isReloaded.since) }
    return ReadinessCheck(
      status: .warning, summary: "the last reload failed; the log says why",
      detail: "the last reload failed, the older configuration and catalogs are in force; the log says why",
      since: isReloaded.since)
  }

  /// Whether FCM rejects the credentials or permissions of an app.
  private func credentialsCheck(_ health: DeliveryHealth) -> ReadinessCheck {
    guard health.isRefused.status,
      let app = health.apps.first(where: \.isPaused) ?? health.apps.first(where: \.isRefused)
    else { return .ok(since: health.isRefused.since) }
    let targets = app.refusedTargets == 1 ? "1 target" : "\(app.refusedTargets) targets"
    let detail =
      if app.isPaused, app.lastFailure?.isMissingToken == true {
        "\(app.app): the credentials are refused (\(code(of: app))); its queue waits"
      } else if app.isPaused {
        "\(app.app): FCM refuses the app as a whole (\(code(of: app))); its queue waits"
      } else if app.wait?.reason == .accessToken {
        "\(app.app): there is no access token (\(code(of: app))); its queue waits"
      } else if let failure = app.foreignFailure {
        "\(app.app): FCM fails the messages with \(failure.code.rawValue) and accepted nothing since: the "
          + (failure.scope == .thirdPartyCredentials
            ? "credentials of APNs or web push in Firebase are missing or wrong"
            : "registrations belong to another project than the credentials")
      } else {
        "\(app.app): FCM refused \(targets) (\(code(of: app))) and accepted nothing since"
      }
    return ReadinessCheck(
      status: .warning,
      summary: app.wait == nil
        ? "FCM refuses some messages of an app" : "an app cannot send; its queue waits",
      detail: detail + nextStep(of: app), app: app.app, failure: app.foreignFailure ?? app.lastFailure,
      since: health.isRefused.since)
  }

  /// When the app sends again, or what finds out whether it can.
  private func nextStep(of app: AppHealth) -> String {
    guard app.wait != nil else { return "" }
    let seconds = (app.waitMilliseconds + 999) / 1000
    return app.isProbing ? "; the next probe is due in \(seconds) s" : "; it sends again in \(seconds) s"
  }

  /// Whether FCM can be reached and answers.
  private func fcmCheck(_ health: DeliveryHealth) -> ReadinessCheck {
    guard health.isDegraded.status,
      let app = health.apps.first(where: \.isBreakerOpen) ?? health.apps.first(where: \.isDegraded)
    else { return .ok(since: health.isDegraded.since) }
    let detail =
      if app.isBreakerOpen {
        "\(app.app): the breaker is open (\(code(of: app))); its queue waits"
      } else if app.wait != nil || app.isQuotaLasting {
        "\(app.app): the project's quota is used up (\(code(of: app))); its queue waits"
      } else {
        "\(app.app): the last \(app.serviceFailuresInARow) attempts failed (\(code(of: app)))"
      }
    return ReadinessCheck(
      status: .warning, summary: "attempts to send for an app fail", detail: detail + nextStep(of: app),
      app: app.app, failure: app.lastFailure, since: health.isDegraded.since)
  }

  private func code(of app: AppHealth) -> String { app.lastFailure?.code.rawValue ?? "UNKNOWN" }

  private func webhookCheck(_ health: WebhookHealth) -> ReadinessCheck {
    guard health.isDegraded.status else { return .ok(since: health.isDegraded.since) }
    let waiting = health.failing == 1 ? "1 event waits" : "\(health.failing) events wait"
    let detail =
      health.isDisabled
      ? "the receiver answered 410 and gets nothing more until a reload"
      : "\(waiting) for another try: \(health.lastFailure?.reason ?? "it failed")"
    return ReadinessCheck(
      status: .warning, summary: "the webhook's receiver takes no events", detail: detail,
      since: health.isDegraded.since)
  }
}

/// One check of `GET /readyz`.
struct ReadinessCheck: Sendable {
  /// `failed`: the gateway cannot accept notifications. `warning`: an operator should look at it.
  enum Status: String, Sendable { case ok, warning, failed }

  let status: Status
  /// What is affected, for everybody; nil if the status is `ok`.
  var summary: String?
  /// The same with names and errors, for callers with a key.
  var detail: String?
  /// The app that `detail` names, which the caller must be allowed to use.
  var app: String?
  /// The failure behind it, for callers with a key.
  var failure: SendError?
  /// When the status became what it is.
  let since: Timestamp

  static func ok(since: Timestamp) -> ReadinessCheck { Self(status: .ok, since: since) }

  /// `reader` is the caller; nil without a known key.
  func json(for reader: Principal?) -> JSON {
    var object = JSON.Object([("status", .string(status.rawValue))])
    let isOpen = reader.map { reader in app.map(reader.mayUse(app:)) ?? true } ?? false
    if let text = isOpen ? detail : summary { object.members.append(("detail", .string(text))) }
    if isOpen, let failure {
      object.members += [
        ("reason", .string(failure.message)), ("phase", .string(failure.phase)),
        ("peer", .string(failure.peer)),
      ]
    }
    object.members.append(("since", .string(since.rfc3339)))
    return .object(object)
  }
}
