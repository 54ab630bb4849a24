internal import Clock
import JSON

/// What a transaction changes in memory once it is committed, and what it has yet to write before.
struct PostgresTransaction {
  /// The place of claimed deliveries among the states of `dragoman_counts`.
  static let claimed = DeliveryState.sending.rawValue

  var claims: [QueuedDelivery] = []
  var settled: Set<DeliveryID> = []
  /// Claims that a settlement came for, but that had gone to another replica.
  var lost = 0
  /// Apps that have more waiting than before.
  var due: Set<ExactText> = []
  var events: [(delivery: QueuedDelivery, app: Int64, code: String, at: Timestamp)] = []
  var sweeps: [ExactText: PostgresWriter.Sweep?] = [:]
  var pruned: PostgresWriter.PrunePlace?
  var hasPruned = false
  /// By app and state.
  private(set) var counts: [Int64: [Int]] = [:]
  /// Deliveries that are not final, added or ended.
  private(set) var depth = 0
  /// Calls that changed something.
  var hasChanged = false
  var report = OutboxCommit()

  mutating func count(_ delta: Int, _ app: Int64, _ state: DeliveryState) {
    count(delta, app, state.rawValue)
    if !state.isFinal { depth += delta }
  }

  mutating func countClaimed(_ delta: Int, _ app: Int64) { count(delta, app, Self.claimed) }

  private mutating func count(_ delta: Int, _ app: Int64, _ state: Int) {
    counts[app, default: Array(repeating: 0, count: DeliveryState.allCases.count)][state] += delta
  }
}

/// What the writing thread is asked to do.
enum PostgresOperation: PendingOperation {
  struct Claim: Sendable {
    let app: String
    let limit: Int
    let normalMin: Int
    let now: Timestamp
    let completion: QueueWrite.Completion<[ClaimedDelivery]>
  }

  case write(QueueWrite)
  case claim(Claim)
  case ask(@Sendable (PostgresWriter?) -> Void)
  case close(@Sendable () -> Void)

  var queueWrite: QueueWrite? { if case .write(let write) = self { write } else { nil } }

  var isClose: Bool { if case .close = self { true } else { false } }

  var deliveryCount: Int {
    switch self {
    case .write(let write): write.deliveryCount
    case .claim(let claim): claim.limit
    case .ask, .close: 0
    }
  }
}

/// What came of a transaction.
struct PostgresCommit {
  /// One for each operation, to be called when the transaction is over.
  var answers: [@Sendable () -> Void] = []
  /// Nil where nothing was changed.
  var report: OutboxCommit?
  var due: [String] = []
  var lost = 0
}
