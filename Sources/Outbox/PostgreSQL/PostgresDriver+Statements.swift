internal import Clock
import FCMMessage
import JSON
import Telemetry
import SQL

// MARK: - Accepting

extension PostgresDriver {
  private static let insertingNotifications = SQLInsertion(
    into: "dragoman_notifications", NewRow.notificationColumns
  ).arrays
  private static let insertingDeliveries = SQLInsertion(
    into: "dragoman_deliveries", NewRow.deliveryColumns, zeros: NewRow.deliveryZeros
  ).arrays

  func insert(_ rows: [NewRow]) {
    guard !rows.isEmpty else { return }
    send(Self.insertingNotifications, SQLValue.columns(of: rows.map { $0.notificationValues() }))
    var deliveries: [[SQLValue]] = []
    for row in rows {
      for position in row.notification.deliveries.indices {
        deliveries.append(row.deliveryValues(position, lease: lease))
      }
    }
    if !deliveries.isEmpty { send(Self.insertingDeliveries, SQLValue.columns(of: deliveries)) }
  }

  /// The statement that takes rows for new notifications.
  static func takingRows(_ count: Int) -> PostgresBatch.Statement {
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
    let columns = SQLValue.columns(of: own.map(\.values))
    let sql = hasErrors ? Self.settlingWithErrors : Self.settlingWithoutErrors
    return PostgresBatch.Statement(
      sql: readsOutcomes ? sql + ", d.attempts, d.error_code" : sql,
      values: [.integer(lease), .integers(own.map(\.claim.queued.row))]
        + columns.prefix(hasErrors ? columns.count : Settlement.plainCount))
  }

  private static let settlingWithErrors = settling(hasErrors: true)
  private static let settlingWithoutErrors = settling(hasErrors: false)

  /// `IS NOT DISTINCT FROM` keeps the statement from the index of claimed deliveries, whose entries are
  /// nearly all dead: reading them took longer than everything else in the transaction.
  private static func settling(hasErrors: Bool) -> String {
    let kinds = Settlement.kinds.prefix(hasErrors ? Settlement.kinds.count : Settlement.plainCount)
    let columns = kinds.enumerated().map { ", unnest($\($0 + 3)::\($1.rawValue)[]) AS v\($0)" }
    return """
      UPDATE dragoman_deliveries AS d SET \(Settlement.assignments(withErrors: hasErrors) { "x.v\($0)" })
      FROM (SELECT unnest($2::bigint[]) AS row\(columns.joined())) AS x
      WHERE d.row = x.row AND d.claimed_by IS NOT DISTINCT FROM $1
      RETURNING d.row, d.state
      """
  }
}
