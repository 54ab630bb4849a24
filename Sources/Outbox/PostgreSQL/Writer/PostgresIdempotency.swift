internal import Clock
import JSON

/// Idempotency records in PostgreSQL.
enum PostgresIdempotency {
  /// The records of `keys`, including expired ones.
  static func find(
    _ keys: [IdempotencyKey], in connection: PostgresConnection
  ) throws(PostgresError) -> [IdempotencyKey: StoredIdempotency] {
    records(in: try connection.run(finding(keys)), of: keys)
  }

  /// The statement that finds them; its result is for `records`.
  static func finding(_ keys: [IdempotencyKey]) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: """
        SELECT x.place, i.fingerprint, i.expires_at, i.status, i.headers, i.body
        FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS x(place, owner, key)
          JOIN dragoman_idempotency AS i ON i.owner = x.owner AND i.key = x.key
        """,
      values: [
        .integers(keys.indices.map { Int64($0) }), .blobs(keys.map(owner)),
        .texts(keys.map(\.key.text)),
      ])
  }

  static func records(
    in found: PostgresRows, of keys: [IdempotencyKey]
  ) -> [IdempotencyKey: StoredIdempotency] {
    var records: [IdempotencyKey: StoredIdempotency] = [:]
    for row in found.rows {
      guard keys.indices.contains(Int(row.integer(.place))) else { continue }
      records[keys[Int(row.integer(.place))]] = StoredIdempotency(
        row: 0, fingerprint: row.bytes(.fingerprint), expiresAt: row.time(.expiresAt),
        answer: StoredAnswer(
          status: Int(row.integer(.status)), headers: StoredAnswer.headers(in: row.bytes(.headers)),
          body: row.bytes(.body)))
    }
    return records
  }

  /// Keeps records whose keys are free, or free again by `now`; returns the keys that it took. Waits for
  /// another transaction that is taking one of them.
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
        .blobs(records.map { $0.answer.headerBytes }),
        .blobs(records.map(\.answer.body)), .integer(now.milliseconds),
      ])
    let byBytes = Dictionary(records.map { (words($0.key), $0.key) }, uniquingKeysWith: { $1 })
    return Set(taken.rows.compactMap { byBytes[[$0.bytes(.owner), $0.bytes(.key)]] })
  }

  private static func words(_ key: IdempotencyKey) -> [[UInt8]] { [owner(key), Array(key.key.text.utf8)] }

  private static func owner(_ key: IdempotencyKey) -> [UInt8] { owner(key.client) }

  /// A client in the database: an anonymous caller differs from a client whose name is empty.
  static func owner(_ client: ExactText?) -> [UInt8] { client.map { [1] + Array($0.text.utf8) } ?? [0] }
}
