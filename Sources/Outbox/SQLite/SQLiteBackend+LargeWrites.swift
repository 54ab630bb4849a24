import Dispatch

/// A part of a large enqueue, for one transaction.
package struct EnqueuePart: Sendable {
  let large: LargeEnqueue
  let index: Int
  /// Nil as the outcome: this part is kept, and there are more.
  let completion: QueueWrite.Completion<EnqueueOutcome?>

  var isFirst: Bool { index == 0 }
  var isLast: Bool { index == large.parts.count - 1 }

  var deliveryCount: Int {
    large.notifications[large.parts[index]].reduce(0) { $0 + $1.deliveries.count }
  }
}

/// SQLite has one writer, so that a large enqueue is written in parts, which the table `intakes` hides until
/// the last one is there. After a crash or an error, what is incomplete is removed.
extension SQLiteBackend {
  package func enqueue(_ large: LargeEnqueue, in store: Store) { write(part: 0, of: large, in: store) }

  private func write(part index: Int, of large: LargeEnqueue, in store: Store) {
    let completion: QueueWrite.Completion<EnqueueOutcome?> = { [self] result in
      switch result {
      case .success(nil):
        large.madeProgress()
        write(part: index + 1, of: large, in: store)
      case .success(let outcome?): store.finish(large, .success(outcome))
      case .failure(let error):
        // A part that is not even tried is refused on another queue.
        store.writing.async { [self] in
          writer.value?.abandon(large)
          store.finish(large, .failure(error))
          removeAbandoned(in: store)
        }
      }
    }
    let part = EnqueuePart(large: large, index: index, completion: completion)
    store.submit(.write(.own(.enqueuePart(part))))
  }

  /// Removes what incomplete enqueues have left, step by step. A step that fails is repeated by maintenance.
  func removeAbandoned(in store: Store) {
    guard writer.value?.intakes.abandoned.isEmpty == false else { return }
    let completion: QueueWrite.Completion<Bool> = { [weak self, weak store] result in
      guard let self, case .success(true) = result else { return }
      store?.continueLater { self.removeAbandoned(in: $0) }
    }
    let limit = configuration.stepDeliveriesMax
    store.submit(.write(.own(.removeAbandoned(limit: limit, completion))))
  }
}
