package import Clock
import Synchronization

/// The time of a database that several processes share, whatever the clock of this process's own machine
/// says.
///
/// Between two readings, the time goes on with the machine's monotonic clock, so that setting the machine's
/// wall clock changes nothing.
package final class DatabaseClock: Sendable {
  private struct Reading {
    let wall: Timestamp
    let at: ContinuousClock.Instant
  }

  /// Smaller differences are the network's delay.
  private static let leastMilliseconds: UInt64 = 50

  private let reading = Mutex<Reading?>(nil)
  private let machine: @Sendable () -> Timestamp

  /// `machine` is used until the first reading.
  package init(machine: @escaping @Sendable () -> Timestamp = { .now }) { self.machine = machine }

  package var now: Timestamp { time(at: .now) }

  /// How far the machine's clock is ahead of the database's, negative if it is behind; nil before the first
  /// reading.
  package var skewMilliseconds: Int64? {
    guard let reading = reading.withLock({ $0 }) else { return nil }
    return Self.time(of: reading, at: .now).milliseconds(until: machine())
  }

  /// Takes note of the database's time, which arrived at `instant`.
  package func note(_ wall: Timestamp, at instant: ContinuousClock.Instant = .now) {
    reading.withLock { reading in
      if let reading,
        Self.time(of: reading, at: instant).milliseconds(until: wall).magnitude < Self.leastMilliseconds
      {
        return
      }
      reading = Reading(wall: wall, at: instant)
    }
  }

  private func time(at instant: ContinuousClock.Instant) -> Timestamp {
    guard let reading = reading.withLock({ $0 }) else { return machine() }
    return Self.time(of: reading, at: instant)
  }

  private static func time(of reading: Reading, at instant: ContinuousClock.Instant) -> Timestamp {
    reading.wall.adding(milliseconds: (instant - reading.at).wholeMilliseconds)
  }
}
