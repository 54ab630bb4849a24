internal import Clock
import JSON

/// Idempotency records in PostgreSQL.
enum PostgresIdempotency {
  /// What is kept under `keys`; also what has expired.
  static func find(
    _ keys: [IdempotencyKey], in connection: PostgresConnection
  ) throws(PostgresError) -> [IdempotencyKey: StoredIdempotency] {
    let found = try connection.run(
      """
      SELECT x.place, i.fingerprint, i.expires_at, i.status, i.headers, i.body
      FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS x(place, owner, key)
        JOIN dragoman_idempotency AS i ON i.owner = x.owner AND i.key = x.key
      """,
      [
        .integers(keys.indices.map { Int64($0) }), .blobs(keys.map(owner)),
        .texts(keys.map(\.key.text)),
      ])
    var records: [IdempotencyKey: StoredIdempotency] = [:]
    for row in found.rows {
      guard keys.indices.contains(Int(row.integer(0))) else { continue }
      records[keys[Int(row.integer(0))]] = StoredIdempotency(
        row: 0, fingerprint: row.bytes(1), expiresAt: row.time(2),
        answer: StoredAnswer(
          status: Int(row.integer(3)), headers: IdempotencyStatements.headers(in: row.bytes(4)),
          body: row.bytes(5)))
    }
    return records
  }

  /// Keeps records whose keys are free, or free again by `now`; returns the keys that it took. Waits for whoever is
  /// taking one of them at this moment.
  static func insert(
    _ records: [IdempotencyRecord], now: Timestamp, into connection: PostgresConnection
  ) throws(PostgresError) -> Set<IdempotencyKey> {
    let taken = try connection.run(
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
        .blobs(records.map { owner($0.key) }), .texts(records.map(\.key.key.text)),
        .blobs(records.map(\.fingerprint)), .integers(records.map(\.expiresAt.milliseconds)),
        .integers(records.map { Int64($0.answer.status) }),
        .blobs(records.map { IdempotencyStatements.bytes(of: $0.answer.headers) }),
        .blobs(records.map(\.answer.body)), .integer(now.milliseconds),
      ])
    let byBytes = Dictionary(records.map { (words($0.key), $0.key) }, uniquingKeysWith: { $1 })
    return Set(taken.rows.compactMap { byBytes[[$0.bytes(0), $0.bytes(1)]] })
  }

  private static func words(_ key: IdempotencyKey) -> [[UInt8]] { [owner(key), Array(key.key.text.utf8)] }

  /// Nobody's keys and those of a client whose name is empty are not the same.
  private static func owner(_ key: IdempotencyKey) -> [UInt8] {
    key.client.map { [1] + Array($0.text.utf8) } ?? [0]
  }
}
