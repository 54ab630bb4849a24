import Synchronization

/// The newest notifications: those that no index has yet, by id. The writer changes it after each commit, and
/// every reader consults it before the index, so that a notification is always in one of them.
///
/// A commit changes at least one page of each index, however little it adds. So the indexes, and the counts
/// by state, are brought up to date for many notifications at once. The mark `indexed` is the last
/// notification that they contain. What follows it is the tail: bounded, and read as a range of rows.
final class Tail: Sendable {
  private let rows: Mutex<[NotificationID: Int64]>

  init(_ rows: [NotificationID: Int64]) { self.rows = Mutex(rows) }

  subscript(id: NotificationID) -> Int64? { rows.withLock { $0[id] } }

  /// The greatest id.
  var lastID: NotificationID? { rows.withLock { $0.keys.max() } }

  /// Adds what a transaction has accepted.
  func add(_ accepted: [NotificationID: Int64]) {
    guard !accepted.isEmpty else { return }
    rows.withLock { $0.merge(accepted) { _, new in new } }
  }

  /// Leaves only `rest`, after the indexes have the others.
  func replace(with rest: [NotificationID: Int64]) { rows.withLock { $0 = rest } }
}
