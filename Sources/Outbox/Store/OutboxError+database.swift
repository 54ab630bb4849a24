import SQL

extension DatabaseError {
  /// An error that concerns one operation alone.
  static func operation(_ error: OutboxError) -> DatabaseError {
    DatabaseError(.operation, underlying: error)
  }

  /// An error that concerns the store as a whole.
  static func store(_ error: OutboxError) -> DatabaseError { DatabaseError(.store, underlying: error) }

  /// The error for callers and operators.
  var outboxError: OutboxError {
    if let error = underlying as? OutboxError { return error }
    switch kind {
    case .notReplicated: return .notReplicated
    case .constraint:
      return OutboxError(
        code: .unavailable, description: "the queue holds such a notification already; nothing was kept")
    case .full:
      return OutboxError(
        code: .unavailable, description: "the queue's disk is full and nothing was kept; free some space")
    case .unusable: return OutboxError(code: .corrupt, description: message)
    case .unreadableRecord: return .damagedRecord
    case .damage:
      return OutboxError(
        code: .unavailable,
        description:
          "the queue's database was read as if it were damaged (\(message)), and is being checked; "
          + "nothing was kept")
    case .statement, .conflict, .lockTimeout, .readOrWrite, .sync, .connectionLost, .refused, .leaseLost,
      .operation,
      .store:
      let reason = code.map { "\(message), \($0)" } ?? message
      guard isOutcomeUnknown else {
        return OutboxError(
          code: .unavailable, description: "the queue's database failed (\(reason)); nothing was kept")
      }
      return OutboxError(
        code: .outcomeUnknown,
        description: "the queue's database failed during a commit (\(reason)), and it may have been kept")
    }
  }
}

extension OutboxError {
  static let notReplicated = OutboxError(
    code: .outcomeUnknown,
    description:
      "no synchronous standby has confirmed the last transaction of the queue's database, so that a "
      + "failover may lose it; look at the standby")

  static let unknownOutcome = OutboxError(
    code: .outcomeUnknown,
    description: "the connection to the queue's database was lost during COMMIT, and it is not known whether "
      + "this was kept")

  /// The error of a call that needs a record which cannot be read.
  static let damagedRecord = OutboxError(
    code: .damagedRecord,
    description: "the queue's record of this notification is damaged; `dragoman queue check` lists the damage"
  )
}

extension OutboxError {
  /// Why the queue's file cannot be used.
  init(_ error: SQLiteFileError) {
    let path = error.path
    switch error.code {
    case .inUse:
      self.init(
        code: .unavailable,
        description: "another process uses the queue \(path); give each gateway a queue of its own")
    case .system(let action, let reason):
      self.init(code: .unavailable, description: "cannot \(action) the queue \(path): \(reason)")
    case .emptyBesideLog:
      self.init(
        code: .corrupt,
        description:
          "the queue \(path) is empty, but its log \(path)-wal is not, and may have accepted deliveries: "
          + "restore a copy of both")
    case .damagedLog(let offset):
      self.init(
        code: .corrupt,
        description:
          "the queue's log \(path)-wal is damaged at byte \(offset), and accepted deliveries follow there: "
          + "`dragoman queue salvage NEW --url sqlite:\(path)` writes a new queue with everything that can be "
          + "verified")
    }
  }

  /// The error for a database whose damage was found twice in the same place.
  static func damaged(_ finding: String, _ path: String) -> OutboxError {
    OutboxError(
      code: .corrupt,
      description:
        "the queue's database \(path) is damaged (\(finding)): `dragoman queue salvage` writes a new queue "
        + "with everything that can be verified")
  }
}
