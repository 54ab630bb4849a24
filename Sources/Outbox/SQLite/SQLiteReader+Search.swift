internal import Clock
import FCMMessage
import JSON

// Lists by what has an index: a target, an error code, the time.
extension SQLiteReader {
  /// Where a list begins, going back in time, and the row at which it ends.
  struct Start {
    /// The list has rows before this one.
    let place: Int64
    /// The first row that may match.
    let first: Int64
  }

  /// Nil if no row can match.
  func start(of filter: NotificationFilter, before place: Int64) throws(SQLiteError) -> Start? {
    guard filter.since != nil || filter.until != nil || filter.seeksDelivery else {
      return Start(place: place, first: 0)
    }
    guard let rows = try searching.ends() else { return nil }
    var start = min(place, rows.upperBound + 1)
    var first = rows.lowerBound
    let slack = NotificationFilter.orderSlackMilliseconds
    if let until = filter.until {
      start = min(start, try searching.row(at: until.adding(milliseconds: slack), in: rows))
    }
    if let since = filter.since {
      first = try searching.row(at: since.adding(milliseconds: -slack), in: rows)
    }
    return start > first ? Start(place: start, first: first) : nil
  }

  /// A page of the notifications that have a delivery which the filter looks for.
  func search(
    _ filter: NotificationFilter, apps: Set<ExactText>?, limit: Int, from start: Start, now: Timestamp
  ) throws(SQLiteError) -> (page: NotificationPage, unreadable: [Int64]) {
    var found: [StoredNotification] = []
    var unreadable: [Int64] = []
    var deliveries = 0
    var scanned = 0
    var place = start.place
    var groups = RowLayout.groupsPerSearchMax
    while true {
      let (rows, next) = try candidates(filter, before: place, first: start.first, groups: &groups)
      for row in rows {
        guard found.count < limit, deliveries < Self.scannedDeliveriesMax else {
          return (Self.page(found, next: place), unreadable)
        }
        guard row >= start.first else { return (Self.page(found, next: nil), unreadable) }
        place = row
        do throws(SQLiteError) {
          guard let head = try searching.head(in: row), filter.matches(head, apps: apps) else { continue }
          let notification = try statements.notification(head, now: now, claimed: claims.claimed)
          deliveries += notification.deliveries.count
          guard filter.status == nil || filter.status == notification.status,
            filter.matches(notification.deliveries)
          else { continue }
          found.append(notification)
        } catch {
          guard error.isUnreadableRecord else { throw error }
          unreadable.append(row)
        }
      }
      guard let next, next > start.first else { return (Self.page(found, next: nil), unreadable) }
      place = next
      scanned += rows.count
      if groups <= 0 || scanned >= Self.scannedNotificationsMax {
        return (Self.page(found, next: place), unreadable)
      }
    }
  }

  private func candidates(
    _ filter: NotificationFilter, before place: Int64, first: Int64, groups: inout Int
  ) throws(SQLiteError) -> (rows: [Int64], next: Int64?) {
    if let target = filter.target {
      return try searching.rows(to: target, before: place, first: first, groups: &groups)
    }
    return try searching.rows(withError: filter.errorCode ?? "", before: place)
  }
}
