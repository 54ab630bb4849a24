internal import Clock
import FCMMessage
import JSON
import SQL

extension QueueEngine {
  /// Claims due deliveries: high priority first, but `normalMin` of normal priority.
  func claim(
    _ claim: ClaimRequest, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> ClaimedDeliveries {
    guard claim.limit > 0 else { return ClaimedDeliveries([]) }
    guard let app = try driver.knownApp(claim.app) else { return ClaimedDeliveries([], nextDue: .some(nil)) }
    let reserved = max(0, min(claim.normalMin, claim.limit))
    // Nearly always, this takes all that is due.
    var (high, normal) = (Taking(.high, upTo: claim.limit - reserved), Taking(.normal, upTo: reserved))
    try take(&high, &normal, of: app, claim.now, &transaction)
    // What one priority leaves, the other may have.
    normal.limit = claim.limit - high.deliveries.count
    try take(&high, &normal, of: app, claim.now, &transaction)
    high.limit = claim.limit - normal.deliveries.count
    try take(&high, &normal, of: app, claim.now, &transaction)
    let passedOver = high.passedOver + normal.passedOver
    if !passedOver.isEmpty {
      // Only now: the takes would find them again.
      try driver.release(passedOver, of: app)
      // What they wait for may have ended meanwhile.
      if transaction.unblocked.contains(app.id) { driver.unblock(app) }
    }
    let claims = (high.deliveries + normal.deliveries).map { memory.claim($0, under: driver.lease) }
    transaction.claims += claims
    transaction.counts.addClaimed(claims.count, app.id)
    let name = ExactText(app.name)
    memory.ready.note(claimed: claims.count, of: name)
    // Whoever claims learns by it whether to claim again.
    transaction.due.remove(name)
    guard let next = high.nextDue, normal.nextDue != nil, high.isExhausted, normal.isExhausted,
      passedOver.isEmpty
    else {
      transaction.nextDue[name] = .some(.none)
      return ClaimedDeliveries(claims)
    }
    transaction.nextDue[name] = .some(.some(next))
    return ClaimedDeliveries(claims, nextDue: .some(next))
  }

  /// What a claim takes of a priority.
  private struct Taking {
    let priority: DeliveryPriority
    var limit: Int
    var deliveries: [QueuedDelivery] = []
    /// Those that wait for older messages of their activities.
    var passedOver: [QueuedDelivery] = []
    /// Whether nothing more is due.
    var isExhausted = false
    /// When the first of what is left of both priorities is due; nil where that is not known.
    var nextDue: Timestamp??

    init(_ priority: DeliveryPriority, upTo limit: Int) { (self.priority, self.limit) = (priority, limit) }

    var wanted: Int { isExhausted ? 0 : limit - deliveries.count }
  }

  /// Takes due deliveries until both have what they want, in as few round trips as possible.
  private func take(
    _ high: inout Taking, _ normal: inout Taking, of app: QueueApp, _ now: Timestamp,
    _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    while high.wanted > 0 || normal.wanted > 0 {
      let (highWanted, normalWanted) = (high.wanted, normal.wanted)
      var wants: [ClaimWant] = []
      if highWanted > 0 { wants.append(ClaimWant(priority: .high, limit: highWanted)) }
      if normalWanted > 0 { wants.append(ClaimWant(priority: .normal, limit: normalWanted)) }
      let (found, next) = try driver.claim(wants, of: app, now: now)
      (high.nextDue, normal.nextDue) = (.some(next), .some(next))
      if highWanted > 0, let first = found.first { try take(first, into: &high, of: app, now, &transaction) }
      if normalWanted > 0, let last = found.last { try take(last, into: &normal, of: app, now, &transaction) }
    }
  }

  /// Takes over what the driver has found.
  private func take(
    _ found: [FoundDelivery], into taking: inout Taking, of app: QueueApp, _ now: Timestamp,
    _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    let wanted = taking.wanted
    var (deliveries, damaged): ([QueuedDelivery], [Int64]) = ([], [])
    deliveries.reserveCapacity(found.count)
    for one in found {
      switch one {
      case .intact(let delivery, let becameDue):
        if becameDue { transaction.counts.becameDue(app.id) }
        deliveries.append(delivery)
      case .damaged(let row, let becameDue):
        if becameDue { transaction.counts.becameDue(app.id) }
        damaged.append(row)
      }
    }
    let (sendable, waiting) = try inOrder(deliveries, of: app, now, &transaction)
    taking.deliveries += sendable
    taking.passedOver += waiting
    try quarantine(damaged, of: app, now, &transaction)
    if found.count < wanted { taking.isExhausted = true }
  }

  /// Ends deliveries whose records cannot be read, so that they neither block the others nor wait forever.
  private func quarantine(
    _ rows: [Int64], of app: QueueApp, _ now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    guard !rows.isEmpty else { return }
    let found = try driver.run(
      """
      SELECT d.row, d.checksum & 7, d.attempts, n.client FROM dragoman_deliveries AS d
        LEFT JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.row IN \(driver.dialect.elements("$1")) ORDER BY d.row
      """, [.integers(rows)])
    try driver.send(
      """
      UPDATE dragoman_deliveries SET \(RowChecksum.settingState("4")), claimed_by = NULL,
        next_attempt_at = NULL, updated_at = $1, error_code = $2, error_status = NULL, error_message = $3,
        error_apns_reason = NULL
      WHERE row IN \(driver.dialect.elements("$4"))
      """,
      [
        .time(now), .text(DeliveryError.damaged.code), .text(DeliveryError.damaged.message), .integers(rows),
      ])
    for row in found.rows {
      // As it was counted: what was damaged may be the state itself.
      let state = DeliveryState(stored: row.integer(1)).flatMap { $0.isFinal ? nil : $0 } ?? .queued
      transaction.ended(as: .failed, was: state, of: row.text(3), in: app)
      transaction.log(
        outcomeOf: row.integer(0), .failed, attempts: row.integer(2), code: DeliveryError.damaged.code,
        at: now)
    }
    unblock(app, &transaction)
    transaction.damaged += rows
  }
}

extension DeliveryState {
  /// Nil for a value that the gateway does not write.
  package init?(stored: Int64) {
    guard let value = Int(exactly: stored), let state = DeliveryState(rawValue: value), state != .sending
    else {
      return nil
    }
    self = state
  }
}

extension DeliveryError {
  /// Why a delivery has failed whose record cannot be read.
  static let damaged = DeliveryError(
    code: "INTERNAL", httpStatus: nil, message: "The queue's record of this delivery is damaged.",
    apnsReason: nil)
}
