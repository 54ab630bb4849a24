internal import Clock
internal import Outbox

// Settles each claim once, and no claim for another one. A gateway that loses its lease loses its claims, and
// may claim the same deliveries again while it still has something of the earlier claims.
extension AppStateMachine {
  /// The gateway has a new lease, under which claims are made from now on.
  mutating func began(lease: Int64) {
    self.lease = lease
    ready = []
  }

  /// Lets a claim go on with what an earlier one began, so that nothing is sent a second time; whether there
  /// was anything.
  mutating func adopt(_ claim: ClaimedDelivery, into effects: inout Effects) -> Bool {
    if let attempt = sending[claim.id] {
      // A request that has not left now never will; once its end is known, the claim is released.
      if !attempt.delivery.departure.recall() { _ = claim.departure.leave() }
      sending[claim.id]?.delivery = claim
      return true
    }
    guard let answer = unrecorded.removeValue(forKey: claim.id), answer.claim.claim.lease != lease else {
      return false
    }
    _ = claim.departure.leave()
    settle(answer.adopted(by: claim), into: &effects)
    return true
  }

  mutating func settle(_ settlement: Settlement, into effects: inout Effects) {
    guard settlement.claim.claim.lease == lease else { return keep(settlement) }
    unsettledCount += 1
    effects.unsettled.append(SettlementQueue.Entry(app: app, settlement: settlement))
  }

  /// The store has answered a settlement; a retried or released delivery is due again.
  mutating func settled(_ settlement: Settlement, isRecorded: Bool) {
    unsettledCount -= 1
    guard isRecorded else { return keep(settlement) }
    guard settlement.waitsAgain else { return }
    if let dueAt = settlement.dueAt { watch.becomesDue(at: dueAt) } else { watch.becameDue() }
  }

  /// Keeps FCM's answer to a claim that was over before it was recorded, for the next claim of the delivery.
  private mutating func keep(_ settlement: Settlement) {
    watch.becameDue()
    if settlement.countsAttempt { unrecorded[settlement.claim.id] = settlement }
  }
}
