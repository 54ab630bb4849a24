internal import Clock
import JSON

/// What the first round trip of a transaction has done and found.
struct PostgresOpening {
  /// The settlements that concern this replica's claims.
  var settlements: [PostgresWriter.ClaimedSettlement] = []
  /// The new state of each row that was settled, and the row.
  var settled: [Int64: (DeliveryState, PostgresRows.Row)] = [:]
  var enqueues: [NewWork] = []
  /// The deliveries in the queue before this transaction; zero if nothing is added.
  var depth = 0
  /// Rows for the new notifications, ascending.
  var rows: ArraySlice<Int64> = []
  /// The records of the idempotency keys that are in use.
  var known: [IdempotencyKey: StoredIdempotency] = [:]
}

extension PostgresWriter {
  /// Begins a transaction: keeps the lease, writes the settlements, and reads what decides about the
  /// enqueues, all in one round trip.
  func open(
    _ number: Int64, for writes: [PostgresBackend.Write], _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> PostgresOpening {
    var opening = PostgresOpening()
    opening.settlements = settlements(in: writes, &transaction)
    opening.enqueues = writes.compactMap { write -> NewWork? in
      guard case .queue(.enqueue(let notifications, let record, let now, _)) = write else { return nil }
      return NewWork(notifications: notifications, record: record, now: now)
    }
    var batch = PostgresBatch()
    batch.add("BEGIN ISOLATION LEVEL READ COMMITTED")
    let lease = batch.add(keepingLease(number))
    // Whether an update of a Live Activity waits again depends on others.
    let settlesLater = opening.settlements.contains { $0.mayBeSuperseded }
    let readsOutcomes = !transaction.outcomes.isEmpty
    let settled =
      settlesLater || opening.settlements.isEmpty
      ? nil : batch.add(settling(opening.settlements, readsOutcomes: readsOutcomes))
    let count = opening.enqueues.reduce(0) { $0 + $1.notifications.count }
    let reading = count == 0 ? nil : (depth: batch.add(Self.readingDepth), rows: batch.add(takingRows(count)))
    let keys = opening.enqueues.compactMap(\.record?.key)
    let finding = keys.isEmpty ? nil : batch.add(PostgresIdempotency.finding(keys))
    let results = try connection.run(batch)
    try noteLease(results[lease])
    if settlesLater {
      opening.settlements = try supersede(opening.settlements)
      let statement = settling(opening.settlements, readsOutcomes: readsOutcomes)
      opening.settled = states(in: try connection.run(statement))
    } else if let settled {
      opening.settled = states(in: results[settled])
    }
    if let reading {
      opening.depth = Int(results[reading.depth].value ?? 0)
      opening.rows = try rows(in: results[reading.rows], count)[...]
    }
    if let finding { opening.known = PostgresIdempotency.records(in: results[finding], of: keys) }
    return opening
  }
}
