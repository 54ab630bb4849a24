import Clock
import FCMMessage
import Outbox

@testable import Delivery

/// A simple queue with the rules of the real ones; it reports invalid calls.
struct SimulatedQueue {
  struct Row {
    let claim: ClaimedDelivery
    let app: Int
    var state = DeliveryState.queued
    var attempts = 0
    var dueAt: Timestamp
    var error: DeliveryError?
    /// How often it reached a final state.
    var ends = 0

    var claimed: ClaimedDelivery {
      ClaimedDelivery(
        id: claim.id, notification: claim.notification, app: claim.app, target: claim.target,
        message: claim.message, priority: claim.priority, attempts: attempts, createdAt: claim.createdAt,
        expiresAt: claim.expiresAt)
    }
  }

  private(set) var rows: [DeliveryID: Row] = [:]
  private var waiting: [[DeliveryID]]
  var violations: [String] = []

  init(appCount: Int) { waiting = Array(repeating: [], count: appCount) }

  var openCount: Int { rows.values.count { !$0.state.isFinal } }

  mutating func add(_ row: Row) {
    rows[row.claim.id] = row
    waiting[row.app].append(row.claim.id)
  }

  /// High priority first, by due time, but at least `normalMin` of normal priority if that many are due.
  mutating func claim(app: Int, limit: Int, normalMin: Int, now: Timestamp) -> [ClaimedDelivery] {
    let due = waiting[app].compactMap { rows[$0] }.filter { $0.dueAt <= now }
      .sorted { ($0.dueAt, $0.claim.id) < ($1.dueAt, $1.claim.id) }
    let high = due.filter { $0.claim.priority == .high }
    let normal = due.filter { $0.claim.priority == .normal }
    let reserved = min(normalMin, normal.count, limit)
    let fromHigh = high.prefix(limit - reserved)
    let taken = Array(fromHigh) + normal.prefix(limit - fromHigh.count)
    let ids = Set(taken.map(\.claim.id))
    waiting[app].removeAll { ids.contains($0) }
    for id in ids { rows[id]?.state = .sending }
    return taken.map(\.claimed)
  }

  func nextDue(app: Int) -> Timestamp? { waiting[app].compactMap { rows[$0]?.dueAt }.min() }

  mutating func settle(_ records: [Settlement]) {
    for record in records { settle(record) }
  }

  private mutating func settle(_ record: Settlement) {
    guard var row = rows[record.delivery], row.state == .sending else {
      return violations.append("settled what was not claimed")
    }
    row.state = .queued
    switch record.result {
    case .sent: (row.state, row.attempts, row.error) = (.sent, row.attempts + 1, nil)
    case .failed(let error, _, _): (row.state, row.attempts, row.error) = (.failed, row.attempts + 1, error)
    case .expired(let error, let attempted):
      (row.state, row.attempts, row.error) = (
        .expired, row.attempts + (attempted ? 1 : 0), error ?? row.error
      )
    case .release: break
    case .deferred(let until, let error): (row.dueAt, row.error) = (until, error ?? row.error)
    case .retry(let at, let error): (row.attempts, row.dueAt, row.error) = (row.attempts + 1, at, error)
    }
    if row.attempts > RetryPolicy().attemptsMax { violations.append("tried too often") }
    if row.state.isFinal {
      row.ends += 1
      if row.ends > 1 { violations.append("ended twice") }
    } else {
      waiting[row.app].append(record.delivery)
    }
    rows[record.delivery] = row
  }

  /// Simulates a crash: claimed deliveries are due again.
  mutating func recover() {
    for (id, row) in rows where row.state == .sending {
      rows[id]?.state = .queued
      waiting[row.app].append(id)
    }
  }
}
