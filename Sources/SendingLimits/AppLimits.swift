package import Clock

/// What the gateways that share a database know together about sending for one app.
///
/// Of each part the later entry wins, so that merging is commutative and idempotent: the order in which
/// gateways learn of each other's entries does not matter. All times are the database's.
package struct AppLimits: Sendable, Equatable {
  /// How the app's rate, all gateways together, climbs from cold or after an outage.
  package struct Climb: Sendable, Equatable {
    package let beganAt: Timestamp
    /// In thousandths of a message a second.
    package let millirate: Int64

    package init(beganAt: Timestamp, millirate: Int64) {
      self.beganAt = beganAt
      self.millirate = millirate
    }
  }

  /// The last answer that the project's quota is used up.
  package struct QuotaAnswer: Sendable, Equatable {
    /// When the attempt began that got it.
    package let attemptBeganAt: Timestamp
    /// Until when such answers forbid to send; a past time for no hold.
    package let heldUntil: Timestamp

    package init(attemptBeganAt: Timestamp, heldUntil: Timestamp) {
      self.attemptBeganAt = attemptBeganAt
      self.heldUntil = heldUntil
    }

    fileprivate func merged(with other: QuotaAnswer?) -> QuotaAnswer {
      guard let other else { return self }
      return QuotaAnswer(
        attemptBeganAt: max(attemptBeganAt, other.attemptBeganAt), heldUntil: max(heldUntil, other.heldUntil))
    }
  }

  /// Whether all gateways send only probes, and when the next one is due.
  package struct Stop: Sendable, Equatable {
    package enum Reason: Int64, Sendable {
      /// A run of server errors.
      case outage = 1
      /// A quota answer that asks for a longer wait than any without a probe.
      case quota = 2
    }

    /// The answer that caused it, as its error is shown.
    package struct Failure: Sendable, Equatable {
      package let code: String
      package let httpStatus: Int?
      package let message: String

      package init(code: String, httpStatus: Int?, message: String) {
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
      }
    }

    /// When this was decided; identifies it. Later than everything that was known of it then.
    package let decidedAt: Timestamp
    /// Nil when the app sends again.
    package let reason: Reason?
    package let since: Timestamp
    package let probeAt: Timestamp
    package let failure: Failure?

    package init(
      decidedAt: Timestamp, reason: Reason?, since: Timestamp, probeAt: Timestamp, failure: Failure?
    ) {
      self.decidedAt = decidedAt
      self.reason = reason
      self.since = since
      self.probeAt = probeAt
      self.failure = failure
    }
  }

  package var climb: Climb?
  /// When any gateway last sent for the app, to about a minute.
  package var usedAt: Timestamp?
  package var quota: QuotaAnswer?
  package var stop: Stop?

  package init() {}

  /// Takes the later entry of each part.
  package mutating func merge(_ other: AppLimits) {
    climb = Self.later(climb, other.climb) { ($0.beganAt.milliseconds, $0.millirate) }
    usedAt = Self.later(usedAt, other.usedAt) { ($0.milliseconds, 0) }
    quota = quota?.merged(with: other.quota) ?? other.quota
    stop = Self.later(stop, other.stop) { ($0.decidedAt.milliseconds, $0.reason?.rawValue ?? 0) }
  }

  private static func later<Entry>(
    _ one: Entry?, _ other: Entry?, by key: (Entry) -> (Int64, Int64)
  ) -> Entry? {
    guard let one, let other else { return one ?? other }
    return key(other) > key(one) ? other : one
  }
}
