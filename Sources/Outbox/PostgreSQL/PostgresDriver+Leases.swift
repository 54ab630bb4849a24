internal import Clock
import JSON
import SQL

/// A gateway's lease, and the reaping of leases that have ended. All times are the database's.
///
/// A claimed delivery has the number of the lease under which it was claimed, and a lease is one row. When a
/// lease has ended, another gateway reaps it: it locks the row, releases the claims, and marks the row as
/// lost. A gateway that claims or settles locks its own row and finds out there that it was declared lost: it
/// then takes a new lease and owns no claims. A settlement applies only to deliveries that still have the
/// number under which they were claimed.
extension PostgresDriver {
  /// The database's time, in milliseconds since 1970.
  private static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  /// Reads the database's clock.
  func readClock() throws(DatabaseError) {
    if let row = try run("SELECT \(Self.time)", []).first { clock.note(row.time(0)) }
  }

  /// The statement that renews the lease and records the number of this transaction, so that its commit can
  /// be verified later. Its result is for `noteLease`.
  func keepingLease(_ batch: Int64) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: """
        UPDATE dragoman_leases SET until = clock_timestamp() + $2::bigint * INTERVAL '1 millisecond', batch = $3
        WHERE id = $1 AND NOT lost RETURNING \(Self.time)
        """, values: [.integer(lease), .integer(configuration.leaseMilliseconds), .integer(batch)])
  }

  /// Throws if the lease has ended.
  func noteLease(_ rows: SQLResult) throws(DatabaseError) {
    guard let row = rows.first else { throw DatabaseError.leaseLost }
    clock.note(row.time(0))
  }

  private func keepLease() throws(DatabaseError) {
    let statement = keepingLease(leasing.nextBatch())
    try noteLease(try run(statement.sql, statement.values))
  }

  /// Renews the lease of a gateway that has nothing to write.
  func renewLease() throws(DatabaseError) {
    try transactions.inTransaction { () throws(DatabaseError) in try keepLease() }
  }

  /// Takes a new lease, under which nothing is claimed yet. Its number is random, since a sequence would
  /// assign those of running gateways again after the database was restored from a backup.
  func register() throws(DatabaseError) {
    let id = Int64.random(in: 1 << 32 ... .max)
    try run(
      """
      INSERT INTO dragoman_leases (id, until, batch, lost)
      VALUES ($2, clock_timestamp() + $1::bigint * INTERVAL '1 millisecond', 0, false)
      """, [.integer(configuration.leaseMilliseconds), .integer(id)])
    leasing.number = id
  }

  /// Whether `batch`, the last transaction of this gateway, was committed. Waits for it if it is still
  /// running on a lost connection.
  func wasCommitted(_ batch: Int64) throws(DatabaseError) -> Bool {
    let row = try run(
      "SELECT batch FROM dragoman_leases WHERE id = $1 FOR UPDATE", [.integer(lease)])
    return row.value == batch
  }

  /// Releases deliveries that have this gateway's number without its knowledge: claims whose answer was
  /// lost.
  func handBackUnknown(now: Timestamp) throws(DatabaseError) {
    try transactions.inTransaction { () throws(DatabaseError) in
      try keepLease()
      try handBack(lease, except: memory.claims.rows, now: now)
    }
  }

  /// Releases all claims of this gateway and its lease.
  func releaseLease(now: Timestamp) throws(DatabaseError) {
    try transactions.inTransaction { () throws(DatabaseError) in
      try run(
        "SELECT id FROM dragoman_leases WHERE id = $1 FOR UPDATE", [.integer(lease)])
      _ = try reap(lease, now: now)
    }
  }

  /// How many gateways have a lease.
  func liveGateways() throws(DatabaseError) -> Int {
    let count = try run("SELECT count(*) FROM dragoman_leases WHERE NOT lost AND until >= clock_timestamp()")
    return Int(clamping: count.value ?? 1)
  }

  /// Reaps the leases that have ended. Returns how many, and how many deliveries are due again.
  func reapLeases(now: Timestamp) throws(DatabaseError) -> (leases: Int, deliveries: Int) {
    let over = try run(
      "SELECT id FROM dragoman_leases WHERE NOT lost AND until < clock_timestamp() AND id <> $1",
      [.integer(lease)])
    var reaped = (leases: 0, deliveries: 0)
    for row in over.rows {
      try transactions.inTransaction { () throws(DatabaseError) in
        let locked = try run(
          """
          SELECT id FROM dragoman_leases WHERE id = $1 AND NOT lost AND until < clock_timestamp()
          FOR UPDATE SKIP LOCKED
          """, [.integer(row.integer(0))])
        guard !locked.isEmpty else { return }
        reaped.deliveries += try reap(row.integer(0), now: now)
        reaped.leases += 1
      }
    }
    // A gateway has a day to verify its last transaction.
    if reaped.leases > 0 {
      try connection.execute(
        "DELETE FROM dragoman_leases WHERE lost AND until < clock_timestamp() - INTERVAL '1 day'")
    }
    return reaped
  }

  /// Recalls this gateway's claims whose cancellation was requested at another one, as far as their requests
  /// have not left.
  func recallCancelled() throws(DatabaseError) {
    guard !memory.claims.isEmpty else { return }
    let asked = try run(
      "SELECT id FROM dragoman_deliveries WHERE cancel_asked = 1 AND claimed_by IS NOT DISTINCT FROM $1",
      [.integer(lease)])
    for row in asked.rows {
      // The delivery ends as cancelled when the sender hands it back.
      _ = row.uuid(0).flatMap { memory.claims[DeliveryID($0)] }?.departure.recall()
    }
  }

  private func reap(_ lease: Int64, now: Timestamp) throws(DatabaseError) -> Int {
    let count = try handBack(lease, except: [], now: now)
    for (table, key) in [("dragoman_counts", "app, state"), ("dragoman_client_counts", "client")] {
      send(
        """
        INSERT INTO \(table) (\(key), lease, deliveries)
        SELECT \(key), 0, deliveries FROM \(table) WHERE lease = $1 ORDER BY \(key)
        ON CONFLICT (\(table == "dragoman_counts" ? "app, lease, state" : "client, lease"))
          DO UPDATE SET deliveries = \(table).deliveries + excluded.deliveries
        """, [.integer(lease)])
      send("DELETE FROM \(table) WHERE lease = $1", [.integer(lease)])
    }
    send("UPDATE dragoman_leases SET lost = true WHERE id = $1", [.integer(lease)])
    return count
  }

  /// Cancels the deliveries with a cancel request; the others wait again as before. Returns how many were
  /// released.
  @discardableResult
  private func handBack(_ lease: Int64, except known: [Int64], now: Timestamp) throws(DatabaseError) -> Int {
    let back = try run(
      """
      WITH back AS (
        UPDATE dragoman_deliveries SET
          claimed_by = NULL, cancel_asked = 0,
          \(RowChecksum.settingState("CASE WHEN cancel_asked = 1 THEN 6 ELSE state END")),
          next_attempt_at = CASE WHEN cancel_asked = 1 THEN NULL ELSE next_attempt_at END,
          updated_at = CASE WHEN cancel_asked = 1 THEN $3 ELSE updated_at END
        WHERE claimed_by = $1 AND row <> ALL ($2::bigint[])
        RETURNING row, app, state)
      SELECT b.app, b.state, n.client, count(*)
      FROM back AS b LEFT JOIN dragoman_notifications AS n
        ON n.row = \(RowLayout.notificationRowSQL(of: "b.row"))
      GROUP BY b.app, b.state, n.client
      """, [.integer(lease), .integers(known), .time(now)])
    var counts = QueueCounts()
    var total = 0
    for row in back.rows {
      let (app, count) = (row.integer(0), Int(clamping: row.integer(3)))
      counts.addClaimed(-count, app)
      if row.integer(1) == Int64(DeliveryState.cancelled.rawValue) {
        counts.add(-count, app, .queued, of: row.text(2))
        counts.add(count, app, .cancelled)
      }
      total += count
    }
    add(counts)
    return total
  }
}

// MARK: - The webhook

extension PostgresDriver {
  /// Whether it is this gateway's turn to notify the webhook. It takes the turn if no live gateway has it.
  func takeWebhookTurn() throws(DatabaseError) -> Bool {
    let own = try run(
      "SELECT lease FROM dragoman_turns WHERE name = 'webhook' AND lease = $1",
      [.integer(lease)])
    if !own.isEmpty { return true }
    try run(
      "INSERT INTO dragoman_turns (name, lease) VALUES ('webhook', $1) ON CONFLICT (name) DO NOTHING",
      [.integer(lease)])
    let taken = try run(
      """
      UPDATE dragoman_turns SET lease = $1 WHERE name = 'webhook' AND (lease = $1 OR NOT EXISTS (
        SELECT 1 FROM dragoman_leases AS r
        WHERE r.id = dragoman_turns.lease AND NOT r.lost AND r.until > clock_timestamp()))
      RETURNING lease
      """, [.integer(lease)])
    return !taken.isEmpty
  }

  func giveUpWebhookTurn() throws(DatabaseError) {
    try run(
      "DELETE FROM dragoman_turns WHERE name = 'webhook' AND lease = $1", [.integer(lease)])
  }
}
