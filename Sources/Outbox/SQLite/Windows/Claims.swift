import Synchronization

/// The claimed deliveries, which the writer changes and the reader consults.
final class Claims: Sendable {
  private let deliveries = Mutex<[DeliveryID: Claim]>([:])

  subscript(id: DeliveryID) -> Claim? { deliveries.withLock { $0[id] } }

  func insert(_ claims: [Claim]) {
    guard !claims.isEmpty else { return }
    deliveries.withLock { table in for claim in claims { table[claim.delivery.id] = claim } }
  }

  @discardableResult
  func remove(_ id: DeliveryID) -> Claim? { deliveries.withLock { $0.removeValue(forKey: id) } }

  /// Those of `ids` that are claimed now.
  func claimed(of ids: [DeliveryID]) -> Set<DeliveryID> {
    deliveries.withLock { table in Set(ids.filter { table[$0] != nil }) }
  }

  /// Those of `page` that are not claimed now.
  func waiting(of page: [QueuedDelivery]) -> [QueuedDelivery] {
    deliveries.withLock { table in table.isEmpty ? page : page.filter { table[$0.id] == nil } }
  }
}
