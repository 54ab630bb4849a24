internal import Clock
import JSON

extension PostgresWriter {
  /// Records the apps that new notifications name, before their transaction, so that an app keeps its number
  /// even if that fails.
  func learnApps(of writes: [PostgresBackend.Write]) throws(PostgresError) {
    for case .queue(.enqueue(let notifications, _, _, _)) in writes {
      try learnApps(named: notifications)
    }
  }

  func learnApps(named notifications: [NewNotification]) throws(PostgresError) {
    for name in Set(notifications.map { ExactText($0.app) }) where memory.apps[name] == nil {
      try connection.run(
        """
        INSERT INTO dragoman_apps (id, name) VALUES (nextval('dragoman_app_ids'), $1)
        ON CONFLICT (name) DO NOTHING
        """, [.text(name.text)])
      _ = try knownApp(name.text)
    }
  }

  /// The app, which `learnApps` has recorded.
  func app(named name: String) throws(PostgresError) -> App {
    guard let app = try knownApp(name) else { throw PostgresError(message: "the table of apps lost one") }
    return app
  }

  /// The app; nil if nothing was ever accepted for it.
  func knownApp(_ name: String) throws(PostgresError) -> App? {
    if let known = memory.apps[ExactText(name)] { return known }
    let found = try connection.run("SELECT id FROM dragoman_apps WHERE name = $1", [.text(name)])
    guard let row = found.first else { return nil }
    let app = App(id: row.integer(.id), name: name)
    memory.learn(app)
    return app
  }

  /// All apps for which any replica has ever accepted anything.
  func allApps() throws(PostgresError) -> [App] {
    for row in try connection.run("SELECT id, name FROM dragoman_apps").rows {
      memory.learn(App(id: row.integer(.id), name: row.text(.name) ?? ""))
    }
    return Array(memory.apps.values)
  }
}

// MARK: - Queries about the whole queue

extension PostgresWriter {
  /// When the app's first unclaimed waiting delivery is due.
  func nextDue(app name: String) throws(PostgresError) -> Timestamp? {
    let next: Timestamp? = if let app = try knownApp(name) { try firstDue(app) } else { nil }
    memory.prefetch.note(nextDue: next, of: ExactText(name))
    return next
  }

  func counts(now: Timestamp) throws(PostgresError) -> [ExactText: OutboxCounts] {
    var sums: [Int64: [Int]] = [:]
    let states = DeliveryState.allCases.count
    let rows = try connection.run(
      "SELECT app, state, sum(deliveries)::bigint AS deliveries FROM dragoman_counts GROUP BY app, state")
    for row in rows.rows where (0..<states).contains(Int(row.integer(.state))) {
      sums[row.integer(.app), default: Array(repeating: 0, count: states)][Int(row.integer(.state))] = Int(
        row.integer(.deliveries))
    }
    var counts: [ExactText: OutboxCounts] = [:]
    for app in try allApps() {
      let kept = sums[app.id] ?? Array(repeating: 0, count: states)
      var own = OutboxCounts()
      for state in DeliveryState.allCases { own.byState[state] = kept[state.rawValue] }
      let past = kept[DeliveryState.scheduled.rawValue] == 0 ? 0 : try schedulePassed(app, now: now)
      own.byState[.scheduled] = kept[DeliveryState.scheduled.rawValue] - past
      own.byState[.queued] =
        kept[DeliveryState.queued.rawValue] + past - kept[PostgresTransaction.claimed]
      own.firstDueAt = try firstDue(app)
      counts[ExactText(app.name)] = own
    }
    return counts
  }

  /// The apps that have an unclaimed delivery due at `now`.
  func due(now: Timestamp) throws(PostgresError) -> [String] {
    let waiting = """
      SELECT 1 FROM dragoman_deliveries AS d
      WHERE d.app = a.id AND d.state < 3 AND d.claimed_by IS NULL AND d.next_attempt_at <= $1 AND d.priority =
      """
    return try connection.run(
      "SELECT a.name FROM dragoman_apps AS a WHERE EXISTS (\(waiting) 1) OR EXISTS (\(waiting) 0)",
      [.integer(now.milliseconds)]
    ).rows.map { $0.text(.name) ?? "" }
  }

  /// How many deliveries are still `scheduled` on disk although they are due. They are few: a claim makes
  /// them `queued`.
  private func schedulePassed(_ app: App, now: Timestamp) throws(PostgresError) -> Int {
    let count = try connection.run(
      "SELECT count(*) FROM dragoman_deliveries WHERE app = $1 AND state = 0 AND next_attempt_at <= $2",
      [.integer(app.id), .integer(now.milliseconds)])
    return Int(count.value ?? 0)
  }

  /// The statement that reads when the app's first unclaimed waiting delivery is due, with one row.
  func readingFirstDue(_ app: App) -> PostgresBatch.Statement {
    let first = { (priority: DeliveryPriority) in
      """
      (SELECT next_attempt_at FROM dragoman_deliveries
        WHERE app = $1 AND priority = \(priority.rawValue) AND state < 3 AND claimed_by IS NULL
        ORDER BY next_attempt_at, row LIMIT 1)
      """
    }
    return PostgresBatch.Statement(
      sql: "SELECT least(\(first(.high)), \(first(.normal))) AS next_attempt_at", values: [.integer(app.id)])
  }

  private func firstDue(_ app: App) throws(PostgresError) -> Timestamp? {
    try connection.run(readingFirstDue(app)).first?.optionalTime(.nextAttemptAt)
  }
}
