internal import Clock
import FCMMessage
import JSON
import Telemetry

/// A settlement as columns: what is to be written where nobody has asked for a cancel.
private struct SettledRow {
  /// Nil: as it was.
  var state: DeliveryState?
  /// Whether it waits again, unless it is to be cancelled.
  var goesBack = false
  var attempted = false
  var next: Timestamp?
  var name: String?
  var error: DeliveryError?
  /// Whether a cancel drops the error.
  var isQuiet = false

  init(_ result: Settlement.Result) {
    switch result {
    case .sent(let name): (state, attempted, self.name) = (.sent, true, name)
    case .retry(let at, let error):
      (state, goesBack, attempted, next, self.error) = (.queued, true, true, at, error)
    case .release: goesBack = true
    case .deferred(let until, let error):
      (state, goesBack, next, self.error, isQuiet) = (.queued, true, until, error, true)
    case .failed(let error, _): (state, attempted, self.error) = (.failed, true, error)
    case .expired(let error, let attempted):
      (state, self.attempted, self.error) = (.expired, error != nil && attempted, error)
    }
  }
}

extension PostgresWriter {
  /// Records outcomes of what this replica has claimed. What has gone to another replica, since the lease was over,
  /// is left as it is and counted.
  func settle(
    _ settlements: [Settlement], _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    var own: [(settlement: Settlement, delivery: QueuedDelivery)] = []
    for settlement in settlements {
      guard let delivery = memory.claims[settlement.delivery],
        transaction.settled.insert(settlement.delivery).inserted
      else { continue }
      own.append((settlement, delivery))
    }
    guard !own.isEmpty else { return }
    transaction.hasChanged = true
    transaction.report.deliveries += own.count
    let settled = try write(own)
    transaction.lost += own.count - settled.count
    for (settlement, delivery) in own {
      guard let state = settled[delivery.row] else { continue }
      let app = try app(named: delivery.notification.app)
      transaction.countClaimed(-1, app.id)
      transaction.count(-1, app.id, .queued)
      transaction.count(1, app.id, state)
      if state == .cancelled { transaction.report.cancelled[app.name, default: 0] += 1 }
      if !state.isFinal { transaction.due.insert(ExactText(app.name)) }
      if case .failed(let error, deadRegistration: true) = settlement.result, delivery.target.isRegistration {
        transaction.events.append((delivery, app.id, error.code, settlement.at))
        transaction.report.feedbackEvents += 1
      }
    }
  }

  /// Returns the state that each row that was still this replica's is in now.
  private func write(
    _ own: [(settlement: Settlement, delivery: QueuedDelivery)]
  ) throws(PostgresError) -> [Int64: DeliveryState] {
    let rows = own.map { SettledRow($0.settlement.result) }
    let flag = { (isSet: Bool) -> Int64 in isSet ? 1 : 0 }
    let answered = try connection.run(
      """
      UPDATE dragoman_deliveries AS d SET
        claimed_by = NULL, cancel_asked = false,
        state = CASE WHEN d.cancel_asked AND x.back = 1 THEN 6 ELSE coalesce(x.state, d.state) END,
        attempts = d.attempts + x.attempted,
        next_attempt_at = CASE WHEN d.cancel_asked AND x.back = 1 THEN NULL
          WHEN x.state IS NULL THEN d.next_attempt_at ELSE x.next END,
        updated_at = CASE WHEN x.state IS NULL AND NOT d.cancel_asked THEN d.updated_at ELSE x.at END,
        message_name = coalesce(x.name, d.message_name),
        error_code = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_code ELSE x.code END,
        error_status = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_status ELSE x.status END,
        error_message = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_message ELSE x.message END,
        error_apns_reason = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_apns_reason ELSE x.reason END
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
        $7::bytea[], $8::bytea[], $9::bigint[], $10::bytea[], $11::bytea[], $12::bigint[])
        AS x(row, back, state, attempted, next, at, name, code, status, message, reason, quiet)
      WHERE d.row = x.row AND d.claimed_by = $13
      RETURNING d.row, d.state
      """,
      [
        .integers(own.map(\.delivery.row)), .integers(rows.map { flag($0.goesBack) }),
        .integers(rows.map { $0.state.map { Int64($0.rawValue) } }),
        .integers(rows.map { flag($0.attempted) }), .integers(rows.map { $0.next?.milliseconds }),
        .integers(own.map(\.settlement.at.milliseconds)), .texts(rows.map(\.name)),
        .texts(rows.map { $0.error?.code }), .integers(rows.map { $0.error?.httpStatus.map(Int64.init) }),
        .texts(rows.map { $0.error?.message }), .texts(rows.map { $0.error?.apnsReason }),
        .integers(rows.map { flag($0.isQuiet) }), .integer(memory.replica),
      ])
    var states: [Int64: DeliveryState] = [:]
    for row in answered.rows { states[row.integer(0)] = DeliveryState(rawValue: Int(row.integer(1))) }
    return states
  }

  /// Adds the transaction's events to the feedback log.
  ///
  /// Whoever takes numbers holds their row until its COMMIT, so that events become visible in the order of their
  /// numbers, and no reader can pass one by. It is the last thing before that COMMIT, for others wait.
  func writeEvents(_ transaction: inout PostgresTransaction) throws(PostgresError) {
    let events = transaction.events
    guard !events.isEmpty else { return }
    let taken = try connection.run(
      "UPDATE dragoman_marks SET value = value + $1 WHERE name = 'feedback' RETURNING value",
      [.integer(Int64(events.count))])
    guard let last = taken.first?.integer(0) else {
      throw PostgresError(message: "the feedback log has lost its numbers")
    }
    try connection.run(
      """
      INSERT INTO dragoman_feedback (id, app, target_kind, target, code, notification, at, trace)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::uuid[],
        $7::bigint[], $8::bytea[])
      """,
      [
        .integers(events.indices.map { last - Int64(events.count - 1 - $0) }), .integers(events.map(\.app)),
        .integers(events.map { Int64($0.delivery.target.kind) }),
        .texts(events.map(\.delivery.target.value)), .texts(events.map(\.code)),
        .uuids(events.map(\.delivery.notification.id.uuid)), .integers(events.map(\.at.milliseconds)),
        .texts(events.map { $0.delivery.notification.trace?.stored }),
      ])
  }
}

extension Target {
  /// A topic or a condition is no registration, and so is never dead.
  fileprivate var isRegistration: Bool {
    switch self {
    case .token, .fid: true
    case .topic, .condition: false
    }
  }
}
