internal import Synchronization

/// A number that goes up and down. Setting and adding take no lock and allocate nothing.
package final class Gauge: MetricSeries {
  private let bits = Atomic<UInt64>((0.0).bitPattern)

  package init(_ settings: Void) {}

  package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
  package func add(_ amount: Double) { bits.addDouble(amount) }

  package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
  package var reading: MetricReading { .number(value) }
}

extension Atomic<UInt64> {
  /// Adds to the `Double` whose bit pattern this holds.
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
