package import Clock
package import FCM

/// The health of an app's sending, for `/readyz` and the metrics.
package struct AppHealth: Sendable, Equatable {
  package let app: String
  /// Attempts that FCM has not answered yet.
  package let inFlight: Int
  /// Messages a second that are allowed now; 0 while it waits.
  package var messagesPerSecond: Double
  /// Targets that are held because their quota is used up.
  package let holds: Int
  /// Why it is paused or its breaker open, otherwise the last attempt's error; nil after a success.
  package let lastFailure: SendError?
  /// Failed attempts in a row that were FCM's or the network's fault.
  package let serviceFailuresInARow: Int
  package let lastSentAt: Timestamp?
  /// When Firebase's APNs or web push credentials were last refused.
  package let thirdPartyAuthAt: Timestamp?
  /// Why it sends nothing, or only probes; nil while it sends.
  package private(set) var wait: AppWait?
  /// How many different targets FCM has refused, without a word on why, since it last gave another answer.
  package let refusedTargets: Int
  /// FCM's last answer that the registrations, or the push service's credentials, are another project's; nil
  /// if it accepted a message since, or if that concerns few messages.
  package let foreignFailure: SendError?
  /// Whether FCM has answered for a minute, again and again, that the project's quota is used up.
  package let isQuotaLasting: Bool
  /// How long it still waits.
  package private(set) var waitMilliseconds: Int64 = 0

  package init(
    app: String, inFlight: Int, messagesPerSecond: Double, holds: Int, lastFailure: SendError?,
    serviceFailuresInARow: Int, lastSentAt: Timestamp?, thirdPartyAuthAt: Timestamp?, wait: AppWait?,
    refusedTargets: Int, foreignFailure: SendError? = nil, isQuotaLasting: Bool = false
  ) {
    self.isQuotaLasting = isQuotaLasting
    self.app = app
    self.inFlight = inFlight
    self.messagesPerSecond = messagesPerSecond
    self.holds = holds
    self.lastFailure = lastFailure
    self.serviceFailuresInARow = serviceFailuresInARow
    self.lastSentAt = lastSentAt
    self.thirdPartyAuthAt = thirdPartyAuthAt
    self.wait = wait
    self.refusedTargets = refusedTargets
    self.foreignFailure = foreignFailure
  }

  /// Completes what depends on the time at which it is read.
  package mutating func observe(ticks: Int64) {
    guard let wait else { return }
    waitMilliseconds = max(0, wait.untilTicks > ticks ? wait.untilTicks - ticks : 0)
    if !wait.isProbing, waitMilliseconds == 0 { self.wait = nil }
  }

  /// Since when FCM refuses the app as a whole; nil if it does not.
  package var pausedSince: Timestamp? { since(.refused) }
  /// Since when the breaker is open after a run of server errors; nil while it is closed.
  package var breakerOpenSince: Timestamp? { since(.outage) }
  package var isPaused: Bool { pausedSince != nil }
  package var isBreakerOpen: Bool { breakerOpenSince != nil }
  /// Whether only probes are sent.
  package var isProbing: Bool { wait?.isProbing == true }
  /// Whether FCM or a token service refuses the app, or may do so.
  package var isRefused: Bool {
    isPaused || since(.accessToken) != nil || refusedTargets > 0 || foreignFailure != nil
  }

  private func since(_ reason: AppWait.Reason) -> Timestamp? { wait?.reason == reason ? wait?.since : nil }

  /// The number of failures in a row, FCM's or the network's, at which FCM counts as degraded.
  package static let serviceFailuresWarned = 5
  /// Whether FCM, or the network path to it, fails, or its quota is used up.
  package var isDegraded: Bool {
    isBreakerOpen || wait?.reason == .quota || isQuotaLasting
      || serviceFailuresInARow >= Self.serviceFailuresWarned
  }
}

/// Why an app sends nothing, or only probes, and until when.
package struct AppWait: Sendable, Equatable {
  package enum Reason: String, Sendable, CaseIterable {
    /// FCM refuses the app as a whole, or a token service its credentials.
    case refused
    /// No access token can be obtained at the moment.
    case accessToken = "access_token"
    /// The breaker is open after a run of server errors.
    case outage
    /// The project's quota is used up.
    case quota
  }

  package let reason: Reason
  package let since: Timestamp
  /// When it sends again, or a probe.
  package let untilTicks: Int64
  /// Whether only probes are sent then.
  package let isProbing: Bool

  package init(reason: Reason, since: Timestamp, untilTicks: Int64, isProbing: Bool) {
    self.reason = reason
    self.since = since
    self.untilTicks = untilTicks
    self.isProbing = isProbing
  }
}
