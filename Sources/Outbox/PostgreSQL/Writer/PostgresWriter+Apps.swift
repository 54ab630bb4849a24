internal import Clock
import JSON

extension PostgresWriter {
  /// Makes known the apps that new notifications name, before their transaction: whatever becomes of that, an app
  /// keeps its number.
  func learnApps(of operations: [PostgresOperation]) throws(PostgresError) {
    var names: Set<ExactText> = []
    for case .write(.enqueue(let notifications, _, _, _)) in operations {
      for notification in notifications { names.insert(ExactText(notification.app)) }
    }
    for name in names where memory.apps[name] == nil {
      try connection.run(
        """
        INSERT INTO dragoman_apps (id, name) VALUES (nextval('dragoman_app_ids'), $1)
        ON CONFLICT (name) DO NOTHING
        """, [.text(name.text)])
      _ = try knownApp(name.text)
    }
  }

  /// An app that `learnApps` has seen.
  func app(named name: String) throws(PostgresError) -> App {
    guard let app = try knownApp(name) else { throw PostgresError(message: "the table of apps lost one") }
    return app
  }

  /// Nil for an app that nothing was ever accepted for.
  func knownApp(_ name: String) throws(PostgresError) -> App? {
    if let known = memory.apps[ExactText(name)] { return known }
    let found = try connection.run("SELECT id FROM dragoman_apps WHERE name = $1", [.text(name)])
    guard let row = found.first else { return nil }
    let app = App(id: row.integer(0), name: name)
    memory.learn(app)
    return app
  }

  /// All apps that anything was ever accepted for, by whichever replica.
  func allApps() throws(PostgresError) -> [App] {
    for row in try connection.run("SELECT id, name FROM dragoman_apps").rows {
      memory.learn(App(id: row.integer(0), name: row.text(1) ?? ""))
    }
    return Array(memory.apps.values)
  }
}

// MARK: - What is asked of the whole queue

extension PostgresWriter {
  /// When the app's first waiting delivery that nobody has claimed is due.
  func nextDue(app name: String) throws(PostgresError) -> Timestamp? {
    guard let app = try knownApp(name) else { return nil }
    return try firstDue(app)
  }

  func counts(now: Timestamp) throws(PostgresError) -> [String: OutboxCounts] {
    var sums: [Int64: [Int]] = [:]
    let states = DeliveryState.allCases.count
    let rows = try connection.run(
      "SELECT app, state, sum(deliveries)::bigint FROM dragoman_counts GROUP BY app, state")
    for row in rows.rows where (0..<states).contains(Int(row.integer(1))) {
      sums[row.integer(0), default: Array(repeating: 0, count: states)][Int(row.integer(1))] = Int(
        row.integer(2))
    }
    var counts: [String: OutboxCounts] = [:]
    for app in try allApps() {
      let kept = sums[app.id] ?? Array(repeating: 0, count: states)
      var own = OutboxCounts()
      for state in DeliveryState.allCases { own.byState[state] = kept[state.rawValue] }
      let past = kept[DeliveryState.scheduled.rawValue] == 0 ? 0 : try schedulePassed(app, now: now)
      own.byState[.scheduled] = kept[DeliveryState.scheduled.rawValue] - past
      own.byState[.queued] =
        kept[DeliveryState.queued.rawValue] + past - kept[PostgresTransaction.claimed]
      own.firstDueAt = try firstDue(app)
      counts[app.name] = own
    }
    return counts
  }

  /// The apps of all replicas that have something due at `now` that nobody has claimed.
  func due(now: Timestamp) throws(PostgresError) -> [String] {
    let waiting = """
      SELECT 1 FROM dragoman_deliveries AS d
      WHERE d.app = a.id AND d.state < 3 AND d.claimed_by IS NULL AND d.next_attempt_at <= $1 AND d.priority =
      """
    return try connection.run(
      "SELECT a.name FROM dragoman_apps AS a WHERE EXISTS (\(waiting) 1) OR EXISTS (\(waiting) 0)",
      [.integer(now.milliseconds)]
    ).rows.map { $0.text(0) ?? "" }
  }

  /// How many deliveries are `scheduled` on disk for a time that has come. They are few: a claim makes them `queued`.
  private func schedulePassed(_ app: App, now: Timestamp) throws(PostgresError) -> Int {
    let count = try connection.run(
      "SELECT count(*) FROM dragoman_deliveries WHERE app = $1 AND state = 0 AND next_attempt_at <= $2",
      [.integer(app.id), .integer(now.milliseconds)])
    return Int(count.first?.integer(0) ?? 0)
  }

  private func firstDue(_ app: App) throws(PostgresError) -> Timestamp? {
    var first: Timestamp?
    for priority in [DeliveryPriority.high, .normal] {
      let found = try connection.run(
        """
        SELECT next_attempt_at FROM dragoman_deliveries
        WHERE app = $1 AND priority = $2 AND state < 3 AND claimed_by IS NULL
        ORDER BY next_attempt_at, row LIMIT 1
        """, [.integer(app.id), .integer(Int64(priority.rawValue))])
      if let row = found.first { first = min(first ?? row.time(0), row.time(0)) }
    }
    return first
  }
}
