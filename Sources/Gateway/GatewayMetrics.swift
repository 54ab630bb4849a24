internal import DeliveryReports
internal import API
internal import Catalog
internal import CatalogCheck
internal import Clock
internal import Delivery
internal import FCM
internal import Feedback
internal import Foundation
internal import JSON
internal import Outbox
internal import Telemetry

/// Fills the gateway's metrics: counters as events happen, gauges at each scrape.
extension DragomanMetrics {
  private static let outcomes = ["sent", "failed", "expired", "cancelled"]
  private static let reloadResults = ["success", "failure"]

  /// Counts an event of the delivery engine.
  func note(_ event: DeliveryEvent) {
    switch event {
    case .attempted(let app, _, let outcome, let milliseconds, _):
      if case .failed(let failure) = outcome {
        deliveryErrors.with(app, failure.code.rawValue).add()
        countEnd(app, failure)
      }
      countRequest(app, outcome, milliseconds)
    case .unsent(let app, let failure): countEnd(app, failure)
    case .validated(let app, let outcome, let milliseconds): countRequest(app, outcome, milliseconds)
    case .recorded(let app, _, let outcome, let milliseconds):
      deliveries.with(app, outcome.rawValue).add()
      if outcome == .sent { deliveryLatency.with(app).observe(Duration.milliseconds(milliseconds)) }
    default: break
    }
  }

  private func countEnd(_ app: String, _ failure: SendError) {
    sending.attemptFailures.with(app, failure.phase, failure.peer).add()
  }

  /// Counts a request to FCM by the status of its answer, or by the code of the error without one.
  private func countRequest(_ app: String, _ outcome: SendOutcome, _ milliseconds: Int64) {
    var status = "200"
    if case .failed(let failure) = outcome {
      status = failure.httpStatus.map(String.init) ?? failure.code.rawValue
    }
    fcmRequests.with(app, status).add()
    fcmRequestDuration.with(app).observe(Duration.milliseconds(milliseconds))
  }

  /// Counts what a commit of the queue wrote.
  func note(_ commit: OutboxCommit) {
    commitBatchSize.observe(Double(commit.calls))
    commitDuration.observe(commit.seconds)
    for (app, count) in commit.cancelled { deliveries.with(app.text, "cancelled").add(count) }
    for (app, count) in commit.expired { deliveries.with(app.text, "expired").add(count) }
  }

  func noteReload(of apps: [String], succeeded: Bool) {
    for app in apps { catalogReloads.with(app, succeeded ? "success" : "failure").add() }
  }

  /// Reads the gauges at each scrape.
  func collect(
    state: APIState, store: any OutboxStore, engine: DeliveryEngine,
    certificates: @escaping @Sendable () -> [String: Int]
  ) {
    registry.collect(timeout: .seconds(2)) { [self] collector in
      let snapshot = state.snapshot
      for app in snapshot.apps {
        // Present from the first scrape on, so that the first failure is an increase and not a new series.
        for outcome in Self.outcomes { _ = deliveries.with(app.name, outcome) }
        for result in Self.reloadResults { _ = catalogReloads.with(app.name, result) }
        collector.set(catalogTemplates, app.name, to: Double(app.catalog.templates.count))
        for severity in Finding.Severity.allCases {
          collector.set(
            catalogFindings, app.name, severity.rawValue, to: Double(app.report.count(of: severity)))
        }
        if let expiry = app.client?.accessTokenExpiry {
          let left = (expiry - ContinuousClock.now) / .seconds(1)
          collector.set(
            sending.accessTokenExpiry, app.name, to: (Date.now.timeIntervalSince1970 + left).rounded())
        }
      }
      let skews = snapshot.apps.compactMap { $0.client?.clockSkewSeconds }
      if let skew = skews.max(by: { $0.magnitude < $1.magnitude }) {
        collector.set(sending.clockSkew, to: Double(skew))
      }
      for (file, expiry) in certificates() {
        collector.set(sending.certificateExpiry, file, to: Double(expiry))
      }
      for health in engine.health {
        collector.set(sending.sendRate, health.app, to: health.messagesPerSecond)
        collector.set(sending.breakerOpen, health.app, to: health.isProbing ? 1 : 0)
        for reason in AppWait.Reason.allCases {
          let milliseconds = health.wait?.reason == reason ? health.waitMilliseconds : 0
          collector.set(sending.appWait, health.app, reason.rawValue, to: Double(milliseconds) / 1000)
        }
      }
      if let webhook = state.webhook {
        // Present before the first of them, as above.
        for result in WebhookResult.allCases { _ = webhookDeliveries.with(result.rawValue) }
        let waiting = webhook.health.oldestEventAt.map { $0.milliseconds(until: store.now) } ?? 0
        collector.set(webhookLag, to: Double(max(0, waiting)) / 1000)
      }
      collector.set(queueLostLeases, to: Double(store.lostLeaseCount))
      if let skew = store.clockSkewMilliseconds { collector.set(queueSkew, to: Double(skew) / 1000) }
      if let space = store.diskSpace { collector.set(queueDiskFree, to: Double(space.freeBytes)) }
      let now = store.now
      let counts = await withCheckedContinuation { continuation in
        store.counts { continuation.resume(returning: $0) }
      }
      // A queue that cannot be read shows in /readyz; its figures are omitted.
      guard case .success(let byApp) = counts else { return }
      for app in Set(snapshot.apps.map { ExactText($0.name) }).union(byApp.keys) {
        let counts = byApp[app] ?? OutboxCounts()
        for deliveryState in DeliveryState.allCases {
          let count = counts.byState[deliveryState] ?? 0
          collector.set(queueDeliveries, app.text, deliveryState.name, to: Double(count))
        }
        collector.set(queueOldestAge, app.text, to: counts.oldestQueuedSeconds(now: now))
      }
    }
  }
}
