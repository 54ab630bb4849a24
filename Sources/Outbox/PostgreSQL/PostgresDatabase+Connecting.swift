import Clock
import Dispatch
import JSON
import SendingLimits
import Synchronization
import Telemetry
import SQL

/// Connecting, and the outcome of commits that a lost connection left uncertain.
extension PostgresDatabase {
  /// Connects for the first time. Returns why the database cannot be used yet, and throws if it never will.
  func open() throws(OutboxError) -> OutboxError? {
    do throws(DatabaseError) {
      try connect()
      log.info("queue opened", logFields)
      return nil
    } catch {
      guard !error.isPermanent else { throw opening(error) }
      return opening(error)
    }
  }

  /// The error of opening the queue, with its address.
  private func opening(_ error: DatabaseError) -> OutboxError {
    guard error.isConnectionLost else { return error.outboxError }
    return OutboxError(
      code: .unavailable, description: "cannot open the queue \(url.description): \(error.message)")
  }

  var recoveryDelayMilliseconds: Int {
    guard engine == nil else { return 1_000 }
    defer { reconnectMilliseconds = min(2 * reconnectMilliseconds, configuration.reconnectMillisecondsMax) }
    return reconnectMilliseconds
  }

  func recover(in store: DurableOutboxStore) throws(DatabaseError) -> [String] {
    if let driver {
      do throws(DatabaseError) {
        try renewLease(driver)
      } catch {
        assess(error)
        guard error.kind == .leaseLost else { throw error }
        guard takeNewLease(in: store) else { throw .store(store.outOfReach) }
      }
      return []
    }
    do throws(DatabaseError) {
      try connect()
    } catch {
      throw .store(opening(error))
    }
    if let uncertain { resolve(uncertain, .success(uncertain.wasCommitted ?? false), in: store) }
    // Claims that were refused meanwhile are to be repeated.
    let apps = memory.apps.values.map(\.name)
    memory.ready.note(due: apps)
    return apps
  }

  private func connect() throws(DatabaseError) {
    let connection = try PostgresConnection(url)
    try PostgresSchema.prepare(connection, log: log)
    try connection.limitWaits()
    try connection.planOnce()
    let driver = PostgresDriver(
      connection: connection, memory: memory, configuration: configuration, clock: databaseClock,
      leasing: leasing)
    let engine = QueueEngine(driver: driver, memory: memory, configuration: configuration)
    try resume(with: driver, engine)
    self.engine = engine
    reconnectMilliseconds = configuration.reconnectMillisecondsMin
    isConnected.store(true, ordering: .releasing)
  }

  /// Continues where the last connection ended. A transaction that was committed there counts only once a
  /// commit after it is confirmed, by a synchronous standby where there must be one.
  private func resume(with driver: PostgresDriver, _ engine: QueueEngine) throws(DatabaseError) {
    let began = ContinuousClock.now
    try driver.readClock()
    // Before anything is claimed, so that a new gateway sends at the pace of the others.
    try limits.exchange(with: driver.limits, now: clock(), reads: true)
    guard leasing.number > 0 else {
      try driver.register()
      leasing.renewed(at: began)
      liveGateways.store(try driver.liveGateways(), ordering: .relaxed)
      lastEvent = try engine.lastEvent()
      return
    }
    if let known = uncertain, known.wasCommitted == nil {
      let wasCommitted = try driver.wasCommitted(known.batch)
      uncertain?.wasCommitted = wasCommitted
      if wasCommitted { memory.take(known.error.transaction) }
    }
    do throws(DatabaseError) {
      try driver.handBackUnknown(now: clock())
    } catch {
      guard error.kind == .leaseLost else { throw error }
      forgetClaims()
      try driver.register()
    }
    // Only now: a lease counts as renewed once the renewal has succeeded.
    leasing.renewed(at: began)
  }
}

// MARK: - The lease

extension PostgresDatabase {
  func renewLease(_ driver: PostgresDriver) throws(DatabaseError) {
    let began = ContinuousClock.now
    try driver.renewLease()
    leasing.renewed(at: began)
    isConfirmed.store(true, ordering: .releasing)
  }

  /// Takes a new lease after the last one ended. False when the connection is lost as well.
  func takeNewLease(in store: DurableOutboxStore) -> Bool {
    guard let driver else { return false }
    forgetClaims()
    do throws(DatabaseError) {
      let began = ContinuousClock.now
      try driver.register()
      leasing.renewed(at: began)
      // What the old lease had is due again, and is to be asked for.
      let apps = memory.apps.values.map(\.name)
      memory.ready.note(due: apps)
      store.notifyDue(apps)
      return true
    } catch {
      assess(error)
      store.note(error)
      return false
    }
  }

  private func forgetClaims() {
    let count = memory.loseClaims()
    lostLeases.add(1, ordering: .relaxed)
    log.warning(
      "queue: this gateway's lease had ended; other gateways have its claims", ["count": .integer(count)])
  }
}

// MARK: - Uncertain commits

extension PostgresDatabase {
  /// Answers the writes of a transaction whose COMMIT was not answered.
  func resolve(
    _ uncertain: UncertainCommit, _ wasCommitted: Result<Bool, OutboxError>, in store: DurableOutboxStore
  ) {
    self.uncertain = nil
    switch wasCommitted {
    case .success(true): store.complete(uncertain.writes, with: .success(uncertain.error.commit))
    case .success(false):
      store.complete(uncertain.writes, with: .failure(uncertain.error.underlying.outboxError))
    case .failure(let error):
      log.error(
        "queue: it is unknown whether a transaction was kept", ["calls": .integer(uncertain.writes.count)])
      store.complete(uncertain.writes, with: .failure(error))
    }
  }

  /// Answers the writes with an unknown outcome unless it is found out in time.
  func resolveLater(batch: Int64, in store: DurableOutboxStore) {
    let delay = DispatchTimeInterval.milliseconds(configuration.uncertainCommitMilliseconds)
    store.writing.asyncAfter(deadline: .now() + delay) { [self] in
      guard let uncertain, uncertain.batch == batch else { return }
      resolve(uncertain, .failure(.unknownOutcome), in: store)
    }
  }
}
