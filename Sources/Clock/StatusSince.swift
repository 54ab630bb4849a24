/// A status and the moment it began.
package struct StatusSince<Status: Equatable & Sendable>: Sendable, Equatable {
  package private(set) var status: Status
  package private(set) var since: Timestamp

  package init(_ status: Status, since: Timestamp) {
    self.status = status
    self.since = since
  }

  /// Changes the status at `now`; an equal one keeps its beginning.
  package mutating func become(_ new: Status, at now: Timestamp) {
    guard new != status else { return }
    status = new
    since = now
  }
}
