internal import Clock
internal import JSON
internal import Outbox
internal import Telemetry

/// An app in one sample of the history. Its numbers are small, because 90 samples of each busy app are kept.
struct AppSample: Sendable, Equatable {
  let app: ExactText
  private(set) var scheduled: UInt32 = 0
  private(set) var queued: UInt32 = 0
  private(set) var sending: UInt32 = 0
  private(set) var oldestQueuedMilliseconds: UInt32 = 0
  /// Since the sample before, like all below.
  private(set) var accepted: UInt32 = 0
  private(set) var sent: UInt32 = 0
  private(set) var failed: UInt32 = 0
  /// Failed attempts by code.
  private(set) var errors: [String: UInt32] = [:]
  /// How long FCM took to answer; nil without an answer.
  private(set) var medianMicroseconds: UInt32?
  private(set) var percentile95Microseconds: UInt32?

  init(idle app: ExactText) { self.app = app }

  /// Nil for an app in which nothing happens and nothing waits.
  init?(
    _ app: ExactText, _ counts: OutboxCounts, _ totals: AppTotals, since earlier: AppTotals, now: Timestamp
  ) {
    self.init(idle: app)
    scheduled = UInt32(clamping: counts.byState[.scheduled] ?? 0)
    queued = UInt32(clamping: counts.byState[.queued] ?? 0)
    sending = UInt32(clamping: counts.byState[.sending] ?? 0)
    oldestQueuedMilliseconds = UInt32(
      clamping: Int64(saturating: counts.oldestQueuedSeconds(now: now) * 1e3))
    accepted = UInt32(clamping: Int64(clamping: totals.accepted) - Int64(clamping: earlier.accepted))
    sent = UInt32(clamping: Int64(clamping: totals.sent) - Int64(clamping: earlier.sent))
    failed = UInt32(clamping: Int64(clamping: totals.failed) - Int64(clamping: earlier.failed))
    for (code, count) in totals.errors {
      let gained = UInt32(clamping: Int64(clamping: count) - Int64(clamping: earlier.errors[code] ?? 0))
      if gained > 0 { errors[code] = gained }
    }
    func microseconds(_ q: Double) -> UInt32? {
      totals.requests?.quantile(q, since: earlier.requests)
        .map { UInt32(clamping: Int64(saturating: ($0 * 1e6).rounded())) }
    }
    (medianMicroseconds, percentile95Microseconds) = (microseconds(0.5), microseconds(0.95))
    if self == AppSample(idle: app) { return nil }
  }

  /// What gateways did in the same time, each of which sees the whole queue; nil for none. The latest one is
  /// the last.
  init?(together samples: [AppSample]) {
    guard var whole = samples.last else { return nil }
    for other in samples.dropLast() {
      whole.accepted = UInt32(clamping: UInt64(whole.accepted) + UInt64(other.accepted))
      whole.sent = UInt32(clamping: UInt64(whole.sent) + UInt64(other.sent))
      whole.failed = UInt32(clamping: UInt64(whole.failed) + UInt64(other.failed))
      for (code, count) in other.errors {
        whole.errors[code] = UInt32(clamping: UInt64(whole.errors[code] ?? 0) + UInt64(count))
      }
    }
    // Percentiles cannot be added up.
    let busiest = samples.max { $0.sent < $1.sent }
    whole.medianMicroseconds = busiest?.medianMicroseconds
    whole.percentile95Microseconds = busiest?.percentile95Microseconds
    self = whole
  }

  /// How much happened, for choosing the busiest apps.
  var activity: UInt64 {
    UInt64(accepted) + UInt64(sent) + UInt64(failed) + UInt64(scheduled) + UInt64(queued) + UInt64(sending)
  }

  /// A sample as `json` has written it; what it does not say is nothing.
  init(_ app: ExactText, kept: JSON) {
    self.init(idle: app)
    func number(_ value: JSON?, times scale: Double = 1) -> UInt32? {
      value?.number?.double.map { UInt32(clamping: Int64(saturating: ($0 * scale).rounded())) }
    }
    scheduled = number(kept["deliveries"]?["scheduled"]) ?? 0
    queued = number(kept["deliveries"]?["queued"]) ?? 0
    sending = number(kept["deliveries"]?["sending"]) ?? 0
    oldestQueuedMilliseconds = number(kept["oldest_queued_seconds"], times: 1e3) ?? 0
    accepted = number(kept["accepted"]) ?? 0
    sent = number(kept["sent"]) ?? 0
    failed = number(kept["failed"]) ?? 0
    for member in kept["errors"]?.object ?? .init() { errors[member.key] = number(member.value) ?? 0 }
    medianMicroseconds = number(kept["fcm_request_seconds"]?["p50"], times: 1e6)
    percentile95Microseconds = number(kept["fcm_request_seconds"]?["p95"], times: 1e6)
  }

  func json(at time: Timestamp, seconds: Double) -> JSON {
    func number(_ real: Double?) -> JSON { real.flatMap(JSON.Number.init).map { .number($0) } ?? .null }
    return [
      "at": .string(time.rfc3339), "seconds": number(seconds),
      "deliveries": [
        "scheduled": JSON(scheduled), "queued": JSON(queued), "sending": JSON(sending),
      ],
      "oldest_queued_seconds": number(Double(oldestQueuedMilliseconds) / 1e3),
      "accepted": JSON(accepted), "sent": JSON(sent), "failed": JSON(failed),
      "errors": .object(
        .init(errors.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) })),
      "fcm_request_seconds": [
        "p50": number(medianMicroseconds.map { Double($0) / 1e6 }),
        "p95": number(percentile95Microseconds.map { Double($0) / 1e6 }),
      ],
    ]
  }
}
