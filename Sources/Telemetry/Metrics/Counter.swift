internal import Synchronization

/// A number that only increases. Adding takes no lock and allocates no memory.
package final class Counter: MetricSeries {
  private let count = Atomic<UInt64>(0)

  package init(_ settings: Void) {}

  /// Adds one.
  package func add() { count.wrappingAdd(1, ordering: .relaxed) }

  /// Adds `amount`; ignores values below 1.
  package func add(_ amount: Int) {
    guard amount > 0 else { return }
    count.wrappingAdd(UInt64(clamping: amount), ordering: .relaxed)
  }

  package var value: UInt64 { count.load(ordering: .relaxed) }
  package var reading: MetricReading { .integer(value) }
}
