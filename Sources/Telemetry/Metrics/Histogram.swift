internal import Synchronization

/// A distribution in fixed buckets (a classic Prometheus histogram). Observing takes no lock and allocates no
/// memory.
package final class Histogram: MetricSeries {
  /// The inclusive upper bounds of the buckets, in addition to the bucket without a bound.
  package struct Buckets: Sendable, Equatable, ExpressibleByArrayLiteral {
    package let bounds: [Double]

    /// Sorts the finite bounds and removes duplicates.
    package init(_ bounds: [Double]) { self.bounds = Set(bounds.filter(\.isFinite)).sorted() }
    package init(arrayLiteral elements: Double...) { self.init(elements) }

    /// For the latency of the API: 1 ms to 10 s.
    package static let latency: Buckets = [
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// For requests to a service on the internet: 5 ms to 1 minute.
    package static let remoteLatency: Buckets = [
      0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]
    /// For deliveries, which can wait for the end of an outage: 50 ms to 1 day.
    package static let deliveryLatency: Buckets = [
      0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400,
    ]
    /// For writes to the disk: 0.1 ms to 2.5 s.
    package static let diskLatency: Buckets = [
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
    ]
    /// For the sizes of batches: 1 to 5,000.
    package static let batchSize: Buckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
  }

  private let bounds: [Double]
  /// One counter per bound, and a last one for larger values.
  private let counts: [Counter]
  private let sum = Atomic<UInt64>((0.0).bitPattern)

  package init(_ settings: Buckets) {
    bounds = settings.bounds
    counts = (0...settings.bounds.count).map { _ in Counter(()) }
  }

  /// Counts `value` in its bucket. A negative value, caused by a clock that was set back, counts as 0. A
  /// value that is not finite is ignored, because it would make the sum useless.
  package func observe(_ value: Double) {
    guard value.isFinite else { return }
    let value = max(0, value)
    var index = 0
    while index < bounds.count, value > bounds[index] { index += 1 }
    counts[index].add()
    sum.addDouble(value)
  }

  /// Counts a duration, in seconds.
  package func observe(_ duration: Duration) { observe(duration / .seconds(1)) }

  package var reading: MetricReading {
    var cumulative: [HistogramReading.Bucket] = []
    cumulative.reserveCapacity(counts.count)
    var count: UInt64 = 0
    for (bound, bucket) in zip(bounds + [.infinity], counts) {
      count += bucket.value
      cumulative.append(.init(bound: bound, count: count))
    }
    return .histogram(
      HistogramReading(buckets: cumulative, sum: Double(bitPattern: sum.load(ordering: .relaxed))))
  }
}

/// A histogram's values at one time: cumulative counts, with an infinite bound of the last bucket.
package struct HistogramReading: Sendable, Equatable {
  package struct Bucket: Sendable, Equatable {
    package let bound: Double
    package let count: UInt64
  }

  package let buckets: [Bucket]
  package let sum: Double

  package var count: UInt64 { buckets.last?.count ?? 0 }
}
