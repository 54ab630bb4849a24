internal import Clock
import FCMMessage
import JSON
import SQL

/// The order of messages to Live Activities: see `ActivityOrder`.
///
/// Gateways never wait for each other here. What another transaction has locked counts as being on its way,
/// so that of two gateways that meet at one activity each lets the other go first, and tries again.
extension QueueEngine {
  private struct ActivityKey: Hashable {
    let app: Int64
    let token: ExactText
  }

  /// Gives new deliveries to Live Activities their places in the order.
  func addActivities(to rows: inout [NewRow]) throws(DatabaseError) {
    // Those of the same transaction.
    var last: [ActivityKey: Timestamp] = [:]
    for index in rows.indices {
      let (new, app) = (rows[index].notification, rows[index].app)
      guard let activity = new.activity else { continue }
      let key = ActivityKey(app: app.id, token: ExactText(activity.token))
      let stored = try driver.run(
        """
        SELECT activity_at FROM dragoman_deliveries
        WHERE app = $1 AND activity = $2 AND NOT (state = 0 AND next_attempt_at > $3)
        ORDER BY activity_at DESC LIMIT 1
        """, [.integer(app.id), .text(activity.token), .time(new.createdAt)]
      ).first?.optionalTime(0)
      let start = new.start
      let at = [start.dueAt, stored, last[key]].compactMap(\.self).max() ?? start.dueAt
      if start.state == .queued { last[key] = at }
      rows[index].activity = LiveActivity(token: activity.token, event: activity.event, at: at)
    }
  }

  /// The activity of a notification that is in the queue.
  func activity(of notification: Int64) throws(DatabaseError) -> LiveActivity? {
    try driver.run(
      "SELECT \(LiveActivity.columns) FROM dragoman_deliveries WHERE row = $1",
      [.integer(RowLayout.deliveryRow(of: notification, position: 0))]
    ).first.flatMap { LiveActivity($0, from: 0) }
  }

  /// Ends the older updates that new deliveries replace, as far as their requests have not left. Those that
  /// another gateway has locked or claimed end when they come back, or when they are claimed.
  func supersede(by rows: [NewRow], _ transaction: inout QueueTransaction) throws(DatabaseError) {
    for row in rows where row.notification.start.state == .queued {
      guard let activity = row.activity, activity.event != .start else { continue }
      let now = row.notification.createdAt
      let place = ActivityOrder.Place(
        at: activity.at, row: RowLayout.deliveryRow(of: row.row, position: 0))
      let open = try open(activity.token, of: row.app, now, transaction)
      let neighbors = open.filter { $0.neighbor.place.row != place.row }
      let replaced = Set(
        ActivityOrder.replaced(by: activity.event, at: place, among: neighbors.map(\.neighbor)).map(
          \.place.row))
      try markSuperseded(
        open.filter { $0.isOurs && replaced.contains($0.row) && mayRecall($0, transaction) }, of: row.app,
        now,
        &transaction)
    }
  }

  /// Whether a delivery waits, or is this gateway's and its request will never leave.
  private func mayRecall(_ open: Open, _ transaction: QueueTransaction) -> Bool {
    if let claim = claim(of: open.id, in: transaction) {
      return !open.cancelAsked && claim.departure.recall()
    }
    return !open.isClaimed
  }

  /// Ends deliveries that this transaction has locked.
  private func markSuperseded(
    _ open: [Open], of app: QueueApp, _ now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    guard !open.isEmpty else { return }
    try driver.send(
      """
      UPDATE dragoman_deliveries SET \(RowChecksum.settingState("6")), next_attempt_at = NULL,
        updated_at = $1, claimed_by = NULL, cancel_asked = 0, error_code = $2, error_status = NULL,
        error_message = $3, error_apns_reason = NULL
      WHERE row IN \(driver.dialect.elements("$4"))
      """,
      [
        .time(now), .text(DeliveryError.superseded.code), .text(DeliveryError.superseded.message),
        .integers(open.map(\.row)),
      ])
    for one in open {
      if let claim = claim(of: one.id, in: transaction) {
        transaction.end(claim)
        transaction.counts.addClaimed(-1, app.id)
      }
      transaction.ended(as: .cancelled, was: one.state, of: one.client, in: app)
    }
    unblock(app, &transaction)
  }
}

// MARK: - Claims and settlements

extension QueueEngine {
  /// Of deliveries that this transaction has just claimed, those that may be sent, and those that must wait;
  /// the others end because newer ones have replaced them, as do older updates that have been replaced.
  func inOrder(
    _ claimed: [QueuedDelivery], of app: QueueApp, _ now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> (sendable: [QueuedDelivery], waiting: [QueuedDelivery]) {
    let tokens = Set(claimed.compactMap { $0.activityPlace == nil ? nil : $0.activity?.token })
    guard !tokens.isEmpty else { return (claimed, []) }
    let own = Set(claimed.map(\.row))
    var (open, sent): ([String: [Open]], [String: ActivityOrder.Place]) = ([:], [:])
    for token in tokens {
      open[token] = try self.open(token, of: app, besides: own, now, transaction)
      sent[token] = try newestSent(token, of: app)
    }
    var (sendable, waiting, replaced): ([QueuedDelivery], [QueuedDelivery], Set<Int64>) = ([], [], [])
    for delivery in claimed {
      guard let place = delivery.activityPlace, let activity = delivery.activity else {
        sendable.append(delivery)
        continue
      }
      let neighbors = (open[activity.token] ?? []).map(\.neighbor).filter { $0.place.row != delivery.row }
      let isOutdated = sent[activity.token].map { place < $0 } ?? false
      switch ActivityOrder.verdict(on: activity.event, at: place, among: neighbors, isOutdated: isOutdated) {
      case .send:
        sendable.append(delivery)
        let older = ActivityOrder.replaced(by: activity.event, at: place, among: neighbors)
        replaced.formUnion(older.filter { !$0.isClaimed }.map(\.place.row))
      case .wait: waiting.append(delivery)
      case .superseded: replaced.insert(delivery.row)
      }
    }
    let ended = open.values.joined().filter {
      replaced.contains($0.row) && claim(of: $0.id, in: transaction) == nil
    }
    try markSuperseded(Array(ended), of: app, now, &transaction)
    return (sendable.filter { !replaced.contains($0.row) }, waiting)
  }

  /// An update or end that has not ended itself.
  private struct Open {
    let row: Int64
    let id: DeliveryID
    let state: DeliveryState
    let client: String?
    let cancelAsked: Bool
    let isClaimed: Bool
    /// Whether no other transaction has locked it.
    let isOurs: Bool
    let neighbor: ActivityOrder.Neighbor
  }

  /// The updates and ends of an activity that have not ended themselves. One that another transaction has
  /// locked counts as claimed; those that this transaction has just claimed do not.
  private func open(
    _ token: String, of app: QueueApp, besides claims: Set<Int64> = [], _ now: Timestamp,
    _ transaction: QueueTransaction
  ) throws(DatabaseError) -> [Open] {
    let condition = "d.app = $1 AND d.activity = $2 AND d.state < 3 AND d.activity_event > 0"
    let values: [SQLValue] = [.integer(app.id), .text(token)]
    let ours: Set<Int64>? =
      driver.dialect.forUpdate.isEmpty
      ? nil
      : Set(
        try driver.run(
          """
          SELECT d.row FROM dragoman_deliveries AS d WHERE \(condition) ORDER BY d.row
          \(driver.dialect.forUpdateSkipLocked)
          """, values
        ).rows.map { $0.integer(0) })
    let found = try driver.run(
      """
      SELECT d.row, d.id, d.state, d.claimed_by, d.next_attempt_at, d.cancel_asked, n.client,
        d.activity, d.activity_event, d.activity_at
      FROM dragoman_deliveries AS d
        LEFT JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE \(condition) AND \(driver.dialect.isComplete(RowLayout.notificationRowSQL(of: "d.row")))
      """, values)
    return found.rows.compactMap { row in
      guard let id = row.uuid(1).map(DeliveryID.init), let activity = LiveActivity(row, from: 7),
        let state = DeliveryState(stored: row.integer(2))
      else { return nil }
      let place = ActivityOrder.Place(at: activity.at, row: row.integer(0))
      let isOurs = ours?.contains(place.row) ?? true
      let isClaimed =
        !claims.contains(place.row) && (!row.isNull(3) || !isOurs || claim(of: id, in: transaction) != nil)
      return Open(
        row: place.row, id: id, state: state, client: row.text(6), cancelAsked: row.integer(5) != 0,
        isClaimed: isClaimed, isOurs: isOurs,
        neighbor: ActivityOrder.Neighbor(
          place: place, event: activity.event, isClaimed: isClaimed,
          hasBegun: state != .scheduled || row.time(4) <= now))
    }
  }

  /// The place of the newest update or end that was sent.
  private func newestSent(_ token: String, of app: QueueApp) throws(DatabaseError) -> ActivityOrder.Place? {
    try driver.run(
      """
      SELECT row, activity_at FROM dragoman_deliveries
      WHERE app = $1 AND activity = $2 AND state = 3 AND activity_event > 0
      ORDER BY activity_at DESC, row DESC LIMIT 1
      """, [.integer(app.id), .text(token)]
    ).first.map { ActivityOrder.Place(at: $0.time(1), row: $0.integer(0)) }
  }

  /// Whether a claimed update need not wait for another attempt.
  func isSuperseded(
    _ settlement: Settlement, _ transaction: QueueTransaction
  ) throws(DatabaseError) -> Bool {
    let delivery = settlement.claim.queued
    guard let place = delivery.activityPlace, let activity = delivery.activity,
      let app = try driver.knownApp(settlement.claim.app)
    else { return false }
    let neighbors = try open(activity.token, of: app, settlement.at, transaction).map(\.neighbor)
    return ActivityOrder.isSuperseded(
      activity.event, at: place, among: neighbors.filter { $0.place.row != place.row },
      isOutdated: try newestSent(activity.token, of: app).map { place < $0 } ?? false)
  }

  /// Gives an `end` that is queued again the time of the newest message of its activity: a phone ignores one
  /// that is older than what it shows.
  func raiseEnds(among rows: [Int64], now: Timestamp) throws(DatabaseError) {
    try driver.send(
      """
      UPDATE dragoman_deliveries SET activity_at = (
        SELECT max(o.activity_at) FROM dragoman_deliveries AS o
        WHERE o.app = dragoman_deliveries.app AND o.activity = dragoman_deliveries.activity
          AND NOT (o.state = 0 AND o.next_attempt_at > $1))
      WHERE row IN \(driver.dialect.elements("$2")) AND activity_event = 2
      """, [.time(now), .integers(rows)])
  }
}

extension LiveActivity {
  static let columns = "activity, activity_event, activity_at"

  /// Reads `columns`, the first of which is at a place; nil for an ordinary message.
  init?(_ row: SQLRow, from column: Int) {
    guard let token = row.text(column), let event = ActivityEvent(stored: row.integer(column + 1)) else {
      return nil
    }
    self.init(token: token, event: event, at: row.time(column + 2))
  }
}
