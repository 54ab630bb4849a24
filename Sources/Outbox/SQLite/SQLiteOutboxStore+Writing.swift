import Dispatch
import Synchronization
import Telemetry

/// The writing thread.
extension SQLiteOutboxStore {
  func ask<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (SQLiteWriter) throws(SQLiteError) -> Value
  ) {
    submit(
      .ask { [self] writer in
        guard let writer else { return completion(.failure(.closed)) }
        do throws(SQLiteError) {
          completion(.success(try body(writer)))
        } catch {
          note(error)
          completion(.failure(error.outboxError))
        }
      })
  }

  package func submit(_ write: QueueWrite) { submit(.write(write)) }

  func submit(_ operation: QueueOperation) {
    let admission = pending.withLock {
      $0.admit(operation, deliveriesMax: configuration.pendingDeliveriesMax)
    }
    switch admission {
    case .admitted(let starts):
      if starts { writing.async { self.drain() } }
    case .refused(let error):
      // A second close waits for the first one.
      if case .close(let completion) = operation { return finish(completion) }
      writing.async { operation.refuse(error) }
    case .keyInProgress:
      guard case .write(.enqueue(_, _, _, let completion)) = operation else { return }
      writing.async { completion(.success(.inProgress)) }
    }
  }

  private func drain() {
    while let batch = pending.withLock({ $0.nextBatch(deliveriesMax: configuration.commitDeliveriesMax) }) {
      process(batch)
    }
  }

  /// Writes first and in one transaction; then everybody is answered in the order in which they came.
  private func process(_ batch: [QueueOperation]) {
    let writes = batch.compactMap { operation -> QueueWrite? in
      if case .write(let write) = operation { return write }
      return nil
    }
    let commit = writes.isEmpty ? nil : writer.value?.write(writes)
    if let commit { note(commit) }
    // Before the answers: whoever has one may use the key again at once.
    let keys = writes.compactMap(\.idempotencyKey)
    if !keys.isEmpty { pending.withLock { $0.release(keys) } }
    var answers = commit?.answers.makeIterator()
    for operation in batch {
      switch operation {
      case .write(let write):
        if let answer = answers?.next() { answer() } else { write.refuse(.closed) }
      case .ask(let body): body(writer.value)
      case .close(let completion): finish(completion)
      }
    }
    if let due = commit?.due, !due.isEmpty, let notify = listeners.withLock({ $0.onDue }) {
      due.forEach(notify)
    }
    setAsideDamaged()
    checkpointIfLong()
  }

  private func note(_ commit: GroupCommit) {
    if let failure = commit.failure { troubled(failure) }
    guard let report = commit.report else { return }
    committed.add(1, ordering: .relaxed)
    if commit.failure == nil { healed() }
    if let observe = listeners.withLock({ $0.onCommit }) { observe(report) }
  }

  /// What a read ran into. A record that cannot be read is no trouble of the store's.
  func note(_ failure: SQLiteError) {
    if !failure.isOfOneRecord { troubled(failure.outboxError) }
  }

  /// Closes what readers use first, then checkpoints, so that all of the queue is in one file.
  private func finish(_ completion: @escaping @Sendable () -> Void) {
    reading.async { [self] in
      reader.clear()
      checkpointing.async { [self] in
        checkpointer.clear()
        writing.async { [self] in
          do throws(SQLiteError) {
            try writer.value?.checkpoint()
          } catch {
            log.warning("queue checkpoint failed", ["reason": .string(error.message)])
          }
          writer.clear()
          completion()
        }
      }
    }
  }
}

// MARK: - Trouble

extension SQLiteOutboxStore {
  private func troubled(_ failure: OutboxError) {
    let now = clock()
    let (isNew, isFirst) = lastHealth.withLock { health in
      let last = health.degradation
      // Damage stays until an operator has acted, whatever works besides.
      if last?.code == .corrupt { return (false, false) }
      health.update(failure, at: now)
      return (last == nil || failure.code == .corrupt, last == nil)
    }
    if isNew { log.error("queue is in trouble", ["reason": .string(failure.description)]) }
    if isFirst, failure.code != .corrupt { probeLater() }
  }

  private func healed() {
    let wasTroubled = lastHealth.withLock { health in
      guard let trouble = health.degradation, trouble.code != .corrupt else { return false }
      health.update(nil, at: clock())
      return true
    }
    if wasTroubled { log.info("queue writes again") }
  }

  /// Who is not ready gets no requests, and so no occasion to see that the trouble is over: so it looks itself.
  private func probeLater() {
    writing.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self, let degradation, degradation.code != .corrupt, let writer = writer.value else { return }
      do throws(SQLiteError) {
        try writer.probe()
        healed()
      } catch {
        troubled(error.outboxError)
        probeLater()
      }
    }
  }
}

// MARK: - Checkpoints

extension SQLiteOutboxStore {
  /// Moves a long log into the database, on a thread and a connection of its own, so that no commit waits for it;
  /// then the writing thread moves what was added meanwhile, which is little, so that the log begins anew.
  ///
  /// Under a load that outruns the disk the log would grow without end: from four times the length on, the
  /// writing thread does the whole of it.
  private func checkpointIfLong() {
    guard let writer = writer.value, writer.logPages >= configuration.logPagesMax else { return }
    if writer.logPages >= 4 * configuration.logPagesMax { return finishCheckpoint() }
    guard isCheckpointing.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
      return
    }
    checkpointing.async { [self] in
      checkpoint { () throws(SQLiteError) in try checkpointer.value?.checkpointPassively() ?? 0 }
      writing.async { [self] in
        finishCheckpoint()
        isCheckpointing.store(false, ordering: .relaxed)
      }
    }
  }

  private func finishCheckpoint() {
    checkpoint { () throws(SQLiteError) in try writer.value?.checkpointPassively() ?? 0 }
  }

  /// A failure loses nothing: all is in the log, and the next time comes.
  private func checkpoint(_ body: () throws(SQLiteError) -> Int) {
    do throws(SQLiteError) {
      _ = try body()
    } catch {
      log.warning("queue checkpoint failed", ["reason": .string(error.message)])
    }
  }
}
