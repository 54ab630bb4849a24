internal import Clock
import JSON
import Synchronization

/// What this gateway has claimed: changed by the writer, consulted by readers.
final class Claims: Sendable {
  private let deliveries = Mutex<[DeliveryID: ClaimedDelivery]>([:])

  subscript(id: DeliveryID) -> ClaimedDelivery? { deliveries.withLock { $0[id] } }

  var isEmpty: Bool { deliveries.withLock { $0.isEmpty } }

  /// The rows of all claimed deliveries.
  var rows: [Int64] { deliveries.withLock { $0.values.map(\.queued.row) } }

  /// Claimed deliveries of an app that are `scheduled` in the database: how many, and how many of them are
  /// due.
  func scheduled(of app: String, dueBy now: Timestamp) -> (all: Int, due: Int) {
    let own = deliveries.withLock { table in
      table.values.filter { $0.queued.state == .scheduled && $0.app.hasSameBytes(as: app) }
    }
    return (own.count, own.count { $0.queued.dueAt <= now })
  }

  /// The current claims among the settlements', in order; nil where the claim is over.
  func current(_ settlements: [Settlement]) -> [ClaimedDelivery?] {
    deliveries.withLock { table in
      settlements.map { settlement in
        table[settlement.claim.id].flatMap { $0.claim == settlement.claim.claim ? $0 : nil }
      }
    }
  }

  func update(adding claims: [ClaimedDelivery], removing ended: Set<DeliveryID>) {
    guard !claims.isEmpty || !ended.isEmpty else { return }
    deliveries.withLock { table in
      for id in ended { table[id] = nil }
      for claim in claims { table[claim.id] = claim }
    }
  }

  /// Those of `ids` that are claimed now.
  func claimed(of ids: [DeliveryID]) -> Set<DeliveryID> {
    deliveries.withLock { table in table.isEmpty ? [] : Set(ids.filter { table[$0] != nil }) }
  }

  /// Returns how many there were.
  func removeAll() -> Int {
    deliveries.withLock { table in
      defer { table = [:] }
      return table.count
    }
  }
}
