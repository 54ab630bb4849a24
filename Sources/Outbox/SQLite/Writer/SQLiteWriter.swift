import FCMMessage
import JSON

/// Writes batches, and knows what is ready and claimed. Confined to the store's writing queue.
final class SQLiteWriter {
  private let connection: SQLiteConnection
  let statements: DeliveryStatements
  let inserts: DeliveryInserts
  let changing: ChangeStatements
  let pruning: PruneStatements
  let reading: NotificationStatements
  let idempotency: IdempotencyStatements
  let intaking: IntakeStatements
  let activities: ActivityStatements
  let feedback: FeedbackStatements
  let tailing: TailStatements
  let dictionaries: StoredDictionaries
  let messageNames: StoredMessageNames
  private let selectPageCount: SQLiteStatement
  /// The result of the last `databasePages`, and the log's length then.
  private var measured = (logPages: 0, databasePages: 0)
  let pageBytes: Int
  /// The change of the log from which the database is measured again.
  private static let measuredLogBytes = 64 << 10
  let configuration: OutboxConfiguration
  let claims: Claims
  private(set) var apps: [ExactText: AppQueue] = [:]
  private(set) var appsByID: [Int64: AppQueue] = [:]
  private(set) var nextRow: Int64
  /// The number of the next event of the feedback log.
  private var nextEvent: Int64
  private let outcomes: LoggedOutcomes
  /// The last notification in the indexes, and what follows it: see `Tail`.
  private(set) var indexed: Int64
  private let tail: Tail
  private(set) var tailLength = TailLength()
  /// At least the greatest id in the database.
  var newestID: NotificationID?
  private var nextAppID: Int64 = 1
  /// Deliveries that are not final.
  private(set) var depth = 0
  /// Those by client.
  private(set) var clients: [ExactText?: Int] = [:]
  /// The enqueues that are written in parts.
  var intakes: SQLiteIntakes
  /// Deliveries in all windows.
  var inMemory = 0
  /// Rows of deliveries whose cancellation was requested while they were claimed; the table `cancellations`.
  private(set) var cancelRequests: Set<Int64>
  /// Those of `cancelRequests` from before a crash: these deliveries wait and must not be claimed again.
  private(set) var recoveredCancellations: Set<Int64>
  /// The last notification's row that the sweep of pruning has examined; nil when it starts over.
  private(set) var pruned: Int64?
  private(set) var pruneSweeps = 0
  /// Unreadable deliveries that claims have met and that are not quarantined yet.
  private(set) var unreadable: Set<UnreadableDelivery> = []
  /// The rows of updates of Live Activities that claims have found replaced, and that have not ended yet.
  private(set) var superseded: Set<Int64> = []

  init(
    connection: SQLiteConnection, configuration: OutboxConfiguration, claims: Claims, tail: Tail,
    outcomes: LoggedOutcomes
  ) throws(SQLiteError) {
    self.connection = connection
    self.configuration = configuration
    self.claims = claims
    self.outcomes = outcomes
    statements = try DeliveryStatements(connection)
    inserts = try DeliveryInserts(connection)
    changing = try ChangeStatements(connection)
    pruning = try PruneStatements(connection)
    self.tail = tail
    reading = try NotificationStatements(connection, tail: tail)
    tailing = try TailStatements(connection)
    idempotency = try IdempotencyStatements(connection)
    intaking = try IntakeStatements(connection)
    activities = try ActivityStatements(connection)
    feedback = try FeedbackStatements(connection)
    nextEvent = try Self.number(feedback.last(), "event") + 1
    intakes = SQLiteIntakes(abandoned: try intaking.ranges())
    selectPageCount = try connection.prepare("PRAGMA page_count")
    pageBytes = Int(try connection.integer("PRAGMA page_size") ?? Int64(SQLiteSchema.pageBytes))
    cancelRequests = try changing.cancelRequests()
    recoveredCancellations = cancelRequests
    // Pruned notifications leave no trace among the rows, and no row is assigned twice: cursors rely on that.
    let last = try Self.number(
      connection.integer("SELECT max(row) FROM notifications") ?? 0, "row of a notification")
    indexed = try Self.number(changing.mark(.indexed) ?? 0, "indexed row")
    let marked = try Self.number(changing.mark(.nextRow) ?? 1, "next row")
    nextRow = max(last + 1, marked, intakes.nextRow, indexed + 1)
    dictionaries = try StoredDictionaries(connection, nextRow: nextRow)
    messageNames = try StoredMessageNames(connection)
    let unindexed = try tailing.states(in: indexed + 1...max(indexed + 1, nextRow))
    tailLength.add(unindexed.reduce(0) { $0 + $1.count }, upTo: nextRow - 1)
    newestID = [try tailing.lastID(), tail.lastID].compactMap(\.self).max()
    let states = DeliveryState.allCases.count
    var counts: [Int64: [Int]] = [:]
    for (app, state, count) in try tailing.counts() + unindexed {
      counts[app, default: Array(repeating: 0, count: states)][state.rawValue] += count
    }
    let appRows = try connection.prepare("SELECT id, name FROM apps")
    while try appRows.step() {
      let id = try Self.number(appRows.integer(0), "id of an app")
      let app = AppQueue(
        id: id, name: appRows.text(1) ?? "", counts: counts[id] ?? Array(repeating: 0, count: states))
      apps[ExactText(app.name)] = app
      appsByID[id] = app
      nextAppID = max(nextAppID, id + 1)
      depth += app.depth
    }
    if configuration.sharesDepth { clients = try tailing.clientDepths(indexed: indexed) }
  }

  /// A stored number after which others follow, which only a damaged file can have left no room for.
  private static func number(_ value: Int64, _ name: String) throws(SQLiteError) -> Int64 {
    guard 0...RowLayout.notificationRows.upperBound ~= value else {
      throw .damagedFile("the last \(name) is \(value)")
    }
    return value
  }

  /// Writes all of `writes` in one transaction, or nothing.
  func write(_ writes: [GroupCommitWrite<SQLiteWrite>]) throws(SQLiteError) -> GroupCommit {
    var transaction = SQLiteTransaction(
      countsClients: configuration.sharesDepth, indexed: indexed, outcomes: outcomes.current)
    let (firstRow, firstEvent) = (nextRow, nextEvent)
    let started = ContinuousClock.now
    var isCommitting = false
    do throws(SQLiteError) {
      var commit = GroupCommit()
      commit.answers.reserveCapacity(writes.count)
      for write in writes { commit.answers.append(try perform(write, &transaction)) }
      if transaction.hasBegun {
        try inserts.flush()
        try indexIfLong(before: firstRow, &transaction)
        for (app, deltas) in transaction.storedCounts {
          for (state, delta) in deltas.enumerated() where delta != 0 {
            try statements.count(delta, app: app, state: state)
          }
        }
        isCommitting = true
        try statements.commit.run()
        transaction.report.calls = writes.count
        transaction.report.seconds = (ContinuousClock.now - started) / .seconds(1)
        commit.report = transaction.report
        commit.isWritten = true
      }
      transactionEnded(isCommitted: true)
      commit.due = apply(transaction)
      return commit
    } catch {
      rollBack()
      inserts.discard()
      transactionEnded(isCommitted: false)
      (nextRow, nextEvent) = (firstRow, firstEvent)
      for app in transaction.newApps { forget(app) }
      guard transaction.hasBegun, !error.isConstraint, !error.isUnreadableRecord else { throw error }
      var failure = error
      // On a full disk, the write of a page failed, so that the log lacks the end of the transaction.
      failure.isOutcomeUnknown = !overwriteLog() && isCommitting && !error.isFull
      throw failure
    }
  }

  /// Ends what the transaction has changed of what the database has once for many rows.
  private func transactionEnded(isCommitted: Bool) {
    dictionaries.transactionEnded(isCommitted: isCommitted)
    messageNames.transactionEnded(isCommitted: isCommitted)
  }

  func begin(_ transaction: inout SQLiteTransaction) throws(SQLiteError) {
    guard !transaction.hasBegun else { return }
    try statements.begin.run()
    transaction.hasBegun = true
  }

  private func rollBack() {
    guard connection.isInTransaction else { return }
    // It fails only if the transaction is over already; otherwise the next BEGIN fails.
    do throws(SQLiteError) { try statements.rollback.run() } catch {}
  }

  /// Overwrites what a failed transaction has left in the log.
  ///
  /// When the sync after a COMMIT fails, the log holds the whole transaction, its end included. A start after
  /// a crash would then restore it, although its callers were answered that it was not kept. Frames after an
  /// overwritten one are void, because each checksum covers all before it (SQLite file format, §4.2), so that
  /// a write of one page is enough, whether or not it can be synced. False while even that fails; then the
  /// store's recovery writes the same page later.
  private func overwriteLog() -> Bool {
    do throws(SQLiteError) { try probe() } catch { return error.isSync }
    return true
  }

  /// The rows of the next `count` notifications, at least one.
  func takeRows(_ count: Int) -> ClosedRange<Int64> {
    defer { nextRow += Int64(count) }
    return nextRow...(nextRow + Int64(max(1, count)) - 1)
  }

  /// The number of another event of the feedback log.
  func takeEvent(_ transaction: inout SQLiteTransaction) -> Int64 {
    defer { nextEvent += 1 }
    transaction.report.feedbackEvents += 1
    return nextEvent
  }

  /// Logs that a delivery has ended as its row says, if such outcomes are logged.
  func log(
    outcomeOf row: Int64, _ state: DeliveryState, _ transaction: inout SQLiteTransaction
  ) throws(SQLiteError) {
    guard transaction.outcomes.contains(state) else { return }
    try feedback.insert(takeEvent(&transaction), outcomeOf: row)
  }

  /// Leaves an enqueue that failed after its first part to be removed.
  func abandon(_ large: LargeEnqueue) { intakes.abandon(large.number) }

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

  /// Applies a committed transaction to memory; returns the apps with more waiting deliveries.
  private func apply(_ transaction: SQLiteTransaction) -> [String] {
    depth += transaction.depth
    for (client, delta) in transaction.clients where delta != 0 {
      let count = clients[client, default: 0] + delta
      clients[client] = count > 0 ? count : nil
    }
    for intake in transaction.intakes.values { intakes.begin(intake) }
    if transaction.indexed > indexed {
      indexed = transaction.indexed
      tail.remove(upTo: indexed)
      tailLength.remove(upTo: indexed)
    }
    tail.add(transaction.tail)
    tailLength.add(transaction.tailDeliveries, upTo: nextRow - 1)
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
        let claim = claims.remove(id)
        app.unclaimed()
        if claim?.delivery.activity != nil, unblock(app) { due[app.id] = app.name }
        guard let again else { continue }
        add(again, to: app)
        due[app.id] = app.name
      case .ended(let app, let priority, let key, let state):
        if app.ended(key, priority, was: state) { inMemory -= 1 }
        if unblock(app) { due[app.id] = app.name }
      case .cancelRequested(let row): cancelRequests.insert(row)
      case .cancelRequestRemoved(let row):
        cancelRequests.remove(row)
        recoveredCancellations.remove(row)
      case .quarantined(let app): if unblock(app) { due[app.id] = app.name }
      case .swept(let app, let place): app.swept(to: place)
      case .pruned(let row):
        pruned = row
        if row == nil { pruneSweeps += 1 }
      case .revealed(let intake): for app in reveal(intake) { due[app.id] = app.name }
      case .abandonedRemoved(let row): intakes.removed(upTo: row)
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

  /// Lets what waited for older messages of its Live Activity be claimed: it is read from disk again. False
  /// if nothing waited.
  private func unblock(_ app: AppQueue) -> Bool {
    let blocked = app.takeBlocked()
    for (priority, key) in blocked { inMemory -= app.rewind(priority, to: key) }
    return !blocked.isEmpty
  }

  func met(unreadable deliveries: [UnreadableDelivery]) { unreadable.formUnion(deliveries) }

  func met(superseded rows: [Int64]) { superseded.formUnion(rows) }

  /// Returns the rows of deliveries to end, once.
  func takeSuperseded() -> [Int64] {
    defer { superseded = [] }
    return Array(superseded)
  }

  /// Returns the deliveries to quarantine, once.
  func takeUnreadable() -> [UnreadableDelivery] {
    defer { unreadable = [] }
    return Array(unreadable)
  }
}

// MARK: - The database as a whole

extension SQLiteWriter {
  /// Throws if the database cannot be written.
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

  /// Forgets the pages that it has read, to read them from disk again.
  func forgetPages() throws(SQLiteError) { try connection.execute("PRAGMA shrink_memory") }

  /// Pages of the write-ahead log after the last commit.
  var logPages: Int { connection.logPages }

  /// The database's length in pages, with what only the log has. It is read again when the log has changed by
  /// `measuredLogBytes`: each time takes and releases a lock on the file, which costs more than a small
  /// commit's statements.
  func databasePages() throws(SQLiteError) -> Int {
    let change = abs(logPages - measured.logPages) * pageBytes
    guard change >= Self.measuredLogBytes else { return measured.databasePages }
    defer { selectPageCount.reset() }
    measured = (logPages, try selectPageCount.step() ? Int(selectPageCount.integer(0)) : 0)
    return measured.databasePages
  }

  /// The pages of the database that are free to be used again.
  func freePages() throws(SQLiteError) -> Int {
    Int(try connection.integer("PRAGMA freelist_count") ?? 0)
  }

  /// The log is shortened to `bytes` when it starts over.
  func limitLog(to bytes: Int) throws(SQLiteError) {
    try connection.execute("PRAGMA journal_size_limit = \(bytes)")
  }

  /// Moves what it can of the log into the database; returns how many of its pages remain.
  func checkpointPassively() throws(SQLiteError) -> Int { try connection.checkpointPassively() }

  /// Moves the whole log into the database, so that the log is empty.
  func checkpoint() throws(SQLiteError) { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// The database cannot grow beyond `count` pages; zero lifts that.
  func limitPages(to count: Int) throws(SQLiteError) {
    try connection.execute("PRAGMA max_page_count = \(count == 0 ? 4_294_967_294 : count)")
  }
}
