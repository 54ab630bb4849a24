package import Clock
import Dispatch
import JSON
import Synchronization
import Telemetry

/// A durable queue: everything that the stores in SQLite and in PostgreSQL have in common.
///
/// One thread at a time writes: it takes all pending operations, writes them in one transaction of its
/// backend, and answers after the COMMIT. Look-ups and lists have a connection and a thread each. A
/// degraded store refuses nothing by itself, and recovers by itself.
///
/// Callers reach it through `any OutboxStore`, where the compiler cannot know the backend: what runs for each
/// notification asks to be specialized for both.
package final class GroupCommitStore<Backend: GroupCommitBackend>: OutboxStore {
  package typealias Operation = GroupCommitOperation<Backend.OwnWrite>
  package typealias Write = GroupCommitWrite<Backend.OwnWrite>

  let backend: Backend
  let configuration: OutboxConfiguration
  let log: Log
  let clock: @Sendable () -> Timestamp
  let writing = DispatchQueue(label: "dragoman.outbox.write", qos: .userInitiated)
  /// Reads of one record: idempotency keys, single notifications.
  let lookups: ReadingLane
  /// Reads of many: lists and the feedback log.
  let lists: ReadingLane
  /// Answers callers while the database is out of reach, so that they do not wait behind an attempt to
  /// connect.
  let refusing = DispatchQueue(label: "dragoman.outbox.refuse")
  let pending: Mutex<PendingOperations<Backend.OwnWrite>>
  /// Ends the delay of a commit.
  let delayEnds = DispatchSemaphore(value: 0)
  let listeners = Mutex(OutboxListeners())
  let healthState: Mutex<HealthState>
  let maintenance = Mutex(MaintenanceState())
  /// The apps that this gateway has asked for.
  let served = Mutex<Set<ExactText>>([])
  let committed = Atomic<Int>(0)
  /// The number of the last enqueue that was written in parts.
  let largeEnqueues = Atomic<Int>(0)
  /// Enforces deadlines; nothing on it waits for the database.
  let watching = DispatchQueue(label: "dragoman.outbox.watch", qos: .userInitiated)
  let calls = Mutex(TimedCalls())
  let progress = Mutex(WritingProgress())
  /// The number of the round of watching that comes next, and whether the store rests until then.
  let rounds = Atomic<Int>(0)
  let isResting = Atomic<Bool>(false)
  /// Whether the writing queue waits for a database that has stopped answering.
  let isStalled = Atomic<Bool>(false)

  /// Takes over an opened backend. `degradation` is why its database cannot be used yet.
  init(
    backend: Backend, configuration: OutboxConfiguration, log: Log,
    clock: @escaping @Sendable () -> Timestamp,
    degradation: OutboxError? = nil
  ) {
    self.backend = backend
    self.configuration = configuration
    self.log = log
    self.clock = clock
    lookups = ReadingLane("lookup", callsMax: configuration.lookupsMax)
    pending = Mutex(
      PendingOperations(
        gathering: .milliseconds(configuration.gatheringMilliseconds),
        deliveriesMax: configuration.gatheredDeliveriesMax))
    lists = ReadingLane("list", callsMax: configuration.listsMax)
    healthState = Mutex(HealthState(health: OutboxHealth(since: clock())))
    if let degradation { degraded(degradation) }
    backend.start(in: self)
    scheduleMaintenance()
    watch()
  }

  /// The number of transactions that changed something since the store was opened.
  package var commitCount: Int { committed.load(ordering: .relaxed) }

  package var health: OutboxHealth {
    rouse()
    return healthState.withLock { $0.health }
  }

  package var diskSpace: OutboxDiskSpace? {
    rouse()
    return backend.diskSpace
  }

  package var now: Timestamp { clock() }

  package var gatewayCount: Int { backend.gatewayCount }

  package var lostLeaseCount: Int { backend.lostLeaseCount }

  package var sharedLimits: (any SharedLimits)? { backend.sharedLimits }

  package var clockSkewMilliseconds: Int64? { backend.clockSkewMilliseconds }

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
    backend.loggedOutcomes.replace(with: outcomes)
  }

  package func close() async {
    await withCheckedContinuation { continuation in submit(.close { continuation.resume() }) }
  }
}

// MARK: - Calls that write

extension GroupCommitStore {
  /// How long the webhook's cursor may wait for another write while outcomes are logged.
  private static var cursorWaitMilliseconds: Int { 50 }

  @_specialize(where Backend == PostgresBackend)
  @_specialize(where Backend == SQLiteBackend)
  package func enqueue(
    _ notifications: [NewNotification], idempotency: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void
  ) {
    if isLarge(notifications) {
      return enqueueInParts(notifications, idempotency, completion: completion)
    }
    // Without the generic closure that other calls get, which would be wrapped twice more each time.
    let call = timed(.write, refuse: { completion(.failure($0)) })
    let answer: QueueWrite.Completion<EnqueueOutcome> = { result in call.answer { completion(result) } }
    submit(.write(.queue(.enqueue(notifications, idempotency, now: clock(), answer))), call)
  }

  @_specialize(where Backend == PostgresBackend)
  @_specialize(where Backend == SQLiteBackend)
  package func settle(
    _ settlements: [Settlement], waitMilliseconds: Int,
    completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    submit(.write(.queue(.settle(settlements, completion))), waitMilliseconds: waitMilliseconds)
  }

  package func settleNow() {
    if pending.withLock({ $0.endWait() }) { writing.async { self.drain() } }
  }

  package func cancel(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<CancelOutcome, OutboxError>) -> Void
  ) {
    let (call, answer) = timed(.write, completion)
    submit(.write(.queue(.cancel(id, now: now, answer))), call)
  }

  package func retry(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<RetryOutcome, OutboxError>) -> Void
  ) {
    let (call, answer) = timed(.write, completion)
    submit(.write(.queue(.retry(id, now: now, answer))), call)
  }

  package func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void
  ) {
    submit(.write(.queue(.expire(app: app, now: now, limit: limit, completion))))
  }

  package func prune(
    endedBy end: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<PruneStep, OutboxError>) -> Void
  ) {
    submit(.write(.queue(.prune(endedBy: end, now: clock(), limit: limit, completion))))
  }

  package func endWebhook() { backend.endWebhook() }

  package func setWebhookCursor(
    _ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    // With outcomes there may be hundreds a second, which must not cost a sync each. A cursor that a crash
    // forgets costs events that are sent again.
    let wait = backend.loggedOutcomes.current.isEmpty ? 0 : Self.cursorWaitMilliseconds
    submit(.write(.queue(.setWebhookCursor(event, completion))), waitMilliseconds: wait)
  }

  @_specialize(where Backend == PostgresBackend)
  @_specialize(where Backend == SQLiteBackend)
  package func holds(_ delivery: ClaimedDelivery) -> Bool { backend.holds(delivery) }

  package func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<ClaimedDeliveries, OutboxError>) -> Void
  ) {
    let claim = ClaimRequest(app: app, limit: limit, normalMin: normalMin, now: now, completion: completion)
    serve(app)
    backend.claim(claim, in: self)
  }
}
