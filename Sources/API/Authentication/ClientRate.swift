internal import Clock
internal import Synchronization

/// A client's own rate: a token bucket that holds what a window of the rate allows, a second's worth for
/// `500/s` and an hour's for `100/h`. Each request and each notification of a batch takes one.
final class ClientRate: Sendable {
  /// The state of the bucket, for an answer's headers (draft-ietf-httpapi-ratelimit-headers).
  struct Verdict: Sendable {
    let isAllowed: Bool
    /// Whole requests left.
    let remaining: Int
    /// Whole seconds until the bucket is full again, and until the next request is allowed.
    let secondsToFull: Int
    let secondsToNext: Int
    /// Requests in a window, and its length.
    let quota: Int
    let windowSeconds: Int

    var headers: [(name: String, value: String)] {
      var headers = [
        ("RateLimit-Policy", "\"client\";q=\(quota);w=\(windowSeconds)"),
        ("RateLimit", "\"client\";r=\(remaining);t=\(remaining > 0 ? secondsToFull : secondsToNext)"),
      ]
      if !isAllowed { headers.append(("Retry-After", String(secondsToNext))) }
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

  /// A full bucket for `rate`.
  convenience init(_ rate: RequestRate, now: ContinuousClock.Instant = .now) {
    self.init(perSecond: rate.perSecond, capacity: max(1, rate.requests), now: now)
  }

  func hasSameLimits(as other: ClientRate) -> Bool {
    perSecond == other.perSecond && capacity == other.capacity
  }

  /// Takes a token for a request, if there is one.
  func take(now: ContinuousClock.Instant = .now) -> Verdict { verdict(cost: 1, needed: 1, now: now) }

  /// Takes the tokens of a batch of `count` notifications, whose request has one already. A batch that is
  /// larger than the bucket passes when the bucket is full, and leaves a debt that has to be paid back first.
  func take(batch count: Int, now: ContinuousClock.Instant = .now) -> Verdict {
    let further = Double(max(0, count - 1))
    let needed = min(further, capacity - 1)
    // A refused batch needs the token of its next request besides.
    return verdict(cost: further, needed: needed, neededNext: needed + 1, now: now)
  }

  /// The state of the bucket, without taking a token.
  func look(now: ContinuousClock.Instant = .now) -> Verdict { verdict(cost: 0, needed: -.infinity, now: now) }

  /// Takes `cost` tokens if there are `needed` ones.
  private func verdict(
    cost: Double, needed: Double, neededNext: Double = 1, now: ContinuousClock.Instant
  ) -> Verdict {
    bucket.withLock { bucket in
      if now > bucket.at {
        bucket.tokens = min(capacity, bucket.tokens + (now - bucket.at) / .seconds(1) * perSecond)
        bucket.at = now
      }
      // A token that is due to the rounding of binary fractions is there.
      let isAllowed = bucket.tokens + 1e-9 >= needed
      if isAllowed { bucket.tokens -= cost }
      let missing = (isAllowed ? 1 : neededNext) - bucket.tokens
      return Verdict(
        isAllowed: isAllowed, remaining: max(0, Int(saturating: bucket.tokens + 1e-9)),
        secondsToFull: Int(saturating: ((capacity - bucket.tokens) / perSecond).rounded(.up)),
        secondsToNext: max(1, Int(saturating: (missing / perSecond).rounded(.up))),
        quota: max(1, Int(saturating: capacity)),
        windowSeconds: max(1, Int(saturating: (capacity / perSecond).rounded())))
    }
  }
}
