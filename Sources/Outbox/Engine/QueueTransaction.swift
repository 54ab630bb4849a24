internal import Clock
import JSON
import SQL

/// What a transaction changes in memory once it is committed, and what it writes at its end.
struct QueueTransaction {
  var counts = QueueCounts()
  /// Deliveries that it claims, those among them that were accepted as claimed by app, and claims that it
  /// ends.
  var claims: [ClaimedDelivery] = []
  var ahead: [ExactText: [ClaimedDelivery]] = [:]
  var ended: Set<DeliveryID> = []
  /// Claims of settlements that were over.
  var over: Set<ClaimNumber> = []
  /// The apps with more waiting deliveries than before.
  var due: Set<ExactText> = []
  /// The apps of which a message to a Live Activity has ended, for which others may have waited.
  var unblocked: Set<Int64> = []
  /// When the next delivery of an app is due whose claim took all that is due; nil inside where it may have
  /// left something.
  var nextDue: [ExactText: Timestamp??] = [:]
  /// What it adds to the feedback log, in order.
  private(set) var events: [LoggedEvent] = []
  /// The outcomes that it logs.
  let outcomes: LoggedOutcomes.Choice
  /// How many of an app's new deliveries may be inserted as claimed.
  let claimLimits: [ExactText: Int]
  var sweeps: [ExactText: QueueMemory.Sweep?] = [:]
  /// The last notification that pruning has examined, nil inside at the end of a sweep; nil if it did not
  /// prune.
  var pruned: Int64??
  /// The rows of deliveries whose records cannot be read, which it has ended.
  var damaged: [Int64] = []
  var hasChanged = false
  var report = OutboxCommit()

  init(outcomes: LoggedOutcomes.Choice = LoggedOutcomes.Choice(), claimLimits: [ExactText: Int] = [:]) {
    self.outcomes = outcomes
    self.claimLimits = claimLimits
  }

  /// The claim of a delivery that the transaction has made.
  func claim(of id: DeliveryID) -> ClaimedDelivery? { claims.last { $0.id == id } }

  /// Ends a claim, of this transaction or an earlier one.
  mutating func end(_ claim: ClaimedDelivery) {
    if let own = claims.lastIndex(where: { $0 === claim }) {
      claims.remove(at: own)
    } else {
      ended.insert(claim.id)
    }
  }

  mutating func log(_ event: LoggedEvent) {
    events.append(event)
    report.feedbackEvents += 1
  }

  /// Logs that a delivery has ended, if such outcomes are logged.
  mutating func log(
    outcomeOf row: Int64, _ state: DeliveryState, attempts: Int64, code: String?, at: Timestamp
  ) {
    guard outcomes.contains(state) else { return }
    log(.outcome(LoggedEvent.Outcome(delivery: row, state: state, attempts: attempts, code: code, at: at)))
  }

  /// Counts deliveries that wait no longer, and reports those that were cancelled or expired.
  mutating func ended(
    _ count: Int = 1, as state: DeliveryState, was old: DeliveryState, of client: String?, in app: QueueApp
  ) {
    counts.add(-count, app.id, old, of: client)
    counts.add(count, app.id, state, of: client)
    report.deliveries += count
    hasChanged = true
    if state == .cancelled { report.cancelled[ExactText(app.name), default: 0] += count }
  }
}

/// An event of the feedback log that a transaction will write, without its number.
enum LoggedEvent {
  struct Dead {
    let delivery: QueuedDelivery
    let app: Int64
    let code: String
    let activityToken: String?
    let at: Timestamp
  }

  struct Outcome {
    /// The delivery's row.
    let delivery: Int64
    let state: DeliveryState
    let attempts: Int64
    let code: String?
    let at: Timestamp
  }

  case dead(Dead)
  case outcome(Outcome)
}

/// Why a transaction was not kept, or what is needed to find out whether it was.
struct QueueWriteError: Error {
  let underlying: DatabaseError
  /// Whether the connection was lost during COMMIT, so that the transaction may have been kept.
  var isUncertain = false
  /// The result if it was committed.
  var commit = GroupCommit()
  var transaction = QueueTransaction()
}

/// The state of a gateway across its connections.
///
/// Guard: only the store's writing queue uses the variables.
final class QueueMemory: @unchecked Sendable {
  /// Where the search for an app's expired deliveries continues.
  struct Sweep {
    let priority: DeliveryPriority
    let key: DueKey
  }

  let claims = Claims()
  /// What was accepted as claimed. Used on any thread.
  let ready: ReadyDeliveries
  let outcomes = LoggedOutcomes()
  private(set) var apps: [ExactText: QueueApp] = [:]
  private(set) var sweeps: [ExactText: Sweep] = [:]
  /// The last notification that pruning has examined; nil at the start of a sweep.
  private(set) var pruned: Int64?
  private(set) var pruneSweeps = 0
  /// Deliveries of the enqueues in parts that are not complete, which have their place in the queue already.
  var openIntakes = 0
  private var lastClaim: Int64 = 0

  init(ready: ReadyDeliveries) { self.ready = ready }

  /// Another claim of a delivery.
  func claim(_ delivery: QueuedDelivery, under lease: Int64) -> ClaimedDelivery {
    lastClaim += 1
    return ClaimedDelivery(delivery, ClaimNumber(lease: lease, number: lastClaim))
  }

  func learn(_ app: QueueApp) { apps[ExactText(app.name)] = app }

  /// Applies a committed transaction.
  func take(_ transaction: QueueTransaction) {
    claims.update(adding: transaction.claims, removing: transaction.ended)
    for (app, sweep) in transaction.sweeps { sweeps[app] = sweep }
    if let pruned = transaction.pruned {
      self.pruned = pruned
      if pruned == nil { pruneSweeps += 1 }
    }
    ready.take(transaction.ahead, due: transaction.due, nextDue: transaction.nextDue)
  }

  /// Forgets the claims of a lease that has ended, which belong to others now. Returns how many there were.
  func loseClaims() -> Int {
    ready.clear()
    return claims.removeAll()
  }
}
