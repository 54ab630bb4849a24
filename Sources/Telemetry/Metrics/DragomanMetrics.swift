/// All metrics of the gateway, with their names, help texts, units and labels.
///
/// No label holds an id, a registration or any other value that callers choose freely.
///
/// A class, since each request retains it: a struct would retain its two dozen families one by one.
package final class DragomanMetrics: Sendable {
  package let registry: MetricsRegistry

  /// `method`, `route`, `status`; see `record(_:)`.
  package let httpRequests: CounterFamily
  /// `route`.
  package let httpRequestDuration: HistogramFamily

  /// `app`, `template`.
  package let notificationsAccepted: CounterFamily
  /// `app`, `outcome`: sent, failed, expired, cancelled.
  package let deliveries: CounterFamily
  /// `app`, `code`.
  package let deliveryErrors: CounterFamily
  /// `app`.
  package let deliveryLatency: HistogramFamily

  /// `app`, `status`: the HTTP status, or the gateway's error code if there was no answer.
  package let fcmRequests: CounterFamily
  /// `app`.
  package let fcmRequestDuration: HistogramFamily

  /// `app`, `state`.
  package let queueDeliveries: CollectedFamily
  /// `app`.
  package let queueOldestAge: CollectedFamily
  package let queueDiskFree: CollectedFamily
  package let queueSkew: CollectedFamily
  package let queueLostLeases: CollectedFamily
  package let commitBatchSize: Histogram
  package let commitDuration: Histogram

  /// What each app may send, and why it waits.
  package let sending: SendingMetrics

  /// `app`.
  package let catalogTemplates: CollectedFamily
  /// `app`, `severity`.
  package let catalogFindings: CollectedFamily
  /// `app`, `result`: success, failure.
  package let catalogReloads: CounterFamily

  /// `app`, `rule`.
  package let rawFindings: CounterFamily

  /// `result`: delivered, failed, given_up, disabled.
  package let webhookDeliveries: CounterFamily
  package let webhookLag: CollectedFamily

  /// Declares all metrics in `registry`, including those of the process.
  package init(registry: MetricsRegistry = MetricsRegistry(), version: String, log: Log? = nil) {
    self.registry = registry
    httpRequests = registry.counter(
      "dragoman_http_requests_total", help: "HTTP requests answered.", labels: ["method", "route", "status"])
    httpRequestDuration = registry.histogram(
      "dragoman_http_request_duration_seconds",
      help: "Time from a request's header to the last byte of its response.",
      unit: .seconds, labels: ["route"], buckets: .latency, combinationsMax: 100)

    notificationsAccepted = registry.counter(
      "dragoman_notifications_accepted_total", help: "Notifications stored on disk and answered with 202.",
      labels: ["app", "template"])
    deliveries = registry.counter(
      "dragoman_deliveries_total", help: "Deliveries that reached a final state.", labels: ["app", "outcome"])
    deliveryErrors = registry.counter(
      "dragoman_delivery_errors_total", help: "Failed attempts to deliver, by error code.",
      labels: ["app", "code"])
    deliveryLatency = registry.histogram(
      "dragoman_delivery_latency_seconds",
      help: "Time from acceptance, or from send_at, until FCM accepted the message.", unit: .seconds,
      labels: ["app"], buckets: .deliveryLatency, combinationsMax: 100)

    fcmRequests = registry.counter(
      "dragoman_fcm_requests_total", help: "Requests to FCM, by the HTTP status of the response.",
      labels: ["app", "status"])
    fcmRequestDuration = registry.histogram(
      "dragoman_fcm_request_duration_seconds", help: "Time until FCM answered a request.", unit: .seconds,
      labels: ["app"], buckets: .remoteLatency, combinationsMax: 100)

    queueDeliveries = registry.collected(
      "dragoman_queue_deliveries", help: "Stored deliveries, by state.", labels: ["app", "state"])
    queueOldestAge = registry.collected(
      "dragoman_queue_oldest_age_seconds", help: "Time that the oldest due delivery has waited.",
      unit: .seconds, labels: ["app"])
    queueDiskFree = registry.collected(
      "dragoman_queue_disk_free_bytes", help: "Free space on the volume of the queue's SQLite file.",
      unit: .bytes, labels: [])
    queueSkew = registry.collected(
      "dragoman_queue_clock_skew_seconds",
      help: "How far this gateway's clock is ahead of the clock of the queue's database.", unit: .seconds,
      labels: [])
    queueLostLeases = registry.collected(
      "dragoman_queue_lost_leases_total", .counter,
      help: "Leases on the queue's shared database that ended while the gateway ran.", labels: [])
    commitBatchSize = registry.histogram(
      "dragoman_commit_batch_size", help: "Requests written by one commit of the queue.", buckets: .batchSize)
    commitDuration = registry.histogram(
      "dragoman_commit_duration_seconds",
      help: "Duration of a commit of the queue, including the sync to disk.",
      unit: .seconds, buckets: .diskLatency)

    sending = SendingMetrics(registry: registry)
    catalogTemplates = registry.collected(
      "dragoman_catalog_templates", help: "Templates in the current catalog.", labels: ["app"])
    catalogFindings = registry.collected(
      "dragoman_catalog_findings", help: "Findings about the current catalog.", labels: ["app", "severity"])
    catalogReloads = registry.counter(
      "dragoman_catalog_reloads_total",
      help: "Reloads of the catalog; a failed reload keeps the old catalog.",
      labels: ["app", "result"])
    rawFindings = Self.rawFindings(in: registry)

    webhookDeliveries = registry.counter(
      "dragoman_webhook_deliveries_total", help: "Webhook requests, by result.", labels: ["result"])
    webhookLag = registry.collected(
      "dragoman_webhook_lag_seconds",
      help: "Age of the oldest event that the webhook's receiver does not have yet.", labels: [])

    Self.registerProcess(in: registry, version: version, log: log)
  }

  private static func rawFindings(in registry: MetricsRegistry) -> CounterFamily {
    registry.counter(
      "dragoman_raw_findings_total", help: "Findings about messages that FCM's own API took, by rule.",
      labels: ["app", "rule"])
  }

  private static func registerProcess(in registry: MetricsRegistry, version: String, log: Log?) {
    registry.info("dragoman_build_info", help: "The running version.", labels: ["version": version])
    if let log {
      registry.counter(
        "dragoman_log_lines_dropped_total",
        help: "Log lines lost because they could not be written fast enough.",
        read: { log.droppedLines })
    }
    ProcessMetrics.register(in: registry)
  }
}
