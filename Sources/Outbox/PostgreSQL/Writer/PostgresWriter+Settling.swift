internal import Clock
import FCMMessage
import JSON

extension PostgresWriter {
  /// A claimed delivery of this replica with its settlement.
  struct ClaimedSettlement {
    let delivery: QueuedDelivery
    let at: Timestamp
    var rule: SettlementRule

    /// Whether it may have become unnecessary to send the delivery again.
    var mayBeSuperseded: Bool { rule.waitsAgain && delivery.activity?.event == .update }
  }

  /// The settlements among `writes` that concern this replica's claims. Those that have gone to another
  /// replica, because the lease had ended, are left as they are.
  func settlements(
    in writes: [PostgresBackend.Write], _ transaction: inout PostgresTransaction
  ) -> [ClaimedSettlement] {
    var own: [ClaimedSettlement] = []
    for case .queue(.settle(let settlements, _)) in writes {
      for settlement in settlements {
        guard let delivery = memory.claims[settlement.delivery]?.delivery,
          transaction.settled.insert(settlement.delivery).inserted
        else { continue }
        own.append(
          ClaimedSettlement(
            delivery: delivery, at: settlement.at, rule: SettlementRule(settlement.result)))
      }
    }
    return own
  }

  /// The same, with what becomes of updates of Live Activities that need not be sent again.
  func supersede(_ own: [ClaimedSettlement]) throws(PostgresError) -> [ClaimedSettlement] {
    let superseded = try superseded(own.filter(\.mayBeSuperseded).map { ($0.delivery, $0.at) })
    return own.map { settlement in
      var settlement = settlement
      if superseded.contains(settlement.delivery.row) { settlement.rule = settlement.rule.superseded }
      return settlement
    }
  }

  /// Takes note of settlements that were written, with their new states and rows by the rows' numbers.
  func take(
    _ settled: [Int64: (DeliveryState, PostgresRows.Row)], of own: [ClaimedSettlement],
    _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    guard !own.isEmpty else { return }
    transaction.hasChanged = true
    transaction.report.deliveries += own.count
    transaction.lost += own.count - settled.count
    for settlement in own {
      let delivery = settlement.delivery
      guard let (state, row) = settled[delivery.row] else { continue }
      let app = try app(named: delivery.notification.app)
      transaction.countClaimed(-1, app.id)
      transaction.count(-1, app.id, .queued, of: delivery.notification.client)
      transaction.count(1, app.id, state, of: delivery.notification.client)
      if state == .cancelled { transaction.report.cancelled[ExactText(app.name), default: 0] += 1 }
      // A message of its activity may have waited for it.
      if !state.isFinal || delivery.activity != nil { transaction.due.insert(ExactText(app.name)) }
      transaction.log(outcomeOf: row, state, at: settlement.at)
      if let event = settlement.rule.feedback(of: delivery) {
        transaction.log(
          .dead(
            LoggedEvent.Dead(
              delivery: delivery, app: app.id, code: event.code, activityToken: event.activityToken,
              at: settlement.at)))
      }
    }
  }

  /// The statement that records settlements; it returns those that this replica still owned, with what their
  /// outcomes contain if that is asked for.
  func settling(_ own: [ClaimedSettlement], readsOutcomes: Bool) -> PostgresBatch.Statement {
    let rules = own.map(\.rule)
    let hasErrors = rules.contains { $0.error != nil }
    let flag = { (isSet: Bool) -> Int64 in isSet ? 1 : 0 }
    var values: [PostgresValue] = [
      .integer(memory.replica), .integers(own.map(\.delivery.row)),
      .integers(rules.map { flag($0.waitsAgain) }),
      .integers(rules.map { $0.state.map { Int64($0.rawValue) } }),
      .integers(rules.map { flag($0.countsAttempt) }),
      .integers(rules.map { $0.nextAttemptAt?.milliseconds }), .integers(own.map(\.at.milliseconds)),
      .texts(rules.map(\.messageName)),
    ]
    if hasErrors {
      values += [
        .texts(rules.map { $0.error?.code }), .integers(rules.map { $0.error?.httpStatus.map(Int64.init) }),
        .texts(rules.map { $0.error?.message }), .texts(rules.map { $0.error?.apnsReason }),
        .integers(rules.map { flag($0.dropsErrorWhenCancelled) }),
      ]
    }
    let sql = hasErrors ? Self.settlingWithErrors : Self.settlingWithoutErrors
    return PostgresBatch.Statement(
      sql: readsOutcomes ? sql + ", d.attempts, d.error_code" : sql, values: values)
  }

  private static let settlingWithErrors = settling(hasErrors: true)
  private static let settlingWithoutErrors = settling(hasErrors: false)

  /// Outcomes without an error leave the columns of the last one alone.
  ///
  /// `IS NOT DISTINCT FROM` keeps the statement from the index of claimed deliveries, whose entries are
  /// nearly all dead: reading them took longer than everything else in the transaction.
  private static func settling(hasErrors: Bool) -> String {
    let errors = """
      ,
        error_code = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_code ELSE x.code END,
        error_status = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_status ELSE x.status END,
        error_message = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_message ELSE x.message END,
        error_apns_reason = CASE WHEN x.code IS NULL OR x.quiet = 1 AND d.cancel_asked
          THEN d.error_apns_reason ELSE x.reason END
      """
    let errorArrays = """
      , unnest($9::bytea[]) AS code, unnest($10::bigint[]) AS status, unnest($11::bytea[]) AS message,
          unnest($12::bytea[]) AS reason, unnest($13::bigint[]) AS quiet
      """
    return """
      UPDATE dragoman_deliveries AS d SET
        claimed_by = NULL, cancel_asked = false,
        state = CASE WHEN d.cancel_asked AND x.back = 1 THEN 6 ELSE coalesce(x.state, d.state) END,
        attempts = d.attempts + x.attempted,
        next_attempt_at = CASE WHEN d.cancel_asked AND x.back = 1 THEN NULL
          WHEN x.state IS NULL THEN d.next_attempt_at ELSE x.next END,
        updated_at = CASE WHEN x.state IS NULL AND NOT d.cancel_asked THEN d.updated_at ELSE x.at END,
        message_name = coalesce(x.name, d.message_name)\(hasErrors ? errors : "")
      FROM (SELECT unnest($2::bigint[]) AS row, unnest($3::bigint[]) AS back, unnest($4::bigint[]) AS state,
          unnest($5::bigint[]) AS attempted, unnest($6::bigint[]) AS next, unnest($7::bigint[]) AS at,
          unnest($8::bytea[]) AS name\(hasErrors ? errorArrays : "")) AS x
      WHERE d.row = x.row AND d.claimed_by IS NOT DISTINCT FROM $1
      RETURNING d.row, d.state
      """
  }

  /// The new states that `settling` returns, by row, and the rows themselves.
  func states(in answered: PostgresRows) -> [Int64: (DeliveryState, PostgresRows.Row)] {
    var states: [Int64: (DeliveryState, PostgresRows.Row)] = [:]
    for row in answered.rows {
      states[row.integer(.row)] = DeliveryState(rawValue: Int(row.integer(.state))).map { ($0, row) }
    }
    return states
  }
}
