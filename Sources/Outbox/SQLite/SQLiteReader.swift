internal import Clock
import FCMMessage
import JSON
import Telemetry

/// Reads on a connection of its own, so that reads never delay writes. Confined to one of the store's reading
/// queues.
final class SQLiteReader {
  /// The notifications and the deliveries that one call of `list` examines at most.
  static let scannedNotificationsMax = 2_000
  static let scannedDeliveriesMax = 20_000
  /// The least number of notifications read at a time.
  private static let chunkNotifications = 200
  /// Feedback events that one call examines beyond its limit.
  private static let scannedEventsMax = 2_000

  let claims: Claims
  let statements: NotificationStatements
  let searching: SearchStatements
  private let idempotency: IdempotencyStatements
  private let selectAll: SQLiteStatement
  private let selectOfClient: SQLiteStatement
  private let selectOfClientInTail: SQLiteStatement
  private let selectEvents: SQLiteStatement
  private let selectMark: SQLiteStatement
  let webhook: WebhookStatements

  init(connection: SQLiteConnection, claims: Claims, tail: Tail) throws(SQLiteError) {
    self.claims = claims
    statements = try NotificationStatements(connection, tail: tail)
    idempotency = try IdempotencyStatements(connection)
    try connection.execute("PRAGMA query_only = ON")
    let heads = """
      SELECT \(NotificationStatements.headColumns)
      FROM notifications AS n CROSS JOIN apps AS a ON a.id = n.app
      """
    searching = try SearchStatements(connection, heads: heads)
    let isWhole = SQLiteSchema.isWhole("n.row")
    selectAll = try connection.prepare(
      "\(heads) WHERE n.row < ?1 AND \(isWhole) ORDER BY n.row DESC LIMIT ?2")
    selectOfClient = try connection.prepare(
      """
      SELECT \(NotificationStatements.headColumns) FROM client_notifications AS c
        CROSS JOIN notifications AS n ON n.row = c.row CROSS JOIN apps AS a ON a.id = n.app
      WHERE c.client = ?3 AND c.row < ?1 AND \(isWhole) ORDER BY c.row DESC LIMIT ?2
      """)
    selectOfClientInTail = try connection.prepare(
      """
      \(heads) WHERE n.row < ?1 AND n.row > ?4 AND n.client = ?3 AND \(isWhole)
      ORDER BY n.row DESC LIMIT ?2
      """)
    selectEvents = try connection.prepare(
      """
      SELECT f.id, a.name, f.target_kind, f.target, f.code, f.notification, f.at, f.trace, f.activity
      FROM feedback AS f CROSS JOIN apps AS a ON a.id = f.app WHERE f.id > ? ORDER BY f.id LIMIT ?
      """)
    webhook = try WebhookStatements(connection)
    selectMark = try connection.prepare("SELECT value FROM marks WHERE name = ?")
  }

  /// The notification as it is on disk, with claimed deliveries shown as `sending`.
  func notification(_ id: NotificationID, now: Timestamp) throws(SQLiteError) -> StoredNotification? {
    guard let head = try statements.head(id) else { return nil }
    return try statements.notification(head, now: now, claimed: claims.claimed)
  }

  func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp
  ) throws(SQLiteError) -> EnqueueOutcome? {
    try idempotency.find(key)?.outcome(fingerprint: fingerprint, now: now)
  }

  /// A page of the list, and the unreadable rows that it omits.
  func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, now: Timestamp
  ) throws(SQLiteError) -> (page: NotificationPage, unreadable: [Int64]) {
    let apps = filter.apps.map { Set($0.map(ExactText.init)) }
    guard let start = try start(of: filter, before: cursor?.row ?? .max) else {
      return (Self.page([], next: nil), [])
    }
    if filter.seeksDelivery { return try search(filter, apps: apps, limit: limit, from: start, now: now) }
    var found: [StoredNotification] = []
    var unreadable: [Int64] = []
    var deliveries = 0
    var scanned = 0
    var place = start.place
    while true {
      let chunk = try heads(filter, before: place, limit: max(limit + 1, Self.chunkNotifications))
      for (row, head) in chunk {
        guard found.count < limit, deliveries < Self.scannedDeliveriesMax else {
          return (Self.page(found, next: place), unreadable)
        }
        place = row
        guard let head else {
          unreadable.append(row)
          continue
        }
        if row < start.first { return (Self.page(found, next: nil), unreadable) }
        guard filter.matches(head, apps: apps) else { continue }
        do throws(SQLiteError) {
          let notification = try statements.notification(head, now: now, claimed: claims.claimed)
          deliveries += notification.deliveries.count
          if filter.status == nil || filter.status == notification.status { found.append(notification) }
        } catch {
          guard error.isUnreadableRecord else { throw error }
          unreadable.append(row)
        }
      }
      scanned += chunk.count
      if chunk.count <= max(limit, Self.chunkNotifications - 1) {
        return (Self.page(found, next: nil), unreadable)
      }
      if scanned >= Self.scannedNotificationsMax { return (Self.page(found, next: place), unreadable) }
    }
  }

  static func page(_ found: [StoredNotification], next row: Int64?) -> NotificationPage {
    NotificationPage(notifications: found, next: row.map(NotificationCursor.init(before:)))
  }

  /// The next notifications before a row, newest first, by the index that serves the filter best; nil for one
  /// that cannot be read.
  private func heads(
    _ filter: NotificationFilter, before row: Int64, limit: Int
  ) throws(SQLiteError) -> [(row: Int64, head: NotificationStatements.Head?)] {
    guard case .client(let name) = filter.owner else {
      return try heads(selectAll, before: row, limit: limit)
    }
    let indexed = try searching.indexed()
    var found: [(row: Int64, head: NotificationStatements.Head?)] = []
    if row - 1 > indexed {
      try selectOfClientInTail.bind(3, name)
      try selectOfClientInTail.bind(4, indexed)
      found = try heads(selectOfClientInTail, before: row, limit: limit)
    }
    guard found.count < limit else { return found }
    try selectOfClient.bind(3, name)
    return try found + heads(selectOfClient, before: min(row, indexed + 1), limit: limit - found.count)
  }

  private func heads(
    _ statement: SQLiteStatement, before row: Int64, limit: Int
  ) throws(SQLiteError) -> [(row: Int64, head: NotificationStatements.Head?)] {
    try statement.bind(1, row)
    try statement.bind(2, limit)
    defer { statement.reset() }
    var heads: [(row: Int64, head: NotificationStatements.Head?)] = []
    while try statement.step() {
      do throws(SQLiteError) {
        heads.append((statement.integer(0), try NotificationStatements.head(statement)))
      } catch {
        guard error.isUnreadableRecord else { throw error }
        heads.append((statement.integer(0), nil))
      }
    }
    return heads
  }

  /// The events after one, in order and without outcomes, and the unreadable events that the page omits.
  func feedback(
    after: Int64?, apps: [String]?, limit: Int
  ) throws(SQLiteError) -> (page: FeedbackPage, unreadable: [Int64]) {
    let apps = apps.map { Set($0.map(ExactText.init)) }
    let scanned = limit + Self.scannedEventsMax
    let row = selectEvents
    try row.bind(1, after ?? 0)
    try row.bind(2, scanned)
    defer { row.reset() }
    var events: [FeedbackEvent] = []
    var unreadable: [Int64] = []
    var next = after
    var count = 0
    while try row.step() {
      count += 1
      if events.count == limit {
        return (FeedbackPage(events: events, next: next, hasMore: true), unreadable)
      }
      next = row.integer(0)
      let app = row.text(1) ?? ""
      if let apps, !apps.contains(ExactText(app)) { continue }
      guard let target = Target(kind: row.integer(2), value: row.text(3) ?? ""),
        let notification = row.uuid(5)
      else {
        unreadable.append(row.integer(0))
        continue
      }
      events.append(
        FeedbackEvent(
          id: row.integer(0), app: app, target: target, code: row.text(4) ?? "",
          notification: NotificationID(notification), at: Timestamp(milliseconds: row.integer(6)),
          trace: row.text(7).flatMap(TraceContext.init(stored:)), activityToken: row.text(8)))
    }
    return (FeedbackPage(events: events, next: next, hasMore: count == scanned), unreadable)
  }

  func webhookCursor() throws(SQLiteError) -> Int64? {
    try selectMark.bind(1, ChangeStatements.Mark.webhook.rawValue)
    defer { selectMark.reset() }
    return try selectMark.step() ? selectMark.integer(0) : nil
  }
}

extension NotificationFilter {
  /// Whether everything except the status matches.
  func matches(_ head: NotificationStatements.Head, apps: Set<ExactText>?) -> Bool {
    if !matches(createdAt: head.createdAt) { return false }
    if let apps, !apps.contains(ExactText(head.app)) { return false }
    if let template, !template.hasSameBytes(as: head.template) { return false }
    switch owner {
    case nil: return true
    case .anonymous: return head.client == nil
    case .client(let name): return head.client?.hasSameBytes(as: name) ?? false
    }
  }
}
