/// The metrics that describe how fast each app may send to FCM, why it waits, and what that depends on.
package struct SendingMetrics: Sendable {
  /// `app`.
  package let sendRate: CollectedFamily
  /// `app`; 1 or 0.
  package let breakerOpen: CollectedFamily
  /// `app`, `reason`.
  package let appWait: CollectedFamily
  /// `app`.
  package let accessTokenExpiry: CollectedFamily
  package let clockSkew: CollectedFamily
  /// `file`.
  package let certificateExpiry: CollectedFamily
  /// `app`, `phase`, `peer`.
  package let attemptFailures: CounterFamily

  /// Declares them in `registry`.
  init(registry: MetricsRegistry) {
    sendRate = registry.collected(
      "dragoman_send_rate", help: "Requests per second that the app may currently send to FCM.",
      labels: ["app"])
    breakerOpen = registry.collected(
      "dragoman_breaker_open", help: "1 while only probes are sent for the app, otherwise 0.", labels: ["app"]
    )
    appWait = registry.collected(
      "dragoman_app_wait_seconds",
      help: "Time until the app sends again, or until the next probe; 0 if it does not wait for that reason.",
      unit: .seconds, labels: ["app", "reason"])
    accessTokenExpiry = registry.collected(
      "dragoman_access_token_expiry_timestamp_seconds",
      help: "Time at which the access token for FCM expires, since the Unix epoch.",
      unit: .seconds, labels: ["app"])
    clockSkew = registry.collected(
      "dragoman_clock_skew_seconds",
      help: "How far this machine's clock is ahead of FCM's or the token endpoint's.", unit: .seconds,
      labels: [])
    certificateExpiry = registry.collected(
      "dragoman_tls_certificate_expiry_timestamp_seconds",
      help: "Time at which the certificates in a configured file expire, since the Unix epoch.",
      unit: .seconds, labels: ["file"])
    attemptFailures = registry.counter(
      "dragoman_attempt_failures_total",
      help: "Failed attempts to deliver, by how far they came and who ended them.",
      labels: ["app", "phase", "peer"])
  }
}
