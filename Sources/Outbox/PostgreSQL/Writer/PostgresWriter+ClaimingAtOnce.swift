internal import Clock
import FCMMessage
import JSON

/// Which notifications are inserted as claimed while they are accepted. That spares the update of each, the
/// index of what waits, reading back what is known, and the transaction of a claim.
///
/// Only if nothing of their app waits, so that the order stays as it is. What other gateways have added
/// meanwhile is not known here. This gateway notices it when it next looks, within a second.
extension PostgresWriter {
  func claimsAtOnce(
    _ new: [NewNotification], rows: [Int64], now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> [Bool] {
    var isClaimed = new.map { _ in false }
    guard !transaction.rooms.isEmpty else { return isClaimed }
    var byApp: [ExactText: [Int]] = [:]
    for index in new.indices where new[index].start.state == .queued && new[index].activity == nil {
      byApp[ExactText(new[index].app), default: []].append(index)
    }
    for (name, indices) in byApp {
      guard let room = transaction.rooms[name], room > 0, memory.prefetch.isIdle(name, at: now) else {
        continue
      }
      var claims: [Claim] = []
      for index in fitting(indices, of: new, limit: room) {
        isClaimed[index] = true
        claims += self.claims(of: new[index], at: rows[index])
      }
      guard !claims.isEmpty else { continue }
      transaction.claims += claims
      transaction.countClaimed(claims.count, try app(named: name.text).id)
      transaction.ahead[name] = claims.map { $0.claimed(under: memory.replica) }
    }
    return isClaimed
  }

  /// The notifications for which there is room, which prefers neither priority unless there is room for all.
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
}
