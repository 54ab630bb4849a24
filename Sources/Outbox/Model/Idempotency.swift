package import Clock
package import JSON

/// An `Idempotency-Key` of a client, compared byte by byte. A nil client is the anonymous one, which is
/// distinct from every named client.
package struct IdempotencyKey: Sendable, Hashable {
  package let client: ExactText?
  package let key: ExactText

  package init(client: String?, key: String) {
    self.client = client.map(ExactText.init)
    self.key = ExactText(key)
  }
}

/// The first answer to a request, stored to be repeated.
package struct StoredAnswer: Sendable, Equatable {
  /// A header field of the answer, such as `Location`.
  package struct Field: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let status: Int
  package let headers: [Field]
  package let body: [UInt8]

  package init(status: Int, headers: [Field], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The record of an accepted request with an idempotency key.
package struct IdempotencyRecord: Sendable {
  package let key: IdempotencyKey
  /// A digest of the request: equal for a repeat, different for another request with the same key.
  package let fingerprint: [UInt8]
  package let answer: StoredAnswer
  /// When the key becomes free again.
  package let expiresAt: Timestamp

  package init(key: IdempotencyKey, fingerprint: [UInt8], answer: StoredAnswer, expiresAt: Timestamp) {
    self.key = key
    self.fingerprint = fingerprint
    self.answer = answer
    self.expiresAt = expiresAt
  }
}

/// The outcome of an enqueue that did not fail.
package enum EnqueueOutcome: Sendable, Equatable {
  case accepted
  /// The same request was accepted before, with this answer.
  case replay(of: StoredAnswer)
  /// Another request with this key was accepted before.
  case mismatch
  /// A request with this key is being written right now.
  case inProgress
}
