internal import Clock
import JSON

/// A replica's lease, and the reaping of leases that have ended. All times are the database's.
///
/// A claimed delivery has the number of its replica, and the lease of that number is one row. When a lease
/// has ended, another replica reaps it: it locks the row, releases the claims, and marks the row as lost. A
/// replica that claims or settles locks its own row and finds out there that it was declared lost: it then
/// takes a new number and owns no claims. A settlement applies only to deliveries that still have the number
/// under which they were claimed.
extension PostgresWriter {
  /// The database's time, in milliseconds since 1970.
  private static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at"

  /// Reads the database's clock.
  func readClock() throws(PostgresError) {
    if let row = try connection.run("SELECT \(Self.time)").first { memory.clock.note(row.time(.at)) }
  }

  /// The statement that renews the lease and records the number of this transaction, so that its commit can
  /// be verified later. Its result is for `noteLease`.
  func keepingLease(_ batch: Int64) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: """
        UPDATE dragoman_replicas SET until = clock_timestamp() + $2::bigint * INTERVAL '1 millisecond', batch = $3
        WHERE id = $1 AND NOT lost RETURNING \(Self.time)
        """, values: [.integer(memory.replica), .integer(configuration.leaseMilliseconds), .integer(batch)])
  }

  /// Throws if the lease has ended.
  func noteLease(_ rows: PostgresRows) throws(PostgresError) {
    guard let row = rows.first else { throw PostgresError.leaseLost }
    memory.clock.note(row.time(.at))
  }

  private func keepLease() throws(PostgresError) {
    try noteLease(try connection.run(keepingLease(memory.nextBatch())))
  }

  /// Renews the lease of a replica that has nothing to write.
  func renewLease() throws(PostgresError) {
    try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
    do throws(PostgresError) {
      try keepLease()
    } catch {
      rollBack()
      throw error
    }
    try connection.executeCommitting("COMMIT")
  }

  /// Takes a new number, under which nothing is claimed yet: a random one, since a sequence would assign
  /// those of running gateways again after the database was restored from a backup. (The schema keeps the
  /// sequence for versions that number by it.)
  func register() throws(PostgresError) {
    let id = Int64.random(in: 1 << 32 ... .max)
    try connection.run(
      """
      INSERT INTO dragoman_replicas (id, until, batch, lost, schema)
      VALUES ($3, clock_timestamp() + $1::bigint * INTERVAL '1 millisecond', 0, false, $2)
      """, [.integer(configuration.leaseMilliseconds), .integer(PostgresSchema.version), .integer(id)])
    memory.replica = id
  }

  /// Whether `batch`, the last transaction of this replica, was committed. Waits for it if it is still
  /// running on a lost connection.
  func wasCommitted(_ batch: Int64) throws(PostgresError) -> Bool {
    let row = try connection.run(
      "SELECT batch FROM dragoman_replicas WHERE id = $1 FOR UPDATE", [.integer(memory.replica)])
    return row.value == batch
  }

  /// Releases deliveries that have this replica's number without its knowledge: claims whose answer was
  /// lost.
  func handBackUnknown(now: Timestamp) throws(PostgresError) {
    try inTransaction { () throws(PostgresError) in
      try keepLease()
      try handBack(memory.replica, except: memory.claims.values.map(\.delivery.row), now: now)
    }
  }

  /// Releases all claims of this replica and its lease.
  func releaseLease(now: Timestamp) throws(PostgresError) {
    try inTransaction { () throws(PostgresError) in
      try connection.run(
        "SELECT id FROM dragoman_replicas WHERE id = $1 FOR UPDATE", [.integer(memory.replica)])
      _ = try reap(memory.replica, now: now)
    }
  }

  /// How many replicas have a lease.
  func liveGateways() throws(PostgresError) -> Int {
    let count = try connection.run(
      "SELECT count(*) FROM dragoman_replicas WHERE NOT lost AND until >= clock_timestamp()")
    return Int(count.value ?? 1)
  }

  /// Reaps the leases that have ended. Returns how many, and how many deliveries are due again.
  func reapLeases(now: Timestamp) throws(PostgresError) -> (replicas: Int, deliveries: Int) {
    let over = try connection.run(
      "SELECT id FROM dragoman_replicas WHERE NOT lost AND until < clock_timestamp() AND id <> $1",
      [.integer(memory.replica)])
    var reaped = (replicas: 0, deliveries: 0)
    for row in over.rows {
      try inTransaction { () throws(PostgresError) in
        let locked = try connection.run(
          """
          SELECT id FROM dragoman_replicas WHERE id = $1 AND NOT lost AND until < clock_timestamp()
          FOR UPDATE SKIP LOCKED
          """, [.integer(row.integer(.id))])
        guard !locked.isEmpty else { return }
        reaped.deliveries += try reap(row.integer(.id), now: now)
        reaped.replicas += 1
      }
    }
    // A replica has a day to verify its last transaction.
    if reaped.replicas > 0 {
      try connection.execute(
        "DELETE FROM dragoman_replicas WHERE lost AND until < clock_timestamp() - INTERVAL '1 day'")
    }
    return reaped
  }

  /// Recalls this replica's claims whose cancellation was requested at another replica, as far as their
  /// requests have not left.
  func recallCancelled() throws(PostgresError) {
    guard !memory.claims.isEmpty else { return }
    let asked = try connection.run(
      "SELECT id FROM dragoman_deliveries WHERE cancel_asked AND claimed_by IS NOT DISTINCT FROM $1",
      [.integer(memory.replica)])
    for row in asked.rows {
      // The delivery ends as cancelled when the sender hands it back.
      _ = row.uuid(.id).flatMap { memory.claims[DeliveryID($0)] }?.departure.recall()
    }
  }

  private func reap(_ replica: Int64, now: Timestamp) throws(PostgresError) -> Int {
    let count = try handBack(replica, except: [], now: now)
    try connection.run(
      """
      INSERT INTO dragoman_counts (app, replica, state, deliveries)
      SELECT app, 0, state, deliveries FROM dragoman_counts WHERE replica = $1 ORDER BY app, state
      ON CONFLICT (app, replica, state)
        DO UPDATE SET deliveries = dragoman_counts.deliveries + excluded.deliveries
      """, [.integer(replica)])
    try connection.run("DELETE FROM dragoman_counts WHERE replica = $1", [.integer(replica)])
    try connection.run(
      """
      INSERT INTO dragoman_client_counts (client, replica, deliveries)
      SELECT client, 0, deliveries FROM dragoman_client_counts WHERE replica = $1 ORDER BY client
      ON CONFLICT (client, replica)
        DO UPDATE SET deliveries = dragoman_client_counts.deliveries + excluded.deliveries
      """, [.integer(replica)])
    try connection.run("DELETE FROM dragoman_client_counts WHERE replica = $1", [.integer(replica)])
    try connection.run("UPDATE dragoman_replicas SET lost = true WHERE id = $1", [.integer(replica)])
    return count
  }

  /// Cancels the deliveries with a cancel request; the others wait again as before. Returns how many were
  /// released.
  @discardableResult
  private func handBack(
    _ replica: Int64, except known: [Int64], now: Timestamp
  ) throws(PostgresError) -> Int {
    let back = try connection.run(
      """
      WITH back AS (
        UPDATE dragoman_deliveries SET
          claimed_by = NULL, cancel_asked = false,
          state = CASE WHEN cancel_asked THEN 6 ELSE state END,
          next_attempt_at = CASE WHEN cancel_asked THEN NULL ELSE next_attempt_at END,
          updated_at = CASE WHEN cancel_asked THEN $3 ELSE updated_at END
        WHERE claimed_by = $1 AND row <> ALL ($2::bigint[])
        RETURNING row, app, state)
      SELECT b.app, b.state, n.client, count(*)
      FROM back AS b LEFT JOIN dragoman_notifications AS n
        ON n.row = \(RowLayout.notificationRowSQL(of: "b.row"))
      GROUP BY b.app, b.state, n.client
      """, [.integer(replica), .integers(known), .integer(now.milliseconds)])
    var transaction = PostgresTransaction()
    var total = 0
    for row in back.rows {
      let (app, count) = (row.integer(.app), Int(row.integer(.count)))
      transaction.countClaimed(-count, app)
      if row.integer(.state) == Int64(DeliveryState.cancelled.rawValue) {
        transaction.count(-count, app, .queued, of: row.text(.client))
        transaction.count(count, app, .cancelled)
      }
      total += count
    }
    addCounts(of: transaction, to: &transaction.pending)
    try runPending(&transaction)
    return total
  }

  private func inTransaction(
    _ body: () throws(PostgresError) -> Void
  ) throws(PostgresError) {
    try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
    do throws(PostgresError) {
      try body()
      try connection.executeCommitting("COMMIT")
    } catch {
      rollBack()
      throw error
    }
  }
}

// MARK: - The webhook

extension PostgresWriter {
  /// Whether it is this replica's turn to notify the webhook. It takes the turn if no live replica has it.
  func takeWebhookTurn() throws(PostgresError) -> Bool {
    let own = try connection.run(
      "SELECT replica FROM dragoman_turns WHERE name = 'webhook' AND replica = $1",
      [.integer(memory.replica)])
    if !own.isEmpty { return true }
    try connection.run(
      "INSERT INTO dragoman_turns (name, replica) VALUES ('webhook', $1) ON CONFLICT (name) DO NOTHING",
      [.integer(memory.replica)])
    let taken = try connection.run(
      """
      UPDATE dragoman_turns SET replica = $1 WHERE name = 'webhook' AND (replica = $1 OR NOT EXISTS (
        SELECT 1 FROM dragoman_replicas AS r
        WHERE r.id = dragoman_turns.replica AND NOT r.lost AND r.until > clock_timestamp()))
      RETURNING replica
      """, [.integer(memory.replica)])
    return !taken.isEmpty
  }

  func giveUpWebhookTurn() throws(PostgresError) {
    try connection.run(
      "DELETE FROM dragoman_turns WHERE name = 'webhook' AND replica = $1", [.integer(memory.replica)])
  }

  /// Stores the cursor if it is this replica's turn; the cursor never moves back.
  func setWebhookCursor(
    _ event: Int64, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> Result<Void, OutboxError> {
    guard try takeWebhookTurn() else {
      return .failure(
        OutboxError(code: .turnLost, description: "another gateway notifies the webhook now"))
    }
    try connection.run(
      """
      INSERT INTO dragoman_marks (name, value) VALUES ('webhook', $1)
      ON CONFLICT (name) DO UPDATE SET value = greatest(dragoman_marks.value, excluded.value)
      """, [.integer(event)])
    try connection.run("DELETE FROM dragoman_outcomes WHERE id <= $1", [.integer(event)])
    transaction.hasChanged = true
    return .success(())
  }

  /// The number of the last event of the feedback log, of all replicas.
  func lastEvent() throws(PostgresError) -> Int64 {
    try connection.run("SELECT value FROM dragoman_marks WHERE name = 'feedback'").value ?? 0
  }
}
