package import Clock
import Dispatch
import Synchronization
package import Telemetry

/// The durable queue in a PostgreSQL database that several gateways share.
///
/// One thread at a time writes: it takes all that waits, claims included, writes it in one transaction, and answers
/// after the COMMIT. Notifications are read on a connection of their own; those answers come from a second thread.
/// Where the database is out of reach everything fails as `unavailable`, and the store connects again by itself.
package final class PostgresOutboxStore: GroupCommittingStore {
  let url: PostgresURL
  let configuration: OutboxConfiguration
  let log: Log
  package let clock: @Sendable () -> Timestamp
  let writing = DispatchQueue(label: "dragoman.outbox.write", qos: .userInitiated)
  let reading = DispatchQueue(label: "dragoman.outbox.read")
  /// Who asks while the database is out of reach is answered from here.
  let refusing = DispatchQueue(label: "dragoman.outbox.refuse")
  let pending = Mutex(PendingOperations<PostgresOperation>())
  let session: PostgresSession
  let listeners = Mutex(OutboxListeners())
  let lastHealth: Mutex<OutboxHealth>
  let isConnected = Atomic<Bool>(false)
  let lostClaims = Atomic<Int>(0)
  private let reader = ReaderPlace()

  /// Opens the queue, makes its tables where there are none, and brings them to this version. Where nobody answers,
  /// or the server says that it is just starting, the queue is opened in trouble and goes on trying.
  ///
  /// Throws `corrupt` for a database that is newer or could not keep its promises, and `unavailable` for a server
  /// that answers but does not let us in.
  package init(
    url: PostgresURL, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log,
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(OutboxError) {
    self.url = url
    self.configuration = configuration
    self.log = log
    self.clock = clock
    lastHealth = Mutex(OutboxHealth(since: clock()))
    session = PostgresSession(reconnectMilliseconds: configuration.reconnectMillisecondsMin)
    do throws(PostgresOpeningError) {
      try connect()
      log.info("queue opened", ["database": .string(url.description)])
    } catch {
      guard !error.isForGood else { throw error.error }
      troubled(error.error)
      reconnectLater()
    }
    watchLater()
    choresLater()
  }

  /// Claims that were settled in vain, since they had gone to another gateway.
  package var lostClaimCount: Int { lostClaims.load(ordering: .relaxed) }

  package var health: OutboxHealth { lastHealth.withLock { $0 } }

  package func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void) {
    listeners.withLock { $0.onDue = notify }
  }

  package func onCommit(_ observe: @escaping @Sendable (OutboxCommit) -> Void) {
    listeners.withLock { $0.onCommit = observe }
  }

  package func onFeedback(_ notify: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.onFeedback = notify }
  }

  package func close() async {
    await withCheckedContinuation { continuation in submit(.close { continuation.resume() }) }
  }
}

// MARK: - What claims

extension PostgresOutboxStore {
  package func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<[ClaimedDelivery], OutboxError>) -> Void
  ) {
    submit(
      .claim(.init(app: app, limit: limit, normalMin: normalMin, now: now, completion: completion)))
  }
}

// MARK: - What asks the writer

extension PostgresOutboxStore {
  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    ask(completion) { writer throws(PostgresError) in try writer.nextDue(app: app) }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[String: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(completion) { [clock] writer throws(PostgresError) in try writer.counts(now: clock()) }
  }

  package func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    onWebhookTurn(completion) { [self] in
      ask(completion) { writer throws(PostgresError) in try writer.webhookCursor() }
    }
  }

  package func webhookEvents(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    onWebhookTurn(completion) { [self] in
      feedback(after: after, apps: nil, limit: limit, completion: completion)
    }
  }

  /// Goes on with `body` when it is this gateway's turn to tell the webhook, which may be never.
  private func onWebhookTurn<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable () -> Void
  ) {
    let answer: @Sendable (Result<Bool, OutboxError>) -> Void = { [self] result in
      switch result {
      case .success(true): body()
      case .success(false):
        session.waitingForTurn.append { [self] error in
          if let error { return completion(.failure(error)) }
          onWebhookTurn(completion, body)
        }
      case .failure(let error): completion(.failure(error))
      }
    }
    ask(answer) { writer throws(PostgresError) in try writer.takeWebhookTurn() }
  }
}

// MARK: - What reads

extension PostgresOutboxStore {
  package func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    read(completion) { [clock] reader throws(PostgresError) in
      try reader.notification(id, now: clock())
    }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), SQLiteOutboxStore.pageMax)
    read(completion) { [clock] reader throws(PostgresError) in
      try reader.list(filter, limit: limit, cursor: cursor, now: clock())
    }
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void
  ) {
    read(completion) { [self] reader throws(PostgresError) in
      // In this order: what is gone from the writer's keys in between is found in the database.
      if pending.withLock({ $0.keys.contains(key) }) { return .inProgress }
      return try reader.idempotent(key, fingerprint: fingerprint, now: clock())
    }
  }

  package func feedback(
    after: Int64?, apps: [String]?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), SQLiteOutboxStore.pageMax)
    read(completion) { reader throws(PostgresError) in
      try reader.feedback(after: after, apps: apps, limit: limit)
    }
  }

  private func read<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (PostgresReader) throws(PostgresError) -> Value
  ) {
    reading.async { [self] in
      guard !pending.withLock({ $0.isClosed }) else { return completion(.failure(.closed)) }
      guard isConnected.load(ordering: .acquiring) else { return completion(.failure(outOfReach)) }
      do throws(PostgresError) {
        let isOld = reader.value != nil
        do throws(PostgresError) {
          completion(.success(try body(try openReader())))
        } catch {
          guard error.isConnectionLost else { throw error }
          reader.value = nil
          // A connection may have died while nobody used it; a new one that dies tells of more.
          guard isOld else { throw error }
          completion(.success(try body(try openReader())))
        }
      } catch {
        completion(.failure(error.outboxError))
      }
    }
  }

  private func openReader() throws(PostgresError) -> PostgresReader {
    if let open = reader.value { return open }
    let connection = try PostgresConnection(url)
    do throws(OutboxError) {
      try PostgresSchema.configure(connection)
    } catch {
      throw PostgresError(message: error.description)
    }
    try connection.execute("SET default_transaction_read_only = on")
    let opened = PostgresReader(connection: connection)
    reader.value = opened
    return opened
  }

  func closeReader() { reader.value = nil }

  /// `@unchecked Sendable`: only the store's reading queue touches it.
  private final class ReaderPlace: @unchecked Sendable {
    var value: PostgresReader?
  }
}
