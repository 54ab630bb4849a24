internal import Clock
import FCMMessage
import JSON

/// The order of messages to Live Activities: see `ActivityOrder`.
extension SQLiteWriter {
  /// The Live Activity of a new delivery, with its place in the order.
  func activity(
    of new: NewNotification, app: Int64
  ) throws(SQLiteError) -> LiveActivity? {
    guard let activity = new.activity else { return nil }
    let last = try activities.last(activity.token, app: app, now: new.createdAt)
    return LiveActivity(
      token: activity.token, event: activity.event, at: max(new.start.dueAt, last ?? new.start.dueAt))
  }

  /// Ends the older updates that a delivery replaces, as far as their requests have not left.
  func supersede(
    by activity: LiveActivity, row: Int64, in app: AppQueue, now: Timestamp,
    _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    guard activity.event != .start else { return }
    let place = ActivityOrder.Place(at: activity.at, row: row)
    let neighbors = try neighbors(activity.token, app, now: now, transaction)
    for older in ActivityOrder.replaced(by: activity.event, at: place, among: neighbors) {
      try supersede(older.place.row, now: now, &transaction)
    }
  }

  /// Ends a delivery that is not needed any more; does nothing if it is on its way, or has ended.
  func supersede(_ row: Int64, now: Timestamp, _ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    let places: [NotificationStatements.Place]
    switch try recordResult({ () throws(SQLiteError) in try reading.places(in: row...row) }) {
    case .failure: return  // It is quarantined when a claim meets it.
    case .success(let found): places = found
    }
    guard let place = places.first, !place.state.isFinal, let app = appsByID[place.app] else { return }
    try begin(&transaction)
    if isClaimed(place.id, transaction) {
      if try recall(place, app, now: now, &transaction) { try activities.markSuperseded(row, at: now) }
    } else {
      try end(place, app, of: try changing.tally(of: row)?.client, now: now, &transaction)
      try activities.markSuperseded(row, at: now)
    }
  }

  /// Whether a due delivery must not be claimed: an older one of its activity comes first, or it is not
  /// needed any more.
  func mustHold(_ delivery: QueuedDelivery, _ app: AppQueue, now: Timestamp) throws(SQLiteError) -> Bool {
    guard let activity = delivery.activity, let place = delivery.activityPlace else { return false }
    let neighbors = try neighbors(activity.token, app, now: now, besides: delivery.row)
    let isOutdated = try activities.hasSent(after: place, activity.token, app: app.id)
    switch ActivityOrder.verdict(on: activity.event, at: place, among: neighbors, isOutdated: isOutdated) {
    case .send:
      let replaced = ActivityOrder.replaced(by: activity.event, at: place, among: neighbors)
      met(superseded: replaced.map(\.place.row))
      return false
    case .wait: app.block(at: delivery.key, delivery.notification.priority)
    case .superseded: met(superseded: [delivery.row])
    }
    return true
  }

  /// Whether a claimed delivery need not wait for another attempt.
  func isSuperseded(
    _ delivery: QueuedDelivery, _ app: AppQueue, now: Timestamp, _ transaction: SQLiteTransaction
  ) throws(SQLiteError) -> Bool {
    guard let activity = delivery.activity, activity.event == .update, let place = delivery.activityPlace
    else { return false }
    let neighbors = try neighbors(activity.token, app, now: now, besides: delivery.row, transaction)
    return ActivityOrder.isSuperseded(
      activity.event, at: place, among: neighbors,
      isOutdated: try activities.hasSent(after: place, activity.token, app: app.id))
  }

  private func neighbors(
    _ token: String, _ app: AppQueue, now: Timestamp, besides row: Int64 = 0,
    _ transaction: SQLiteTransaction? = nil
  ) throws(SQLiteError) -> [ActivityOrder.Neighbor] {
    try activities.open(token, app: app.id, now: now).filter { $0.place.row != row }.map { open in
      let isSettled = transaction?.settled.contains(open.id) ?? false
      return ActivityOrder.Neighbor(
        place: open.place, event: open.event, isClaimed: claims[open.id] != nil && !isSettled,
        hasBegun: open.hasBegun)
    }
  }
}
