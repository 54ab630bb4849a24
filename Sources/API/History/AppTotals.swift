internal import JSON
internal import Telemetry

/// What an app has done since the gateway started, as its metrics have it.
struct AppTotals: Sendable, Equatable {
  var accepted: UInt64 = 0
  var sent: UInt64 = 0
  var failed: UInt64 = 0
  /// Failed attempts by code.
  var errors: [String: UInt64] = [:]
  /// How long FCM took to answer.
  var requests: HistogramReading?

  /// The totals of each app that has done something.
  static func all(in metrics: DragomanMetrics) -> [ExactText: AppTotals] {
    var all: [ExactText: AppTotals] = [:]
    for (labels, reading) in metrics.notificationsAccepted.readings {
      guard let app = labels.first, case .integer(let count) = reading else { continue }
      all[ExactText(app), default: AppTotals()].accepted += count
    }
    for (labels, reading) in metrics.deliveries.readings {
      guard let app = labels.first, case .integer(let count) = reading, count > 0 else { continue }
      switch labels.last {
      case "sent": all[ExactText(app), default: AppTotals()].sent += count
      case "failed": all[ExactText(app), default: AppTotals()].failed += count
      default: break
      }
    }
    for (labels, reading) in metrics.deliveryErrors.readings {
      guard let app = labels.first, let code = labels.last, case .integer(let count) = reading else {
        continue
      }
      all[ExactText(app), default: AppTotals()].errors[code, default: 0] += count
    }
    for (labels, reading) in metrics.fcmRequestDuration.readings {
      guard let app = labels.first, case .histogram(let requests) = reading else { continue }
      all[ExactText(app), default: AppTotals()].requests = requests
    }
    return all
  }
}

extension HistogramReading {
  /// The value that a part `q` of what came after `earlier` does not exceed, by linear interpolation within
  /// its bucket, as Prometheus's `histogram_quantile` has it; nil if nothing came.
  func quantile(_ q: Double, since earlier: HistogramReading?) -> Double? {
    let gained = buckets.enumerated().map { index, bucket -> (bound: Double, amount: Double) in
      let before = earlier.flatMap { index < $0.buckets.count ? $0.buckets[index].count : nil } ?? 0
      return (bucket.bound, Double(bucket.count < before ? 0 : bucket.count - before))
    }
    guard let all = gained.last?.amount, all > 0 else { return nil }
    var low = (bound: 0.0, amount: 0.0)
    for bucket in gained where bucket.bound.isFinite {
      if bucket.amount >= q * all, bucket.amount > low.amount {
        let part = (q * all - low.amount) / (bucket.amount - low.amount)
        return low.bound + (bucket.bound - low.bound) * part
      }
      low = bucket
    }
    return low.bound
  }
}
