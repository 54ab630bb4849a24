internal import Clock
import FCMMessage
import JSON

/// The order of messages to Live Activities: see `ActivityOrder`.
///
/// Gateways never wait for each other here. What another transaction has locked counts as being on its way,
/// so that of two gateways that meet at one activity each lets the other go first, and tries again.
extension PostgresWriter {
  /// The Live Activities of new notifications, with their places in the order; nil for ordinary ones.
  func activities(of new: [NewNotification], apps: [Int64]) throws(PostgresError) -> [LiveActivity?] {
    let indices = new.indices.filter { new[$0].activity != nil }
    guard !indices.isEmpty else { return new.map { _ in nil } }
    let found = try connection.run(
      """
      SELECT x.place, (SELECT d.activity_at FROM dragoman_deliveries AS d
        WHERE d.app = x.app AND d.activity = x.token AND NOT (d.state = 0 AND d.next_attempt_at > x.at)
        ORDER BY d.activity_at DESC LIMIT 1) AS at
      FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[]) AS x(place, app, token, at)
      """,
      [
        .integers(indices.map(Int64.init)), .integers(indices.map { apps[$0] }),
        .texts(indices.map { new[$0].activity?.token }),
        .integers(indices.map { new[$0].createdAt.milliseconds }),
      ])
    var stored: [Int: Timestamp] = [:]
    for row in found.rows where !row.isNull(.at) { stored[Int(row.integer(.place))] = row.time(.at) }
    // Those of the same transaction.
    var last: [ActivityKey: Timestamp] = [:]
    return new.indices.map { index in
      guard let activity = new[index].activity else { return nil }
      let (key, start) = (ActivityKey(apps[index], activity.token), new[index].start)
      let at = max(start.dueAt, stored[index] ?? start.dueAt, last[key] ?? start.dueAt)
      if start.state == .queued { last[key] = at }
      return LiveActivity(token: activity.token, event: activity.event, at: at)
    }
  }

  /// Writes the activities of new deliveries; `rows` and `apps` are those of the notifications.
  func write(_ activities: [LiveActivity?], rows: [Int64]) throws(PostgresError) {
    let indices = activities.indices.filter { activities[$0] != nil }
    guard !indices.isEmpty else { return }
    try connection.run(
      """
      UPDATE dragoman_deliveries AS d SET activity = x.token, activity_event = x.event, activity_at = x.at
      FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[]) AS x(row, token, event, at)
      WHERE d.row = x.row
      """,
      [
        .integers(indices.map { RowLayout.deliveryRow(of: rows[$0], position: 0) }),
        .texts(indices.map { activities[$0]?.token }),
        .integers(indices.map { activities[$0]?.event.stored }),
        .integers(indices.map { activities[$0]?.at.milliseconds }),
      ])
  }

  /// Ends the older updates that new deliveries replace, as far as their requests have not left. Those that
  /// another gateway has locked or claimed end when they come back, or when they are claimed.
  func supersede(
    by activities: [LiveActivity?], of new: [NewNotification], rows: [Int64], apps: [Int64],
    _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    let indices = activities.indices.filter { index in
      new[index].start.state == .queued && activities[index].map { $0.event != .start } ?? false
    }
    guard !indices.isEmpty else { return }
    let older = try connection.run(
      """
      SELECT row, id, app, state, claimed_by FROM dragoman_deliveries WHERE row IN (
        SELECT o.row FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[])
            AS x(row, app, token, at, now)
          JOIN dragoman_deliveries AS o ON o.app = x.app AND o.activity = x.token AND o.state < 3
            AND o.activity_event = 1 AND (o.state = 1 OR o.next_attempt_at <= x.now)
            AND (o.activity_at < x.at OR o.activity_at = x.at AND o.row < x.row))
      ORDER BY row FOR UPDATE SKIP LOCKED
      """,
      [
        .integers(indices.map { RowLayout.deliveryRow(of: rows[$0], position: 0) }),
        .integers(indices.map { apps[$0] }), .texts(indices.map { activities[$0]?.token }),
        .integers(indices.map { activities[$0]?.at.milliseconds }),
        .integers(indices.map { new[$0].createdAt.milliseconds }),
      ])
    let now = new[indices[0]].createdAt
    try markSuperseded(Array(older.rows).filter { mayRecall($0) }, now: now, &transaction)
  }

  /// Whether a delivery waits, or is this replica's and its request will never leave.
  private func mayRecall(_ row: PostgresRows.Row) -> Bool {
    if row.isNull(.claimedBy) { return true }
    guard row.optionalInteger(.claimedBy) == memory.replica, let id = row.uuid(.id) else { return false }
    return memory.claims[DeliveryID(id)]?.departure.recall() ?? false
  }

  /// Ends deliveries that this transaction has locked.
  private func markSuperseded(
    _ rows: [PostgresRows.Row], now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    guard !rows.isEmpty else { return }
    transaction.hasChanged = true
    try connection.run(
      """
      UPDATE dragoman_deliveries SET state = 6, next_attempt_at = NULL, updated_at = $2, claimed_by = NULL,
        cancel_asked = false, error_code = $3, error_status = NULL, error_message = $4,
        error_apns_reason = NULL
      WHERE row = ANY ($1::bigint[])
      """,
      [
        .integers(rows.map { $0.integer(.row) }), .integer(now.milliseconds),
        .text(DeliveryError.superseded.code), .text(DeliveryError.superseded.message),
      ])
    let clients = try clients(of: rows.map { $0.integer(.row) })
    for row in rows {
      let app = row.integer(.app)
      let isClaimed = !row.isNull(.claimedBy)
      let state = isClaimed ? .queued : DeliveryState(rawValue: Int(row.integer(.state))) ?? .queued
      if isClaimed {
        transaction.countClaimed(-1, app)
        if let id = row.uuid(.id) { transaction.settled.insert(DeliveryID(id)) }
      }
      transaction.count(-1, app, state, of: clients[row.integer(.row)])
      transaction.count(1, app, .cancelled)
      if let name = memory.appNames[app] {
        transaction.report.cancelled[ExactText(name), default: 0] += 1
        transaction.due.insert(ExactText(name))
      }
    }
    transaction.report.deliveries += rows.count
  }
}

// MARK: - Claims and settlements

extension PostgresWriter {
  /// In SQL: whether the delivery `d` may be claimed as far as an older message of its Live Activity does not
  /// come first.
  static let mayPass = """
    (d.activity IS NULL OR d.activity_event = 0 OR NOT EXISTS (
      SELECT 1 FROM dragoman_deliveries AS o
      WHERE o.app = d.app AND o.activity = d.activity AND o.state < 3 AND o.activity_event > 0
        AND (o.claimed_by IS NOT NULL OR o.activity_event = 2 AND (o.state = 1 OR o.next_attempt_at <= $3))
        AND (o.activity_at < d.activity_at OR o.activity_at = d.activity_at AND o.row < d.row)))
    """

  /// Of deliveries that this transaction has just claimed, those that may be sent; the others wait again, or
  /// end because newer ones have replaced them. Older updates that have been replaced end as well.
  /// `released`: whether any waits again, which the next claim would find again.
  func inOrder(
    _ claimed: [QueuedDelivery], of app: App, _ now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> (sendable: [QueuedDelivery], released: Bool) {
    let tokens = Set(claimed.compactMap { $0.activityPlace == nil ? nil : $0.activity?.token })
    guard !tokens.isEmpty else { return (claimed, false) }
    let own = Set(claimed.map(\.row))
    let open = try open(Array(tokens), of: app, besides: own, now)
    let sent = try newestSent(Array(tokens), of: app)
    var (sendable, waiting, replaced): ([QueuedDelivery], [Int64], Set<Int64>) = ([], [], [])
    for delivery in claimed {
      guard let place = delivery.activityPlace, let activity = delivery.activity else {
        sendable.append(delivery)
        continue
      }
      let neighbors = (open[activity.token] ?? []).filter { $0.neighbor.place.row != delivery.row }
      let isOutdated = sent[activity.token].map { place < $0 } ?? false
      let verdict = ActivityOrder.verdict(
        on: activity.event, at: place, among: neighbors.map(\.neighbor), isOutdated: isOutdated)
      switch verdict {
      case .send:
        sendable.append(delivery)
        let older = ActivityOrder.replaced(by: activity.event, at: place, among: neighbors.map(\.neighbor))
        replaced.formUnion(older.filter { !$0.isClaimed }.map(\.place.row))
      case .wait: waiting.append(delivery.row)
      case .superseded: replaced.insert(delivery.row)
      }
    }
    try release(waiting)
    let rows = open.values.joined().filter { replaced.contains($0.row.integer(.row)) }.map(\.row)
    for row in rows where own.contains(row.integer(.row)) { transaction.countClaimed(1, app.id) }
    try markSuperseded(rows, now: now, &transaction)
    return (sendable, !waiting.isEmpty)
  }

  private typealias Open = (row: PostgresRows.Row, neighbor: ActivityOrder.Neighbor)

  /// The updates and ends of some activities that have not ended themselves, by token. One that another
  /// transaction has locked counts as claimed; those of `claims` do not.
  private func open(
    _ tokens: [String], of app: App, besides claims: Set<Int64>, _ now: Timestamp
  ) throws(PostgresError) -> [String: [Open]] {
    let condition = """
      app = $1 AND activity = ANY ($2::bytea[]) AND state < 3 AND activity_event > 0
      """
    let values: [PostgresValue] = [.integer(app.id), .texts(tokens)]
    let locked = try connection.run(
      "SELECT row FROM dragoman_deliveries WHERE \(condition) ORDER BY row FOR UPDATE SKIP LOCKED", values)
    let ours = Set(locked.rows.map { $0.integer(.row) })
    let found = try connection.run(
      """
      SELECT row, id, app, state, claimed_by, next_attempt_at, activity, activity_event, activity_at
      FROM dragoman_deliveries WHERE \(condition)
      """, values)
    var open: [String: [Open]] = [:]
    for row in found.rows {
      guard let activity = LiveActivity(row) else { continue }
      let place = ActivityOrder.Place(at: activity.at, row: row.integer(.row))
      let neighbor = ActivityOrder.Neighbor(
        place: place, event: activity.event,
        isClaimed: !claims.contains(place.row) && (!row.isNull(.claimedBy) || !ours.contains(place.row)),
        hasBegun: row.integer(.state) != 0 || row.time(.nextAttemptAt) <= now)
      open[activity.token, default: []].append((row, neighbor))
    }
    return open
  }

  /// The place of the newest update or end that was sent, by token.
  private func newestSent(
    _ tokens: [String], of app: App
  ) throws(PostgresError) -> [String: ActivityOrder.Place] {
    let found = try connection.run(
      """
      SELECT d.row, d.activity, d.activity_event, d.activity_at FROM unnest($2::bytea[]) AS x(token)
        JOIN LATERAL (SELECT row, activity, activity_event, activity_at FROM dragoman_deliveries
          WHERE app = $1 AND activity = x.token AND state = 3 AND activity_event > 0
          ORDER BY activity_at DESC, row DESC LIMIT 1) AS d ON true
      """, [.integer(app.id), .texts(tokens)])
    var newest: [String: ActivityOrder.Place] = [:]
    for row in found.rows {
      guard let activity = LiveActivity(row) else { continue }
      newest[activity.token] = ActivityOrder.Place(at: activity.at, row: row.integer(.row))
    }
    return newest
  }

  /// Gives an `end` that is queued again the time of the newest message of its activity: a phone ignores one
  /// that is older than what it shows.
  func raiseEnds(among rows: [Int64], now: Timestamp) throws(PostgresError) {
    try connection.run(
      """
      UPDATE dragoman_deliveries AS d SET activity_at = (
        SELECT max(o.activity_at) FROM dragoman_deliveries AS o
        WHERE o.app = d.app AND o.activity = d.activity AND NOT (o.state = 0 AND o.next_attempt_at > $2))
      WHERE d.row = ANY ($1::bigint[]) AND d.activity_event = 2
      """, [.integers(rows), .integer(now.milliseconds)])
  }

  private func release(_ rows: [Int64]) throws(PostgresError) {
    guard !rows.isEmpty else { return }
    try connection.run(
      "UPDATE dragoman_deliveries SET claimed_by = NULL WHERE row = ANY ($1::bigint[])", [.integers(rows)])
  }

  /// The rows of claimed updates that need not wait for another attempt.
  func superseded(_ claimed: [(delivery: QueuedDelivery, at: Timestamp)]) throws(PostgresError) -> Set<Int64>
  {
    let updates = claimed.filter { $0.delivery.activity?.event == .update }
    guard !updates.isEmpty else { return [] }
    let found = try connection.run(
      """
      SELECT d.row FROM unnest($1::bigint[], $2::bigint[]) AS x(row, now)
        JOIN dragoman_deliveries AS d ON d.row = x.row
      WHERE EXISTS (SELECT 1 FROM dragoman_deliveries AS o
        WHERE o.app = d.app AND o.activity = d.activity AND o.activity_event > 0
          AND (o.state = 1 OR o.state = 3 OR o.state = 0 AND o.next_attempt_at <= x.now)
          AND (o.activity_at > d.activity_at OR o.activity_at = d.activity_at AND o.row > d.row))
      """, [.integers(updates.map(\.delivery.row)), .integers(updates.map(\.at.milliseconds))])
    return Set(found.rows.map { $0.integer(.row) })
  }
}

extension LiveActivity {
  /// Reads `activity`, `activity_event` and `activity_at`; nil for an ordinary message.
  init?(_ row: PostgresRows.Row) {
    guard let token = row.text(.activity), let event = ActivityEvent(stored: row.integer(.activityEvent))
    else {
      return nil
    }
    self.init(token: token, event: event, at: row.time(.activityAt))
  }
}

/// An activity of an app.
private struct ActivityKey: Hashable {
  let app: Int64
  let token: ExactText

  init(_ app: Int64, _ token: String) {
    self.app = app
    self.token = ExactText(token)
  }
}
