import Clock
import Dispatch
import Synchronization
import Telemetry

/// Why the queue could not be opened.
struct PostgresOpeningError: Error {
  let underlying: OutboxError
  /// Whether another attempt is futile until somebody changes something.
  let isPermanent: Bool

  init(underlying: OutboxError, isPermanent: Bool) {
    self.underlying = underlying
    self.isPermanent = isPermanent
  }

  /// What an operator must change.
  init(_ description: String) {
    self.init(underlying: OutboxError(code: .corrupt, description: description), isPermanent: true)
  }
}

/// Connecting, and the outcome of commits that a lost connection left uncertain.
extension PostgresBackend {
  /// Connects for the first time. Returns why the database cannot be used yet, and throws if it never
  /// will.
  func open() throws(OutboxError) -> OutboxError? {
    do throws(PostgresOpeningError) {
      try connect()
      log.info("queue opened", logFields)
      return nil
    } catch {
      guard !error.isPermanent else { throw error.underlying }
      return error.underlying
    }
  }

  package var recoveryDelayMilliseconds: Int {
    guard writer == nil else { return 1_000 }
    defer { reconnectMilliseconds = min(2 * reconnectMilliseconds, configuration.reconnectMillisecondsMax) }
    return reconnectMilliseconds
  }

  package func recover(in store: Store) throws(BackendError) -> [String] {
    if let writer {
      do throws(PostgresError) {
        try renewLease(writer)
      } catch {
        guard error.isLeaseLost else { throw assess(error) }
        guard takeNewLease(in: store) else { throw BackendError(.store, store.outOfReach) }
      }
      return []
    }
    do throws(PostgresOpeningError) {
      try connect()
    } catch {
      throw BackendError(.store, error.underlying)
    }
    if let uncertain { resolve(uncertain, .success(uncertain.wasCommitted ?? false), in: store) }
    // Claims that were refused meanwhile are to be repeated.
    let apps = memory.apps.values.map(\.name)
    memory.prefetch.note(due: apps)
    return apps
  }

  private func connect() throws(PostgresOpeningError) {
    let connection: PostgresConnection
    do throws(PostgresError) {
      connection = try PostgresConnection(url)
    } catch {
      throw PostgresOpeningError(
        underlying: OutboxError(
          code: .unavailable, description: "cannot open the queue \(url.description): \(error.message)"),
        isPermanent: error.code == .refused)
    }
    let writer = PostgresWriter(connection: connection, configuration: configuration, memory: memory)
    // The server may be a standby that has not received the last ones.
    memory.dictionaries.forget()
    try PostgresSchema.prepare(connection, log: log)
    try PostgresSchema.opening { () throws(PostgresError) in
      try PostgresSchema.limitWaits(connection)
      try PostgresSchema.planOnce(connection)
      try resume(with: writer)
    }
    self.writer = writer
    reconnectMilliseconds = configuration.reconnectMillisecondsMin
    isConnected.store(true, ordering: .releasing)
  }

  /// Continues where the last connection ended. A transaction that was committed there counts only once a
  /// commit after it is confirmed, by a synchronous standby where there must be one.
  private func resume(with writer: PostgresWriter) throws(PostgresError) {
    let began = ContinuousClock.now
    defer { leaseRenewedAt = began }
    try writer.readClock()
    // Before anything is claimed, so that a new gateway sends at the pace of the others.
    try limits.exchange(with: writer, now: clock(), reads: true)
    guard memory.replica > 0 else {
      try writer.register()
      liveGateways.store(try writer.liveGateways(), ordering: .relaxed)
      lastEvent = try writer.lastEvent()
      return
    }
    if let error = uncertain?.error, uncertain?.wasCommitted == nil {
      let wasCommitted = try writer.wasCommitted(error.batch)
      uncertain?.wasCommitted = wasCommitted
      if wasCommitted { memory.take(error.transaction) }
    }
    do throws(PostgresError) {
      try writer.handBackUnknown(now: clock())
    } catch {
      guard error.isLeaseLost else { throw error }
      forgetClaims()
      try writer.register()
    }
  }
}

// MARK: - The lease

extension PostgresBackend {
  func renewLease(_ writer: PostgresWriter) throws(PostgresError) {
    let began = ContinuousClock.now
    try writer.renewLease()
    leaseRenewedAt = began
    isConfirmed.store(true, ordering: .releasing)
  }

  /// Takes a new lease after the last one ended. False when the connection is lost as well.
  func takeNewLease(in store: Store) -> Bool {
    guard let writer else { return false }
    forgetClaims()
    do throws(PostgresError) {
      let began = ContinuousClock.now
      try writer.register()
      leaseRenewedAt = began
      return true
    } catch {
      store.note(assess(error))
      return false
    }
  }

  private func forgetClaims() {
    let count = memory.loseClaims()
    lostClaims.add(count, ordering: .relaxed)
    lostLeases.add(1, ordering: .relaxed)
    log.warning(
      "queue: this gateway's lease had ended; other gateways have its claims", ["count": .integer(count)])
  }
}

// MARK: - Uncertain commits

extension PostgresBackend {
  /// Answers the writes of a transaction whose COMMIT was not answered.
  func resolve(
    _ uncertain: UncertainCommit, _ wasCommitted: Result<Bool, OutboxError>, in store: Store
  ) {
    self.uncertain = nil
    switch wasCommitted {
    case .success(true):
      reportLost(uncertain.error.commit)
      store.complete(uncertain.writes, with: .success(uncertain.error.commit.result))
    case .success(false):
      store.complete(uncertain.writes, with: .failure(uncertain.error.underlying.outboxError))
    case .failure(let error):
      log.error(
        "queue: it is unknown whether a transaction was kept", ["calls": .integer(uncertain.writes.count)])
      store.complete(uncertain.writes, with: .failure(error))
    }
  }

  /// Answers the writes with an unknown outcome unless it is found out in time.
  func resolveLater(batch: Int64, in store: Store) {
    let delay = DispatchTimeInterval.milliseconds(configuration.uncertainCommitMilliseconds)
    store.writing.asyncAfter(deadline: .now() + delay) { [self] in
      guard let uncertain, uncertain.error.batch == batch else { return }
      resolve(uncertain, .failure(.unknownOutcome), in: store)
    }
  }
}
