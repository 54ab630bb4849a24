/// The enqueues that are being written in parts, and those that never will be complete. Confined to the
/// writer.
struct SQLiteIntakes {
  /// An enqueue of which the database has the first part.
  struct Intake {
    let large: LargeEnqueue
    /// The rows of its notifications.
    let rows: ClosedRange<Int64>
  }

  /// By number.
  private(set) var open: [Int: Intake] = [:]
  /// The rows of those that a crash or an error interrupted. They are hidden until they are removed.
  private(set) var abandoned: [ClosedRange<Int64>]
  /// Deliveries of those that are open, which have their place in the queue already.
  private(set) var deliveryCount = 0

  /// With what an earlier process left behind.
  init(abandoned: [ClosedRange<Int64>]) { self.abandoned = abandoned }

  /// The least row after all of them.
  var nextRow: Int64 { abandoned.reduce(1) { max($0, $1.upperBound + 1) } }

  mutating func begin(_ intake: Intake) {
    open[intake.large.number] = intake
    deliveryCount += intake.large.deliveryCount
  }

  mutating func finish(_ number: Int) {
    guard let intake = open.removeValue(forKey: number) else { return }
    deliveryCount -= intake.large.deliveryCount
  }

  /// Leaves an open one to be removed.
  mutating func abandon(_ number: Int) {
    guard let intake = open[number] else { return }
    finish(number)
    abandoned.append(intake.rows)
  }

  /// Notes that the first abandoned one is removed up to `row`.
  mutating func removed(upTo row: Int64) {
    guard let first = abandoned.first else { return }
    if row < first.upperBound { abandoned[0] = row + 1...first.upperBound } else { abandoned.removeFirst() }
  }
}
