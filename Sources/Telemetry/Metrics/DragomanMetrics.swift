/// Every metric of the gateway: its name, help, unit and labels, declared here and nowhere else.
///
/// No label holds an id, a registration or anything else that a caller makes up.
package struct DragomanMetrics: Sendable {
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

  /// `app`, `status`: the HTTP status, or the gateway's code where there was no answer.
  package let fcmRequests: CounterFamily
  /// `app`.
  package let fcmRequestDuration: HistogramFamily

  /// `app`, `state`.
  package let queueDeliveries: CollectedFamily
  /// `app`.
  package let queueOldestAge: CollectedFamily
  package let commitBatchSize: Histogram
  package let commitDuration: Histogram

  /// `app`.
  package let sendRate: CollectedFamily
  /// `app`; 1 or 0.
  package let breakerOpen: CollectedFamily
  /// `app`.
  package let accessTokenExpiry: CollectedFamily

  /// `app`.
  package let catalogTemplates: CollectedFamily
  /// `app`, `severity`.
  package let catalogFindings: CollectedFamily
  /// `app`, `result`: success, failure.
  package let catalogReloads: CounterFamily

  /// `result`: delivered, retried, failed.
  package let webhookDeliveries: CounterFamily

  /// Declares all of them in `registry`, and the process' own.
  package init(registry: MetricsRegistry = MetricsRegistry(), version: String, log: Log? = nil) {
    self.registry = registry
    httpRequests = registry.counter(
      "dragoman_http_requests_total", help: "HTTP requests answered.", labels: ["method", "route", "status"])
    httpRequestDuration = registry.histogram(
      "dragoman_http_request_duration_seconds", help: "Time from a request's head to its answer's last byte.",
      unit: .seconds, labels: ["route"], buckets: .latency, combinationsMax: 100)

    notificationsAccepted = registry.counter(
      "dragoman_notifications_accepted_total", help: "Notifications kept on disk and answered with 202.",
      labels: ["app", "template"])
    deliveries = registry.counter(
      "dragoman_deliveries_total", help: "Deliveries that reached a final state.", labels: ["app", "outcome"])
    deliveryErrors = registry.counter(
      "dragoman_delivery_errors_total", help: "Attempts to deliver that failed, by the error's code.",
      labels: ["app", "code"])
    deliveryLatency = registry.histogram(
      "dragoman_delivery_latency_seconds", help: "Time from accept, or send_at, to sent.", unit: .seconds,
      labels: ["app"], buckets: .deliveryLatency, combinationsMax: 100)

    fcmRequests = registry.counter(
      "dragoman_fcm_requests_total", help: "Requests put to FCM, by the answer's HTTP status.",
      labels: ["app", "status"])
    fcmRequestDuration = registry.histogram(
      "dragoman_fcm_request_duration_seconds", help: "Time that FCM took to answer.", unit: .seconds,
      labels: ["app"], buckets: .remoteLatency, combinationsMax: 100)

    queueDeliveries = registry.collected(
      "dragoman_queue_deliveries", help: "Deliveries kept, by state.", labels: ["app", "state"])
    queueOldestAge = registry.collected(
      "dragoman_queue_oldest_age_seconds", help: "How long the oldest delivery that is due has waited.",
      unit: .seconds, labels: ["app"])
    commitBatchSize = registry.histogram(
      "dragoman_commit_batch_size", help: "Requests written by one commit of the queue.", buckets: .batchSize)
    commitDuration = registry.histogram(
      "dragoman_commit_duration_seconds", help: "Time that a commit of the queue took, disk included.",
      unit: .seconds, buckets: .diskLatency)

    sendRate = registry.collected(
      "dragoman_send_rate", help: "Requests a second that the app may put to FCM now.", labels: ["app"])
    breakerOpen = registry.collected(
      "dragoman_breaker_open", help: "1 while the app's sending is paused but for probes.", labels: ["app"])
    accessTokenExpiry = registry.collected(
      "dragoman_access_token_expiry_timestamp_seconds", help: "When the access token for FCM expires.",
      unit: .seconds, labels: ["app"])

    catalogTemplates = registry.collected(
      "dragoman_catalog_templates", help: "Templates of the catalog in force.", labels: ["app"])
    catalogFindings = registry.collected(
      "dragoman_catalog_findings", help: "Findings about the catalog in force.", labels: ["app", "severity"])
    catalogReloads = registry.counter(
      "dragoman_catalog_reloads_total", help: "Reloads of the catalog; after a failure the old one stays.",
      labels: ["app", "result"])

    webhookDeliveries = registry.counter(
      "dragoman_webhook_deliveries_total", help: "Webhook requests, by result.", labels: ["result"])

    registry.info("dragoman_build_info", help: "The version that runs.", labels: ["version": version])
    if let log {
      registry.counter(
        "dragoman_log_lines_dropped_total", help: "Log lines that were lost, as their reader was too slow.",
        read: { log.droppedLines })
    }
    ProcessMetrics.register(in: registry)
  }
}
