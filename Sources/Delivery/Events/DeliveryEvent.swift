package import Clock
package import FCM
package import FCMMessage
package import Outbox
package import Telemetry

/// What the engine reports to metrics and logs.
package enum DeliveryEvent: Sendable, Equatable {
  /// An attempt ended after `milliseconds`. With `outcomeUnknown`, FCM may have accepted the message although
  /// no answer confirms it: its repeat may be a duplicate.
  case attempted(
    app: String, delivery: DeliveryReference, outcome: SendOutcome, milliseconds: Int64, outcomeUnknown: Bool)
  /// FCM answered after `milliseconds` about a message that it was only to check.
  case validated(app: String, outcome: SendOutcome, milliseconds: Int64)
  /// An attempt whose outcome is unknown.
  case outcomeUnknown(app: String, delivery: DeliveryReference, code: SendError.Code)
  /// A delivery reached a final state and it is on disk; `milliseconds` since its notification was accepted.
  case recorded(app: String, delivery: DeliveryReference, outcome: Recorded, milliseconds: Int64)
  /// A delivery is back in the queue until `until`, and that is on disk.
  case waits(app: String, delivery: DeliveryReference, until: Timestamp)
  /// FCM reported a delivery's registration as dead, and it is on disk.
  case deadRegistration(app: String, delivery: DeliveryReference, code: String)
  /// FCM reported the token of a delivery's Live Activity as dead, and it is on disk.
  case deadActivity(app: String, delivery: DeliveryReference, code: String)
  /// The app's APNs or web push credentials at Firebase are refused: an operator must act there. At most once
  /// a minute.
  case thirdPartyAuth(app: String, failure: SendError)
  /// The project's quota is used up: the app's rate fell to `messagesPerSecond`, and nothing of it is sent
  /// for `holdMilliseconds`.
  case slowed(app: String, messagesPerSecond: Double, holdMilliseconds: Int64)
  /// FCM's `Retry-After` exceeded the maximum and was capped. At most once a minute.
  case retryAfterCapped(app: String, seconds: Int)
  /// A run of server errors: only probes of the app are sent.
  case breakerOpened(app: String, failure: SendError)
  case breakerClosed(app: String)
  /// FCM refuses the app as a whole, or there is no access token; its queue is kept until a probe succeeds.
  case paused(app: String, failure: SendError)
  case resumed(app: String)
  /// A call of the queue failed; nothing is lost, and it is repeated.
  case storeFailed(OutboxError)
  case storeRecovered
  /// The engine stopped while this many outcomes were not on disk: their deliveries will be sent again.
  case stoppedUnsettled(count: Int)

  /// The final states. The API reports `cancelled`, not the engine.
  package enum Recorded: String, Sendable {
    case sent, failed, expired, cancelled

    init?(_ state: DeliveryState?) {
      guard let state, state.isFinal else { return nil }
      self.init(rawValue: state.name)
    }
  }
}

/// Which delivery an event is about: ids, which may be logged, and a target, which must not.
package struct DeliveryReference: Sendable, Equatable {
  package let notification: NotificationID
  package let delivery: DeliveryID
  /// May be a registration token: logs hold `targetHash` instead.
  package let target: Target
  package let trace: TraceContext?
  /// The API client whose notification it is part of; nil for an anonymous one.
  package let client: String?
  /// Attempts counted before this one.
  package let attempts: Int

  package init(_ claimed: ClaimedDelivery) {
    client = claimed.client
    attempts = claimed.attempts
    notification = claimed.notification
    delivery = claimed.id
    target = claimed.target
    trace = claimed.trace
  }

  package var targetHash: String { Redaction.shortHash(target.value) }
}

/// The health of an app's sending, for `/readyz` and the metrics.
package struct AppHealth: Sendable, Equatable {
  package let app: String
  /// Attempts that FCM has not answered yet.
  package let inFlight: Int
  /// Messages a second that are allowed now; 0 while it waits.
  package internal(set) var messagesPerSecond: Double
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
  /// How long it still waits.
  package private(set) var waitMilliseconds: Int64 = 0

  init(
    app: String, inFlight: Int, messagesPerSecond: Double, holds: Int, lastFailure: SendError?,
    serviceFailuresInARow: Int, lastSentAt: Timestamp?, thirdPartyAuthAt: Timestamp?, wait: AppWait?,
    refusedTargets: Int, foreignFailure: SendError? = nil
  ) {
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
  mutating func observe(ticks: Int64) {
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
    isBreakerOpen || wait?.reason == .quota || serviceFailuresInARow >= Self.serviceFailuresWarned
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
  let untilTicks: Int64
  /// Whether only probes are sent then.
  let isProbing: Bool
}

/// The health of all apps together, and since when, for `/readyz`.
package struct DeliveryHealth: Sendable {
  package let apps: [AppHealth]
  /// Whether FCM or a token service refuses any app, or may do so.
  package let isRefused: StatusSince<Bool>
  /// Whether FCM, or the network path to it, fails for any app.
  package let isDegraded: StatusSince<Bool>
}
