import Clock
import JSON
import SQL

/// An idempotency record as a database holds it.
struct StoredIdempotency {
  let fingerprint: [UInt8]
  let expiresAt: Timestamp
  let answer: StoredAnswer

  /// The outcome of a request with this key; nil when the key is free again.
  func outcome(fingerprint: [UInt8], now: Timestamp) -> EnqueueOutcome? {
    guard now < expiresAt else { return nil }
    return fingerprint == self.fingerprint ? .replay(of: answer) : .mismatch
  }
}

extension IdempotencyKey {
  /// The client as databases hold it: an anonymous caller differs from a client whose name is empty.
  var owner: [UInt8] { Self.storedOwner(client) }

  static func storedOwner(_ client: ExactText?) -> [UInt8] { client.map { [1] + Array($0.text.utf8) } ?? [0] }
}

extension StoredIdempotency {
  static let columns = "fingerprint, expires_at, status, headers, body"

  /// Reads `columns`, the first of which is at a place.
  init(_ row: SQLRow, from column: Int) {
    self.init(
      fingerprint: row.bytes(column), expiresAt: row.time(column + 1),
      answer: StoredAnswer(
        status: Int(row.integer(column + 2)), headers: StoredAnswer.headers(in: row.bytes(column + 3)),
        body: row.bytes(column + 4)))
  }
}

extension StoredAnswer {
  /// The header fields as databases hold them: names and values in turn, each ended by a zero byte, which no
  /// header field can hold (RFC 9110 §5.5).
  var headerBytes: [UInt8] { headers.flatMap { [$0.name, $0.value] }.flatMap { $0.utf8 + [0 as UInt8] } }

  /// The header fields in `headerBytes`.
  static func headers(in bytes: [UInt8]) -> [Field] {
    let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    return stride(from: 0, to: texts.count - 2, by: 2).map { Field(name: texts[$0], value: texts[$0 + 1]) }
  }
}
