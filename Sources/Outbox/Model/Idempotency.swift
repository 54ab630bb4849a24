package import Clock
package import JSON

/// An `Idempotency-Key` of a client, compared by its bytes. A nil client is the anonymous one, and not the one of
/// any name.
package struct IdempotencyKey: Sendable, Hashable {
  package let client: ExactText?
  package let key: ExactText

  package init(client: String?, key: String) {
    self.client = client.map(ExactText.init)
    self.key = ExactText(key)
  }
}

/// An answer as it was given first, to be given again.
package struct StoredAnswer: Sendable, Equatable {
  /// A header field that belongs to the answer, `Location` say.
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

/// What is kept with an accepted request that bore an idempotency key.
package struct IdempotencyRecord: Sendable {
  package let key: IdempotencyKey
  /// A digest of the request: equal for a repeat, different for another request with the same key.
  package let fingerprint: [UInt8]
  package let answer: StoredAnswer
  /// The key is free again from then on.
  package let expiresAt: Timestamp

  package init(key: IdempotencyKey, fingerprint: [UInt8], answer: StoredAnswer, expiresAt: Timestamp) {
    self.key = key
    self.fingerprint = fingerprint
    self.answer = answer
    self.expiresAt = expiresAt
  }
}

/// What became of an enqueue that the store could handle.
package enum EnqueueOutcome: Sendable, Equatable {
  case accepted
  /// The same request was accepted before, with this answer.
  case replay(of: StoredAnswer)
  /// Another request with this key was accepted before.
  case mismatch
  /// A request with this key is being written right now.
  case inProgress
}
