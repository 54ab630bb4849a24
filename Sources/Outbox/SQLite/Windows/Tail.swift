import Synchronization

/// The newest notifications: those that no index has yet, by id. The writer changes it after each commit, and
/// every reader consults it before the index, so that a notification is always in one of them.
///
/// A commit changes at least one page of each index, however little it adds. So the indexes, and the counts
/// by state, are brought up to date for many notifications at once. The mark `indexed` is the last
/// notification that they contain. What follows it is the tail: bounded, and read as a range of rows.
final class Tail: Sendable {
  /// A notification and its row.
  struct Entry {
    let id: NotificationID
    let row: Int64
  }

  private struct Entries {
    var rows: [NotificationID: Int64] = [:]
    /// By row. Those that were dropped are removed once they are many.
    var ordered: [Entry] = []
    var droppedCount = 0

    mutating func add(_ new: [Entry]) {
      for entry in new { rows[entry.id] = entry.row }
      ordered += new
    }
  }

  private let entries = Mutex(Entries())

  /// `entries` in the order of their rows.
  init(_ entries: [Entry]) {
    self.entries.withLock { $0.add(entries) }
  }

  subscript(id: NotificationID) -> Int64? { entries.withLock { $0.rows[id] } }

  /// The greatest id.
  var lastID: NotificationID? { entries.withLock { $0.rows.keys.max() } }

  /// Adds what a transaction has accepted, whose rows are greater than those before.
  func add(_ accepted: [NotificationID: Int64]) {
    guard !accepted.isEmpty else { return }
    let ordered = accepted.map { Entry(id: $0.key, row: $0.value) }.sorted { $0.row < $1.row }
    entries.withLock { $0.add(ordered) }
  }

  /// Drops what the indexes have, which is everything up to `row`.
  func remove(upTo row: Int64) {
    entries.withLock { entries in
      for entry in entries.ordered[entries.droppedCount...] {
        guard entry.row <= row else { break }
        entries.rows[entry.id] = nil
        entries.droppedCount += 1
      }
      guard 2 * entries.droppedCount >= entries.ordered.count else { return }
      entries.ordered.removeFirst(entries.droppedCount)
      entries.droppedCount = 0
    }
  }
}

/// How many deliveries the tail has, by the transactions that accepted them.
struct TailLength {
  private struct Accepted {
    /// The transaction's last notification.
    let last: Int64
    let deliveries: Int
  }

  /// In order, none of them empty.
  private var accepted: [Accepted] = []
  private(set) var deliveries = 0

  /// Adds what a transaction has accepted, `last` being its last notification.
  mutating func add(_ count: Int, upTo last: Int64) {
    guard count > 0 else { return }
    accepted.append(Accepted(last: last, deliveries: count))
    deliveries += count
  }

  /// Drops the transactions up to a notification.
  mutating func remove(upTo row: Int64) {
    let end = accepted.firstIndex { $0.last > row } ?? accepted.count
    for removed in accepted[..<end] { deliveries -= removed.deliveries }
    accepted.removeSubrange(..<end)
  }

  /// The last of the oldest notifications without which at most `count` deliveries are left; nil when no more
  /// are there.
  func row(leaving count: Int) -> Int64? {
    var (rest, row) = (deliveries, Int64?.none)
    for oldest in accepted {
      guard rest > count else { break }
      rest -= oldest.deliveries
      row = oldest.last
    }
    return row
  }
}
