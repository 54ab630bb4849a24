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
  /// By app and raw state.
  private(set) var counts: [Int64: [Int]] = [:]
  private(set) var depth = 0
  /// The change in the number of deliveries that are not final, by client.
  private(set) var clients: [ExactText?: Int] = [:]
  /// Whether clients are counted: only where each has a share of the depth.
  private let countsClients: Bool
  /// The outcomes that it logs.
  let outcomes: LoggedOutcomes.Choice
  var report = OutboxCommit()

  init(countsClients: Bool, outcomes: LoggedOutcomes.Choice) {
    self.countsClients = countsClients
    self.outcomes = outcomes
  }

  /// `client` is that of the notification; a final state does not need it.
  mutating func count(_ delta: Int, _ app: Int64, _ state: DeliveryState, of client: String? = nil) {
    counts[app, default: Array(repeating: 0, count: DeliveryState.allCases.count)][state.rawValue] += delta
    guard !state.isFinal else { return }
    depth += delta
    if countsClients { clients[client.map(ExactText.init), default: 0] += delta }
  }
}
