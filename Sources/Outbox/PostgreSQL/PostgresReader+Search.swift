internal import Clock
import FCMMessage

// Which rows a list examines.
extension PostgresReader {
  /// Rows that one query of a search returns.
  private static let foundDeliveriesMax = 2_000

  /// The notifications that one call of `list` examines.
  struct Window {
    let first: Int64
    /// It has rows before this one.
    let place: Int64
    /// Only these; nil: all in between.
    var rows: [Int64]?
    /// Where the list continues; nil at its end.
    var next: Int64?
  }

  /// Nil if no row can match.
  func window(of filter: NotificationFilter, before place: Int64) throws(PostgresError) -> Window? {
    let slack = NotificationFilter.orderSlackMilliseconds
    var first: Int64 = 0
    var place = place
    if let since = filter.since {
      guard let row = try row(at: since.adding(milliseconds: -slack)) else { return nil }
      first = row
    }
    if let until = filter.until, let row = try row(at: until.adding(milliseconds: slack)) {
      place = min(place, row)
    }
    guard first < place else { return nil }
    if let target = filter.target { return try window(to: target, from: first, before: place) }
    if let code = filter.errorCode { return try window(withError: code, from: first, before: place) }
    return try window(of: filter.owner, from: first, before: place)
  }

  /// The first row that was accepted at `time` or later; nil for none. O(log n).
  private func row(at time: Timestamp) throws(PostgresError) -> Int64? {
    try connection.run(
      """
      SELECT row FROM dragoman_notifications WHERE created_at >= $1 ORDER BY created_at, row LIMIT 1
      """, [.integer(time.milliseconds)]
    ).first?.integer(.row)
  }

  private func window(
    of owner: NotificationFilter.Owner?, from first: Int64, before place: Int64
  ) throws(PostgresError) -> Window? {
    let client: String? = if case .client(let name) = owner { name } else { nil }
    let isOfClient = client == nil ? "" : "AND client = $3"
    let window = try connection.run(
      """
      SELECT coalesce(min(row), 0) AS row, count(*) AS count FROM (
        SELECT row FROM dragoman_notifications WHERE row < $1 AND row >= $2 \(isOfClient)
        ORDER BY row DESC LIMIT \(Self.scannedNotificationsMax)) AS w
      """, [.integer(place), .integer(first)] + (client.map { [.text($0)] } ?? []))
    guard let last = window.first, last.integer(.count) > 0 else { return nil }
    // A full window leaves open whether there is more before it.
    let isFull = last.integer(.count) >= Self.scannedNotificationsMax
    return Window(
      first: last.integer(.row), place: place, next: isFull ? last.integer(.row) : nil)
  }

  /// By the index of targets, one group of rows after the other.
  private func window(
    to target: Target, from first: Int64, before place: Int64
  ) throws(PostgresError) -> Window? {
    let ends = try connection.run(
      """
      SELECT (SELECT min(row) FROM dragoman_notifications) AS row,
        (SELECT max(row) FROM dragoman_notifications) AS count
      """)
    guard let end = ends.first, !end.isNull(.row), !end.isNull(.count) else { return nil }
    let place = min(place, end.integer(.count) + 1)
    let first = max(first, end.integer(.row))
    guard first < place else { return nil }
    let highest = RowLayout.group(of: place - 1)
    let lowest = max(RowLayout.group(of: first), highest - Int64(RowLayout.groupsPerSearchMax) + 1)
    let found = try connection.run(
      """
      SELECT DISTINCT \(RowLayout.notificationRowSQL(of: "x.row")) AS row
      FROM generate_series($1::bigint, $2::bigint, -1) AS g(n) CROSS JOIN LATERAL (
        SELECT d.row FROM dragoman_deliveries AS d
        WHERE (d.row >> \(RowLayout.groupBits)) = g.n
          AND \(PostgresSchema.targetKey("d.target")) = \(PostgresSchema.targetKey("$3::bytea"))
          AND d.target = $3 AND d.target_kind = $4
        LIMIT \(RowLayout.groupRowsMax)) AS x
      WHERE x.row < $5 ORDER BY 1 DESC LIMIT \(Self.foundDeliveriesMax)
      """,
      [
        .integer(highest), .integer(lowest), .text(target.value), .integer(Int64(target.kind)),
        .integer(RowLayout.deliveryRow(of: place, position: 0)),
      ])
    let rows = found.rows.map { $0.integer(.row) }
    let isFull = rows.count >= Self.foundDeliveriesMax
    let rest = RowLayout.firstRow(inGroup: lowest)
    return Window(
      first: first, place: place, rows: rows, next: isFull ? rows.last : rest > first ? rest : nil)
  }

  private func window(
    withError code: String, from first: Int64, before place: Int64
  ) throws(PostgresError) -> Window? {
    let found = try connection.run(
      """
      SELECT \(RowLayout.notificationRowSQL(of: "row")) AS row FROM dragoman_deliveries
      WHERE error_code = $1 AND row < $2 ORDER BY row DESC LIMIT \(Self.foundDeliveriesMax)
      """, [.text(code), .integer(RowLayout.deliveryRow(of: min(place, 1 << 50), position: 0))])
    let rows = found.rows.map { $0.integer(.row) }
    let isFull = rows.count >= Self.foundDeliveriesMax
    return Window(first: first, place: place, rows: rows, next: isFull ? rows.last : nil)
  }
}
