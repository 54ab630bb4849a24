extension SQLiteWriter {
  /// Performs one write within a transaction, which it begins if needed. Returns what answers the caller
  /// after the commit.
  func perform(
    _ write: GroupCommitWrite<SQLiteWrite>, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> @Sendable () -> Void {
    if write.readsDeliveries { try inserts.flush() }
    switch write {
    case .queue(let write): return try perform(write, &transaction)
    case .own(.finishCancellations(let now, let limit, let completion)):
      let remaining = try finishCancellations(now: now, limit: limit, &transaction)
      return { completion(.success(remaining)) }
    case .own(.enqueuePart(let part)):
      let result = try accept(part, &transaction)
      return { part.completion(result) }
    case .own(.removeAbandoned(let limit, let completion)):
      let hasMore = try removeAbandoned(limit: limit, &transaction)
      return { completion(.success(hasMore)) }
    case .own(.supersede(let rows, let now, let completion)):
      for row in rows { try supersede(row, now: now, &transaction) }
      return { completion(.success(())) }
    case .own(.quarantine(let deliveries, let now, let completion)):
      for delivery in deliveries { try quarantine(delivery, now: now, &transaction) }
      return { completion(.success(())) }
    }
  }

  private func perform(
    _ write: QueueWrite, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> @Sendable () -> Void {
    switch write {
    case .enqueue(let notifications, let record, let now, let completion):
      let result = try accept(notifications, record, now: now, &transaction)
      return { completion(result) }
    case .settle(let settlements, let completion):
      for settlement in settlements { try settle(settlement, &transaction) }
      return { completion(.success(())) }
    case .cancel(let id, let now, let completion):
      let result = try cancel(id, now: now, &transaction)
      return { completion(result) }
    case .retry(let id, let now, let completion):
      let result = try retry(id, now: now, &transaction)
      return { completion(result) }
    case .expire(let app, let now, let limit, let completion):
      let result = try expire(app: app, now: now, limit: limit, &transaction)
      return { completion(.success(result)) }
    case .prune(let end, let now, let limit, let completion):
      let result = try prune(endedBy: end, now: now, limit: limit, &transaction)
      return { completion(.success(result)) }
    case .setWebhookCursor(let event, let completion):
      try begin(&transaction)
      try changing.setMark(.webhook, to: event)
      try feedback.removeOutcomes(upTo: event)
      return { completion(.success(())) }
    }
  }
}

extension GroupCommitWrite<SQLiteWrite> {
  /// Whether it reads deliveries that the same transaction may have accepted. A settlement reads only those
  /// that were claimed before.
  fileprivate var readsDeliveries: Bool {
    switch self {
    case .queue(.enqueue), .queue(.settle): false
    case .queue, .own: true
    }
  }
}
