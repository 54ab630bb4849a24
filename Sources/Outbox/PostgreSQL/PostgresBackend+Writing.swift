import Dispatch
import JSON
import Synchronization
import Telemetry

/// The writes that only the PostgreSQL backend has.
package enum PostgresWrite: BackendWrite {
  /// A claim is a transaction, since other gateways must not claim the same deliveries.
  case claim(ClaimRequest)

  package var deliveryCount: Int {
    switch self {
    case .claim(let claim): claim.limit
    }
  }

  package func refuse(_ error: OutboxError) {
    switch self {
    case .claim(let claim): claim.completion(.failure(error))
    }
  }
}

extension PostgresBackend {
  package func write(_ writes: [Write], in store: Store) throws(BackendError) -> GroupCommit {
    guard let writer else { throw BackendError(.operation, store.outOfReach) }
    // What changes nothing needs no transaction.
    if !writes.contains(where: { $0.changes(memory) }) { return unchanged(writes) }
    return try write(writes, with: writer, rooms: rooms(for: writes, in: store), in: store)
  }

  /// How many deliveries of each app that `writes` adds to may be inserted as claimed.
  private func rooms(for writes: [Write], in store: Store) -> [ExactText: Int] {
    guard let offer = store.listeners.withLock({ $0.onAccept }) else { return [:] }
    var rooms: [ExactText: Int] = [:]
    var last: String?
    for case .queue(.enqueue(let notifications, _, _, _)) in writes {
      for notification in notifications
      where notification.start.state == .queued && notification.app != last {
        last = notification.app
        let app = ExactText(notification.app)
        if rooms[app] == nil { rooms[app] = prefetch.room(for: app, offered: offer(app.text)) }
      }
    }
    return rooms
  }

  private func write(
    _ writes: [Write], with writer: PostgresWriter, rooms: [ExactText: Int], in store: Store
  ) throws(BackendError) -> GroupCommit {
    let began = ContinuousClock.now
    do throws(PostgresWriteError) {
      let commit = try writer.write(writes, rooms: rooms)
      leaseRenewedAt = began
      reportLost(commit)
      return commit.isReplicated ? commit.result : unconfirmed(commit.result, of: writes, in: store)
    } catch {
      if error.underlying.isLeaseLost {
        guard takeNewLease(in: store) else { throw BackendError(.operation, store.outOfReach) }
        return try write(writes, with: writer, rooms: rooms, in: store)
      }
      guard error.isUncertain else { throw assess(error.underlying) }
      uncertain = UncertainCommit(writes: writes, error: error)
      resolveLater(batch: error.batch, in: store)
      throw BackendError(.uncertain, assess(error.underlying).underlying)
    }
  }

  /// The result of a transaction that only the server itself has. Callers whose request a failover would
  /// forget get an unknown outcome, and the store is degraded until a later commit is confirmed.
  private func unconfirmed(_ result: GroupCommit, of writes: [Write], in store: Store) -> GroupCommit {
    isConfirmed.store(false, ordering: .releasing)
    var result = result
    result.isWritten = false
    for (index, write) in writes.enumerated() where result.answers.indices.contains(index) {
      switch write {
      case .queue(.enqueue), .queue(.cancel), .queue(.retry):
        result.answers[index] = { write.refuse(.notReplicated) }
      default: break
      }
    }
    store.degraded(.notReplicated)
    return result
  }

  func reportLost(_ commit: PostgresCommit) {
    guard commit.lost > 0 else { return }
    lostClaims.add(commit.lost, ordering: .relaxed)
    log.warning(
      "queue: outcomes were not recorded, because the lease had ended and other gateways have the deliveries",
      ["count": .integer(commit.lost)])
  }

  private func unchanged(_ writes: [Write]) -> GroupCommit {
    var commit = GroupCommit()
    commit.answers = writes.map { write -> @Sendable () -> Void in
      switch write {
      case .queue(.settle(_, let completion)): { completion(.success(())) }
      case .queue(.enqueue(_, _, _, let completion)): { completion(.success(.accepted)) }
      case .own(.claim(let claim)):
        { claim.completion(.success(ClaimedDeliveries([]))) }
      default: {}
      }
    }
    return commit
  }

  /// What a failed statement means for the store. A lost connection is given up, for `recover` to make a new
  /// one.
  func assess(_ error: PostgresError) -> BackendError {
    if error.isConstraint { return BackendError(.call, error.outboxError) }
    if error.isConnectionUseless {
      writer = nil
      isConnected.store(false, ordering: .releasing)
      return BackendError(.store, error.outboxError)
    }
    let isPassing = error.isPassing || error.isLeaseLost || error.isLockTimeout
    return BackendError(isPassing ? .operation : .store, error.outboxError)
  }
}

extension GroupCommitWrite<PostgresWrite> {
  /// Whether it may change anything.
  fileprivate func changes(_ memory: PostgresMemory) -> Bool {
    switch self {
    case .queue(.settle(let settlements, _)): settlements.contains { memory.claims[$0.delivery] != nil }
    case .queue(.enqueue(let notifications, let record, _, _)): !notifications.isEmpty || record != nil
    case .queue: true
    case .own(.claim(let claim)): claim.limit > 0
    }
  }
}
