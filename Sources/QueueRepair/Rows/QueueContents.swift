import Clock
import Outbox

/// What the records of a queue say together: which can be verified, and which of them are missing.
///
/// Apps and incomplete requests are taken first, then notifications, then deliveries.
struct QueueContents {
  /// A notification that was verified.
  private struct Head {
    let id: UUIDv7
    let app: Int64
    let priority: Int64
    let deliveryCount: Int64
    var found: Int64 = 0
  }

  private struct Key: Hashable {
    let table: QueueTable
    let row: Int64
  }

  private(set) var damage = DamageList()
  /// Those of `damage` that say by themselves that something is lost.
  private var losses = DamageList()
  private(set) var counts = QueueRecordCounts()
  /// The names of the apps by their numbers.
  private(set) var apps: [Int64: [UInt8]] = [:]
  /// The same in the index of the names.
  var appsInIndex: [Int64: [UInt8]] = [:]
  private var intakes: [ClosedRange<Int64>] = []
  private var heads: [Int64: Head] = [:]
  private var known: Set<Key> = []
  /// Records that could not be verified where they were first found.
  private var failed: [Key: QueueDamage] = [:]

  /// Takes a record; returns whether it is to be kept. `place` is where it is. `isFound` records were found
  /// outside of their table: they count if nothing is wrong with them, and otherwise do not matter.
  mutating func take(
    _ table: QueueTable, row: Int64, _ values: [StoredValue], at place: QueueDamage, isFound: Bool = false
  ) -> Bool {
    guard !known.contains(Key(table: table, row: row)) else { return false }
    let problem: String?
    var id: QueueDamage.RecordID?
    switch table {
    case .notifications:
      let record = NotificationRecord(row: row, values: values)
      if intakes.contains(where: { $0.contains(row) }) { return false }
      id = record.id.map { .notification($0) }
      problem = record.problem ?? (apps[record.app] == nil ? "its app \(record.app) is not known" : nil)
      if problem == nil { note(record) }
    case .deliveries:
      let record = DeliveryRecord(row: row, values: values)
      if intakes.contains(where: { $0.contains(record.notification) }) { return false }
      id = record.id.map { .delivery($0) }
      problem = record.problem ?? self.problem(of: record)
      if problem == nil { note(record) }
    default:
      problem = table.fits(values) ? nil : "it is not a record that a gateway writes"
      if problem == nil { note(table, row, values) }
    }
    let key = Key(table: table, row: row)
    guard let problem else {
      known.insert(key)
      return true
    }
    if isFound { return false }
    var damaged = place
    (damaged.table, damaged.row, damaged.id, damaged.problem) = (table, row, id, problem)
    report(damaged)
    failed[key] = damaged
    return false
  }

  /// Notes a record that continues in a page that cannot be read.
  mutating func miss(_ table: QueueTable, row: Int64, _ error: PageError, at place: QueueDamage) {
    var damaged = place
    (damaged.table, damaged.row, damaged.isUnread) = (table, row, error.isUnread)
    damaged.problem =
      error.isUnread ? "page \(error.page): \(error.reason)" : "it has lost page \(error.page)"
    report(damaged)
    failed[Key(table: table, row: row)] = damaged
  }

  mutating func report(_ found: QueueDamage) {
    damage.add(found)
    if found.isLoss { losses.add(found) }
  }

  private func problem(of delivery: DeliveryRecord) -> String? {
    guard let head = heads[delivery.notification] else { return "its notification is missing" }
    let belongs = head.app == delivery.app && head.priority == delivery.priority
    return belongs ? nil : "its app or its priority is not its notification's"
  }

  private mutating func note(_ record: NotificationRecord) {
    guard let id = record.id else { return }
    heads[record.row] = Head(
      id: id, app: record.app, priority: record.priority, deliveryCount: record.deliveryCount)
  }

  private mutating func note(_ record: DeliveryRecord) {
    heads[record.notification]?.found += 1
    counts.deliveries += 1
    if record.state?.isFinal == false { counts.waiting += 1 }
  }

  private mutating func note(_ table: QueueTable, _ row: Int64, _ values: [StoredValue]) {
    switch table {
    case .apps: apps[row] = values.bytes(1)
    case .intakes:
      let (rows, last) = (RowLayout.notificationRows, values.integer(1))
      if rows.contains(row), rows.contains(last), row <= last { intakes.append(row...last) }
    case .idempotency: counts.idempotencyRecords += 1
    case .feedback, .outcomes: counts.events += 1
    default: break
    }
  }

  /// Ends the reading; returns how many deliveries are left of notifications that do not have as many as they
  /// say.
  mutating func finish() -> [(row: Int64, deliveries: Int64)] {
    counts.notifications = heads.values.count { $0.found > 0 }
    let listed = failed.keys.filter { $0.table == .deliveries && !known.contains($0) }
    let listedCounts = Dictionary(grouping: listed) { RowLayout.notificationRow(of: $0.row) }.mapValues(
      \.count)
    var changed: [(Int64, Int64)] = []
    for (row, head) in heads.sorted(by: { $0.key < $1.key }) where head.found != head.deliveryCount {
      changed.append((row, head.found))
      guard head.deliveryCount != head.found + Int64(listedCounts[row] ?? 0) else { continue }
      report(
        QueueDamage(
          "it says that it has \(head.deliveryCount) deliveries; \(head.found) can be verified",
          table: .notifications, row: row, id: .notification(head.id), isLoss: true))
    }
    return changed
  }

  /// What is lost: the findings that say so, and the records that were not found elsewhere.
  var lost: DamageList {
    var lost = losses
    let order = failed.sorted { ($0.key.table.name, $0.key.row) < ($1.key.table.name, $1.key.row) }
    for (key, damage) in order where !known.contains(key) && isMissing(key, damage) { lost.add(damage) }
    return lost
  }

  /// Whether a record was really there: a wrong pointer makes one of other bytes.
  private func isMissing(_ key: Key, _ damage: QueueDamage) -> Bool {
    switch key.table {
    case .deliveries:
      let head = heads[RowLayout.notificationRow(of: key.row)]
      return head.map { $0.found < $0.deliveryCount } ?? (damage.id != nil || damage.isUnread)
    case .notifications: return true
    default: return key.table.losesSilently
    }
  }
}

/// How many records were verified.
package struct QueueRecordCounts: Sendable, Equatable {
  /// With at least one delivery.
  package internal(set) var notifications = 0
  package internal(set) var deliveries = 0
  /// Those of `deliveries` that are still to be sent.
  package internal(set) var waiting = 0
  package internal(set) var idempotencyRecords = 0
  /// Of the feedback log.
  package internal(set) var events = 0
}
