package import Clock
import Dispatch
import JSON
package import SendingLimits
import Synchronization
import Telemetry
import SQL

/// The durable queue, in SQLite or in PostgreSQL.
///
/// One thread at a time writes: it takes all pending operations, has the database write them in one
/// transaction, and answers after the COMMIT. Look-ups and lists have a connection and a thread each. A
/// degraded store refuses nothing by itself, and recovers by itself.
package final class DurableOutboxStore: OutboxStore {
  let database: any QueueDatabase
  let configuration: OutboxConfiguration
  let log: Log
  let clock: @Sendable () -> Timestamp
  let writing = DispatchQueue(label: "dragoman.outbox.write", qos: .userInitiated)
  let lookups: BoundedQueue
  let lists: BoundedQueue
  /// Answers callers while the database is out of reach, so that they do not wait behind an attempt to
  /// connect.
  let refusing = DispatchQueue(label: "dragoman.outbox.refuse")
  /// Enforces deadlines; nothing on it waits for the database.
  let watching = DispatchQueue(label: "dragoman.outbox.watch", qos: .userInitiated)
  let pending: Mutex<PendingOperations>
  let listeners = Mutex(OutboxListeners())
  let healthState: Mutex<HealthState>
  let maintenance = Mutex(MaintenanceState())
  let calls = Mutex(TimedCalls())
  let watch = Mutex(WatchState())
  /// Whether the writing queue waits for a database that has stopped answering.
  let isStalled = Atomic<Bool>(false)
  let committed = Atomic<Int>(0)

  /// Takes over an opened database. `degradation` is why it cannot be used yet.
  init(
    database: any QueueDatabase, configuration: OutboxConfiguration, log: Log,
    clock: @escaping @Sendable () -> Timestamp, degradation: OutboxError? = nil
  ) {
    self.database = database
    self.configuration = configuration
    self.log = log
    self.clock = clock
    lookups = BoundedQueue(label: "dragoman.outbox.lookup", callsMax: configuration.lookupsMax)
    lists = BoundedQueue(label: "dragoman.outbox.list", callsMax: configuration.listsMax)
    pending = Mutex(
      PendingOperations(
        gathering: .milliseconds(configuration.gatheringMilliseconds),
        deliveriesMax: configuration.gatheredDeliveriesMax))
    healthState = Mutex(HealthState(health: OutboxHealth(since: clock())))
    if let degradation { degraded(degradation) }
    followClock()
    database.start(in: self)
    scheduleMaintenance()
    watchLater(rests: false)
  }

  /// The number of transactions that changed something since the store was opened.
  package var commitCount: Int { committed.load(ordering: .relaxed) }

  package var health: OutboxHealth {
    wake()
    return healthState.withLock { $0.health }
  }

  package var diskSpace: OutboxDiskSpace? {
    wake()
    return database.diskSpace
  }

  package var now: Timestamp { clock() }
  package var gatewayCount: Int { database.gatewayCount }
  package var lostLeaseCount: Int { database.lostLeaseCount }
  package var sharedLimits: (any SharedLimits)? { database.sharedLimits }
  package var clockSkewMilliseconds: Int64? { database.clockSkewMilliseconds }
  /// The number of settlements that were not recorded because their claims were over.
  package var lostClaimCount: Int { healthState.withLock { $0.lostClaimCount } }

  var isClosed: Bool { pending.withLock { $0.isClosed } }

  package func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void) {
    listeners.withLock { $0.onDue = notify }
  }

  package func onAccept(_ offer: @escaping @Sendable (_ app: String) -> Int?) {
    listeners.withLock { $0.onAccept = offer }
  }

  package func onCommit(_ observe: @escaping @Sendable (OutboxCommit) -> Void) {
    listeners.withLock { $0.onCommit = observe }
  }

  package func onFeedback(_ notify: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.onFeedback = notify }
  }

  package func logOutcomes(_ outcomes: Set<DeliveryOutcome>) {
    database.memory.outcomes.replace(with: outcomes)
  }

  package func close() async {
    await withCheckedContinuation { continuation in submit(.close { continuation.resume() }) }
  }
}

// MARK: - Calls that write

extension DurableOutboxStore {
  /// How long the webhook's cursor may wait for another write while outcomes are logged.
  private static var cursorWaitMilliseconds: Int { 50 }

  package func enqueue(
    _ notifications: [NewNotification], idempotency: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void
  ) {
    if let size = partSize(notifications) {
      return enqueueInParts(of: size, notifications, idempotency, completion: completion)
    }
    let (call, answer) = timed(.write, completion)
    submit(.write(.enqueue(NewWork(notifications, idempotency, now: clock(), completion: answer))), call)
  }

  package func settle(
    _ settlements: [Settlement], waitMilliseconds: Int,
    completion: @escaping @Sendable (Result<[DeliveryID], OutboxError>) -> Void
  ) {
    submit(.write(.settle(settlements, completion)), waitMilliseconds: waitMilliseconds)
  }

  package func settleNow() {
    if pending.withLock({ $0.endWait() }) { writing.async { self.drain() } }
  }

  package func cancel(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<CancelOutcome, OutboxError>) -> Void
  ) {
    change([.isRequest, .concernsOutcomes], completion) { engine, transaction throws(DatabaseError) in
      try engine.cancel(id, now: now, &transaction)
    }
  }

  package func retry(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<RetryOutcome, OutboxError>) -> Void
  ) {
    change([.isRequest, .addsDeliveries, .concernsOutcomes], completion) {
      engine, transaction throws(DatabaseError) in
      try engine.retry(id, now: now, &transaction)
    }
  }

  package func change(
    _ set: DeliverySetChange, after row: Int64, isDryRun: Bool, progress: DeliverySetProgress?,
    completion: @escaping @Sendable (Result<DeliverySetStep, OutboxError>) -> Void
  ) {
    let now = clock()
    let limit = max(
      1, min(configuration.stepDeliveriesMax, configuration.depthMax, configuration.clientDepthMax))
    if isDryRun {
      return read(.list, completion) { reader throws(DatabaseError) in
        try reader.step(of: set, after: row, now: now, limit: limit).step
      }
    }
    var traits: QueueChange.Traits = [.isRequest, .concernsOutcomes]
    if set.verb == .retry { traits.insert(.addsDeliveries) }
    change(traits, deliveryCount: limit, completion) { engine, transaction throws(DatabaseError) in
      try engine.change(set, after: row, now: now, limit: limit, progress, &transaction)
    }
  }

  package func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void
  ) {
    change(.concernsOutcomes, deliveryCount: limit, completion) { engine, transaction throws(DatabaseError) in
      try engine.expire(app: app, now: now, limit: limit, &transaction)
    }
  }

  package func prune(
    endedBy end: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<PruneStep, OutboxError>) -> Void
  ) {
    let now = clock()
    change(.concernsOutcomes, deliveryCount: limit, completion) { engine, transaction throws(DatabaseError) in
      try engine.prune(endedBy: end, now: now, limit: limit, &transaction)
    }
  }

  package func endWebhook() { database.endWebhook() }

  package func setWebhookCursor(
    _ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    // With outcomes there may be hundreds a second, which must not cost a sync each. A cursor that a crash
    // forgets costs events that are sent again.
    let wait = database.memory.outcomes.current.isEmpty ? 0 : Self.cursorWaitMilliseconds
    change(waitMilliseconds: wait, completion) { engine, transaction throws(DatabaseError) in
      try engine.setWebhookCursor(event, &transaction)
    }
  }

  package func holds(_ delivery: ClaimedDelivery) -> Bool { database.holds(delivery) }

  /// Answers at once, on the caller's thread, with deliveries that were accepted as claimed.
  package func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<ClaimedDeliveries, OutboxError>) -> Void
  ) {
    let claim = ClaimRequest(app: app, limit: limit, normalMin: normalMin, now: now, completion: completion)
    serve(app)
    if database.isReachable, !isClosed, let claimed = database.memory.ready.answer(claim) {
      return completion(.success(claimed))
    }
    submit(.write(.claim(claim)))
  }
}
