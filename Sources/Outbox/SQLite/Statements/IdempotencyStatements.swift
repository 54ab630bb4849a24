internal import Clock
import JSON

/// What is kept of a request that bore a key, as it stands on disk.
struct StoredIdempotency {
  let row: Int64
  let fingerprint: [UInt8]
  let expiresAt: Timestamp
  let answer: StoredAnswer

  /// What a request with this key gets; nil where the key is free again.
  func outcome(fingerprint: [UInt8], now: Timestamp) -> EnqueueOutcome? {
    guard now < expiresAt else { return nil }
    return fingerprint == self.fingerprint ? .replay(of: answer) : .mismatch
  }
}

/// Reads and writes idempotency records. Confined like its connection.
final class IdempotencyStatements {
  private let select: SQLiteStatement
  private let insertRecord: SQLiteStatement
  private let deleteRecord: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    select = try connection.prepare(
      """
      SELECT row, fingerprint, expires_at, status, headers, body FROM idempotency
      WHERE key = ? AND client IS ?
      """)
    insertRecord = try connection.prepare(
      """
      INSERT INTO idempotency (client, key, fingerprint, expires_at, status, headers, body)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    deleteRecord = try connection.prepare("DELETE FROM idempotency WHERE row = ?")
  }

  func find(_ key: IdempotencyKey) throws(SQLiteError) -> StoredIdempotency? {
    try select.bind(1, key.key.text)
    try select.bind(2, key.client?.text)
    defer { select.reset() }
    guard try select.step() else { return nil }
    let answer = StoredAnswer(
      status: Int(select.integer(3)), headers: Self.headers(in: select.blob(4)), body: select.blob(5))
    return StoredIdempotency(
      row: select.integer(0), fingerprint: select.blob(1),
      expiresAt: Timestamp(milliseconds: select.integer(2)), answer: answer)
  }

  func insert(_ record: IdempotencyRecord) throws(SQLiteError) {
    try insertRecord.bind(1, record.key.client?.text)
    try insertRecord.bind(2, record.key.key.text)
    try insertRecord.bind(3, record.fingerprint)
    try insertRecord.bind(4, record.expiresAt.milliseconds)
    try insertRecord.bind(5, record.answer.status)
    try insertRecord.bind(6, Self.bytes(of: record.answer.headers))
    try insertRecord.run(binding: record.answer.body, at: 7)
  }

  func remove(row: Int64) throws(SQLiteError) {
    try deleteRecord.bind(1, row)
    try deleteRecord.run()
  }

  /// Names and values in turn, each ended by a zero byte, which no header field can hold (RFC 9110 §5.5).
  static func bytes(of headers: [StoredAnswer.Field]) -> [UInt8] {
    headers.flatMap { Array($0.name.utf8) + [0] + Array($0.value.utf8) + [0] }
  }

  static func headers(in bytes: [UInt8]) -> [StoredAnswer.Field] {
    let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    return stride(from: 0, to: texts.count - 2, by: 2).map {
      StoredAnswer.Field(name: texts[$0], value: texts[$0 + 1])
    }
  }
}
