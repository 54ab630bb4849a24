import Dispatch
import Synchronization
import Telemetry

/// Why the queue could not be opened.
struct PostgresOpeningError: Error {
  let error: OutboxError
  /// Whether trying again is of no use until somebody has changed something.
  let isForGood: Bool
}

/// Connecting, and what is done while the database is out of reach. On the writing queue, but for the first time.
extension PostgresOutboxStore {
  /// What callers are told while there is no connection.
  var outOfReach: OutboxError {
    degradation ?? OutboxError(code: .unavailable, description: "the queue's database is out of reach")
  }

  var unknownOutcome: OutboxError {
    OutboxError(
      code: .unavailable,
      description: "the connection to the queue's database was lost while it committed, and it is not known "
        + "whether this was kept")
  }

  func connect() throws(PostgresOpeningError) {
    let connection: PostgresConnection
    do throws(PostgresError) {
      connection = try PostgresConnection(url)
    } catch {
      throw PostgresOpeningError(
        error: OutboxError(
          code: .unavailable, description: "cannot open the queue \(url.description): \(error.message)"),
        isForGood: error.isRefused)
    }
    let writer = PostgresWriter(
      connection: connection, configuration: configuration, memory: session.memory)
    do throws(OutboxError) {
      try PostgresSchema.prepare(connection)
      try PostgresSchema.outbox { () throws(PostgresError) in try takeUp(writer) }
    } catch {
      throw PostgresOpeningError(error: error, isForGood: true)
    }
    session.writer = writer
    session.reconnectMilliseconds = configuration.reconnectMillisecondsMin
    isConnected.store(true, ordering: .releasing)
    if let doubt = session.doubt { resolve(doubt, .success(doubt.wasCommitted ?? false)) }
  }

  /// Goes on where the last connection ended.
  private func takeUp(_ writer: PostgresWriter) throws(PostgresError) {
    session.leaseKeptAt = .now
    guard session.memory.replica > 0 else {
      try writer.register()
      session.lastEvent = try writer.lastEvent()
      return
    }
    if let doubt = session.doubt, doubt.wasCommitted == nil {
      let wasCommitted = try writer.wasCommitted(doubt.failure.batch)
      session.doubt?.wasCommitted = wasCommitted
      if wasCommitted { session.memory.take(doubt.failure.transaction) }
    }
    do throws(PostgresError) {
      try writer.handBackUnknown(now: clock())
    } catch {
      guard error.state == PostgresWriter.leaseLost.state else { throw error }
      loseLease()
      try writer.register()
    }
  }

  private func loseLease() {
    let count = session.memory.loseClaims()
    lostClaims.add(count, ordering: .relaxed)
    log.warning(
      "queue: this gateway's lease was over; what it had claimed went to others",
      ["count": .integer(count)])
  }

  /// After the lease was taken over. False where the connection is gone as well.
  func takeNewNumber() -> Bool {
    guard let writer = session.writer else { return false }
    loseLease()
    do throws(PostgresError) {
      try writer.register()
      session.leaseKeptAt = .now
      return true
    } catch {
      note(error)
      return false
    }
  }

  /// Answers those of a transaction whose COMMIT was not heard of.
  func resolve(_ doubt: PostgresSession.Doubt, _ wasCommitted: Result<Bool, OutboxError>) {
    session.doubt = nil
    switch wasCommitted {
    case .success(true): committed(doubt.failure.commit, of: doubt.batch)
    case .success(false): answer(doubt.batch, .failure(doubt.failure.failure.outboxError))
    case .failure(let error):
      log.error("queue: nobody knows whether a transaction was kept", ["calls": .integer(doubt.batch.count)])
      answer(doubt.batch, .failure(error))
    }
  }

  func doubtLater(batch: Int64) {
    writing.asyncAfter(deadline: .now() + .milliseconds(configuration.uncertainCommitMilliseconds)) {
      [self] in
      guard let doubt = session.doubt, doubt.failure.batch == batch else { return }
      resolve(doubt, .failure(unknownOutcome))
    }
  }

  func reconnectLater() {
    let delay = session.reconnectMilliseconds
    session.reconnectMilliseconds = min(2 * delay, configuration.reconnectMillisecondsMax)
    writing.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
      guard let self, !session.isFinished, session.writer == nil else { return }
      do throws(PostgresOpeningError) {
        try connect()
        healed()
        // Whatever was asked for in vain is asked for again.
        notifyDue(session.memory.apps.values.map(\.name))
      } catch {
        troubled(error.error)
        reconnectLater()
      }
    }
  }

  /// What a statement ran into.
  func note(_ failure: PostgresError) {
    guard failure.isConnectionLost || failure.state == "25006" else {
      if !failure.isPassing, failure.state != PostgresWriter.leaseLost.state { troubled(failure.outboxError) }
      return
    }
    // A server that can only be read has been replaced by another one.
    guard session.writer != nil else { return }
    session.writer = nil
    isConnected.store(false, ordering: .releasing)
    troubled(failure.outboxError)
    reconnectLater()
  }

  func troubled(_ failure: OutboxError) {
    let now = clock()
    let isNew = lastHealth.withLock { health in
      defer { health.update(failure, at: now) }
      return health.degradation?.description != failure.description
    }
    if isNew { log.error("queue is in trouble", ["reason": .string(failure.description)]) }
  }

  func healed() {
    let now = clock()
    let wasTroubled = lastHealth.withLock { health in
      defer { health.update(nil, at: now) }
      return health.degradation != nil
    }
    if wasTroubled { log.info("queue writes again", ["database": .string(url.description)]) }
  }
}
