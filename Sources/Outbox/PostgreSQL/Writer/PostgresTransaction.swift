internal import Clock
import JSON

/// What a transaction changes in memory once it is committed, and what it still has to write before that.
struct PostgresTransaction {
  /// The state under which `dragoman_counts` counts claimed deliveries.
  static let claimed = DeliveryState.sending.rawValue

  /// Statements whose results nobody needs, so that they can share a round trip with later ones.
  var pending = PostgresBatch()
  var claims: [Claim] = []
  /// How many of an app's new deliveries may be inserted as claimed.
  let rooms: [ExactText: Int]
  /// What was inserted as claimed.
  var ahead: [ExactText: [ClaimedDelivery]] = [:]
  var settled: Set<DeliveryID> = []
  /// Settled claims that had gone to another replica.
  var lost = 0
  /// The apps with more waiting deliveries than before.
  var due: Set<ExactText> = []
  /// When the next delivery of an app is due whose claim in this transaction took all that is due.
  var nextDue: [ExactText: Timestamp?] = [:]
  /// The apps whose claims in this transaction may have left something.
  var unfinished: Set<ExactText> = []
  /// What it adds to the feedback log, in order.
  private(set) var events: [LoggedEvent] = []
  /// The outcomes that it logs.
  let outcomes: LoggedOutcomes.Choice
  var sweeps: [ExactText: PostgresWriter.Sweep?] = [:]
  var pruned: PostgresWriter.PrunePlace?
  var hasPruned = false
  /// By app and state.
  private(set) var counts: [Int64: [Int]] = [:]
  /// The change in the number of deliveries that are not final.
  private(set) var depth = 0
  /// The same by client.
  private(set) var clients: [ExactText?: Int] = [:]
  /// Whether anything was changed.
  var hasChanged = false
  var report = OutboxCommit()

  init(outcomes: LoggedOutcomes.Choice = LoggedOutcomes.Choice(), rooms: [ExactText: Int] = [:]) {
    self.outcomes = outcomes
    self.rooms = rooms
  }

  mutating func log(_ event: LoggedEvent) {
    events.append(event)
    report.feedbackEvents += 1
  }

  /// Logs that the delivery in a row has ended, if such outcomes are logged. `row` has its `attempts` and its
  /// `error_code`.
  mutating func log(outcomeOf row: PostgresRows.Row, _ state: DeliveryState, at: Timestamp) {
    guard outcomes.contains(state) else { return }
    log(
      .outcome(
        LoggedEvent.Outcome(
          delivery: row.integer(.row), state: state, attempts: row.integer(.attempts),
          code: row.text(.errorCode), at: at)))
  }

  /// The statements that are left, up to COMMIT.
  var last: PostgresBatch {
    var batch = pending
    batch.add("COMMIT")
    return batch
  }

  /// `client` is that of the notification; a final state does not need it.
  mutating func count(_ delta: Int, _ app: Int64, _ state: DeliveryState, of client: String? = nil) {
    count(delta, app, state.rawValue)
    guard !state.isFinal else { return }
    depth += delta
    clients[client.map(ExactText.init), default: 0] += delta
  }

  /// Counts a scheduled delivery as queued.
  mutating func becameDue(_ app: Int64) {
    count(-1, app, DeliveryState.scheduled.rawValue)
    count(1, app, DeliveryState.queued.rawValue)
  }

  mutating func countClaimed(_ delta: Int, _ app: Int64) { count(delta, app, Self.claimed) }

  private mutating func count(_ delta: Int, _ app: Int64, _ state: Int) {
    counts[app, default: Array(repeating: 0, count: DeliveryState.allCases.count)][state] += delta
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

/// The result of a transaction in PostgreSQL.
struct PostgresCommit {
  var result = GroupCommit()
  /// Claims that a settlement came for after they had gone to another gateway.
  var lost = 0
  /// Whether a synchronous standby, where there must be one, has it as well.
  var isReplicated = true
}
