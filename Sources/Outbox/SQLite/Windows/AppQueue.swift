internal import Clock

/// The deliveries of one app in memory, and their counts. Confined to the writer.
final class AppQueue {
  let id: Int64
  let name: String
  /// By priority.
  private(set) var lanes: [Lane]
  /// Deliveries on disk by the raw value of their state there.
  private(set) var onDisk: [Int]
  private(set) var claimed = 0
  /// `scheduled` deliveries on disk that are due later than `scheduleSeen`.
  private(set) var ahead: Int
  /// Deliveries scheduled up to this moment count as queued.
  private(set) var scheduleSeen = Timestamp(milliseconds: .min)

  /// The first deliveries that wait for older messages of their Live Activity, by priority. They are neither
  /// claimed nor in a window; what comes after them is read from disk again when one may have become free.
  private var blocked: [DeliveryPriority: DueKey] = [:]

  /// The length of FCM's names of the app's messages as they are stored: that of the last one, since they
  /// hardly differ.
  private(set) var messageNameBytes = 40
  private static let messageNameBytesMax = 256

  /// Where the search for expired deliveries continues; nil when it starts over.
  private(set) var sweep: (priority: DeliveryPriority, key: DueKey)?

  /// `counts` come from the database; nil for a new app.
  init(id: Int64, name: String, counts: [Int]? = nil) {
    self.id = id
    self.name = name
    onDisk = counts ?? Array(repeating: 0, count: DeliveryState.allCases.count)
    ahead = onDisk[DeliveryState.scheduled.rawValue]
    let lane = counts == nil ? Lane() : Lane.unread
    lanes = [lane, lane]
  }

  var depth: Int { onDisk[..<DeliveryState.sent.rawValue].reduce(0, +) }

  var inMemory: Int { lanes.reduce(0) { $0 + $1.window.count } }

  /// When the window's first delivery is due; nil when the window is empty.
  var firstDue: Timestamp? { lanes.compactMap { $0.window.first?.dueAt }.min() }

  var counts: OutboxCounts {
    var counts = OutboxCounts()
    for state in DeliveryState.allCases { counts.byState[state] = onDisk[state.rawValue] }
    counts.byState[.scheduled] = ahead
    counts.byState[.queued] = depth - ahead - claimed
    counts.byState[.sending] = claimed
    counts.firstDueAt = ([firstDue] + blocked.values.map(\.at)).compactMap(\.self).min()
    return counts
  }

  func count(_ delta: Int, of state: Int) { onDisk[state] += delta }

  func add(_ delivery: QueuedDelivery, countMax: Int) {
    lanes[delivery.notification.priority.rawValue].add(delivery, countMax: countMax)
  }

  func accepted(_ delivery: QueuedDelivery) {
    if delivery.state == .scheduled { scheduled(1, at: delivery.dueAt) }
  }

  /// Records that `count` deliveries are scheduled for `moment`.
  func scheduled(_ count: Int, at moment: Timestamp) { if moment > scheduleSeen { ahead += count } }

  /// Drops what is in memory from `key` on, to be read from disk again; returns how many these were.
  func rewind(_ priority: DeliveryPriority, to key: DueKey) -> Int {
    lanes[priority.rawValue].rewind(to: key)
  }

  /// Notes that a delivery waits for an older one.
  func block(at key: DueKey, _ priority: DeliveryPriority) {
    blocked[priority] = blocked[priority].map { min($0, key) } ?? key
  }

  /// Returns where to read again, once.
  func takeBlocked() -> [DeliveryPriority: DueKey] {
    defer { if !blocked.isEmpty { blocked = [:] } }
    return blocked
  }

  func refill(_ priority: DeliveryPriority, with deliveries: [QueuedDelivery], next: DueKey?) {
    lanes[priority.rawValue].refill(deliveries, next: next)
  }

  func popDue(_ priority: DeliveryPriority, now: Timestamp) -> QueuedDelivery? {
    guard let delivery = lanes[priority.rawValue].popDue(now: now) else { return nil }
    claimed += 1
    return delivery
  }

  func unclaimed() { claimed -= 1 }

  /// Records that a waiting delivery ended. True when it was in memory.
  func ended(_ key: DueKey, _ priority: DeliveryPriority, was state: DeliveryState) -> Bool {
    if state == .scheduled, key.at > scheduleSeen { ahead -= 1 }
    return lanes[priority.rawValue].remove(key)
  }

  /// Notes FCM's name of a message.
  func named(_ name: StoredMessageName) { messageNameBytes = min(name.byteCount, Self.messageNameBytesMax) }

  func swept(to place: (priority: DeliveryPriority, key: DueKey)?) { sweep = place }

  /// Records that `count` scheduled deliveries became due between `scheduleSeen` and `now`.
  func schedulePassed(_ count: Int, now: Timestamp) {
    ahead -= count
    scheduleSeen = now
  }
}
