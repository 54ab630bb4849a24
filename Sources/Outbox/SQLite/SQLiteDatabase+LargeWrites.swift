import Clock
import Dispatch
import Synchronization
import SQL

/// SQLite has one writer, so that a large enqueue is written in parts.
extension SQLiteDatabase {
  func enqueue(_ large: LargeEnqueue, in store: DurableOutboxStore) {
    write(part: 0, of: large, rows: nil, in: store)
  }

  private func write(
    part index: Int, of large: LargeEnqueue, rows: ClosedRange<Int64>?, in store: DurableOutboxStore
  ) {
    let completion: QueueWrite.Completion<EnqueuePart.Outcome> = { [self] result in
      switch result {
      case .success(.kept(let rows)):
        if index == 0 { memory.openIntakes += large.work.deliveryCount }
        large.call.madeProgress()
        write(part: index + 1, of: large, rows: rows, in: store)
      case .success(.ended(let outcome)):
        if index > 0 { memory.openIntakes -= large.work.deliveryCount }
        store.finish(large, .success(outcome))
      case .failure(let error):
        // A part that is not even tried is refused on another queue.
        store.writing.async { [self] in
          if index > 0 { memory.openIntakes -= large.work.deliveryCount }
          if let rows { abandoned.withLock { $0.append(rows) } }
          store.finish(large, .failure(error))
          removeAbandoned(in: store)
        }
      }
    }
    let part = EnqueuePart(large: large, index: index, rows: rows)
    store.change(.addsDeliveries, deliveryCount: part.deliveryCount, completion) {
      engine, transaction throws(DatabaseError) in
      try engine.accept(part, &transaction)
    }
  }

  /// Removes what incomplete enqueues have left, step by step. A step that fails is repeated by maintenance.
  func removeAbandoned(in store: DurableOutboxStore) {
    guard let rows = abandoned.withLock({ $0.popLast() }) else { return }
    let completion: QueueWrite.Completion<ClosedRange<Int64>?> = { [weak self, weak store] result in
      guard let self, let store else { return }
      switch result {
      case .success(let rest):
        if let rest { abandoned.withLock { $0.append(rest) } }
        store.continueLater { self.removeAbandoned(in: $0) }
      case .failure: abandoned.withLock { $0.append(rows) }
      }
    }
    let limit = configuration.stepDeliveriesMax
    store.change(deliveryCount: limit, completion) { engine, _ throws(DatabaseError) in
      try engine.removeAbandoned(rows, limit: limit)
    }
  }
}
