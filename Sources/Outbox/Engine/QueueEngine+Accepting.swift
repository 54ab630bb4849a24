internal import Clock
import FCMMessage
import JSON
import SQL

/// One enqueue of a transaction.
///
/// A class, because it is passed on many times: a copy of a structure would count references of each part.
final class NewWork: Sendable {
  let notifications: [NewNotification]
  let record: IdempotencyRecord?
  let now: Timestamp
  let deliveryCount: Int
  /// Answers the caller; does nothing for one that is answered otherwise.
  let completion: QueueWrite.Completion<EnqueueOutcome>

  init(
    _ notifications: [NewNotification], _ record: IdempotencyRecord?, now: Timestamp,
    completion: @escaping QueueWrite.Completion<EnqueueOutcome> = { _ in }
  ) {
    self.notifications = notifications
    self.record = record
    self.now = now
    self.completion = completion
    deliveryCount = notifications.reduce(0) { $0 + $1.deliveries.count }
  }

  var client: String? { notifications.first?.client }
}

/// How many deliveries the queue and some of its clients have, as of the last commits.
struct QueueDepths {
  var depth: Int
  /// Of the clients of the works, if one of them may exceed its share.
  var clients: [ExactText?: Int] = [:]
}

extension QueueEngine {
  /// Keeps the notifications of all `works` that may be accepted, with their keys; returns one result for
  /// each, in order.
  func accept(
    _ works: [NewWork], _ opened: QueueOpened, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> [Result<EnqueueOutcome, OutboxError>] {
    guard !works.isEmpty else { return [] }
    // Before anything else: a repeat is answered even when the queue is full.
    var results = works.map { $0.outcome(known: opened.known).map(Result<_, OutboxError>.success) }
    let depths = try depths(opened.depth, for: works)
    var accepted: [Int] = []
    for (index, work) in works.enumerated() where results[index] == nil {
      if let refusal = refusal(of: work, depths, transaction) {
        results[index] = .failure(refusal)
        continue
      }
      // So that the next one of the transaction counts it.
      try count(work, &transaction)
      accepted.append(index)
    }
    for index in try insertKeys(of: accepted, works) {
      // Another gateway has taken the key since it was looked up.
      try count(works[index], by: -1, &transaction)
      results[index] = try outcome(of: works[index]).map { .success($0) }
    }
    accepted.removeAll { results[$0] != nil }
    if accepted.contains(where: { works[$0].record != nil }) { transaction.hasChanged = true }
    let new = accepted.flatMap { works[$0].notifications }
    var rows: [NewRow] = []
    rows.reserveCapacity(new.count)
    for (notification, row) in zip(new, opened.rows) {
      rows.append(NewRow(notification: notification, row: row, app: try app(named: notification.app)))
    }
    try insert(&rows, now: works[0].now, &transaction)
    return results.map { $0 ?? .success(.accepted) }
  }

  /// What counts for some works. A client's share matters only in a queue that holds more than one share.
  func depths(_ depth: Int, for works: [NewWork]) throws(DatabaseError) -> QueueDepths {
    let count = works.reduce(0) { $0 + $1.deliveryCount }
    guard configuration.sharesDepth, depth + count > configuration.clientDepthMax else {
      return QueueDepths(depth: depth)
    }
    return QueueDepths(
      depth: depth, clients: try driver.depths(of: Set(works.map { $0.client.map(ExactText.init) })))
  }

  /// Counts what a work adds, or takes that back by -1.
  func count(
    _ work: NewWork, by sign: Int = 1, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    for new in work.notifications {
      let app = try app(named: new.app)
      transaction.counts.add(sign * new.deliveries.count, app.id, new.start.state, of: new.client)
    }
  }

  /// Why a work may not be kept.
  func refusal(of work: NewWork, _ depths: QueueDepths, _ transaction: QueueTransaction) -> OutboxError? {
    if let full = full(adding: work.deliveryCount, of: work.client, depths, transaction) { return full }
    guard work.notifications.allSatisfy({ $0.deliveries.count <= RowLayout.deliveriesMax }) else {
      return OutboxError(
        code: .unavailable,
        description: "a notification has more than \(RowLayout.deliveriesMax) deliveries")
    }
    return nil
  }

  /// The error if `count` more deliveries of a client would exceed the depth, or its share of it.
  func full(
    adding count: Int, of client: String?, _ depths: QueueDepths, _ transaction: QueueTransaction
  ) -> OutboxError? {
    let depth = depths.depth + transaction.counts.depth
    guard count > 0 else { return nil }
    if depth + count > configuration.depthMax {
      return .full(depth, adding: count, of: configuration.depthMax)
    }
    guard configuration.sharesDepth else { return nil }
    let name = client.map(ExactText.init)
    let own = depths.clients[name, default: 0] + transaction.counts.clients[name, default: 0]
    return own + count <= configuration.clientDepthMax
      ? nil : .clientFull(own, adding: count, of: configuration.clientDepthMax)
  }

  /// The outcome of a work whose key another one has taken.
  func outcome(of work: NewWork) throws(DatabaseError) -> EnqueueOutcome? {
    guard let record = work.record else { return nil }
    return work.outcome(known: try driver.find([record.key])) ?? .inProgress
  }

  /// Takes the keys of some works; returns those whose keys were taken by others.
  func insertKeys(of indices: [Int], _ works: [NewWork]) throws(DatabaseError) -> [Int] {
    let keyed = indices.filter { works[$0].record != nil }
    guard let now = keyed.first.map({ works[$0].now }) else { return [] }
    let taken = try driver.insert(keyed.compactMap { works[$0].record }, now: now)
    return keyed.filter { index in works[index].record.map { !taken.contains($0.key) } ?? false }
  }

  /// Writes notifications with their deliveries in new rows.
  func insert(
    _ rows: inout [NewRow], now: Timestamp, isHidden: Bool = false, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) {
    guard !rows.isEmpty else { return }
    transaction.hasChanged = true
    try addActivities(to: &rows)
    if !isHidden { claimAtOnce(&rows, now: now, &transaction) }
    try driver.insert(rows)
    if isHidden { return }
    for row in rows {
      if !row.isClaimed { transaction.due.insert(ExactText(row.app.name)) }
      transaction.report.deliveries += row.notification.deliveries.count
    }
    try supersede(by: rows, &transaction)
  }

  /// Marks the notifications that are inserted as claimed while they are accepted. That spares listing each
  /// as waiting, reading back what is known, and the claim.
  ///
  /// Only if nothing of their app waits, so that the order stays as it is. What other gateways have added
  /// meanwhile is not known here. This gateway notices it when it next looks, within a second.
  private func claimAtOnce(
    _ rows: inout [NewRow], now: Timestamp, _ transaction: inout QueueTransaction
  ) {
    guard !transaction.claimLimits.isEmpty else { return }
    var byApp: [Int64: [Int]] = [:]
    // By index: a copy of a row would count the references of all its parts.
    for index in rows.indices
    where rows[index].notification.start.state == .queued && rows[index].activity == nil {
      byApp[rows[index].app.id, default: []].append(index)
    }
    for indices in byApp.values {
      let app = rows[indices[0]].app
      let name = ExactText(app.name)
      guard let limit = transaction.claimLimits[name], limit > 0, memory.ready.isIdle(name, at: now),
        !transaction.due.contains(name)
      else { continue }
      var claims: [ClaimedDelivery] = []
      for index in fitting(indices, of: rows, limit: limit) {
        rows[index].isClaimed = true
        for delivery in rows[index].queued() { claims.append(memory.claim(delivery, under: driver.lease)) }
      }
      guard !claims.isEmpty else { continue }
      transaction.claims += claims
      transaction.counts.addClaimed(claims.count, app.id)
      transaction.ahead[name] = claims
    }
  }

  /// The notifications for which there is room, which prefers neither priority unless there is room for all.
  private func fitting(_ indices: [Int], of rows: [NewRow], limit: Int) -> ArraySlice<Int> {
    var left = limit
    let fitting = indices.prefix { index in
      left -= rows[index].notification.deliveries.count
      return left >= 0
    }
    let priority = rows[indices[0]].notification.priority
    let isOfOnePriority = indices.allSatisfy { rows[$0].notification.priority == priority }
    return fitting.count == indices.count || isOfOnePriority ? fitting : []
  }
}

extension NewWork {
  /// The outcome that the work's key already determines; nil if the work may proceed.
  func outcome(known: [IdempotencyKey: StoredIdempotency]) -> EnqueueOutcome? {
    guard let record else { return nil }
    return known[record.key]?.outcome(fingerprint: record.fingerprint, now: now)
  }
}
