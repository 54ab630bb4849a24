package import Clock
import Dispatch
package import JSON
import Synchronization
package import Telemetry

/// The durable queue in a PostgreSQL database that several gateways share.
package typealias PostgresOutboxStore = GroupCommitStore<PostgresBackend>

extension GroupCommitStore where Backend == PostgresBackend {
  /// Opens the queue, creates its tables if there are none, and migrates them to this version. If no
  /// server answers, or one is just starting, the queue opens degraded and keeps trying to connect.
  ///
  /// Its time is the database's, unless a test gives a clock.
  ///
  /// Throws `corrupt` for a database that is newer or cannot guarantee durability, and `unavailable` for a
  /// server that refuses the connection.
  package convenience init(
    url: PostgresURL, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log,
    clock given: (@Sendable () -> Timestamp)? = nil, machine: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(OutboxError) {
    let databaseClock = DatabaseClock(machine: machine)
    let clock = given ?? { databaseClock.now }
    let backend = PostgresBackend(
      url: url, configuration: configuration, log: log, clock: clock, databaseClock: databaseClock)
    let degradation = try backend.open()
    self.init(
      backend: backend, configuration: configuration, log: log, clock: clock, degradation: degradation)
  }

  /// The number of claims whose settlement was not recorded because another gateway had taken them over.
  package var lostClaimCount: Int { backend.lostClaims.load(ordering: .relaxed) }
}

/// The transaction and the statements of the queue in PostgreSQL, its connections, and this gateway's lease.
///
/// Guard: the variables belong to the store's writing queue, once the store is made; the bulk writer belongs
/// to the bulk queue.
package final class PostgresBackend: GroupCommitBackend, @unchecked Sendable {
  package typealias OwnWrite = PostgresWrite

  package static var isCorruptionFinal: Bool { false }
  package static var isShared: Bool { true }

  /// A replica's number, and until when no other gateway can have its claims.
  private struct Lease: Sendable {
    let replica: Int64
    let end: ContinuousClock.Instant
  }

  /// A transaction whose COMMIT was not answered.
  struct UncertainCommit {
    let writes: [Write]
    let error: PostgresWriteError
    /// The database's answer, once it is known; later transactions overwrite it there.
    var wasCommitted: Bool?
  }

  let url: PostgresURL
  let configuration: OutboxConfiguration
  let log: Log
  let clock: @Sendable () -> Timestamp
  let databaseClock: DatabaseClock
  let memory: PostgresMemory
  /// What was accepted as claimed. Used on any thread.
  let prefetch: PostgresPrefetch
  package let loggedOutcomes = LoggedOutcomes()
  /// Nil while the database is out of reach.
  var writer: PostgresWriter?
  var uncertain: UncertainCommit?
  var reconnectMilliseconds: Int
  var isClosed = false
  /// When the last renewal was sent, on a clock that counts the time in which the machine or process sleeps.
  var leaseRenewedAt = ContinuousClock.now {
    didSet {
      let end = leaseRenewedAt + .milliseconds(configuration.leaseMilliseconds)
      lease.withLock { $0 = Lease(replica: memory.replica, end: end) }
    }
  }
  /// The lease as other threads see it.
  private let lease = Mutex(Lease(replica: 0, end: .now))
  /// False after a commit that no standby has confirmed, until one is confirmed again.
  let isConfirmed = Atomic<Bool>(true)
  var lastEvent: Int64 = 0
  /// The callers that wait for this gateway's turn to notify the webhook.
  var waitingForTurn: [@Sendable (OutboxError?) -> Void] = []
  /// How many webhooks of this gateway have ended; only calls of the present one wait.
  private let endedWebhooks = Atomic<Int>(0)
  /// Which webhook of this gateway last had the turn, if the gateway may still have it.
  private var turnHolder: Int?
  let isConnected = Atomic<Bool>(false)
  let lostClaims = Atomic<Int>(0)
  let lostLeases = Atomic<Int>(0)
  /// The gateways with a lease, this one included, as of the last look.
  let liveGateways = Atomic<Int>(1)
  /// On the queues of look-ups and of lists.
  private let lookups = PostgresReading()
  private let lists = PostgresReading()
  /// Writes large enqueues, on a queue of its own.
  let bulk = DispatchQueue(label: "dragoman.outbox.bulk", qos: .utility)
  var bulkWriter: PostgresWriter?
  /// What the gateways tell each other about sending.
  let limits = PostgresSharedLimits()

  init(
    url: PostgresURL, configuration: OutboxConfiguration, log: Log,
    clock: @escaping @Sendable () -> Timestamp, databaseClock: DatabaseClock
  ) {
    self.databaseClock = databaseClock
    prefetch = PostgresPrefetch(
      appMax: configuration.windowMax, totalMax: configuration.windowTotalMax)
    memory = PostgresMemory(clock: databaseClock, outcomes: loggedOutcomes, prefetch: prefetch)
    self.url = url
    self.configuration = configuration
    self.log = log
    self.clock = clock
    reconnectMilliseconds = configuration.reconnectMillisecondsMin
  }

  package var logFields: Log.Fields { ["database": .string(url.description)] }

  package var clockSkewMilliseconds: Int64? { databaseClock.skewMilliseconds }

  package var gatewayCount: Int { max(1, liveGateways.load(ordering: .relaxed)) }

  package var lostLeaseCount: Int { lostLeases.load(ordering: .relaxed) }

  package var sharedLimits: (any SharedLimits)? { limits }

  package var isReachable: Bool { isConnected.load(ordering: .acquiring) }

  package func holds(_ delivery: ClaimedDelivery) -> Bool {
    let lease = lease.withLock { $0 }
    return delivery.lease == lease.replica && .now < lease.end
  }

  package func start(in store: Store) {
    limits.attach { [weak self, weak store] in
      guard let self, let store else { return }
      store.writing.async { self.exchangeLimits(in: store) }
    }
    watchLater(in: store)
  }

  package func batchEnded(in store: Store) {}

  /// Recovered cancellations end when their lease is reaped, and unreadable deliveries when they are claimed.
  package func maintain(in store: Store) {}

  /// Releases the claims and closes.
  package func close(in store: Store, completion: @escaping @Sendable () -> Void) {
    if let writer, !isClosed {
      do throws(PostgresError) {
        try writer.releaseLease(now: clock())
      } catch {
        log.warning(
          "queue: claims were not released; other gateways take them when the lease ends",
          ["reason": .string(error.message)])
      }
    }
    if let uncertain { resolve(uncertain, .failure(.unknownOutcome), in: store) }
    isClosed = true
    prefetch.clear()
    writer = nil
    limits.refuseTurns()
    for waiting in waitingForTurn { waiting(.closed) }
    waitingForTurn = []
    let closing = DispatchGroup()
    store.lookups.queue.async(group: closing) { [lookups] in lookups.close() }
    store.lists.queue.async(group: closing) { [lists] in lists.close() }
    bulk.async(group: closing) { [self] in bulkWriter = nil }
    closing.notify(queue: store.writing, execute: completion)
  }
}

// MARK: - Questions to the writer

extension PostgresBackend {
  /// Answers at once, on the caller's thread, with deliveries that were accepted as claimed.
  package func claim(_ claim: ClaimRequest, in store: Store) {
    if isReachable, let claimed = prefetch.answer(claim) { return claim.completion(.success(claimed)) }
    store.submit(.write(.own(.claim(claim))))
  }

  package func nextDue(app: String) throws(BackendError) -> Timestamp? {
    try onWriter { writer throws(PostgresError) in try writer.nextDue(app: app) }
  }

  package func counts(now: Timestamp) throws(BackendError) -> [ExactText: OutboxCounts] {
    try onWriter { writer throws(PostgresError) in try writer.counts(now: now) }
  }

  package func appsDue(since moment: Timestamp) throws(BackendError) -> [String] {
    try onWriter { writer throws(PostgresError) in try writer.due(now: moment) }
  }

  package func awaitWebhookTurn(in store: Store, completion: @escaping @Sendable (OutboxError?) -> Void) {
    awaitTurn(ofWebhook: endedWebhooks.load(ordering: .acquiring), in: store, completion: completion)
  }

  package func endWebhook() { endedWebhooks.add(1, ordering: .acquiringAndReleasing) }

  private func awaitTurn(
    ofWebhook webhook: Int, in store: Store, completion: @escaping @Sendable (OutboxError?) -> Void
  ) {
    guard endedWebhooks.load(ordering: .acquiring) == webhook else {
      return completion(.closed)
    }
    let answer: @Sendable (Result<Bool, OutboxError>) -> Void = { [self] result in
      switch result {
      case .success(true): completion(nil)
      case .success(false):
        waitingForTurn.append { [self] error in
          if let error { return completion(error) }
          awaitTurn(ofWebhook: webhook, in: store, completion: completion)
        }
      case .failure(let error): completion(error)
      }
    }
    store.ask(.claim, answer) { backend throws(BackendError) in
      let isOurs = try backend.onWriter { writer throws(PostgresError) in try writer.takeWebhookTurn() }
      if isOurs { backend.turnHolder = webhook }
      return isOurs
    }
  }

  /// Leaves the turn to the other gateways if this one's webhook has ended, as after a reload without one.
  func giveUpUnusedTurn(_ writer: PostgresWriter) throws(PostgresError) {
    guard let holder = turnHolder, holder < endedWebhooks.load(ordering: .acquiring) else { return }
    try writer.giveUpWebhookTurn()
    turnHolder = nil
  }

  private func onWriter<Value>(
    _ body: (PostgresWriter) throws(PostgresError) -> Value
  ) throws(BackendError) -> Value {
    guard let writer else { throw BackendError(.operation, .outOfReach) }
    do throws(PostgresError) { return try body(writer) } catch { throw assess(error) }
  }
}

// MARK: - Reads

extension PostgresBackend {
  package func notification(
    _ id: NotificationID, now: Timestamp
  ) throws(BackendError) -> StoredNotification? {
    try lookups.read(in: self) { reader throws(PostgresError) in try reader.notification(id, now: now) }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, now: Timestamp
  ) throws(BackendError) -> NotificationPage {
    try lists.read(in: self) { reader throws(PostgresError) in
      try reader.list(filter, limit: limit, cursor: cursor, now: now)
    }
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp
  ) throws(BackendError) -> EnqueueOutcome? {
    // A failover would forget the record of an answer that no standby has confirmed.
    guard isConfirmed.load(ordering: .acquiring) else { throw BackendError(.operation, .notReplicated) }
    return try lookups.read(in: self) { reader throws(PostgresError) in
      try reader.idempotent(key, fingerprint: fingerprint, now: now)
    }
  }

  package func feedback(after: Int64?, apps: [String]?, limit: Int) throws(BackendError) -> FeedbackPage {
    try lists.read(in: self) { reader throws(PostgresError) in
      try reader.feedback(after: after, apps: apps, limit: limit)
    }
  }

  package func webhookEvents(after: Int64?, limit: Int) throws(BackendError) -> WebhookPage {
    try lists.read(in: self) { reader throws(PostgresError) in
      try reader.webhookEvents(after: after, limit: limit)
    }
  }

  package func webhookCursor() throws(BackendError) -> Int64? {
    try lookups.read(in: self) { reader throws(PostgresError) in try reader.webhookCursor() }
  }

}

extension PostgresBackend {
  /// A further connection to a database that is prepared.
  func openConnection() throws(PostgresError) -> PostgresConnection {
    let connection = try PostgresConnection(url)
    do throws(PostgresOpeningError) {
      try PostgresSchema.configure(connection)
    } catch {
      throw PostgresError(message: error.underlying.description)
    }
    try PostgresSchema.limitWaits(connection)
    return connection
  }
}

extension OutboxError {
  /// The error of operations that were pending when the connection was lost.
  static let outOfReach = OutboxError(
    code: .unavailable, description: "the queue's database is out of reach")

  static let notReplicated = OutboxError(
    code: .outcomeUnknown,
    description:
      "no synchronous standby has confirmed the last transaction of the queue's database, so that a "
      + "failover may lose it; look at the standby")

  static let unknownOutcome = OutboxError(
    code: .outcomeUnknown,
    description: "the connection to the queue's database was lost during COMMIT, and it is not known whether "
      + "this was kept")
}
