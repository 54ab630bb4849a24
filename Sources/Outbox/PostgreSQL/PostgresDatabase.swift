package import Clock
import Dispatch
import JSON
import SendingLimits
import Synchronization
package import Telemetry
package import SQL

extension DurableOutboxStore {
  /// Opens the queue in a PostgreSQL database that several gateways share, and creates its tables if there
  /// are none. If no server answers, or one is just starting, the queue opens degraded and keeps trying to
  /// connect.
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
    let database = PostgresDatabase(
      url: url, configuration: configuration, log: log, clock: clock, databaseClock: databaseClock)
    let degradation = try database.open()
    self.init(
      database: database, configuration: configuration, log: log, clock: clock, degradation: degradation)
  }
}

/// The queue in a PostgreSQL database: its connections, this gateway's lease, and how it recovers.
///
/// Guard: the variables belong to the store's writing queue, once the store is made.
final class PostgresDatabase: QueueDatabase, @unchecked Sendable {
  /// A transaction whose COMMIT was not answered.
  struct UncertainCommit {
    let writes: [QueueWrite]
    let error: QueueWriteError
    let batch: Int64
    /// The database's answer, once it is known; later transactions overwrite it there.
    var wasCommitted: Bool?
  }

  let url: PostgresURL
  let configuration: OutboxConfiguration
  let log: Log
  let clock: @Sendable () -> Timestamp
  let databaseClock: DatabaseClock
  let memory: QueueMemory
  let leasing: PostgresLease
  /// Nil while the database is out of reach.
  var engine: QueueEngine?
  var uncertain: UncertainCommit?
  var reconnectMilliseconds: Int
  var lastEvent: Int64 = 0
  let webhook = WebhookTurns()
  /// False after a commit that no standby has confirmed, until one is confirmed again.
  let isConfirmed = Atomic<Bool>(true)
  let isConnected = Atomic<Bool>(false)
  let lostLeases = Atomic<Int>(0)
  /// The gateways with a lease, this one included, as of the last look.
  let liveGateways = Atomic<Int>(1)
  /// On the queues of look-ups and of lists.
  private let lookups = PostgresReader()
  private let lists = PostgresReader()
  /// Writes large enqueues, on a queue and a connection of its own.
  let bulk = PostgresBulk()
  /// What the gateways tell each other about sending.
  let limits = LimitsExchange()

  init(
    url: PostgresURL, configuration: OutboxConfiguration, log: Log,
    clock: @escaping @Sendable () -> Timestamp, databaseClock: DatabaseClock
  ) {
    self.databaseClock = databaseClock
    leasing = PostgresLease(milliseconds: configuration.leaseMilliseconds)
    memory = QueueMemory(
      ready: ReadyDeliveries(appMax: configuration.readyMax, totalMax: configuration.readyTotalMax))
    self.url = url
    self.configuration = configuration
    self.log = log
    self.clock = clock
    reconnectMilliseconds = configuration.reconnectMillisecondsMin
  }

  var driver: PostgresDriver? { engine?.driver as? PostgresDriver }

  var isShared: Bool { true }
  var logFields: Log.Fields { ["database": .string(url.description)] }
  var shortage: OutboxError? { nil }
  var diskSpace: OutboxDiskSpace? { nil }
  var clockSkewMilliseconds: Int64? { databaseClock.skewMilliseconds }
  var gatewayCount: Int { max(1, liveGateways.load(ordering: .relaxed)) }
  var lostLeaseCount: Int { lostLeases.load(ordering: .relaxed) }
  var sharedLimits: (any SharedLimits)? { limits }
  var isReachable: Bool { isConnected.load(ordering: .acquiring) }

  func holds(_ delivery: ClaimedDelivery) -> Bool { leasing.holds(delivery.claim.lease) }

  func start(in store: DurableOutboxStore) {
    limits.attach { [weak self, weak store] in
      guard let self, let store else { return }
      store.writing.async { self.exchangeLimits(in: store) }
    }
    watchLater(in: store)
  }

  func inspect(in store: DurableOutboxStore) {}

  func batchEnded(in store: DurableOutboxStore) {}

  /// Recovered cancellations end when their lease is reaped, and unreadable deliveries when they are claimed.
  func maintain(in store: DurableOutboxStore) {}

  func write(
    _ writes: [QueueWrite], claimLimits: [ExactText: Int], in store: DurableOutboxStore
  ) throws(QueueWriteError) -> GroupCommit {
    guard let engine else { throw QueueWriteError(underlying: .operation(store.outOfReach)) }
    let began = ContinuousClock.now
    do throws(QueueWriteError) {
      let commit = try engine.write(writes, claimLimits: claimLimits)
      leasing.renewed(at: began)
      return commit.isReplicated ? commit : unconfirmed(commit, of: writes, in: store)
    } catch {
      if error.underlying.kind == .leaseLost {
        guard takeNewLease(in: store) else { throw QueueWriteError(underlying: .operation(store.outOfReach)) }
        return try write(writes, claimLimits: claimLimits, in: store)
      }
      if error.isUncertain {
        uncertain = UncertainCommit(writes: writes, error: error, batch: leasing.batch)
        resolveLater(batch: leasing.batch, in: store)
      }
      assess(error.underlying)
      throw error
    }
  }

  /// The result of a transaction that only the server itself has. Callers whose request a failover would
  /// forget get an unknown outcome, and the store is degraded until a later commit is confirmed.
  private func unconfirmed(
    _ commit: GroupCommit, of writes: [QueueWrite], in store: DurableOutboxStore
  ) -> GroupCommit {
    isConfirmed.store(false, ordering: .releasing)
    var commit = commit
    for (index, write) in writes.enumerated() where write.traits.contains(.isRequest) {
      guard commit.answers.indices.contains(index) else { continue }
      commit.answers[index] = { write.refuse(.notReplicated) }
    }
    store.degraded(.notReplicated)
    return commit
  }

  /// Takes note of what a failed statement means: a lost connection is given up, for `recover` to make a new
  /// one.
  func assess(_ error: DatabaseError) {
    guard error.isConnectionLost else { return }
    engine = nil
    isConnected.store(false, ordering: .releasing)
  }

  func ask<Value>(_ body: (QueueEngine) throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
    guard let engine else { throw .operation(.outOfReach) }
    do throws(DatabaseError) {
      return try body(engine)
    } catch {
      assess(error)
      throw error
    }
  }

  func read<Value>(
    _ lane: ReadingLane, _ body: (QueueReader) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    // A failover would forget the record of an answer that no standby has confirmed.
    guard lane == .list || isConfirmed.load(ordering: .acquiring) else { throw .operation(.notReplicated) }
    do throws(DatabaseError) {
      return try (lane == .lookup ? lookups : lists).read(opening: openConnection) {
        connection throws(DatabaseError) in
        try body(QueueReader(connection: connection, claims: memory.claims))
      }
    } catch {
      // A failed read does not degrade the store: the writer has a connection of its own.
      throw error.kind == .unreadableRecord ? error : .operation(error.outboxError)
    }
  }

  /// Releases the claims and closes.
  func close(in store: DurableOutboxStore, completion: @escaping @Sendable () -> Void) {
    if let driver {
      do throws(DatabaseError) {
        try driver.releaseLease(now: clock())
      } catch {
        log.warning(
          "queue: claims were not released; other gateways take them when the lease ends",
          ["reason": .string(error.message)])
      }
    }
    if let uncertain { resolve(uncertain, .failure(.unknownOutcome), in: store) }
    memory.ready.clear()
    engine = nil
    limits.refuseQuestions()
    webhook.close()
    let closing = DispatchGroup()
    store.lookups.queue.async(group: closing) { [lookups] in lookups.close() }
    store.lists.queue.async(group: closing) { [lists] in lists.close() }
    bulk.queue.async(group: closing) { [bulk] in bulk.close() }
    closing.notify(queue: store.writing, execute: completion)
  }

  /// A further connection to a database that is prepared.
  func openConnection() throws(DatabaseError) -> PostgresConnection {
    let connection = try PostgresConnection(url)
    try PostgresSchema.configure(connection)
    try connection.limitWaits()
    return connection
  }
}

extension OutboxError {
  /// The error of operations that were pending when the connection was lost.
  static let outOfReach = OutboxError(
    code: .unavailable, description: "the queue's database is out of reach")
}
