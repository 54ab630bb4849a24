import FCMMessage
import JSON

/// One enqueue or settle call, waiting for its commit.
enum QueueWrite: Sendable {
  case enqueue([NewNotification])
  case settle([Settlement])

  var deliveryCount: Int {
    switch self {
    case .enqueue(let notifications): notifications.reduce(0) { $0 + $1.deliveries.count }
    case .settle(let settlements): settlements.count
    }
  }
}

/// Writes batches, and knows what is ready and claimed. Confined to the store's queue.
final class QueueWriter {
  private let connection: SQLiteConnection
  let statements: QueueStatements
  let configuration: OutboxConfiguration
  let claims: Claims
  private(set) var apps: [ExactText: AppQueue] = [:]
  private var appsByID: [Int64: AppQueue] = [:]
  private var nextRow: Int64
  private var nextAppID: Int64 = 1
  /// Deliveries that are not final.
  private(set) var depth = 0
  /// Deliveries in all windows.
  var inMemory = 0

  init(
    connection: SQLiteConnection, configuration: OutboxConfiguration, claims: Claims
  ) throws(SQLiteFailure) {
    self.connection = connection
    self.configuration = configuration
    self.claims = claims
    statements = try QueueStatements(connection)
    nextRow = (try connection.integer("SELECT max(row) FROM notifications") ?? 0) + 1
    let states = DeliveryState.allCases.count
    var counts: [Int64: [Int]] = [:]
    let countRows = try connection.prepare("SELECT app, state, deliveries FROM counts")
    while try countRows.step() {
      let state = Int(countRows.integer(1))
      guard (0..<states).contains(state) else { continue }
      counts[countRows.integer(0), default: Array(repeating: 0, count: states)][state] = Int(
        countRows.integer(2))
    }
    let appRows = try connection.prepare("SELECT id, name FROM apps")
    while try appRows.step() {
      let id = appRows.integer(0)
      let app = AppQueue(
        id: id, name: appRows.text(1) ?? "", counts: counts[id] ?? Array(repeating: 0, count: states))
      apps[ExactText(app.name)] = app
      appsByID[id] = app
      nextAppID = max(nextAppID, id + 1)
      depth += app.depth
    }
  }

  /// What a transaction changes in memory once it is committed.
  private struct Changes {
    var accepted: [(app: AppQueue, delivery: QueuedDelivery)] = []
    var settled: [(app: AppQueue, id: DeliveryID, again: QueuedDelivery?)] = []
    var settledIDs: Set<DeliveryID> = []
    var newApps: [AppQueue] = []
    /// By app and raw state.
    var counts: [Int64: [Int]] = [:]
    var depth = 0

    mutating func count(_ delta: Int, _ app: AppQueue, _ state: DeliveryState) {
      counts[app.id, default: Array(repeating: 0, count: DeliveryState.allCases.count)][state.rawValue] +=
        delta
      if !state.isFinal { depth += delta }
    }
  }

  /// Writes all of `writes` in one transaction.
  func write(_ writes: [QueueWrite]) -> QueueCommit {
    var changes = Changes()
    let firstRow = nextRow
    do throws(SQLiteFailure) {
      var results: [Result<Void, OutboxError>] = []
      results.reserveCapacity(writes.count)
      var began = false
      for write in writes {
        results.append(try perform(write, &changes, &began))
      }
      if began {
        for (app, deltas) in changes.counts {
          for (state, delta) in deltas.enumerated() where delta != 0 {
            try statements.count(delta, app: app, state: state)
          }
        }
        try statements.commit.run()
      }
      return QueueCommit(results: results, wroteDisk: began, failure: nil, due: apply(changes))
    } catch {
      rollBack()
      nextRow = firstRow
      for app in changes.newApps { forget(app) }
      // One caller's mistake is not its neighbours'.
      if error.isConstraint, writes.count > 1 { return writeEach(writes) }
      let failure = error.outboxError
      return QueueCommit(
        results: Array(repeating: .failure(failure), count: writes.count), wroteDisk: false,
        failure: error.isConstraint ? nil : failure, due: [])
    }
  }

  private func writeEach(_ writes: [QueueWrite]) -> QueueCommit {
    var all = QueueCommit(results: [], wroteDisk: false, failure: nil, due: [])
    for commit in writes.map({ write([$0]) }) {
      all.results += commit.results
      all.wroteDisk = all.wroteDisk || commit.wroteDisk
      all.failure = commit.failure
      all.due += commit.due
    }
    return all
  }

  /// Whether writing works.
  func probe() throws(SQLiteFailure) {
    do throws(SQLiteFailure) {
      try statements.begin.run()
      try statements.probe()
      try statements.commit.run()
    } catch {
      rollBack()
      throw error
    }
  }

  /// Moves what the log holds into the database itself, so that the log is empty.
  func checkpoint() throws(SQLiteFailure) { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// The database cannot grow beyond `count` pages; zero lifts that.
  func limitPages(to count: Int) throws(SQLiteFailure) {
    try connection.execute("PRAGMA max_page_count = \(count == 0 ? 4_294_967_294 : count)")
  }

  private func rollBack() {
    guard connection.isInTransaction else { return }
    // It cannot fail but for being over already, and the next BEGIN would tell.
    do throws(SQLiteFailure) { try statements.rollback.run() } catch {}
  }

  private func perform(
    _ write: QueueWrite, _ changes: inout Changes, _ began: inout Bool
  ) throws(SQLiteFailure) -> Result<Void, OutboxError> {
    switch write {
    case .enqueue(let notifications):
      guard depth + changes.depth + write.deliveryCount <= configuration.depthMax else {
        return .failure(
          OutboxError(
            code: .full,
            description: "the queue holds \(depth) deliveries of at most \(configuration.depthMax)"))
      }
      guard notifications.allSatisfy({ $0.deliveries.count <= QueueSchema.deliveriesMax }) else {
        return .failure(
          OutboxError(
            code: .unavailable,
            description: "a notification has more than \(QueueSchema.deliveriesMax) deliveries"))
      }
      for notification in notifications {
        try begin(&began)
        try insert(notification, &changes)
      }
    case .settle(let settlements):
      for settlement in settlements { try settle(settlement, &changes, &began) }
    }
    return .success(())
  }

  private func begin(_ began: inout Bool) throws(SQLiteFailure) {
    guard !began else { return }
    try statements.begin.run()
    began = true
  }

  private func insert(_ new: NewNotification, _ changes: inout Changes) throws(SQLiteFailure) {
    let app = try app(named: new.app, &changes)
    let notification = QueuedNotification(new)
    let row = nextRow
    nextRow += 1
    try statements.insert(new, app: app.id, row: row)
    let start = new.start
    for (position, delivery) in new.deliveries.enumerated() {
      let queued = QueuedDelivery(
        row: row << QueueSchema.deliveryBits + Int64(position), id: delivery.id, target: delivery.target,
        notification: notification, state: start.state, attempts: 0, dueAt: start.dueAt)
      try statements.insert(queued, app: app.id)
      changes.accepted.append((app, queued))
    }
    changes.count(new.deliveries.count, app, start.state)
  }

  private func app(named name: String, _ changes: inout Changes) throws(SQLiteFailure) -> AppQueue {
    if let known = apps[ExactText(name)] { return known }
    let app = AppQueue(id: nextAppID, name: name)
    try statements.insert(app: name, id: app.id)
    nextAppID += 1
    apps[ExactText(name)] = app
    appsByID[app.id] = app
    changes.newApps.append(app)
    return app
  }

  private func forget(_ app: AppQueue) {
    apps[ExactText(app.name)] = nil
    appsByID[app.id] = nil
  }

  private func settle(
    _ settlement: Settlement, _ changes: inout Changes, _ began: inout Bool
  ) throws(SQLiteFailure) {
    guard let delivery = claims[settlement.delivery],
      let app = apps[ExactText(delivery.notification.app)],
      changes.settledIDs.insert(settlement.delivery).inserted
    else { return }
    if case .release = settlement.result {
      changes.settled.append((app, delivery.id, delivery))
      return
    }
    try begin(&began)
    var again: QueuedDelivery?
    let state: DeliveryState
    switch settlement.result {
    case .release: return
    case .sent(let name):
      state = .sent
      try statements.markSent(delivery, at: settlement.at, name: name)
    case .retry(let next, let error):
      state = .queued
      again = delivery.retried(at: next)
      try statements.mark(
        delivery, state, attempts: delivery.attempts + 1, next: next, at: settlement.at, error: error)
    case .failed(let error, _):
      state = .failed
      try statements.mark(
        delivery, state, attempts: delivery.attempts + 1, next: nil, at: settlement.at, error: error)
    case .expired(let error):
      state = .expired
      if let error {
        try statements.mark(
          delivery, state, attempts: delivery.attempts, next: nil, at: settlement.at, error: error)
      } else {
        try statements.markExpired(delivery, at: settlement.at)
      }
    }
    changes.count(-1, app, delivery.state)
    changes.count(1, app, state)
    changes.settled.append((app, delivery.id, again))
  }

  /// Takes over what was committed; returns the apps that have more waiting.
  private func apply(_ changes: Changes) -> [String] {
    depth += changes.depth
    for (app, deltas) in changes.counts {
      for (state, delta) in deltas.enumerated() where delta != 0 { appsByID[app]?.count(delta, of: state) }
    }
    var due: [Int64: String] = [:]
    for (app, delivery) in changes.accepted {
      app.accepted(delivery)
      add(delivery, to: app)
      due[app.id] = app.name
    }
    for (app, id, again) in changes.settled {
      claims.remove(id)
      app.unclaimed()
      guard let again else { continue }
      add(again, to: app)
      due[app.id] = app.name
    }
    return Array(due.values)
  }

  func add(_ delivery: QueuedDelivery, to app: AppQueue) {
    let before = app.lanes[delivery.notification.priority.rawValue].window.count
    let isFull = inMemory >= configuration.windowTotalMax && before >= configuration.windowMin
    app.add(delivery, countMax: isFull ? before : configuration.windowMax)
    inMemory += app.lanes[delivery.notification.priority.rawValue].window.count - before
  }
}

/// What came of a batch.
struct QueueCommit {
  /// One for each write.
  var results: [Result<Void, OutboxError>]
  /// Whether there was anything to write.
  var wroteDisk: Bool
  /// Why the store could not write, where it is the store's trouble.
  var failure: OutboxError?
  /// The apps that have more waiting than before.
  var due: [String]
}
