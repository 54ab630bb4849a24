package import Clock
import Dispatch
import Synchronization
import Telemetry

/// The writes that only the SQLite backend has.
package enum SQLiteWrite: BackendWrite {
  /// Cancels deliveries whose cancellation was requested before a crash; answers how many remain.
  case finishCancellations(now: Timestamp, limit: Int, QueueWrite.Completion<Int>)
  /// Writes a part of a large enqueue.
  case enqueuePart(EnqueuePart)
  /// Removes a part of what incomplete enqueues have left; answers whether there is more.
  case removeAbandoned(limit: Int, QueueWrite.Completion<Bool>)
  /// Ends updates of Live Activities that newer messages have replaced.
  case supersede([Int64], now: Timestamp, QueueWrite.Completion<Void>)
  /// Ends deliveries whose records cannot be read.
  case quarantine([UnreadableDelivery], now: Timestamp, QueueWrite.Completion<Void>)

  package var deliveryCount: Int {
    switch self {
    case .finishCancellations(_, let limit, _): limit
    case .quarantine(let deliveries, _, _): deliveries.count
    case .supersede(let rows, _, _): rows.count
    case .enqueuePart(let part): part.deliveryCount
    case .removeAbandoned(let limit, _): limit
    }
  }

  package var addsDeliveries: Bool { if case .enqueuePart = self { true } else { false } }

  package func refuse(_ error: OutboxError) {
    switch self {
    case .finishCancellations(_, _, let completion): completion(.failure(error))
    case .quarantine(_, _, let completion): completion(.failure(error))
    case .supersede(_, _, let completion): completion(.failure(error))
    case .enqueuePart(let part): part.completion(.failure(error))
    case .removeAbandoned(_, let completion): completion(.failure(error))
    }
  }
}

/// A waiting delivery whose record cannot be read.
package struct UnreadableDelivery: Sendable, Hashable {
  let row: Int64
}

extension SQLiteBackend {
  package func maintain(in store: Store) {
    if writer.value?.recoveredCancellations.isEmpty == false { finishCancellations(in: store) }
    removeAbandoned(in: store)
    let unquarantined = unquarantined.withLock { deliveries in
      defer { deliveries = [] }
      return deliveries
    }
    quarantine(unquarantined, in: store)
  }

  /// Finishes the cancellations that a crash interrupted, step by step.
  func finishCancellations(in store: Store) {
    let completion: QueueWrite.Completion<Int> = { [weak self, weak store] result in
      guard let self, case .success(let remaining) = result, remaining > 0 else { return }
      store?.continueLater { self.finishCancellations(in: $0) }
    }
    let limit = configuration.stepDeliveriesMax
    store.submit(.write(.own(.finishCancellations(now: clock(), limit: limit, completion))))
  }

  /// Ends the replaced updates that claims have met. Those that cannot be written are met again.
  func endSuperseded(in store: Store) {
    guard let writer = writer.value, !writer.superseded.isEmpty else { return }
    let rows = writer.takeSuperseded()
    let completion: QueueWrite.Completion<Void> = { [weak self, weak store] result in
      guard case .failure = result, let self, let store else { return }
      store.writing.async { self.writer.value?.met(superseded: rows) }
    }
    store.submit(.write(.own(.supersede(rows, now: clock(), completion))))
  }

  /// Quarantines the unreadable deliveries that claims have met.
  func quarantineUnreadable(in store: Store) {
    guard let writer = writer.value, !writer.unreadable.isEmpty else { return }
    let unreadable = writer.takeUnreadable()
    log.error(
      "queue holds deliveries that cannot be read; they end as failed",
      [
        "count": .integer(unreadable.count), "first_row": .integer(Int(unreadable.map(\.row).min() ?? 0)),
      ])
    quarantine(unreadable, in: store)
  }

  private func quarantine(_ deliveries: [UnreadableDelivery], in store: Store) {
    guard !deliveries.isEmpty else { return }
    let completion: QueueWrite.Completion<Void> = { [weak self] result in
      guard case .failure = result else { return }
      self?.unquarantined.withLock { $0 += deliveries }
    }
    store.submit(.write(.own(.quarantine(deliveries, now: clock(), completion))))
  }
}
