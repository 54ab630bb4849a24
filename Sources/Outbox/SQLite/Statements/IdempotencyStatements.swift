internal import Clock
import JSON

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
      status: Int(select.integer(3)), headers: StoredAnswer.headers(in: select.blob(4)), body: select.blob(5))
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
    try insertRecord.bind(6, record.answer.headerBytes)
    try insertRecord.run(binding: record.answer.body, at: 7)
  }

  func remove(row: Int64) throws(SQLiteError) {
    try deleteRecord.bind(1, row)
    try deleteRecord.run()
  }
}
