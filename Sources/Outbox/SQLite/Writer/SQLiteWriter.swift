import FCMMessage
import JSON

/// Writes batches, and knows what is ready and claimed. Confined to the store's queue.
final class SQLiteWriter {
  private let connection: SQLiteConnection
  let statements: DeliveryStatements
  let changing: ChangeStatements
  let pruning: PruneStatements
  let reading: NotificationStatements
  let idempotency: IdempotencyStatements
  let configuration: OutboxConfiguration
  let claims: Claims
  private(set) var apps: [ExactText: AppQueue] = [:]
  private(set) var appsByID: [Int64: AppQueue] = [:]
  private(set) var nextRow: Int64
  private var nextAppID: Int64 = 1
  /// Deliveries that are not final.
  private(set) var depth = 0
  /// Deliveries in all windows.
  var inMemory = 0
  /// Rows that are to end as cancelled rather than wait again; as `cancellations` has them.
  private(set) var wishes: Set<Int64>
  /// Those of `wishes` that a crash left behind: they wait, and must not be claimed again.
  private(set) var leftover: Set<Int64>
  /// The notification's row up to which the sweep of pruning has come; nil where it begins anew.
  private(set) var pruned: Int64?
  private(set) var pruneSweeps = 0
  /// What a claim found that cannot be read, and that nobody has set aside yet.
  private(set) var damaged: Set<DamagedDelivery> = []

  init(
    connection: SQLiteConnection, configuration: OutboxConfiguration, claims: Claims
  ) throws(SQLiteError) {
    self.connection = connection
    self.configuration = configuration
    self.claims = claims
    statements = try DeliveryStatements(connection)
    changing = try ChangeStatements(connection)
    pruning = try PruneStatements(connection)
    reading = try NotificationStatements(connection)
    idempotency = try IdempotencyStatements(connection)
    wishes = try changing.wishes()
    leftover = wishes
    // What is pruned leaves no trace among the rows, and no row is given twice: cursors rely on it.
    let last = try connection.integer("SELECT max(row) FROM notifications") ?? 0
    nextRow = max(last + 1, try changing.mark(.nextRow) ?? 1)
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

  /// Writes all of `writes` in one transaction.
  func write(_ writes: [QueueWrite]) -> GroupCommit {
    var transaction = SQLiteTransaction()
    let firstRow = nextRow
    let started = ContinuousClock.now
    do throws(SQLiteError) {
      var answers: [@Sendable () -> Void] = []
      answers.reserveCapacity(writes.count)
      for write in writes { answers.append(try perform(write, &transaction)) }
      guard transaction.hasBegun else {
        return GroupCommit(answers: answers, due: apply(transaction))
      }
      for (app, deltas) in transaction.counts {
        for (state, delta) in deltas.enumerated() where delta != 0 {
          try statements.count(delta, app: app, state: state)
        }
      }
      try statements.commit.run()
      var report = transaction.report
      report.calls = writes.count
      report.seconds = (ContinuousClock.now - started) / .seconds(1)
      return GroupCommit(answers: answers, report: report, due: apply(transaction))
    } catch {
      rollBack()
      nextRow = firstRow
      for app in transaction.newApps { forget(app) }
      // One caller's mistake is not its neighbours'.
      if error.isConstraint, writes.count > 1 { return writeEach(writes) }
      let failure = error.outboxError
      if transaction.hasBegun, !error.isConstraint, !error.isOfOneRecord { disownLog() }
      return GroupCommit(
        answers: writes.map { write in { write.refuse(failure) } },
        failure: error.isConstraint || error.isOfOneRecord ? nil : failure)
    }
  }

  private func writeEach(_ writes: [QueueWrite]) -> GroupCommit {
    var all = GroupCommit()
    for commit in writes.map({ write([$0]) }) {
      all.answers += commit.answers
      all.failure = commit.failure
      all.due += commit.due
      if let report = commit.report { all.report = all.report.map { $0.adding(report) } ?? report }
    }
    return all
  }

  private func perform(
    _ write: QueueWrite, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) -> @Sendable () -> Void {
    switch write {
    case .enqueue(let notifications, let record, let now, let completion):
      let result = try accept(notifications, record, now: now, &transaction)
      return { completion(result) }
    case .settle(let settlements, let completion):
      for settlement in settlements { try settle(settlement, &transaction) }
      return { completion(.success(())) }
    case .cancel(let id, let now, let completion):
      let result = try cancel(id, now: now, &transaction)
      return { completion(result) }
    case .retry(let id, let now, let completion):
      let result = try retry(id, now: now, &transaction)
      return { completion(result) }
    case .expire(let app, let now, let limit, let completion):
      let result = try expire(app: app, now: now, limit: limit, &transaction)
      return { completion(.success(result)) }
    case .prune(let end, let now, let limit, let completion):
      let result = try prune(endedBy: end, now: now, limit: limit, &transaction)
      return { completion(.success(result)) }
    case .setWebhookCursor(let event, let completion):
      try begin(&transaction)
      try changing.setMark(.webhook, to: event)
      return { completion(.success(())) }
    case .finishCancellations(let now, let limit, let completion):
      let left = try finishCancellations(now: now, limit: limit, &transaction)
      return { completion(.success(left)) }
    case .setAside(let deliveries, let now, let completion):
      for delivery in deliveries { try setAside(delivery, now: now, &transaction) }
      return { completion(.success(())) }
    }
  }

  func begin(_ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    guard !transaction.hasBegun else { return }
    try statements.begin.run()
    transaction.hasBegun = true
  }

  private func rollBack() {
    guard connection.isInTransaction else { return }
    // It cannot fail but for being over already, and the next BEGIN would tell.
    do throws(SQLiteError) { try statements.rollback.run() } catch {}
  }

  /// Writes over what a transaction that failed has left in the log.
  ///
  /// Where the sync after a COMMIT fails, the log holds all of the transaction, its end included, and the next
  /// start after a crash would take it for kept, although its callers are told that it is not. Frames after one
  /// that was replaced are void, since each checksum covers all before it (SQLite file format, §4.2), so that a
  /// write of one page does, whether or not it can be synced.
  private func disownLog() {
    // It fails where the disk still does; then the store's own tries go on, and end in the same.
    do throws(SQLiteError) { try probe() } catch {}
  }

  /// The row of the next notification.
  func takeRow() -> Int64 {
    defer { nextRow += 1 }
    return nextRow
  }

  func app(named name: String, _ transaction: inout SQLiteTransaction) throws(SQLiteError) -> AppQueue {
    if let known = apps[ExactText(name)] { return known }
    let app = AppQueue(id: nextAppID, name: name)
    try statements.insert(app: name, id: app.id)
    nextAppID += 1
    apps[ExactText(name)] = app
    appsByID[app.id] = app
    transaction.newApps.append(app)
    return app
  }

  private func forget(_ app: AppQueue) {
    apps[ExactText(app.name)] = nil
    appsByID[app.id] = nil
  }

  /// Takes over what was committed; returns the apps that have more waiting.
  private func apply(_ transaction: SQLiteTransaction) -> [String] {
    depth += transaction.depth
    for (app, deltas) in transaction.counts {
      for (state, delta) in deltas.enumerated() where delta != 0 { appsByID[app]?.count(delta, of: state) }
    }
    var due: [Int64: String] = [:]
    for effect in transaction.effects {
      switch effect {
      case .waits(let app, let delivery):
        app.accepted(delivery)
        add(delivery, to: app)
        due[app.id] = app.name
      case .settled(let app, let id, let again):
        claims.remove(id)
        app.unclaimed()
        guard let again else { continue }
        add(again, to: app)
        due[app.id] = app.name
      case .ended(let app, let priority, let key, let state):
        if app.ended(key, priority, was: state) { inMemory -= 1 }
      case .wished(let row): wishes.insert(row)
      case .unwished(let row):
        wishes.remove(row)
        leftover.remove(row)
      case .swept(let app, let place): app.swept(to: place)
      case .pruned(let row):
        pruned = row
        if row == nil { pruneSweeps += 1 }
      }
    }
    return Array(due.values)
  }

  func add(_ delivery: QueuedDelivery, to app: AppQueue) {
    let before = app.lanes[delivery.notification.priority.rawValue].window.count
    let isFull = inMemory >= configuration.windowTotalMax && before >= configuration.windowMin
    app.add(delivery, countMax: isFull ? before : configuration.windowMax)
    inMemory += app.lanes[delivery.notification.priority.rawValue].window.count - before
  }

  func found(_ deliveries: [DamagedDelivery]) { damaged.formUnion(deliveries) }

  /// Hands over what is to be set aside.
  func takeDamaged() -> [DamagedDelivery] {
    defer { damaged = [] }
    return Array(damaged)
  }
}

// MARK: - The database as a whole

extension SQLiteWriter {
  /// Whether writing works.
  func probe() throws(SQLiteError) {
    do throws(SQLiteError) {
      try statements.begin.run()
      try statements.probe()
      try statements.commit.run()
    } catch {
      rollBack()
      throw error
    }
  }

  /// Pages that the write-ahead log had after the last commit.
  var logPages: Int { connection.logPages }

  /// Moves what it can of the log into the database; returns how many of its pages are left.
  func checkpointPassively() throws(SQLiteError) -> Int { try connection.checkpointPassively() }

  /// Moves what the log holds into the database itself, so that the log is empty.
  func checkpoint() throws(SQLiteError) { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// The database cannot grow beyond `count` pages; zero lifts that.
  func limitPages(to count: Int) throws(SQLiteError) {
    try connection.execute("PRAGMA max_page_count = \(count == 0 ? 4_294_967_294 : count)")
  }
}

extension OutboxCommit {
  /// Both together, as if written in one transaction.
  fileprivate func adding(_ other: OutboxCommit) -> OutboxCommit {
    var sum = self
    sum.calls += other.calls
    sum.deliveries += other.deliveries
    sum.seconds += other.seconds
    sum.cancelled.merge(other.cancelled, uniquingKeysWith: +)
    sum.expired.merge(other.expired, uniquingKeysWith: +)
    sum.feedbackEvents += other.feedbackEvents
    return sum
  }
}
