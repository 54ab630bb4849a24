internal import DeliveryReports
package import Clock
package import FCM
package import Outbox

/// Decides what follows from FCM's answer: a pure function of the answer, the time and a random number.
///
/// The rules are Google's (Firebase documentation, "Scale your FCM traffic", and the ErrorCode reference):
/// `Retry-After` first, a minute after a 429 without one, otherwise exponential backoff with jitter, and
/// never sooner than ten seconds.
package struct RetryPolicy: Sendable {
  /// A delivery that fails this often becomes a dead letter.
  package var attemptsMax: Int
  /// No retry comes sooner than this, unless `Retry-After` asks for it.
  package var backoffMin: Duration
  /// The longest exponential wait.
  package var backoffMax: Duration
  /// The wait after a 429 without `Retry-After`.
  package var quotaBackoff: Duration
  /// A longer `Retry-After` is capped at this: FCM's quotas are counted by the minute, and deliveries would
  /// expire.
  package var retryAfterMax: Duration

  package init(
    attemptsMax: Int = 12, backoffMin: Duration = .seconds(10), backoffMax: Duration = .seconds(900),
    quotaBackoff: Duration = .seconds(60), retryAfterMax: Duration = .seconds(3600)
  ) {
    self.attemptsMax = attemptsMax
    self.backoffMin = backoffMin
    self.backoffMax = backoffMax
    self.quotaBackoff = quotaBackoff
    self.retryAfterMax = retryAfterMax
  }

  /// What becomes of a claim after an attempt. `isAppWide` tells that the failure is the app's and not the
  /// target's: the delivery then waits with no attempt counted. `random` is uniform in 0..<1.
  package func settlement(
    of claim: ClaimedDelivery, after outcome: SendOutcome, isAppWide: Bool, now: Timestamp, random: Double
  ) -> Settlement {
    switch outcome {
    case .sent(let name): return .sent(claim, at: now, messageName: name)
    case .withdrawn: return .release(claim, at: now)
    case .failed(let failure):
      let failure = failure.refusal ?? failure
      if isAppWide { return .deferred(claim, at: now, dueAt: now, error: DeliveryError(failure)) }
      return failure.isFinal
        ? .failed(claim, at: now, error: DeliveryError(failure), dead: failure.dead)
        : retry(claim, after: failure, now: now, random: random)
    }
  }

  private func retry(
    _ claim: ClaimedDelivery, after failure: SendError, now: Timestamp, random: Double
  ) -> Settlement {
    let error = DeliveryError(failure)
    let isCounted = failure.countsAttempt
    let made = claim.attempts + 1
    if isCounted, made >= attemptsMax { return .failed(claim, at: now, error: error) }

    let wait = wait(after: failure, attemptsMade: made)
    let room = claim.expiresAt.adding(milliseconds: -wait.least).milliseconds
      .subtractingClamped(now.milliseconds)
    guard room > 0 else { return .expired(claim, at: now, error: error, attempted: isCounted) }
    // The jitter is limited by the expiry, so that a delivery with little time left still gets a last
    // attempt.
    let jitter = Int64(saturating: Double(min(wait.spread, room - 1)) * min(max(random, 0), 1))
    let dueAt = now.adding(milliseconds: wait.least + jitter)
    return isCounted
      ? .retry(claim, at: now, dueAt: dueAt, error: error)
      : .deferred(claim, at: now, dueAt: dueAt, error: error)
  }

  /// Milliseconds for which a quota answer holds its target, or the app if it has a `Retry-After`.
  func quotaHoldMilliseconds(after failure: SendError) -> Int64 {
    wait(after: failure, attemptsMade: 1).least
  }

  /// Whether `Retry-After` exceeds `retryAfterMax`.
  func isCapped(_ failure: SendError) -> Bool {
    failure.retryAfterSeconds.map { Duration.seconds($0) > retryAfterMax } == true
  }

  /// The minimum wait in milliseconds, and how many more to spread it over at random.
  private func wait(after failure: SendError, attemptsMade: Int) -> (least: Int64, spread: Int64) {
    if let seconds = failure.retryAfterSeconds, seconds > 0 {
      let least = min(Duration.seconds(seconds), retryAfterMax).wholeMilliseconds
      // Many deliveries get the same time; FCM asks for a random delay on top of it (ErrorCode, UNAVAILABLE).
      return (least, least / 10)
    }
    if failure.isQuota {
      let least = quotaBackoff.wholeMilliseconds
      return (least, least / 10)
    }
    let least = max(0, backoffMin.wholeMilliseconds)
    let (grown, overflow) = least.multipliedReportingOverflow(by: 1 << Int64(min(max(attemptsMade, 0), 40)))
    let ceiling = max(least, min(overflow ? .max : grown, backoffMax.wholeMilliseconds))
    return (least, ceiling - least)
  }
}

extension SendError {
  /// Whether there is a `Retry-After` other than 0.
  var askedWait: Bool { (retryAfterSeconds ?? 0) > 0 }

  fileprivate var isQuota: Bool {
    httpStatus == 429 || code == .quotaExceeded || scope == .targetQuota || scope == .projectQuota
  }

  /// Whether a retry would get the same answer.
  fileprivate var isFinal: Bool {
    switch scope {
    // What only this target gets may pass.
    case .configuration: false
    // A retry would meet the same credentials at Firebase, whatever the answer's status says about retrying.
    case .thirdPartyCredentials: true
    default: disposition == .permanent
    }
  }

  /// What it reports as dead.
  fileprivate var dead: Settlement.Dead? {
    switch scope {
    case .registration: .registration
    case .activity: .activity
    default: nil
    }
  }

  /// The error of a refusal that names neither the message nor its target; nil for any other. A refused
  /// access token is one that a refresh did not replace.
  var refusal: SendError? {
    if disposition == .refreshAccessToken {
      return read(as: .authentication, .permanent, about: .configuration)
    }
    return scope == .configuration ? self : nil
  }
}

extension DeliveryError {
  /// Why a delivery waits without an attempt: its target's quota is used up.
  static let targetQuota = DeliveryError(
    code: "QUOTA_EXCEEDED", httpStatus: 429, message: "the target's quota is used up", apnsReason: nil)
}

extension Int64 {
  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (self < other ? .min : .max) : difference
  }
}
