internal import Clock
import JSON
import SQL

/// An app with its number in the database.
struct QueueApp: Sendable {
  let id: Int64
  let name: String
}

/// What a transaction begins with, which one round trip can do.
struct QueueOpening {
  /// Of claims that this gateway has.
  var settlements: [Settlement] = []
  /// Whether the outcome of each settlement is read, for the feedback log.
  var readsOutcomes = false
  /// The number of new notifications.
  var newCount = 0
  /// The idempotency keys of new notifications.
  var keys: [IdempotencyKey] = []
}

/// What the opening has found.
struct QueueOpened {
  /// By the rows of deliveries: what settlements have become. Those that are missing were no longer claimed.
  var settled: [Int64: SettledRow] = [:]
  /// The deliveries in the queue that are not final; 0 if nothing is new.
  var depth = 0
  /// Rows for the new notifications, ascending; none is used twice, whatever is rolled back.
  var rows: [Int64] = []
  /// The records of the keys that are in use, expired or not.
  var known: [IdempotencyKey: StoredIdempotency] = [:]
}

/// A delivery after its settlement.
struct SettledRow {
  let state: DeliveryState
  /// As they are now, if outcomes are read.
  var attempts: Int64 = 0
  var errorCode: String?
}

/// How many deliveries of a priority a claim takes at most.
struct ClaimWant {
  let priority: DeliveryPriority
  let limit: Int
}

/// A delivery that a claim has found; claimed in the database where several gateways share it.
enum FoundDelivery {
  /// `becameDue`: the claim has changed its state from `scheduled` to `queued`.
  case intact(QueuedDelivery, becameDue: Bool)
  /// A row that cannot be read.
  case damaged(Int64, becameDue: Bool)
}

/// The statements that differ between the databases.
protocol QueueDriver: AnyObject {
  /// The transactions. Statements that both databases understand go to it directly.
  var writer: any SQLWriter { get }

  /// The lease under which this gateway claims.
  var lease: Int64 { get }

  var memory: QueueMemory { get }

  /// Begins a transaction, at the latest before its first write.
  func open(_ opening: QueueOpening) throws(DatabaseError) -> QueueOpened

  /// Adds the changes of counts and commits.
  func commit(_ counts: QueueCounts) throws(DatabaseError)

  /// Takes the transaction back after an error; returns the error with what is known of the outcome.
  func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError

  func settle(
    _ settlements: [Settlement], readsOutcomes: Bool
  ) throws(DatabaseError) -> [Int64: SettledRow]

  func insert(_ rows: [NewRow]) throws(DatabaseError)

  func find(_ keys: [IdempotencyKey]) throws(DatabaseError) -> [IdempotencyKey: StoredIdempotency]

  /// Keeps records whose keys are free, or free again by `now`; returns the keys that it took.
  func insert(
    _ records: [IdempotencyRecord], now: Timestamp
  ) throws(DatabaseError) -> Set<IdempotencyKey>

  /// Takes due deliveries in the order in which they are sent: one list for each of `wants`; and when the
  /// first of those that are left is due.
  func claim(
    _ wants: [ClaimWant], of app: QueueApp, now: Timestamp
  ) throws(DatabaseError) -> (found: [[FoundDelivery]], nextDue: Timestamp?)

  /// Lets deliveries that this transaction has claimed wait again, for an older message of their activity.
  func release(_ deliveries: [QueuedDelivery], of app: QueueApp) throws(DatabaseError)

  /// Notes that deliveries that were passed over may be claimed: an older message of their activity has
  /// ended.
  func unblock(_ app: QueueApp)

  /// Notes that deliveries from a due time on have become visible.
  func reread(_ app: QueueApp, from time: Timestamp)

  /// When the app's first unclaimed waiting delivery is due, perhaps without those that were passed over
  /// because older messages of their activities have not ended.
  func firstDue(_ app: QueueApp) throws(DatabaseError) -> Timestamp?

  /// When the first of those is due that `firstDue` leaves out.
  func firstBlocked(_ app: QueueApp) -> Timestamp?

  /// Deliveries that are not final; the same of some clients.
  func depth() throws(DatabaseError) -> Int
  func depths(of clients: Set<ExactText?>) throws(DatabaseError) -> [ExactText?: Int]

  /// By app, then by state: see `QueueSchema`.
  func counts() throws(DatabaseError) -> [Int64: [Int]]

  /// Whether this gateway may move the webhook's cursor.
  func takeWebhookTurn() throws(DatabaseError) -> Bool

  /// Called before rows of notifications are removed.
  func willPrune() throws(DatabaseError)
}

extension QueueDriver {
  var dialect: SQLDialect { writer.dialect }

  @discardableResult
  func run(_ sql: String, _ values: [SQLValue] = []) throws(DatabaseError) -> SQLResult {
    try writer.run(sql, values)
  }

  /// Runs a statement whose result nobody needs.
  func send(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) { try writer.send(sql, values) }

  /// The app; nil if nothing was ever accepted for it.
  func knownApp(_ name: String) throws(DatabaseError) -> QueueApp? {
    if let known = memory.apps[ExactText(name)] { return known }
    let found = try run("SELECT id FROM dragoman_apps WHERE name = $1", [.text(name)])
    guard let row = found.first else { return nil }
    let app = QueueApp(id: row.integer(0), name: name)
    memory.learn(app)
    return app
  }
}

/// The changes of the counts that a transaction makes.
struct QueueCounts {
  /// By app, then by state: see `QueueSchema`.
  private(set) var states: [Int64: [Int]] = [:]
  /// Deliveries that are not final, by client.
  private(set) var clients: [ExactText?: Int] = [:]
  private(set) var depth = 0

  static let stateCount = DeliveryState.allCases.count
  /// The state under which claimed deliveries are counted.
  static let claimed = DeliveryState.sending.rawValue

  var isEmpty: Bool { states.isEmpty && clients.isEmpty }

  /// `client` is that of the notification; a final state does not need it.
  mutating func add(_ delta: Int, _ app: Int64, _ state: DeliveryState, of client: String? = nil) {
    add(delta, app, state.rawValue)
    guard !state.isFinal else { return }
    depth += delta
    clients[client.map(ExactText.init), default: 0] += delta
  }

  mutating func addClaimed(_ delta: Int, _ app: Int64) { if delta != 0 { add(delta, app, Self.claimed) } }

  /// Counts a scheduled delivery as queued.
  mutating func becameDue(_ app: Int64) {
    add(-1, app, DeliveryState.scheduled.rawValue)
    add(1, app, DeliveryState.queued.rawValue)
  }

  private mutating func add(_ delta: Int, _ app: Int64, _ state: Int) {
    states[app, default: Array(repeating: 0, count: Self.stateCount)][state] += delta
  }
}
