import Testing

@testable import Telemetry

extension DragomanMetrics {
  /// All metrics with a value for `app`.
  static func filled(every app: String) -> DragomanMetrics {
    let metrics = DragomanMetrics(version: "0.1.0", log: .silent)
    metrics.count(method: "GET", route: "/v1/notifications/{id}", status: 200)
    metrics.observe(
      AccessLine(
        method: "GET", route: "/v1/notifications/{id}", status: 200, duration: .milliseconds(3), bytes: 5,
        requestID: .random(), trace: TraceContext(parent: .random())))
    metrics.notificationsAccepted.with(app, "new_message").add()
    metrics.deliveries.with(app, "sent").add()
    metrics.deliveryErrors.with(app, "UNREGISTERED").add()
    metrics.deliveryLatency.with(app).observe(0.3)
    metrics.fcmRequests.with(app, "200").add()
    metrics.fcmRequestDuration.with(app).observe(0.1)
    metrics.commitBatchSize.observe(12)
    metrics.commitDuration.observe(.microseconds(170))
    metrics.catalogReloads.with(app, "success").add()
    metrics.webhookDeliveries.with("delivered").add()
    metrics.registry.collect { collection in
      for state in ["queued", "sent"] { collection.set(metrics.queueDeliveries, app, state, to: 3) }
      for family in [
        metrics.queueOldestAge, metrics.sending.sendRate, metrics.sending.breakerOpen,
        metrics.sending.accessTokenExpiry,
        metrics.catalogTemplates,
      ] { collection.set(family, app, to: 1) }
      collection.set(metrics.catalogFindings, app, "error", to: 0)
      collection.set(metrics.queueDiskFree, to: 1)
      collection.set(metrics.queueSkew, to: 1)
      collection.set(metrics.queueLostLeases, to: 1)
    }
    return metrics
  }
}

struct DragomanMetricsTests {
  /// The names and labels on which users' dashboards depend.
  @Test func namesAndLabelsArePinned() {
    let described = DragomanMetrics(version: "1", log: .silent).registry.descriptions
      .map { "\($0.kind) \($0.name){\($0.labels.joined(separator: ","))}" }
    #expect(
      described == [
        "gauge dragoman_access_token_expiry_timestamp_seconds{app}",
        "gauge dragoman_app_wait_seconds{app,reason}",
        "counter dragoman_attempt_failures_total{app,phase,peer}",
        "gauge dragoman_breaker_open{app}",
        "info dragoman_build_info{version}", "gauge dragoman_catalog_findings{app,severity}",
        "counter dragoman_catalog_reloads_total{app,result}", "gauge dragoman_catalog_templates{app}",
        "gauge dragoman_clock_skew_seconds{}",
        "histogram dragoman_commit_batch_size{}", "histogram dragoman_commit_duration_seconds{}",
        "counter dragoman_deliveries_total{app,outcome}", "counter dragoman_delivery_errors_total{app,code}",
        "histogram dragoman_delivery_latency_seconds{app}",
        "histogram dragoman_fcm_request_duration_seconds{app}",
        "counter dragoman_fcm_requests_total{app,status}",
        "histogram dragoman_http_request_duration_seconds{route}",
        "counter dragoman_http_requests_total{method,route,status}",
        "counter dragoman_log_lines_dropped_total{}", "counter dragoman_metrics_collections_late_total{}",
        "counter dragoman_metrics_label_overflows_total{metric}",
        "counter dragoman_notifications_accepted_total{app,template}",
        "gauge dragoman_queue_clock_skew_seconds{}", "gauge dragoman_queue_deliveries{app,state}",
        "gauge dragoman_queue_disk_free_bytes{}",
        "counter dragoman_queue_lost_leases_total{}", "gauge dragoman_queue_oldest_age_seconds{app}",
        "counter dragoman_raw_findings_total{app,rule}",
        "gauge dragoman_send_rate{app}",
        "gauge dragoman_tls_certificate_expiry_timestamp_seconds{file}",
        "counter dragoman_webhook_deliveries_total{result}",
        "gauge dragoman_webhook_lag_seconds{}",
        "counter process_cpu_seconds_total{}", "gauge process_max_fds{}", "gauge process_open_fds{}",
        "gauge process_resident_memory_bytes{}", "gauge process_start_time_seconds{}",
        "gauge process_threads{}",
        "gauge process_virtual_memory_bytes{}",
      ])
  }

  @Test func requestsAreCountedByMethodRouteAndStatus() async {
    let metrics = DragomanMetrics(version: "1")
    for (method, route, status) in [
      ("GET", "/v1/stats", 200), ("BREW", "/v1/stats", 405), ("GET", nil, 404),
    ] {
      metrics.count(method: method, route: route, status: status)
      metrics.observe(
        AccessLine(
          method: method, route: route, status: status, duration: .seconds(1), bytes: 0, requestID: .random(),
          trace: TraceContext(parent: .random())))
    }
    #expect(metrics.httpRequests.with("GET", "/v1/stats", "200").value == 1)
    #expect(metrics.httpRequests.with("other", "/v1/stats", "405").value == 1)
    #expect(metrics.httpRequests.with("GET", "unmatched", "404").value == 1)
    guard case .histogram(let reading) = metrics.httpRequestDuration.with("/v1/stats").reading else { return }
    #expect(reading.count == 2)
    #expect(reading.sum == 2)
  }
}
