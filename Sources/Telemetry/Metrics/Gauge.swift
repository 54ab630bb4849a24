internal import Synchronization

/// A number that can increase and decrease. Setting and adding take no lock and allocate no memory.
package final class Gauge: MetricSeries {
  private let bits = Atomic<UInt64>((0.0).bitPattern)

  package init(_ settings: Void) {}

  /// Sets the value.
  package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
  /// Adds `amount`, which may be negative.
  package func add(_ amount: Double) { bits.addDouble(amount) }

  package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
  package var reading: MetricReading { .number(value) }
}

extension Atomic<UInt64> {
  /// Adds to the `Double` whose bit pattern is stored.
  func addDouble(_ amount: Double) {
    var old = load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let result = weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if result.exchanged { return }
      old = result.original
    }
  }
}
