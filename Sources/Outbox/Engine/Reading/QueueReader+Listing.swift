internal import Clock
import FCMMessage
package import JSON
import SQL

/// A page of a list, and the rows of the notifications that it omits because they cannot be read.
struct ListedPage {
  var found: [StoredNotification] = []
  var unreadable: [Int64] = []
  var next: Int64?

  var page: NotificationPage {
    NotificationPage(notifications: found, next: next.map(NotificationCursor.init(before:)))
  }
}

extension QueueReader {
  /// The notifications and the deliveries that one call of `list` examines at most.
  private static let scannedNotificationsMax = 2_000
  private static let scannedDeliveriesMax = 20_000
  /// The least number of notifications, and of deliveries, that are read at a time.
  private static let chunkNotifications = 200
  private static let foundDeliveriesMax = 2_000

  /// A page of the list: the matching ones among the next notifications before a place, newest first.
  func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, now: Timestamp
  ) throws(DatabaseError) -> ListedPage {
    var page = ListedPage()
    guard let span = try span(of: filter, before: cursor?.row ?? .max) else { return page }
    let apps = filter.apps.map { Set($0.map(ExactText.init)) }
    var (place, scanned, deliveries) = (span.upperBound, 0, 0)
    while true {
      let (rows, next) = try candidates(filter, from: span.lowerBound, before: place, limit: limit)
      let heads = try heads(rows, &page)
      var rest = rows[...]
      while !rest.isEmpty {
        guard page.found.count < limit, deliveries < Self.scannedDeliveriesMax else {
          page.next = place
          return page
        }
        var wanted: [NotificationHead] = []
        while let row = rest.first, wanted.count < limit - page.found.count,
          deliveries < Self.scannedDeliveriesMax
        {
          rest = rest.dropFirst()
          place = row
          guard let head = heads[row], filter.matches(head, apps: apps) else { continue }
          wanted.append(head)
          deliveries += head.deliveryCount
        }
        try add(wanted, filter, now, to: &page)
      }
      scanned += rows.count
      guard let next, next > span.lowerBound else { return page }
      place = next
      if scanned >= Self.scannedNotificationsMax || filter.seeksDelivery && rows.isEmpty {
        page.next = next
        return page
      }
    }
  }

  private func add(
    _ heads: [NotificationHead], _ filter: NotificationFilter, _ now: Timestamp, to page: inout ListedPage
  ) throws(DatabaseError) {
    let deliveries = try deliveries(of: heads, now: now)
    for head in heads {
      let own = deliveries[head.row] ?? []
      guard own.count == head.deliveryCount else {
        page.unreadable.append(head.row)
        continue
      }
      let notification = head.stored(own)
      if filter.status == nil || filter.status == notification.status, filter.matches(own) {
        page.found.append(notification)
      }
    }
  }

  private func heads(
    _ rows: [Int64], _ page: inout ListedPage
  ) throws(DatabaseError) -> [Int64: NotificationHead] {
    guard !rows.isEmpty else { return [:] }
    let found = try connection.run(
      """
      SELECT \(NotificationHead.columns) FROM \(NotificationHead.tables)
      WHERE n.row IN \(dialect.elements("$1")) AND \(dialect.isComplete("n.row"))
      """, [.integers(rows)])
    var heads: [Int64: NotificationHead] = [:]
    for row in found.rows {
      guard let head = NotificationHead(row) else {
        page.unreadable.append(row.integer(0))
        continue
      }
      heads[head.row] = head
    }
    return heads
  }

  /// Rows that may match, newest first, and the row before which to continue; nil at the end.
  private func candidates(
    _ filter: NotificationFilter, from first: Int64, before place: Int64, limit: Int
  ) throws(DatabaseError) -> (rows: [Int64], next: Int64?) {
    if let target = filter.target { return try rows(to: target, from: first, before: place) }
    if let code = filter.errorCode { return try rows(withError: code, before: place) }
    let count = max(limit + 1, Self.chunkNotifications)
    var values: [SQLValue] = [.integer(place), .integer(first), .integer(Int64(count))]
    var condition = ""
    if case .client(let name) = filter.owner {
      values.append(.text(name))
      condition = "AND client = $4"
    }
    let rows = try connection.run(
      """
      SELECT row FROM dragoman_notifications WHERE row < $1 AND row >= $2 \(condition)
      ORDER BY row DESC LIMIT $3
      """, values
    ).rows.map { $0.integer(0) }
    return (rows, rows.count == count ? rows.last : nil)
  }

  /// By the index of targets, one group of rows after the other.
  private func rows(
    to target: Target, from first: Int64, before place: Int64
  ) throws(DatabaseError) -> (rows: [Int64], next: Int64?) {
    let highest = RowLayout.group(of: place - 1)
    let lowest = max(RowLayout.group(of: first), highest - Int64(RowLayout.groupsPerSearchMax) + 1)
    let ending = Array(target.value.utf8.suffix(RowLayout.indexedBytes))
    let found = try connection.run(
      """
      WITH RECURSIVE g (n) AS (
        SELECT CAST($1 AS BIGINT) UNION ALL SELECT n - 1 FROM g WHERE n > $2)
      SELECT d.row FROM g CROSS JOIN dragoman_deliveries AS d
      WHERE (d.row >> \(RowLayout.groupBits)) = g.n AND \(dialect.ending("d.target")) = $3
        AND d.target = $4 AND d.target_kind = $5 AND d.row < $6
      ORDER BY d.row DESC LIMIT \(Self.foundDeliveriesMax)
      """,
      [
        .integer(highest), .integer(lowest), .bytes(ending), .text(target.value),
        .integer(Int64(target.kind)), .integer(RowLayout.deliveryRow(of: place, position: 0)),
      ])
    let rest = RowLayout.firstRow(inGroup: lowest)
    return notifications(of: found, next: rest > first ? rest : nil)
  }

  private func rows(
    withError code: String, before place: Int64
  ) throws(DatabaseError) -> (rows: [Int64], next: Int64?) {
    let found = try connection.run(
      """
      SELECT row FROM dragoman_deliveries WHERE error_code = $1 AND row < $2
      ORDER BY row DESC LIMIT \(Self.foundDeliveriesMax)
      """, [.text(code), .integer(RowLayout.deliveryRow(of: place, position: 0))])
    return notifications(of: found, next: nil)
  }

  /// The notifications of some deliveries, each once. `next` is where to continue unless there are more of
  /// them.
  private func notifications(of deliveries: SQLResult, next: Int64?) -> (rows: [Int64], next: Int64?) {
    var rows: [Int64] = []
    for delivery in deliveries.rows {
      let row = RowLayout.notificationRow(of: delivery.integer(0))
      if rows.last != row { rows.append(row) }
    }
    return (rows, deliveries.count == Self.foundDeliveriesMax ? rows.last : next)
  }

  /// The rows that may match: from the first one to before the last. Nil if none can.
  private func span(
    of filter: NotificationFilter, before place: Int64
  ) throws(DatabaseError) -> Range<Int64>? {
    let ends = try connection.run(
      "SELECT (SELECT min(row) FROM dragoman_notifications), (SELECT max(row) FROM dragoman_notifications)")
    guard let row = ends.first, !row.isNull(0), row.integer(0) <= row.integer(1) else { return nil }
    let all = row.integer(0)..<min(row.integer(1), RowLayout.notificationRows.upperBound) + 1
    var (first, last) = (all.lowerBound, min(place, all.upperBound))
    let slack = NotificationFilter.orderSlackMilliseconds
    if let until = filter.until {
      last = min(last, try self.row(at: until.adding(milliseconds: slack), in: all))
    }
    if let since = filter.since { first = try self.row(at: since.adding(milliseconds: -slack), in: all) }
    return first < last ? first..<last : nil
  }

  /// A row before which no notification was accepted at `time` or later, apart from the slack of their order.
  /// O(log n).
  private func row(at time: Timestamp, in rows: Range<Int64>) throws(DatabaseError) -> Int64 {
    var (low, high) = (rows.lowerBound, rows.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      let next = try connection.run(
        "SELECT row, created_at FROM dragoman_notifications WHERE row >= $1 ORDER BY row LIMIT 1",
        [.integer(middle)]
      ).first
      if let next, next.integer(0) < high, next.time(1) < time {
        low = next.integer(0) + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

extension NotificationFilter {
  /// Whether everything except the status matches.
  fileprivate func matches(_ head: NotificationHead, apps: Set<ExactText>?) -> Bool {
    matches(createdAt: head.createdAt)
      && matches(app: head.app, among: apps, template: head.template, client: head.client)
  }

  /// Whether what never changes in a notification matches, apart from its time. `apps` are those of the
  /// filter.
  package func matches(
    app: String, among apps: Set<ExactText>?, template name: String?, client: String?
  ) -> Bool {
    if let apps, !apps.contains(ExactText(app)) { return false }
    if let template, name?.hasSameBytes(as: template) != true { return false }
    if let mayUse, !mayUse(name) { return false }
    switch owner {
    case nil: return true
    case .anonymous: return client == nil
    case .client(let owner): return client?.hasSameBytes(as: owner) ?? false
    }
  }
}
