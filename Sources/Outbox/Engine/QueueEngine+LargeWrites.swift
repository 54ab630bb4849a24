internal import Clock
import JSON
import SQL

/// A part of a large enqueue, for one transaction.
struct EnqueuePart: Sendable {
  let large: LargeEnqueue
  let index: Int
  /// The rows of all its notifications, which the first part takes.
  let rows: ClosedRange<Int64>?

  enum Outcome: Sendable {
    /// This part is kept; the rows of all notifications.
    case kept(rows: ClosedRange<Int64>)
    case ended(EnqueueOutcome)
  }

  var isFirst: Bool { index == 0 }
  var isLast: Bool { index == large.parts.count - 1 }

  var deliveryCount: Int {
    large.work.notifications[large.parts[index]].reduce(0) { $0 + $1.deliveries.count }
  }
}

/// Enqueues that are written in parts, where the database has one writer: the table `dragoman_intakes` hides
/// them until the last part is there. After a crash or an error, what is incomplete is removed.
extension QueueEngine {
  func accept(
    _ part: EnqueuePart, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> EnqueuePart.Outcome {
    let large = part.large
    let work = large.work
    try learnApps([work])
    var opening = QueueOpening()
    if part.isFirst {
      opening.newCount = large.work.notifications.count
      if let record = large.work.record { opening.keys = [record.key] }
    }
    let opened = try driver.open(opening)
    if part.isFirst {
      if let outcome = work.outcome(known: opened.known) { return .ended(outcome) }
      let depths = try depths(opened.depth + memory.openIntakes, for: [work])
      if let refusal = refusal(of: work, depths, transaction) { throw .operation(refusal) }
      guard large.call.begin() else { throw .operation(.late) }
    }
    guard let first = part.rows?.lowerBound ?? opened.rows.first else { throw .operation(.late) }
    let all = first...(first + Int64(large.work.notifications.count) - 1)
    if part.isFirst {
      try driver.send(
        "INSERT INTO dragoman_intakes (first_row, last_row) VALUES ($1, $2)",
        [.integer(all.lowerBound), .integer(all.upperBound)])
    }
    var rows: [NewRow] = []
    for index in large.parts[part.index] {
      let new = large.work.notifications[index]
      rows.append(NewRow(notification: new, row: first + Int64(index), app: try app(named: new.app)))
    }
    try insert(&rows, now: large.work.now, isHidden: true, &transaction)
    guard part.isLast else { return .kept(rows: all) }
    try driver.send("DELETE FROM dragoman_intakes WHERE last_row = $1", [.integer(all.upperBound)])
    if let record = large.work.record, try driver.insert([record], now: large.work.now).isEmpty {
      throw DatabaseError(.constraint, message: "the key of a large request was taken meanwhile")
    }
    try count(work, &transaction)
    try reveal(large, first: first, &transaction)
    return .ended(.accepted)
  }

  /// Lets a completed enqueue be claimed.
  private func reveal(
    _ large: LargeEnqueue, first: Int64, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    var rows: [NewRow] = []
    for (index, new) in large.work.notifications.enumerated() {
      let row = NewRow(notification: new, row: first + Int64(index), app: try app(named: new.app))
      transaction.report.deliveries += new.deliveries.count
      transaction.due.insert(ExactText(new.app))
      if new.activity != nil { rows.append(row) }
    }
    for (name, own) in Dictionary(grouping: large.work.notifications, by: { ExactText($0.app) }) {
      guard let first = own.map(\.start.dueAt).min() else { continue }
      driver.reread(try app(named: name.text), from: first)
    }
    for index in rows.indices { rows[index].activity = try activity(of: rows[index].row) }
    try supersede(by: rows, &transaction)
  }

  /// Removes what an enqueue that was never completed has left, `limit` deliveries or a little more. Returns
  /// what is left of its rows; nil for nothing.
  func removeAbandoned(
    _ rows: ClosedRange<Int64>, limit: Int
  ) throws(DatabaseError) -> ClosedRange<Int64>? {
    var removed = 0
    for row in rows {
      removed += try delete([row]).reduce(1) { $0 + $1.count }
      guard removed >= limit, row < rows.upperBound else { continue }
      return (row + 1)...rows.upperBound
    }
    try driver.send("DELETE FROM dragoman_intakes WHERE last_row = $1", [.integer(rows.upperBound)])
    return nil
  }
}
