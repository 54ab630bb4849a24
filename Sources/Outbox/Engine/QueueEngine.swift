import Clock
import JSON
import SQL

/// What a queue does with each call, in one transaction: the rules, for every database. Confined to the
/// store's writing queue.
///
/// The statements are those that both databases understand; a `QueueDriver` has the others.
final class QueueEngine {
  let driver: any QueueDriver
  let memory: QueueMemory
  let configuration: OutboxConfiguration
  /// Reads on the writer's connection.
  let reader: QueueReader

  init(driver: any QueueDriver, memory: QueueMemory, configuration: OutboxConfiguration) {
    self.driver = driver
    self.memory = memory
    self.configuration = configuration
    reader = QueueReader(connection: driver.writer, claims: memory.claims)
  }

  /// Writes all of `writes` in one transaction, or nothing. Repeats it after a deadlock and the like.
  /// `claimLimits` says how many new deliveries of an app may be inserted as claimed.
  func write(
    _ writes: [QueueWrite], claimLimits: [ExactText: Int] = [:]
  ) throws(QueueWriteError) -> GroupCommit {
    var tries = 0
    while true {
      do throws(QueueWriteError) {
        return try writeOnce(writes, claimLimits)
      } catch {
        tries += 1
        guard error.underlying.kind == .conflict, tries < configuration.transactionTriesMax else {
          throw error
        }
      }
    }
  }

  private func writeOnce(
    _ writes: [QueueWrite], _ claimLimits: [ExactText: Int]
  ) throws(QueueWriteError) -> GroupCommit {
    var transaction = QueueTransaction(outcomes: memory.outcomes.current, claimLimits: claimLimits)
    return try transact(&transaction, calls: writes.count { !$0.isClaim }) {
      transaction throws(DatabaseError) in
      try perform(writes, &transaction)
    }
  }

  /// Performs `body` in one transaction. It returns what answers the callers after the commit.
  func transact(
    _ transaction: inout QueueTransaction, calls: Int,
    _ body: (inout QueueTransaction) throws(DatabaseError) -> [@Sendable () -> Void]
  ) throws(QueueWriteError) -> GroupCommit {
    let started = ContinuousClock.now
    var commit = GroupCommit()
    do throws(DatabaseError) {
      commit.answers = try body(&transaction)
      try writeEvents(&transaction)
    } catch {
      throw QueueWriteError(underlying: driver.rollBack(after: error, isCommitting: false))
    }
    commit.isWritten = driver.writer.isOpen
    if transaction.hasChanged {
      commit.report = transaction.report
      commit.report?.calls = calls
    }
    commit.lost = transaction.over.count
    commit.damaged = transaction.damaged
    commit.due = transaction.due.union(transaction.ahead.keys).map(\.text)
    do throws(DatabaseError) {
      try driver.commit(transaction.counts)
    } catch  where error.kind == .notReplicated {
      (commit.isReplicated, commit.isWritten) = (false, false)
    } catch {
      throw QueueWriteError(
        underlying: driver.rollBack(after: error, isCommitting: true), isUncertain: error.isConnectionLost,
        commit: commit, transaction: transaction)
    }
    commit.report?.seconds = (ContinuousClock.now - started) / .seconds(1)
    memory.take(transaction)
    return commit
  }

  /// Settlements first, since they make room; then new notifications, then the rest in order. Returns what
  /// answers each caller after the commit.
  private func perform(
    _ writes: [QueueWrite], _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> [@Sendable () -> Void] {
    let works = writes.compactMap { write in if case .enqueue(let work) = write { work } else { nil } }
    try learnApps(works)
    var opening = QueueOpening()
    opening.settlements = try settlements(in: writes, &transaction)
    opening.readsOutcomes = !transaction.outcomes.isEmpty
    for work in works {
      opening.newCount += work.notifications.count
      if let record = work.record { opening.keys.append(record.key) }
    }
    let opened = try driver.open(opening)
    try take(opened.settled, of: opening.settlements, &transaction)
    var accepted = try accept(works, opened, &transaction).makeIterator()
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(writes.count)
    for write in writes {
      if case .enqueue(let work) = write {
        guard let result = accepted.next() else { continue }
        answers.append { work.completion(result) }
      } else {
        answers.append(try perform(write, &transaction))
      }
    }
    return answers
  }

  private func perform(
    _ write: QueueWrite, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> @Sendable () -> Void {
    switch write {
    case .enqueue: return {}
    case .settle(let settlements, let completion):
      let over =
        transaction.over.isEmpty
        ? [] : settlements.map(\.claim).filter { transaction.over.contains($0.claim) }.map(\.id)
      return { completion(.success(over)) }
    case .claim(let claim):
      let claimed = try self.claim(claim, &transaction)
      return { claim.completion(.success(claimed)) }
    case .change(let change): return try change.perform(self, &transaction)
    }
  }
}

// MARK: - Apps

extension QueueEngine {
  /// Records the apps, before the transaction, so that each keeps its number even if that fails.
  func learnApps(_ works: [NewWork]) throws(DatabaseError) {
    var unknown: Set<ExactText> = []
    for work in works {
      for notification in work.notifications where memory.apps[ExactText(notification.app)] == nil {
        unknown.insert(ExactText(notification.app))
      }
    }
    for name in unknown {
      try driver.writer.connection.run(
        "INSERT INTO dragoman_apps (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", [.text(name.text)])
    }
  }

  /// The app, which `learnApps` has recorded.
  func app(named name: String) throws(DatabaseError) -> QueueApp {
    guard let app = try driver.knownApp(name) else {
      throw DatabaseError(message: "the table of apps lost one")
    }
    return app
  }

  /// All apps for which any gateway has ever accepted anything.
  func allApps() throws(DatabaseError) -> [QueueApp] {
    for row in try driver.run("SELECT id, name FROM dragoman_apps").rows {
      memory.learn(QueueApp(id: row.integer(0), name: row.text(1) ?? ""))
    }
    return Array(memory.apps.values)
  }
}

// MARK: - Questions about the whole queue

extension QueueEngine {
  /// When the app's first unclaimed waiting delivery is due.
  func nextDue(app name: String) throws(DatabaseError) -> Timestamp? {
    let next: Timestamp? = if let app = try driver.knownApp(name) { try driver.firstDue(app) } else { nil }
    memory.ready.note(nextDue: next, of: ExactText(name))
    return next
  }

  func counts(now: Timestamp) throws(DatabaseError) -> [ExactText: OutboxCounts] {
    let all = try driver.counts()
    var counts: [ExactText: OutboxCounts] = [:]
    for app in try allApps() {
      let kept = all[app.id] ?? Array(repeating: 0, count: QueueCounts.stateCount)
      var own = OutboxCounts()
      for state in DeliveryState.allCases { own.byState[state] = kept[state.rawValue] }
      // Whatever the clock says, a claimed delivery is no longer scheduled.
      let claimed = memory.claims.scheduled(of: app.name, dueBy: now)
      let scheduled = kept[DeliveryState.scheduled.rawValue]
      let past = scheduled == 0 ? 0 : try schedulePassed(app, now: now) - claimed.due
      own.byState[.scheduled] = scheduled - claimed.all - past
      own.byState[.queued] =
        kept[DeliveryState.queued.rawValue] + past - (kept[QueueCounts.claimed] - claimed.all)
      own.firstDueAt = [try driver.firstDue(app), driver.firstBlocked(app)].compactMap(\.self).min()
      counts[ExactText(app.name)] = own
    }
    return counts
  }

  /// The apps with a waiting delivery that has been due since `moment` or longer.
  func appsDue(since moment: Timestamp) throws(DatabaseError) -> [String] {
    let waiting = """
      SELECT 1 FROM dragoman_deliveries AS d
      WHERE d.app = a.id AND d.state < 3 AND d.claimed_by IS NULL AND d.next_attempt_at <= $1 AND d.priority =
      """
    return try driver.run(
      "SELECT a.name FROM dragoman_apps AS a WHERE EXISTS (\(waiting) 1) OR EXISTS (\(waiting) 0)",
      [.time(moment)]
    ).rows.map { $0.text(0) ?? "" }
  }

  /// How many deliveries are still `scheduled` in the database although they are due.
  private func schedulePassed(_ app: QueueApp, now: Timestamp) throws(DatabaseError) -> Int {
    let count = try driver.run(
      """
      SELECT count(*) FROM dragoman_deliveries
      WHERE app = $1 AND state = 0 AND next_attempt_at <= $2
        AND \(driver.dialect.isComplete(RowLayout.notificationRowSQL(of: "row")))
      """, [.integer(app.id), .time(now)])
    return Int(count.value ?? 0)
  }
}
