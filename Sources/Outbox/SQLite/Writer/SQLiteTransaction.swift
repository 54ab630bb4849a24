import JSON

/// What a transaction changes in memory once it is committed.
struct SQLiteTransaction {
  /// One change, in the order of the writes.
  enum Effect {
    case waits(AppQueue, QueuedDelivery)
    case settled(AppQueue, DeliveryID, again: QueuedDelivery?)
    /// Ended without having been claimed.
    case ended(AppQueue, DeliveryPriority, DueKey, was: DeliveryState)
    case quarantined(AppQueue)
    case cancelRequested(Int64)
    case cancelRequestRemoved(Int64)
    case swept(AppQueue, (priority: DeliveryPriority, key: DueKey)?)
    case pruned(upTo: Int64?)
    /// The last part of an enqueue was written.
    case revealed(SQLiteIntakes.Intake)
    case abandonedRemoved(upTo: Int64)
  }

  var hasBegun = false
  var effects: [Effect] = []
  var settled: Set<DeliveryID> = []
  /// Rows of claimed deliveries whose cancellation was requested.
  var cancelRequests: Set<Int64> = []
  var newApps: [AppQueue] = []
  /// The enqueues in parts that it begins, by number.
  var intakes: [Int: SQLiteIntakes.Intake] = [:]
  /// The last notification in the indexes, as the transaction leaves them.
  private(set) var indexed: Int64
  /// What it adds to the tail.
  private(set) var tail: [NotificationID: Int64] = [:]
  private(set) var tailDeliveries = 0
  /// The counts of an app of which nothing has changed.
  private static let noCounts = Array(repeating: 0, count: DeliveryState.allCases.count)
  /// By app and raw state.
  private(set) var counts: [Int64: [Int]] = [:]
  /// Those that are stored, which leave out the tail.
  private(set) var storedCounts: [Int64: [Int]] = [:]
  private(set) var depth = 0
  /// The change in the number of deliveries that are not final, by client.
  private(set) var clients: [ExactText?: Int] = [:]
  /// Whether clients are counted: only where each has a share of the depth.
  private let countsClients: Bool
  /// The outcomes that it logs.
  let outcomes: LoggedOutcomes.Choice
  var report = OutboxCommit()

  init(countsClients: Bool, indexed: Int64, outcomes: LoggedOutcomes.Choice) {
    self.countsClients = countsClients
    self.indexed = indexed
    self.outcomes = outcomes
  }

  /// Adds a notification to the tail.
  mutating func accept(_ new: NewNotification, row: Int64) {
    tail[new.id] = row
    tailDeliveries += new.deliveries.count
  }

  /// Notes that the indexes have everything up to `row`.
  mutating func indexed(upTo row: Int64) {
    indexed = row
    tail = tail.filter { $0.value > row }
    if tail.isEmpty { tailDeliveries = 0 }
  }

  /// Counts deliveries of the notification in `row`. `client` is that of the notification; a final state does
  /// not need it.
  mutating func count(
    _ delta: Int, _ app: Int64, _ state: DeliveryState, row: Int64, of client: String? = nil
  ) {
    counts[app, default: Self.noCounts][state.rawValue] += delta
    if row <= indexed { storedCounts[app, default: Self.noCounts][state.rawValue] += delta }
    guard !state.isFinal else { return }
    depth += delta
    if countsClients { clients[client.map(ExactText.init), default: 0] += delta }
  }
  /// Counts one delivery, or several of its notification.
  mutating func count(
    _ delta: Int, _ app: Int64, _ state: DeliveryState, delivery: Int64, of client: String? = nil
  ) {
    count(delta, app, state, row: RowLayout.notificationRow(of: delivery), of: client)
  }
}
