internal import Clock
import FCMMessage
import JSON

/// What an idle app's claim takes of the notifications that are being accepted. If nothing of the app waits,
/// they are inserted as claimed: that spares the update of each, the index of what waits, and reading back
/// what is known. Otherwise the claim follows the inserts, in the same transaction.
///
/// What other gateways have added meanwhile is not known here. This gateway notices it when it next looks,
/// within a second.
extension PostgresWriter {
  /// Which of some new notifications are inserted as claimed.
  func claimsAtOnce(
    _ new: [NewNotification], rows: [Int64], _ transaction: inout PostgresTransaction
  ) -> [Bool] {
    var isClaimed = new.map { _ in false }
    guard !transaction.offered.isEmpty else { return isClaimed }
    var byApp: [ExactText: [Int]] = [:]
    for index in new.indices where new[index].start.state == .queued && new[index].activity == nil {
      byApp[ExactText(new[index].app), default: []].append(index)
    }
    for (app, indices) in byApp {
      guard let claim = transaction.offered[app], memory.idle(app, at: claim.now).isIdle else { continue }
      var claims: [Claim] = []
      for index in fitting(indices, of: new, limit: claim.limit) {
        isClaimed[index] = true
        claims += self.claims(of: new[index], at: rows[index])
      }
      if !claims.isEmpty { transaction.claimedAtOnce[app] = claims }
    }
    return isClaimed
  }

  /// The notifications that a claim takes, which prefers neither priority unless it takes all.
  private func fitting(_ indices: [Int], of new: [NewNotification], limit: Int) -> ArraySlice<Int> {
    var left = limit
    let fitting = indices.prefix { index in
      left -= new[index].deliveries.count
      return left >= 0
    }
    let isOfOnePriority = indices.allSatisfy { new[$0].priority == new[indices[0]].priority }
    return fitting.count == indices.count || isOfOnePriority ? fitting : []
  }

  private func claims(of new: NewNotification, at row: Int64) -> [Claim] {
    let notification = QueuedNotification(new)
    return new.deliveries.enumerated().map { position, delivery in
      Claim(
        QueuedDelivery(
          row: RowLayout.deliveryRow(of: row, position: position), id: delivery.id, target: delivery.target,
          notification: notification, state: .queued, attempts: 0, dueAt: new.start.dueAt,
          expiresAt: new.expiresAt))
    }
  }

  /// The claim of an idle app, after the notifications of its transaction.
  func claimAccepted(
    _ claim: ClaimRequest, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> ClaimedDeliveries {
    let name = ExactText(claim.app)
    let known = memory.idle(name, at: claim.now)
    guard let claims = transaction.claimedAtOnce[name] else {
      if known.isIdle, !transaction.due.contains(name) {
        return ClaimedDeliveries([], nextDue: .some(known.nextDue))
      }
      return try self.claim(claim, &transaction)
    }
    let app = try app(named: claim.app)
    transaction.claims += claims
    transaction.countClaimed(claims.count, app.id)
    let claimed = claims.map { $0.claimed(under: memory.replica) }
    guard !transaction.due.contains(name) else { return ClaimedDeliveries(claimed) }
    return ClaimedDeliveries(claimed, nextDue: .some(known.nextDue))
  }
}
