internal import Clock
import FCMMessage
import JSON
import Telemetry

/// One enqueue of a batch.
struct NewWork {
  let notifications: [NewNotification]
  let record: IdempotencyRecord?
  let now: Timestamp

  var client: String? { notifications.first?.client }

  var deliveryCount: Int { notifications.reduce(0) { $0 + $1.deliveries.count } }
}

extension PostgresWriter {
  /// Keeps the notifications of all `works` that may be accepted, with their keys, in a few statements;
  /// returns one result for each, in order.
  func accept(
    _ works: [NewWork], _ opening: PostgresOpening, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> [Result<EnqueueOutcome, OutboxError>] {
    guard !works.isEmpty else { return [] }
    // Before anything else: a repeat is answered even when the queue is full.
    var results = outcomes(of: works, known: opening.known)
    let room = try Room(opening.depth, of: works, self)
    var accepted: [Int] = []
    for (index, work) in works.enumerated() where results[index] == nil {
      if let refusal = refusal(of: work, room, transaction) {
        results[index] = .failure(refusal)
        continue
      }
      // So that the next one of the batch counts it.
      try count(work, &transaction)
      accepted.append(index)
    }
    for index in try insertKeys(of: accepted, works) {
      // Another replica has taken the key since it was looked up.
      try count(works[index], by: -1, &transaction)
      results[index] = try outcomes(of: [works[index]])[0] ?? .success(.inProgress)
    }
    accepted.removeAll { results[$0] != nil }
    let new = accepted.flatMap { works[$0].notifications }
    try insert(new, at: Array(opening.rows.prefix(new.count)), now: works[0].now, &transaction)
    if accepted.contains(where: { works[$0].record != nil }) { transaction.hasChanged = true }
    return results.map { $0 ?? .success(.accepted) }
  }

  /// Counts what a work adds, or takes that back by -1.
  func count(
    _ work: NewWork, by sign: Int = 1, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    for new in work.notifications {
      let app = try app(named: new.app)
      transaction.count(sign * new.deliveries.count, app.id, new.start.state, of: new.client)
    }
  }

  /// Why a work may not be kept.
  func refusal(of work: NewWork, _ room: Room, _ transaction: PostgresTransaction) -> OutboxError? {
    if let full = full(adding: work.deliveryCount, of: work.client, room, transaction) { return full }
    guard work.notifications.allSatisfy({ $0.deliveries.count <= RowLayout.deliveriesMax }) else {
      return OutboxError(
        code: .unavailable,
        description: "a notification has more than \(RowLayout.deliveriesMax) deliveries")
    }
    return nil
  }

  /// The outcomes that the works' keys already determine; nil for a work that may proceed.
  func outcomes(
    of works: [NewWork]
  ) throws(PostgresError) -> [Result<EnqueueOutcome, OutboxError>?] {
    let records = works.compactMap(\.record)
    guard !records.isEmpty else { return works.map { _ in nil } }
    return outcomes(of: works, known: try PostgresIdempotency.find(records.map(\.key), in: connection))
  }

  private func outcomes(
    of works: [NewWork], known: [IdempotencyKey: StoredIdempotency]
  ) -> [Result<EnqueueOutcome, OutboxError>?] {
    works.map { work in
      guard let record = work.record else { return nil }
      return known[record.key]?.outcome(fingerprint: record.fingerprint, now: work.now).map { .success($0) }
    }
  }

  /// Takes the keys of some works; returns those whose keys were taken by others.
  func insertKeys(of indices: [Int], _ works: [NewWork]) throws(PostgresError) -> [Int] {
    let keyed = indices.filter { works[$0].record != nil }
    let records = keyed.compactMap { works[$0].record }
    guard let now = keyed.first.map({ works[$0].now }) else { return [] }
    let taken = try PostgresIdempotency.insert(records, now: now, into: connection)
    return keyed.filter { index in works[index].record.map { !taken.contains($0.key) } ?? false }
  }

  /// Writes notifications with their deliveries in new rows; most of it waits for the next round trip.
  ///
  /// `unnest` is in the list of columns: in FROM, the server first writes each array into a store of its own,
  /// which takes a sixth more instructions.
  func insert(
    _ new: [NewNotification], at rows: [Int64], now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    guard !new.isEmpty else { return }
    transaction.hasChanged = true
    var apps: [Int64] = []
    let isClaimed = try claimsAtOnce(new, rows: rows, now: now, &transaction)
    for (notification, isClaimed) in zip(new, isClaimed) {
      apps.append(try app(named: notification.app).id)
      if !isClaimed { transaction.due.insert(ExactText(notification.app)) }
      transaction.report.deliveries += notification.deliveries.count
    }
    let messages = new.indices.map { memory.dictionaries.stored(new[$0], row: rows[$0]) }
    transaction.pending.add(
      """
      INSERT INTO dragoman_notifications
        (row, id, app, template, client, created_at, priority, ttl, deliveries, message, trace, checksum,
          dictionary)
      SELECT unnest($1::bigint[]), unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::bytea[]),
        unnest($5::bytea[]), unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]),
        unnest($9::bigint[]), unnest($10::bytea[]), unnest($11::bytea[]), unnest($12::bigint[]),
        unnest($13::bigint[])
      """,
      [
        .integers(rows), .uuids(new.map(\.id.uuid)), .integers(apps), .texts(new.map(\.template)),
        .texts(new.map(\.client)), .integers(new.map(\.createdAt.milliseconds)),
        .integers(new.map { Int64($0.priority.rawValue) }), .integers(new.map(\.ttlMilliseconds)),
        .integers(new.map { Int64($0.deliveries.count) }), .blobs(messages.map(\.bytes)),
        .texts(new.map { $0.trace?.stored }), .integers(messages.map(\.checksum)),
        .integers(messages.map(\.dictionary)),
      ])
    let activities = try activities(of: new, apps: apps)
    insertDeliveries(
      of: new, rows: rows, apps: apps, claimants: isClaimed.map { $0 ? memory.replica : nil },
      into: &transaction.pending)
    guard activities.contains(where: { $0 != nil }) else { return }
    try runPending(&transaction)
    try write(activities, rows: rows)
    try supersede(by: activities, of: new, rows: rows, apps: apps, &transaction)
  }

  private func insertDeliveries(
    of new: [NewNotification], rows: [Int64], apps: [Int64], claimants: [Int64?],
    into batch: inout PostgresBatch
  ) {
    var columns: [[Int64]] = Array(repeating: [], count: 9)
    var ids: [UUIDv7] = []
    var targets: [String] = []
    var claimedBy: [Int64?] = []
    for (index, notification) in new.enumerated() {
      let start = notification.start
      for (position, delivery) in notification.deliveries.enumerated() {
        let row = RowLayout.deliveryRow(of: rows[index], position: position)
        columns[0].append(row)
        columns[1].append(apps[index])
        columns[2].append(Int64(notification.priority.rawValue))
        columns[3].append(Int64(start.state.rawValue))
        columns[4].append(start.dueAt.milliseconds)
        columns[5].append(notification.createdAt.milliseconds)
        columns[6].append(notification.expiresAt.milliseconds)
        columns[7].append(Int64(delivery.target.kind))
        columns[8].append(RowChecksum.delivery(row: row, delivery.id.uuid, to: delivery.target))
        ids.append(delivery.id.uuid)
        targets.append(delivery.target.value)
        claimedBy.append(claimants[index])
      }
    }
    guard !ids.isEmpty else { return }
    batch.add(
      """
      INSERT INTO dragoman_deliveries
        (row, app, priority, state, attempts, next_attempt_at, updated_at, expires_at, cancel_asked,
          target_kind, id, target, checksum, claimed_by)
      SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), 0,
        unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::bigint[]), false, unnest($8::bigint[]),
        unnest($10::uuid[]), unnest($11::bytea[]), unnest($9::bigint[]), unnest($12::bigint[])
      """, columns.map { .integers($0) } + [.uuids(ids), .texts(targets), .integers(claimedBy)])
  }

  func takeRows(_ count: Int) throws(PostgresError) -> [Int64] {
    try rows(in: try connection.run(takingRows(count)), count)
  }

  /// The statement that takes rows for new notifications; its result is for `rows`.
  func takingRows(_ count: Int) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: "SELECT nextval('dragoman_notification_rows')::bigint AS row FROM generate_series(1, $1::bigint)",
      values: [.integer(Int64(count))])
  }

  /// The rows that were taken, ascending; none is assigned twice, whatever is rolled back.
  func rows(in found: PostgresRows, _ count: Int) throws(PostgresError) -> [Int64] {
    let taken = found.rows.map { $0.integer(.row) }.sorted()
    guard taken.count == count, let last = taken.last, RowLayout.notificationRows.contains(last) else {
      throw PostgresError(message: "the sequence dragoman_notification_rows gives no rows")
    }
    return taken
  }
}
