internal import Clock
import FCMMessage
import JSON
package import SQL

/// The tables `dragoman_limits`, `dragoman_target_holds` and `dragoman_history` of a PostgreSQL database,
/// which gateways share. A failure of the server may forget what they hold: writing it waits for no disk and
/// no standby.
package struct LimitsTable {
  /// See `AppLimits` for `dragoman_limits`. `changed_at` is the database's time, and a prober is the gateway
  /// that sends the probes of the stop that was decided at `stop_at`.
  package static let definitions = """
    CREATE TABLE dragoman_limits (
      app BIGINT PRIMARY KEY, changed_at BIGINT NOT NULL,
      climb_at BIGINT, climb_rate BIGINT, used_at BIGINT, quota_at BIGINT, held_until BIGINT,
      stop_at BIGINT, stop_reason BIGINT, stop_since BIGINT, probe_at BIGINT,
      error_code BYTEA, error_status BIGINT, error_message BYTEA,
      prober BIGINT, prober_until BIGINT
    );
    CREATE TABLE dragoman_target_holds (
      app BIGINT NOT NULL, target_kind BIGINT NOT NULL, target BYTEA NOT NULL, held_until BIGINT NOT NULL,
      changed_at BIGINT NOT NULL,
      PRIMARY KEY (app, target_kind, target)
    );
    CREATE INDEX dragoman_target_holds_by_change ON dragoman_target_holds (changed_at);
    CREATE TABLE dragoman_history (
      interval_seconds BIGINT NOT NULL, at BIGINT NOT NULL, lease BIGINT NOT NULL, content BYTEA NOT NULL,
      PRIMARY KEY (interval_seconds, at, lease)
    );
    """

  private let transactions: PostgresWriter
  private let lease: Int64
  private let appID: (String) throws(DatabaseError) -> Int64?

  /// `lease` is the gateway's, and `appID` returns the number of an app for which anything was ever accepted.
  package init(
    _ transactions: PostgresWriter, lease: Int64, appID: @escaping (String) throws(DatabaseError) -> Int64?
  ) {
    self.transactions = transactions
    self.lease = lease
    self.appID = appID
  }

  /// The columns of `AppLimits`.
  private static let limits = """
    l.climb_at, l.climb_rate, l.used_at, l.quota_at, l.held_until, l.stop_at, l.stop_reason, l.stop_since,
      l.probe_at, l.error_code, l.error_status, l.error_message, l.changed_at
    """
  private static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  @discardableResult
  private func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult {
    try transactions.run(sql, values)
  }

  /// The limits that have changed since `moment`, all of them if it is nil.
  func limits(
    changedSince moment: Timestamp?
  ) throws(DatabaseError) -> [(app: String, limits: AppLimits, changedAt: Timestamp)] {
    try run(
      """
      SELECT a.name, \(Self.limits) FROM dragoman_limits AS l JOIN dragoman_apps AS a ON a.id = l.app
      WHERE l.changed_at >= $1
      """, [.integer(moment?.milliseconds ?? 0)]
    ).rows.map { ($0.text(0) ?? "", AppLimits($0, from: 1), $0.time(13)) }
  }

  /// The holds that have changed since `moment`, or all, and have not ended at `now`: at most `limit`, the
  /// latest first.
  func targetHolds(
    changedSince moment: Timestamp?, now: Timestamp, limit: Int
  ) throws(DatabaseError) -> [(hold: TargetHold, changedAt: Timestamp)] {
    try run(
      """
      SELECT a.name, h.target_kind, h.target, h.held_until, h.changed_at
      FROM dragoman_target_holds AS h JOIN dragoman_apps AS a ON a.id = h.app
      WHERE h.changed_at >= $1 AND h.held_until > $2 ORDER BY h.changed_at DESC LIMIT $3
      """, [.integer(moment?.milliseconds ?? 0), .integer(now.milliseconds), .integer(Int64(limit))]
    ).rows.compactMap { row in
      Target(kind: row.integer(1), value: row.text(2) ?? "").map { target in
        (TargetHold(app: row.text(0) ?? "", target: target, until: row.time(3)), row.time(4))
      }
    }
  }

  /// Merges `limits` of apps with those of other gateways. Returns what all know now. An app for which
  /// nothing was ever accepted has none.
  func merge(_ limits: [ExactText: AppLimits]) throws(DatabaseError) -> [ExactText: AppLimits] {
    var known: [(id: Int64, app: ExactText, limits: AppLimits)] = []
    for (app, entry) in limits { if let id = try appID(app.text) { known.append((id, app, entry)) } }
    guard !known.isEmpty else { return [:] }
    // In one order, so that no two gateways wait for each other.
    known.sort { $0.id < $1.id }
    var merged: [ExactText: AppLimits] = [:]
    try unlogged { () throws(DatabaseError) in
      for (id, app, entry) in known {
        try run(
          "INSERT INTO dragoman_limits (app, changed_at) VALUES ($1, 0) ON CONFLICT (app) DO NOTHING",
          [.integer(id)])
        let row = try run(
          "SELECT \(Self.limits) FROM dragoman_limits AS l WHERE l.app = $1 FOR UPDATE", [.integer(id)])
        var limits = row.first.map { AppLimits($0, from: 0) } ?? AppLimits()
        let isNewStop = entry.stop?.decidedAt != limits.stop?.decidedAt
        limits.merge(entry)
        try write(limits, of: id, isNewStop: isNewStop)
        merged[app] = limits
      }
    }
    return merged
  }

  private func write(_ limits: AppLimits, of app: Int64, isNewStop: Bool) throws(DatabaseError) {
    let stop = limits.stop
    try run(
      """
      UPDATE dragoman_limits SET climb_at = $2, climb_rate = $3, used_at = $4, quota_at = $5, held_until = $6,
        stop_at = $7, stop_reason = $8, stop_since = $9, probe_at = $10, error_code = $11, error_status = $12,
        error_message = $13, prober = CASE WHEN $14::bigint = 1 THEN NULL ELSE prober END,
        changed_at = \(Self.time)
      WHERE app = $1
      """,
      [
        .integer(app), .integer(limits.climb?.beganAt.milliseconds), .integer(limits.climb?.millirate),
        .integer(limits.usedAt?.milliseconds), .integer(limits.quota?.attemptBeganAt.milliseconds),
        .integer(limits.quota?.heldUntil.milliseconds), .integer(stop?.decidedAt.milliseconds),
        .integer(stop?.reason?.rawValue), .integer(stop?.since.milliseconds),
        .integer(stop?.probeAt.milliseconds), .text(stop?.failure?.code),
        .integer(stop?.failure?.httpStatus.map(Int64.init)), .text(stop?.failure?.message),
        .integer(isNewStop ? 1 : 0),
      ])
  }

  /// Records holds; a longer one of the same target stays.
  func merge(_ holds: [TargetHold]) throws(DatabaseError) {
    var rows: [(app: Int64, hold: TargetHold)] = []
    for hold in holds { if let app = try appID(hold.app) { rows.append((app, hold)) } }
    guard !rows.isEmpty else { return }
    rows.sort { ($0.app, $0.hold.target.value) < ($1.app, $1.hold.target.value) }
    try unlogged { () throws(DatabaseError) in
      try run(
        """
        INSERT INTO dragoman_target_holds AS h (app, target_kind, target, held_until, changed_at)
        SELECT app, kind, target, until, \(Self.time)
        FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[]) AS n(app, kind, target, until)
        ON CONFLICT (app, target_kind, target) DO UPDATE
          SET held_until = excluded.held_until, changed_at = excluded.changed_at
          WHERE h.held_until < excluded.held_until
        """,
        [
          .integers(rows.map(\.app)), .integers(rows.map { Int64($0.hold.target.kind) }),
          .texts(rows.map(\.hold.target.value)), .integers(rows.map(\.hold.until.milliseconds)),
        ])
    }
  }

  /// Removes holds that have ended before `moment`.
  func removeHolds(endedBefore moment: Timestamp) throws(DatabaseError) {
    try run(
      "DELETE FROM dragoman_target_holds WHERE held_until < $1", [.integer(moment.milliseconds)])
  }

  /// Whether this gateway has the right to send the probes of a stop until `end`. It gets it if no live
  /// gateway has it.
  func takeProbeTurn(
    app name: String, stop: Timestamp, now: Timestamp, until end: Timestamp
  ) throws(DatabaseError) -> Bool {
    guard let app = try appID(name) else { return false }
    var isTaken = false
    try unlogged { () throws(DatabaseError) in
      let taken = try run(
        """
        UPDATE dragoman_limits AS l SET prober = $3, prober_until = $5
        WHERE l.app = $1 AND l.stop_at = $2 AND l.stop_reason IS NOT NULL
          AND (l.prober IS NULL OR l.prober = $3 OR l.prober_until <= $4 OR NOT EXISTS (
            SELECT 1 FROM dragoman_leases AS r
            WHERE r.id = l.prober AND NOT r.lost AND r.until > clock_timestamp()))
        """,
        [
          .integer(app), .integer(stop.milliseconds), .integer(lease), .integer(now.milliseconds),
          .integer(end.milliseconds),
        ])
      isTaken = taken.changed > 0
    }
    return isTaken
  }

  /// The samples in one answer; those beyond, which are older, are left out.
  private static let samplesMax = 10_000

  /// Keeps a sample, removes old ones, and returns those that are asked for.
  func exchange(
    _ sample: HistorySample?, _ question: HistoryQuestion
  ) throws(DatabaseError) -> [HistorySample] {
    let interval = SQLValue.integer(Int64(question.intervalSeconds))
    try unlogged { () throws(DatabaseError) in
      if let sample {
        try run(
          """
          INSERT INTO dragoman_history (interval_seconds, at, lease, content) VALUES ($1, $2, $3, $4)
          ON CONFLICT DO NOTHING
          """, [interval, .time(sample.at), .integer(lease), .text(sample.content)])
      }
      try run(
        "DELETE FROM dragoman_history WHERE interval_seconds = $1 AND at < $2",
        [interval, .time(question.oldest)])
    }
    return try run(
      """
      SELECT at, content FROM dragoman_history WHERE interval_seconds = $1 AND at >= $2
      ORDER BY at DESC LIMIT $3
      """, [interval, .time(question.since), .integer(Int64(Self.samplesMax))]
    ).rows.reversed().map { HistorySample(at: $0.time(0), content: $0.text(1) ?? "") }
  }

  func returnProbeTurn(app name: String, stop: Timestamp) throws(DatabaseError) {
    guard let app = try appID(name) else { return }
    try unlogged { () throws(DatabaseError) in
      try run(
        "UPDATE dragoman_limits SET prober = NULL WHERE app = $1 AND stop_at = $2 AND prober = $3",
        [.integer(app), .integer(stop.milliseconds), .integer(lease)])
    }
  }

  /// Runs a transaction whose COMMIT waits for nothing.
  private func unlogged(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try transactions.inTransaction { () throws(DatabaseError) in
      transactions.send("SET LOCAL synchronous_commit = off", [])
      try body()
    }
  }
}

extension AppLimits {
  /// Reads `LimitsTable.limits`, the first of which is at a place.
  fileprivate init(_ row: SQLRow, from column: Int) {
    self.init()
    usedAt = row.optionalTime(column + 2)
    if let began = row.optionalTime(column) {
      climb = Climb(beganAt: began, millirate: row.integer(column + 1))
    }
    if let began = row.optionalTime(column + 3) {
      quota = QuotaAnswer(attemptBeganAt: began, heldUntil: row.time(column + 4))
    }
    guard let decided = row.optionalTime(column + 5) else { return }
    let failure = row.text(column + 9).map { code in
      Stop.Failure(
        code: code, httpStatus: row.optionalInteger(column + 10).flatMap { Int(exactly: $0) },
        message: row.text(column + 11) ?? "")
    }
    stop = Stop(
      decidedAt: decided, reason: row.optionalInteger(column + 6).flatMap(Stop.Reason.init(rawValue:)),
      since: row.time(column + 7), probeAt: row.time(column + 8), failure: failure)
  }
}
