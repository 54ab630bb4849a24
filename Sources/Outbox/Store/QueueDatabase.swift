internal import Clock
import JSON
import SendingLimits
import Telemetry
import SQL

/// What one database adds to `DurableOutboxStore`: its connections, its locks, and how it recovers.
///
/// The store calls it on its writing queue, unless a requirement says otherwise.
protocol QueueDatabase: AnyObject, Sendable {
  /// Whether several gateways use the database at the same time.
  var isShared: Bool { get }

  /// Where the database is, for the log.
  var logFields: Log.Fields { get }

  /// Whether the database can be used now. Called on any thread.
  var isReachable: Bool { get }

  /// Why nothing can be accepted although what was accepted can still be settled. Called on any thread.
  var shortage: OutboxError? { get }

  /// The space on the volume of the database's file; nil without one. Called on any thread.
  var diskSpace: OutboxDiskSpace? { get }

  /// How far the machine's clock is ahead of a shared database's; nil without one. Called on any thread.
  var clockSkewMilliseconds: Int64? { get }

  /// How many gateways share the database now, and how often this one's lease has ended. Called on any
  /// thread.
  var gatewayCount: Int { get }
  var lostLeaseCount: Int { get }

  /// What the gateways that share the database know together about sending. Called on any thread.
  var sharedLimits: (any SharedLimits)? { get }

  /// How long a degraded store waits before its next call of `recover`.
  var recoveryDelayMilliseconds: Int { get }

  /// The engine's state across connections.
  var memory: QueueMemory { get }

  /// Begins the work that the database does by itself. Called once, when the store is complete.
  func start(in store: DurableOutboxStore)

  /// Writes everything in one transaction, or nothing. An error with `isUncertain` obliges the database to
  /// call the store's `complete` for these writes later.
  func write(
    _ writes: [QueueWrite], claimLimits: [ExactText: Int], in store: DurableOutboxStore
  ) throws(QueueWriteError) -> GroupCommit

  /// Writes an enqueue that is too large for one transaction, all or nothing, and calls the store's `finish`
  /// for it. Called on any thread.
  func enqueue(_ large: LargeEnqueue, in store: DurableOutboxStore)

  /// Begins to verify the database's files, in each round of watching; returns at once. Called on any thread.
  func inspect(in store: DurableOutboxStore)

  /// Called after the callers of a batch were answered.
  func batchEnded(in store: DurableOutboxStore)

  /// The database's own part of a round of maintenance.
  func maintain(in store: DurableOutboxStore)

  /// Makes a degraded store writable again, or throws. Returns the apps whose deliveries may have become due
  /// meanwhile.
  func recover(in store: DurableOutboxStore) throws(DatabaseError) -> [String]

  /// Releases everything; `completion` may be called on any thread. Further calls only call their completion.
  func close(in store: DurableOutboxStore, completion: @escaping @Sendable () -> Void)

  /// Whether a claimed delivery is surely still this gateway's. Called on any thread.
  func holds(_ delivery: ClaimedDelivery) -> Bool

  /// Asks the engine between two transactions.
  func ask<Value>(_ body: (QueueEngine) throws(DatabaseError) -> Value) throws(DatabaseError) -> Value

  /// Reads on the queue of a lane.
  func read<Value>(
    _ lane: ReadingLane, _ body: (QueueReader) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value

  /// Calls `completion` when it is this gateway's turn to notify the webhook, or with an error. Called on any
  /// thread.
  func awaitWebhookTurn(in store: DurableOutboxStore, completion: @escaping @Sendable (OutboxError?) -> Void)

  /// Ends the waits for that turn. Called on any thread.
  func endWebhook()
}

/// Reads of one kind. Each kind has a queue and a connection of its own, so that what is slow delays neither
/// writes nor quick look-ups.
enum ReadingLane: Sendable {
  /// Reads of one record: idempotency keys, single notifications.
  case lookup
  /// Reads of many: lists and the feedback log.
  case list
}

/// The result of a transaction.
struct GroupCommit: Sendable {
  /// One for each write, in order, to be called after the commit.
  var answers: [@Sendable () -> Void] = []
  /// Nil when nothing was changed.
  var report: OutboxCommit?
  /// Whether the database was written, which proves that it can be.
  var isWritten = false
  /// The apps with more waiting deliveries than before.
  var due: [String] = []
  /// Settlements whose claims were over.
  var lost = 0
  /// The rows of deliveries that it has ended because their records cannot be read.
  var damaged: [Int64] = []
  /// Whether a synchronous standby, where there must be one, has it as well.
  var isReplicated = true
}
