internal import Synchronization

/// A client's own rate: a token bucket that holds a second's worth of requests.
final class ClientRate: Sendable {
  /// The state of the bucket, for an answer's headers (draft-ietf-httpapi-ratelimit-headers).
  struct Verdict: Sendable {
    let isAllowed: Bool
    /// Whole requests left.
    let remaining: Int
    /// Whole seconds until the bucket is full again, and until the next request is allowed.
    let secondsToFull: Int
    let secondsToNext: Int
    /// Requests per second.
    let quota: Int

    var headers: [(name: String, value: String)] {
      var headers = [
        ("RateLimit-Policy", "\"client\";q=\(quota);w=1"),
        ("RateLimit", "\"client\";r=\(remaining);t=\(secondsToFull)"),
      ]
      if !isAllowed { headers.append(("Retry-After", String(max(secondsToNext, secondsToFull)))) }
      return headers
    }
  }

  private struct Bucket {
    var tokens: Double
    var at: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let capacity: Double
  private let bucket: Mutex<Bucket>

  /// `capacity` is what an idle client may send at once; nil: a second's worth.
  init(perSecond: Double, capacity: Double? = nil, now: ContinuousClock.Instant = .now) {
    self.perSecond = perSecond
    self.capacity = capacity ?? max(1, perSecond)
    let capacity = self.capacity
    bucket = Mutex(Bucket(tokens: capacity, at: now))
  }

  /// Takes a token for a request, if there is one.
  func take(now: ContinuousClock.Instant = .now) -> Verdict { verdict(cost: 1, now: now) }

  /// The state of the bucket, without taking a token.
  func look(now: ContinuousClock.Instant = .now) -> Verdict { verdict(cost: 0, now: now) }

  private func verdict(cost: Double, now: ContinuousClock.Instant) -> Verdict {
    bucket.withLock { bucket in
      if now > bucket.at {
        bucket.tokens = min(capacity, bucket.tokens + (now - bucket.at) / .seconds(1) * perSecond)
        bucket.at = now
      }
      let isAllowed = bucket.tokens >= cost
      if isAllowed { bucket.tokens -= cost }
      return Verdict(
        isAllowed: isAllowed, remaining: Int(bucket.tokens),
        secondsToFull: Int(((capacity - bucket.tokens) / perSecond).rounded(.up)),
        secondsToNext: max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up))),
        quota: max(1, Int(capacity.rounded(.down))))
    }
  }
}
