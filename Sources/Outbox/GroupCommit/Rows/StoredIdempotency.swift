import Clock

/// An idempotency record as a database holds it.
struct StoredIdempotency {
  /// Its row in SQLite; 0 in PostgreSQL, which finds it by its key.
  let row: Int64
  let fingerprint: [UInt8]
  let expiresAt: Timestamp
  let answer: StoredAnswer

  /// The outcome of a request with this key; nil when the key is free again.
  func outcome(fingerprint: [UInt8], now: Timestamp) -> EnqueueOutcome? {
    guard now < expiresAt else { return nil }
    return fingerprint == self.fingerprint ? .replay(of: answer) : .mismatch
  }
}

extension StoredAnswer {
  /// The header fields as databases hold them: names and values in turn, each ended by a zero byte, which no
  /// header field can hold (RFC 9110 §5.5).
  var headerBytes: [UInt8] { headers.flatMap { Array($0.name.utf8) + [0] + Array($0.value.utf8) + [0] } }

  /// The header fields in `headerBytes`.
  static func headers(in bytes: [UInt8]) -> [Field] {
    let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    return stride(from: 0, to: texts.count - 2, by: 2).map { Field(name: texts[$0], value: texts[$0 + 1]) }
  }
}
