internal import Clock
import FCMMessage
import JSON
import SQL

extension QueueEngine {
  /// The settlements among `writes` whose claims this gateway has, with what becomes of updates of Live
  /// Activities that need not be sent again. The others change nothing.
  func settlements(
    in writes: [QueueWrite], _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> [Settlement] {
    var own: [Settlement] = []
    for case .settle(let settlements, _) in writes {
      for (settlement, claim) in zip(settlements, memory.claims.current(settlements)) {
        if claim != nil, transaction.ended.insert(settlement.claim.id).inserted {
          own.append(settlement)
        } else {
          transaction.over.insert(settlement.claim.claim)
        }
      }
    }
    guard own.contains(where: \.mayBeSuperseded) else { return own }
    var superseded: [Settlement] = []
    for settlement in own {
      let isOver = settlement.mayBeSuperseded ? try isSuperseded(settlement, transaction) : false
      superseded.append(isOver ? settlement.superseded : settlement)
    }
    return superseded
  }

  /// Takes note of settlements that were written.
  func take(
    _ settled: [Int64: SettledRow], of own: [Settlement], _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    for settlement in own {
      let (claim, delivery) = (settlement.claim, settlement.claim.queued)
      guard let row = settled[delivery.row] else {
        // Another gateway has it, since the lease had ended; or somebody has removed it.
        transaction.over.insert(claim.claim)
        continue
      }
      let app = try app(named: claim.app)
      transaction.counts.addClaimed(-1, app.id)
      transaction.ended(
        as: row.state, was: delivery.state, of: claim.client, in: app)
      if !row.state.isFinal { transaction.due.insert(ExactText(app.name)) }
      if delivery.activity != nil { unblock(app, &transaction) }
      transaction.log(
        outcomeOf: delivery.row, row.state, attempts: row.attempts, code: row.errorCode, at: settlement.at)
      guard let event = settlement.feedback else { continue }
      transaction.log(
        .dead(
          LoggedEvent.Dead(
            delivery: delivery, app: app.id, code: event.code, activityToken: event.activityToken,
            at: settlement.at)))
    }
  }

  /// The claim that this gateway has of a delivery, as far as the transaction has come: what a cancel of the
  /// same transaction must recall, or what has just come back.
  func claim(of id: DeliveryID, in transaction: QueueTransaction) -> ClaimedDelivery? {
    transaction.claim(of: id) ?? (transaction.ended.contains(id) ? nil : memory.claims[id])
  }

  /// Lets what waited for an older message of its Live Activity be claimed.
  func unblock(_ app: QueueApp, _ transaction: inout QueueTransaction) {
    driver.unblock(app)
    transaction.unblocked.insert(app.id)
    transaction.due.insert(ExactText(app.name))
  }
}

extension Settlement {
  /// Whether it may have become unnecessary to send the delivery again.
  fileprivate var mayBeSuperseded: Bool { waitsAgain && claim.activity?.event == .update }

  /// The event that it adds to the feedback log; nil for none.
  fileprivate var feedback: (code: String, activityToken: String?)? {
    guard let dead, let error, claim.target.isRegistration else { return nil }
    switch dead {
    case .registration: return (error.code, nil)
    case .activity: return claim.activity.map { (error.code, $0.token) }
    }
  }
}
