internal import Clock
import FCMMessage
import JSON
import Telemetry
import SQL

// MARK: - Accepting

/// `unnest` is in the list of columns: in FROM, the server first writes each array into a store of its own,
/// which takes a sixth more instructions.
extension PostgresDriver {
  func insert(_ rows: [NewRow]) {
    guard !rows.isEmpty else { return }
    let new = rows.map(\.notification)
    let messages = new.map(\.message.stored)
    let checksums = zip(rows, messages).map { row, message in
      RowChecksum.notification(
        row: row.row, row.notification.id.uuid, template: row.notification.template,
        client: row.notification.client, createdAt: row.notification.createdAt,
        ttlMilliseconds: row.notification.ttlMilliseconds, message: message)
    }
    send(
      """
      INSERT INTO dragoman_notifications
        (row, id, app, template, client, created_at, priority, ttl, deliveries, message, trace, checksum)
      SELECT unnest($1::bigint[]), unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::bytea[]),
        unnest($5::bytea[]), unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]),
        unnest($9::bigint[]), unnest($10::bytea[]), unnest($11::bytea[]), unnest($12::bigint[])
      """,
      [
        .integers(rows.map(\.row)), .uuids(new.map(\.id.uuid)), .integers(rows.map(\.app.id)),
        .texts(new.map(\.template)), .texts(new.map(\.client)), .integers(new.map(\.createdAt.milliseconds)),
        .integers(new.map { Int64($0.priority.rawValue) }), .integers(new.map(\.ttlMilliseconds)),
        .integers(new.map { Int64($0.deliveries.count) }), .blobs(messages),
        .texts(new.map { $0.trace?.stored }), .integers(checksums),
      ])
    insertDeliveries(of: rows)
  }

  private func insertDeliveries(of rows: [NewRow]) {
    var columns: [[Int64?]] = Array(repeating: [], count: 12)
    var (ids, targets, tokens): ([UUIDv7], [String], [String?]) = ([], [], [])
    for new in rows {
      let (notification, start) = (new.notification, new.notification.start)
      for (position, delivery) in notification.deliveries.enumerated() {
        let row = RowLayout.deliveryRow(of: new.row, position: position)
        let checksum = RowChecksum.delivery(
          row: row, delivery.id.uuid, to: delivery.target, expiresAt: notification.expiresAt,
          activity: new.activity?.token, start.state)
        let values: [Int64?] = [
          row, new.app.id, Int64(notification.priority.rawValue), Int64(start.state.rawValue),
          start.dueAt.milliseconds, notification.createdAt.milliseconds, notification.expiresAt.milliseconds,
          Int64(delivery.target.kind), checksum, new.isClaimed ? lease : nil, new.activity?.event.stored,
          new.activity?.at.milliseconds,
        ]
        for (column, value) in values.enumerated() { columns[column].append(value) }
        ids.append(delivery.id.uuid)
        targets.append(delivery.target.value)
        tokens.append(new.activity?.token)
      }
    }
    guard !ids.isEmpty else { return }
    send(
      """
      INSERT INTO dragoman_deliveries
        (row, app, priority, state, attempts, next_attempt_at, updated_at, expires_at, cancel_asked,
          target_kind, checksum, claimed_by, activity_event, activity_at, id, target, activity)
      SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), 0,
        unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::bigint[]), 0, unnest($8::bigint[]),
        unnest($9::bigint[]), unnest($10::bigint[]), unnest($11::bigint[]), unnest($12::bigint[]),
        unnest($13::uuid[]), unnest($14::bytea[]), unnest($15::bytea[])
      """, columns.map { .integers($0) } + [.uuids(ids), .texts(targets), .texts(tokens)])
  }

  /// The statement that takes rows for new notifications.
  func takingRows(_ count: Int) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: "SELECT nextval('dragoman_notification_rows')::bigint FROM generate_series(1, $1::bigint)",
      values: [.integer(Int64(count))])
  }

  /// The rows that were taken, ascending; none is assigned twice, whatever is rolled back.
  static func rows(in found: SQLResult, _ count: Int) throws(DatabaseError) -> [Int64] {
    let taken = found.rows.map { $0.integer(0) }.sorted()
    guard taken.count == count, let last = taken.last, RowLayout.notificationRows.contains(last) else {
      throw DatabaseError(message: "the sequence dragoman_notification_rows gives no rows")
    }
    return taken
  }

  func find(_ keys: [IdempotencyKey]) throws(DatabaseError) -> [IdempotencyKey: StoredIdempotency] {
    let statement = Self.finding(keys)
    return Self.records(in: try run(statement.sql, statement.values), of: keys)
  }

  static func finding(_ keys: [IdempotencyKey]) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: """
        SELECT x.place, \(StoredIdempotency.columns)
        FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS x(place, wanted_owner, wanted_key)
          JOIN dragoman_idempotency AS i ON i.owner = x.wanted_owner AND i.key = x.wanted_key
        """,
      values: [
        .integers(keys.indices.map { Int64($0) }), .blobs(keys.map(\.owner)), .texts(keys.map(\.key.text)),
      ])
  }

  static func records(
    in found: SQLResult, of keys: [IdempotencyKey]
  ) -> [IdempotencyKey: StoredIdempotency] {
    var records: [IdempotencyKey: StoredIdempotency] = [:]
    for row in found.rows {
      guard let place = Int(exactly: row.integer(0)), keys.indices.contains(place) else { continue }
      records[keys[place]] = StoredIdempotency(row, from: 1)
    }
    return records
  }

  /// Waits for another transaction that is taking one of the keys.
  func insert(_ records: [IdempotencyRecord], now: Timestamp) throws(DatabaseError) -> Set<IdempotencyKey> {
    guard !records.isEmpty else { return [] }
    let taken = try run(
      """
      INSERT INTO dragoman_idempotency (owner, key, fingerprint, expires_at, status, headers, body)
      SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bytea[],
        $7::bytea[])
      ON CONFLICT (owner, key) DO UPDATE SET fingerprint = excluded.fingerprint,
        expires_at = excluded.expires_at, status = excluded.status, headers = excluded.headers,
        body = excluded.body
      WHERE dragoman_idempotency.expires_at <= $8
      RETURNING owner, key
      """,
      [
        .blobs(records.map(\.key.owner)), .texts(records.map(\.key.key.text)),
        .blobs(records.map(\.fingerprint)), .integers(records.map(\.expiresAt.milliseconds)),
        .integers(records.map { Int64($0.answer.status) }), .blobs(records.map { $0.answer.headerBytes }),
        .blobs(records.map(\.answer.body)), .time(now),
      ])
    let byBytes = Dictionary(
      records.map { ([$0.key.owner, Array($0.key.key.text.utf8)], $0.key) }, uniquingKeysWith: { $1 })
    return Set(taken.rows.compactMap { byBytes[[$0.bytes(0), $0.bytes(1)]] })
  }
}

// MARK: - Settling

extension PostgresDriver {
  func settle(
    _ settlements: [Settlement], readsOutcomes: Bool
  ) throws(DatabaseError) -> [Int64: SettledRow] {
    guard !settlements.isEmpty else { return [:] }
    let statement = settling(settlements, readsOutcomes: readsOutcomes)
    return Self.settled(in: try run(statement.sql, statement.values), readsOutcomes: readsOutcomes)
  }

  static func settled(in found: SQLResult, readsOutcomes: Bool) -> [Int64: SettledRow] {
    var settled: [Int64: SettledRow] = [:]
    for row in found.rows {
      guard let state = DeliveryState(stored: row.integer(1)) else { continue }
      settled[row.integer(0)] =
        readsOutcomes
        ? SettledRow(state: state, attempts: row.integer(2), errorCode: row.text(3))
        : SettledRow(state: state)
    }
    return settled
  }

  /// The statement that records settlements; it returns those whose deliveries this gateway still had.
  func settling(_ own: [Settlement], readsOutcomes: Bool) -> PostgresBatch.Statement {
    let hasErrors = own.contains { $0.error != nil }
    var values: [SQLValue] = [
      .integer(lease), .integers(own.map(\.claim.queued.row)), .integers(own.map { $0.waitsAgain ? 1 : 0 }),
      .integers(own.map { $0.state.map { Int64($0.rawValue) } }),
      .integers(own.map { $0.countsAttempt ? 1 : 0 }), .integers(own.map { $0.dueAt?.milliseconds }),
      .integers(own.map(\.at.milliseconds)), .texts(own.map(\.messageName)),
    ]
    if hasErrors {
      values += [
        .texts(own.map { $0.error?.code }), .integers(own.map { $0.error?.httpStatus.map(Int64.init) }),
        .texts(own.map { $0.error?.message }), .texts(own.map { $0.error?.apnsReason }),
        .integers(own.map { $0.dropsErrorWhenCancelled ? 1 : 0 }),
      ]
    }
    let sql = hasErrors ? Self.settlingWithErrors : Self.settlingWithoutErrors
    return PostgresBatch.Statement(
      sql: readsOutcomes ? sql + ", d.attempts, d.error_code" : sql, values: values)
  }

  private static let settlingWithErrors = settling(hasErrors: true)
  private static let settlingWithoutErrors = settling(hasErrors: false)

  /// Outcomes without an error leave the columns of the last one alone.
  ///
  /// `IS NOT DISTINCT FROM` keeps the statement from the index of claimed deliveries, whose entries are
  /// nearly all dead: reading them took longer than everything else in the transaction.
  private static func settling(hasErrors: Bool) -> String {
    let keeps = "x.code IS NULL OR x.quiet = 1 AND d.cancel_asked = 1"
    let errors = ["code", "status", "message", "reason"].map { name in
      let column = name == "reason" ? "error_apns_reason" : "error_\(name)"
      return ", \(column) = CASE WHEN \(keeps) THEN d.\(column) ELSE x.\(name) END"
    }.joined()
    let errorArrays = """
      , unnest($9::bytea[]) AS code, unnest($10::bigint[]) AS status, unnest($11::bytea[]) AS message,
          unnest($12::bytea[]) AS reason, unnest($13::bigint[]) AS quiet
      """
    let state = "CASE WHEN d.cancel_asked = 1 AND x.back = 1 THEN 6 ELSE coalesce(x.state, d.state) END"
    return """
      UPDATE dragoman_deliveries AS d SET
        claimed_by = NULL, cancel_asked = 0, state = \(state), checksum = (d.checksum & -8) | \(state),
        attempts = d.attempts + x.attempted,
        next_attempt_at = CASE WHEN d.cancel_asked = 1 AND x.back = 1 THEN NULL
          WHEN x.state IS NULL THEN d.next_attempt_at ELSE x.next END,
        updated_at = CASE WHEN x.state IS NULL AND d.cancel_asked = 0 THEN d.updated_at ELSE x.at END,
        message_name = coalesce(x.name, d.message_name)\(hasErrors ? errors : "")
      FROM (SELECT unnest($2::bigint[]) AS row, unnest($3::bigint[]) AS back, unnest($4::bigint[]) AS state,
          unnest($5::bigint[]) AS attempted, unnest($6::bigint[]) AS next, unnest($7::bigint[]) AS at,
          unnest($8::bytea[]) AS name\(hasErrors ? errorArrays : "")) AS x
      WHERE d.row = x.row AND d.claimed_by IS NOT DISTINCT FROM $1
      RETURNING d.row, d.state
      """
  }
}
