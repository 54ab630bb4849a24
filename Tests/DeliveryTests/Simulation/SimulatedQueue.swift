import Clock
import FCMMessage
import Outbox

@testable import Delivery

/// A simple queue with the rules of the real ones; it reports invalid calls. The gateway under test may share
/// it with another one.
struct SimulatedQueue {
  struct Row {
    /// The delivery as it was accepted.
    let delivery: ClaimedDelivery
    let app: Int
    var state = DeliveryState.queued
    var attempts = 0
    var dueAt: Timestamp
    var error: DeliveryError?
    /// The claim that has it.
    var claim: ClaimedDelivery?
    var isCancelRequested = false
    /// How often it reached a final state.
    var ends = 0
  }

  /// The lease of the other gateway.
  static let otherLease: Int64 = -1

  private(set) var rows: [DeliveryID: Row] = [:]
  var violations: [String] = []
  /// The lease of the gateway under test; 0 if it has the queue to itself, nil while it has none.
  private(set) var lease: Int64?
  private var lastLease: Int64
  private var lastClaim: Int64 = 0
  private var waiting: [[DeliveryID]]
  /// Claims that were settled or recalled.
  private var over: Set<ClaimNumber> = []

  init(appCount: Int, isShared: Bool = false) {
    waiting = Array(repeating: [], count: appCount)
    lastLease = isShared ? 1 : 0
    lease = lastLease
  }

  var openCount: Int { rows.values.count { !$0.state.isFinal } }

  mutating func add(_ row: Row) {
    rows[row.delivery.id] = row
    waiting[row.app].append(row.delivery.id)
  }

  /// High priority first, by due time, but at least `normalMin` of normal priority if that many are due.
  mutating func claim(
    app: Int, limit: Int, normalMin: Int, now: Timestamp, lease: Int64 = 0
  ) -> [ClaimedDelivery] {
    let due = waiting[app].compactMap { rows[$0] }.filter { $0.dueAt <= now }
      .sorted { ($0.dueAt, $0.delivery.id) < ($1.dueAt, $1.delivery.id) }
    let high = due.filter { $0.delivery.priority == .high }
    let normal = due.filter { $0.delivery.priority == .normal }
    let reserved = min(normalMin, normal.count, limit)
    let fromHigh = high.prefix(limit - reserved)
    let taken = Array(fromHigh) + normal.prefix(limit - fromHigh.count)
    let claims = taken.map { row in
      lastClaim += 1
      return row.delivery.again(as: ClaimNumber(lease: lease, number: lastClaim), attempts: row.attempts)
    }
    for claim in claims {
      rows[claim.id]?.state = .sending
      rows[claim.id]?.claim = claim
    }
    let ids = Set(claims.map(\.id))
    waiting[app].removeAll { ids.contains($0) }
    return claims
  }

  /// Whether the claim is the gateway's under test, as far as it knows.
  func holds(_ claim: ClaimedDelivery) -> Bool { claim.claim.lease == lease }

  /// Whether the claim is not over.
  func isCurrent(_ claim: ClaimedDelivery) -> Bool { rows[claim.id]?.claim?.claim == claim.claim }

  func nextDue(app: Int) -> Timestamp? { waiting[app].compactMap { rows[$0]?.dueAt }.min() }

  /// The deliveries whose claims were over.
  mutating func settle(_ settlements: [Settlement]) -> [DeliveryID] {
    settlements.filter { !settle($0) }.map(\.claim.id)
  }

  private mutating func settle(_ settlement: Settlement) -> Bool {
    let claim = settlement.claim
    guard isCurrent(claim), var row = rows[claim.id] else {
      if holds(claim), !over.contains(claim.claim) { violations.append("settled what was not claimed") }
      return false
    }
    if !over.insert(claim.claim).inserted { violations.append("settled a claim twice") }
    row.claim = nil
    row.state = settlement.state ?? .queued
    row.dueAt = settlement.dueAt ?? row.dueAt
    row.error = settlement.error ?? row.error
    if settlement.countsAttempt { row.attempts += 1 }
    if row.attempts > RetryPolicy().attemptsMax { violations.append("tried too often") }
    put(row)
    return true
  }

  /// Recalls a claimed delivery if it has not left; whether it has ended.
  mutating func cancel(_ id: DeliveryID) -> Bool {
    guard var row = rows[id], !row.state.isFinal else { return false }
    row.isCancelRequested = true
    if let claim = row.claim {
      guard claim.departure.recall() else {
        rows[id] = row
        return false
      }
      over.insert(claim.claim)
      row.claim = nil
    }
    waiting[row.app].removeAll { $0 == id }
    put(row)
    return true
  }

  /// Writes a row that has no claim.
  private mutating func put(_ row: Row) {
    var row = row
    if !row.state.isFinal { row.state = row.isCancelRequested ? .cancelled : .queued }
    if row.state.isFinal {
      row.ends += 1
      if row.ends > 1 { violations.append("ended twice") }
    } else {
      waiting[row.app].append(row.delivery.id)
    }
    rows[row.delivery.id] = row
  }
}

// MARK: Leases

extension SimulatedQueue {
  /// Ends the lease of the gateway under test; the deliveries that it had claimed are due again.
  mutating func endLease() -> [DeliveryID] {
    guard let lease else { return [] }
    self.lease = nil
    return free(rows.values.compactMap(\.claim).filter { $0.claim.lease == lease })
  }

  /// Ends the claims of a gateway that is gone.
  @discardableResult
  mutating func free(_ claims: [ClaimedDelivery]) -> [DeliveryID] {
    let current = claims.filter(isCurrent).sorted { $0.id < $1.id }
    for claim in current {
      guard var row = rows[claim.id] else { continue }
      row.claim = nil
      row.state = .queued
      put(row)
    }
    return current.map(\.id)
  }

  /// Gives the gateway under test a new lease.
  mutating func renewLease() {
    if lastLease > 0 { lastLease += 1 }
    lease = lastLease
  }
}
