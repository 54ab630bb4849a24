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

  /// What to do after an attempt.
  package enum Verdict: Sendable {
    case settle(Settlement.Result)
    /// FCM refused the app or the target: this is the result if it is the target.
    case refused(SendError, ifTarget: Settlement.Result)
    /// Nothing could be sent: release the delivery, which has had no attempt, and probe later.
    case pauseApp(SendError)
  }

  /// The verdict on one answer. `attempts` were counted before it; `random` is uniform in 0..<1.
  package func verdict(
    on outcome: SendOutcome, attempts: Int, expiresAt: Timestamp, now: Timestamp, random: Double
  ) -> Verdict {
    switch outcome {
    case .sent(let name): .settle(.sent(messageName: name))
    case .withdrawn: .settle(.release)
    case .failed(let failure):
      verdict(on: failure, attempts: attempts, expiresAt: expiresAt, now: now, random: random)
    }
  }

  private func verdict(
    on failure: SendError, attempts: Int, expiresAt: Timestamp, now: Timestamp, random: Double
  ) -> Verdict {
    if failure.scope == .unsent { return .pauseApp(failure) }
    if let refusal = failure.refusal {
      let result = retry(after: refusal, attempts: attempts, expiresAt: expiresAt, now: now, random: random)
      return .refused(refusal, ifTarget: result)
    }
    // A retry would meet the same credentials at Firebase, whatever the answer's status says about retrying.
    if failure.disposition == .permanent || failure.scope == .thirdPartyCredentials {
      return .settle(
        .failed(
          error: DeliveryError(failure), deadRegistration: failure.scope == .registration,
          deadActivity: failure.scope == .activity))
    }
    return .settle(retry(after: failure, attempts: attempts, expiresAt: expiresAt, now: now, random: random))
  }

  private func retry(
    after failure: SendError, attempts: Int, expiresAt: Timestamp, now: Timestamp, random: Double
  ) -> Settlement.Result {
    let error = DeliveryError(failure)
    let made = attempts + 1
    if made >= attemptsMax { return .failed(error: error, deadRegistration: false) }

    let wait = wait(after: failure, attemptsMade: made)
    let room = expiresAt.adding(milliseconds: -wait.least).milliseconds.subtractingClamped(now.milliseconds)
    guard room > 0 else { return .expired(error: error, attempted: true) }
    // The jitter is limited by the expiry, so that a delivery with little time left still gets a last
    // attempt.
    let jitter = Int64(saturating: Double(min(wait.spread, room - 1)) * min(max(random, 0), 1))
    return .retry(at: now.adding(milliseconds: wait.least + jitter), error: error)
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

  /// The error of a refusal that names neither the message nor its target; nil for any other.
  var refusal: SendError? {
    if disposition == .refreshAccessToken { return asAuthentication }
    return scope == .configuration ? self : nil
  }

  /// The error for a refused access token that a refresh did not replace.
  private var asAuthentication: SendError {
    SendError(
      code: .authentication, httpStatus: httpStatus, message: message, apnsReason: apnsReason,
      disposition: .permanent, scope: .configuration, retryAfterSeconds: retryAfterSeconds)
  }
}

extension DeliveryError {
  /// Why a delivery waits without an attempt: its target's quota is used up.
  static let targetQuota = DeliveryError(
    code: "QUOTA_EXCEEDED", httpStatus: 429, message: "the target's quota is used up", apnsReason: nil)

  /// The failure as the API shows it.
  package init(_ failure: SendError) {
    self.init(
      code: failure.code.rawValue, httpStatus: failure.httpStatus, message: failure.message,
      apnsReason: failure.apnsReason)
  }
}

extension Int64 {
  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (self < other ? .min : .max) : difference
  }
}
