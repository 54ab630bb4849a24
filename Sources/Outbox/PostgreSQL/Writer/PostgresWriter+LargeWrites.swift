import JSON

/// The result of a large enqueue.
struct PostgresLargeCommit {
  let outcome: Result<EnqueueOutcome, OutboxError>
  var result = GroupCommit()
  /// Whether a synchronous standby, where there must be one, has it as well.
  var isReplicated = true
}

extension PostgresWriter {
  /// Writes a large enqueue in a transaction of its own, part by part. Its key comes last, so that a
  /// repeat at another gateway does not wait for the whole.
  func write(_ large: LargeEnqueue) throws(PostgresWriteError) -> PostgresLargeCommit {
    var transaction = PostgresTransaction()
    var commit = PostgresLargeCommit(outcome: .success(.accepted))
    let started = ContinuousClock.now
    do throws(PostgresError) {
      try learnApps(named: large.notifications)
      try recordDictionaries(of: large.notifications)
      try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
      if let outcome = try insert(large, &transaction) {
        rollBack()
        return PostgresLargeCommit(outcome: outcome)
      }
      addCounts(of: transaction, to: &transaction.pending)
    } catch {
      rollBack()
      throw PostgresWriteError(underlying: error, isUncertain: false, batch: 0)
    }
    do throws(PostgresError) {
      try connection.runCommitting(transaction.last)
    } catch  where error.code == .notReplicated {
      commit.isReplicated = false
    } catch {
      if !error.isConnectionLost { rollBack() }
      throw PostgresWriteError(underlying: error, isUncertain: error.isConnectionLost, batch: 0)
    }
    commit.result.isWritten = commit.isReplicated
    commit.result.due = transaction.due.map(\.text)
    commit.result.report = transaction.report
    commit.result.report?.calls = 1
    commit.result.report?.seconds = (ContinuousClock.now - started) / .seconds(1)
    return commit
  }

  /// Returns the outcome if nothing is to be kept.
  private func insert(
    _ large: LargeEnqueue, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> Result<EnqueueOutcome, OutboxError>? {
    let work = NewWork(notifications: large.notifications, record: large.record, now: large.now)
    if let outcome = try outcomes(of: [work]).first ?? nil { return outcome }
    let room = try Room(try depth(), of: [work], self)
    if let refusal = refusal(of: work, room, transaction) { return .failure(refusal) }
    for part in large.parts {
      try insert(
        Array(large.notifications[part]), at: try takeRows(part.count), now: large.now, &transaction)
      try runPending(&transaction)
      large.madeProgress()
    }
    try count(work, &transaction)
    guard try insertKeys(of: [0], [work]).isEmpty else {
      return try outcomes(of: [work]).first ?? .success(.inProgress)
    }
    return nil
  }
}
