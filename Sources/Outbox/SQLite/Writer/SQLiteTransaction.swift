/// What a transaction changes in memory once it is committed.
struct SQLiteTransaction {
  /// One change, in the order of the writes.
  enum Effect {
    case waits(AppQueue, QueuedDelivery)
    case settled(AppQueue, DeliveryID, again: QueuedDelivery?)
    /// Ended without having been claimed.
    case ended(AppQueue, DeliveryPriority, DueKey, was: DeliveryState)
    case cancelRequested(Int64)
    case cancelRequestRemoved(Int64)
    case swept(AppQueue, (priority: DeliveryPriority, key: DueKey)?)
    case pruned(upTo: Int64?)
  }

  var hasBegun = false
  var effects: [Effect] = []
  var settled: Set<DeliveryID> = []
  /// Rows of claimed deliveries whose cancellation was requested.
  var cancelRequests: Set<Int64> = []
  var newApps: [AppQueue] = []
  /// By app and raw state.
  private(set) var counts: [Int64: [Int]] = [:]
  private(set) var depth = 0
  var report = OutboxCommit()

  mutating func count(_ delta: Int, _ app: Int64, _ state: DeliveryState) {
    counts[app, default: Array(repeating: 0, count: DeliveryState.allCases.count)][state.rawValue] += delta
    if !state.isFinal { depth += delta }
  }
}
