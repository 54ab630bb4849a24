import Clock
import FCMMessage
import OutboxModel
import Synchronization

@testable import Outbox

/// A queue in memory that fails on request and signals each record.
final class ScriptedStore: DeliveryQueue {
  struct Row: Sendable {
    var claim: ClaimedDelivery
    var state: DeliveryState
    var attempts: Int
    var dueAt: Timestamp
    var error: DeliveryError?
  }

  private struct State {
    var rows: [DeliveryID: Row] = [:]
    var onDue: (@Sendable (String) -> Void)?
    var settlesToFail = 0
    var lease: Int64 = 1
    var claimCount: Int64 = 0
    var claimsToEnd = 0
    var claimsToRecall = 0
    var served: [String]?
  }

  private let state = Mutex(State())
  private let continuation: AsyncStream<Row>.Continuation
  /// Each delivery as it was after a settlement.
  let recorded: AsyncStream<Row>

  init() { (recorded, continuation) = AsyncStream.makeStream() }

  func row(_ number: Int) -> Row? { state.withLock { $0.rows[deliveryID(number)] } }

  /// The only apps that are served, if the engine said so.
  var served: [String]? { state.withLock { $0.served } }

  func serve(only apps: [String]) { state.withLock { $0.served = apps } }

  func failNextSettles(_ count: Int) { state.withLock { $0.settlesToFail = count } }

  /// Stores deliveries that are due at once.
  func add(_ deliveries: ClaimedDelivery...) {
    let onDue = state.withLock { state in
      for delivery in deliveries {
        state.rows[delivery.id] = Row(
          claim: delivery, state: .queued, attempts: delivery.attempts, dueAt: delivery.createdAt)
      }
      return state.onDue
    }
    for app in Set(deliveries.map(\.app)) { onDue?(app) }
  }

  /// Lets the next deliveries be no longer held when they are to be sent.
  func endNextClaims(_ count: Int) { state.withLock { $0.claimsToEnd = count } }

  /// Ends all claims, as if the gateway had been suspended for longer than its lease. It has a new one.
  func loseLease() {
    let (onDue, apps) = state.withLock { state in
      state.lease += 1
      let claimed = state.rows.values.filter { $0.state == .sending }
      for row in claimed { state.rows[row.claim.id]?.state = .queued }
      return (state.onDue, Set(claimed.map(\.claim.app)))
    }
    for app in apps { onDue?(app) }
  }

  /// Lets the next claimed deliveries be recalled before they are sent.
  func recallNextClaims(_ count: Int) { state.withLock { $0.claimsToRecall = count } }

  func holds(_ delivery: ClaimedDelivery) -> Bool {
    state.withLock { state in
      guard delivery.claim.lease == state.lease else { return false }
      guard state.claimsToEnd > 0 else { return true }
      state.claimsToEnd -= 1
      return false
    }
  }

  func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<ClaimedDeliveries, OutboxError>) -> Void
  ) {
    let claimed = state.withLock { state in
      state.rows.values
        .filter { $0.claim.app == app && $0.state == .queued && $0.dueAt <= now }
        .sorted { $0.claim.id < $1.claim.id }
        .prefix(limit)
        .map { row in
          let departure = Departure()
          if state.claimsToRecall > 0, departure.recall() { state.claimsToRecall -= 1 }
          state.claimCount += 1
          let claim = row.claim.again(
            as: ClaimNumber(lease: state.lease, number: state.claimCount), attempts: row.attempts,
            departure: departure)
          state.rows[claim.id]?.claim = claim
          state.rows[claim.id]?.state = .sending
          return claim
        }
    }
    completion(.success(ClaimedDeliveries(claimed)))
  }

  func settle(
    _ settlements: [Settlement], waitMilliseconds: Int,
    completion: @escaping @Sendable (Result<[DeliveryID], OutboxError>) -> Void
  ) {
    let changed: [Row]? = state.withLock { state in
      if state.settlesToFail > 0 {
        state.settlesToFail -= 1
        return nil
      }
      return settlements.compactMap { settlement in
        let id = settlement.claim.id
        guard var row = state.rows[id], row.state == .sending, row.claim.claim == settlement.claim.claim
        else {
          return nil
        }
        row.apply(settlement)
        state.rows[id] = row
        return row
      }
    }
    guard let changed else { return completion(.failure(diskFull)) }
    for row in changed { continuation.yield(row) }
    let recorded = Set(changed.map(\.claim.id))
    completion(.success(settlements.map(\.claim.id).filter { !recorded.contains($0) }))
  }

  func nextDue(app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void) {
    let next = state.withLock { state in
      state.rows.values.filter { $0.claim.app == app && $0.state == .queued }.map(\.dueAt).min()
    }
    completion(.success(next))
  }

  func onDue(_ notify: @escaping @Sendable (String) -> Void) { state.withLock { $0.onDue = notify } }

  func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void
  ) { completion(.success(ExpirySweep(expired: 0, isComplete: true))) }
}

extension ScriptedStore.Row {
  fileprivate mutating func apply(_ settlement: Settlement) {
    state = settlement.state ?? .queued
    if settlement.countsAttempt { attempts += 1 }
    dueAt = settlement.dueAt ?? dueAt
    error = settlement.state == .sent ? nil : settlement.error ?? error
  }
}
