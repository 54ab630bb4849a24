internal import DeliveryReports
internal import Clock
internal import FCM
internal import FCMMessage

/// A message that FCM is to check and not to deliver, and that is not in the queue.
struct Validation: Sendable {
  let id: ValidationID
  let target: Target
  /// Until when it may wait for its turn.
  let untilTicks: Int64
}

// Checks count against the rate, the holds and the breaker like deliveries, because FCM counts them so.
extension AppStateMachine {
  mutating func validate(_ validation: Validation, now: Moment, into effects: inout Effects) {
    guard validations.count < configuration.validationsMax else {
      return refuse(validation, .overloaded, into: &effects)
    }
    validations.append(validation)
  }

  /// Starts those whose turn it is, and refuses those that would wait for nothing.
  mutating func startValidations(now: Moment, into effects: inout Effects) {
    while let first = validations.first {
      if isLeaving {
        refuse(first, .stopping, into: &effects)
      } else if first.untilTicks <= now.ticks {
        refuse(first, .overloaded, into: &effects)
      } else if gate.isClosed, let failure = gate.failure {
        refuse(first, failure, into: &effects)
      } else if gate.limiter.isHeld(now: first.untilTicks)
        || targetHolds.heldUntil(first.target.hashValue, now: now.ticks) != nil
      {
        refuse(first, .quotaUsedUp, into: &effects)
      } else {
        guard gate.allowance(room: sendingRoom, now: now) > 0 else { return }
        gate.tookOne(now: now)
        validating[first.id] = (first.target, now.ticks)
        effects.actions.append(.validate(app: app, first.id))
      }
      validations.removeFirst()
    }
  }

  mutating func validated(
    _ id: ValidationID, _ outcome: SendOutcome, policy: RetryPolicy, now: Moment, into effects: inout Effects
  ) {
    guard let (target, startedAtTicks) = validating.removeValue(forKey: id) else { return }
    if outcome == .withdrawn { return gate.withdrew(nil, now: now) }
    note(outcome, now: now)
    if outcome.wasAsked {
      let milliseconds = max(0, now.ticks - startedAtTicks)
      effects.actions.append(
        .report(.validated(app: name, outcome: outcome, milliseconds: milliseconds)))
    }
    let attempt = AppGate.Attempt(id: nil, recipient: target, startedAtTicks: startedAtTicks)
    _ = heed(outcome, to: target, attempt, policy: policy, now: now, into: &effects)
  }

  private func refuse(_ validation: Validation, _ failure: SendError, into effects: inout Effects) {
    effects.actions.append(.refuseValidation(validation.id, failure))
  }
}

extension SendOutcome {
  /// Whether a request was sent to FCM, or tried to be.
  fileprivate var wasAsked: Bool {
    switch self {
    case .sent: true
    case .failed(let failure): failure.scope != .unsent
    case .withdrawn: false
    }
  }
}

extension SendError {
  fileprivate static let stopping = SendError(
    code: .unavailable, message: "the app is not served at the moment", disposition: .retry, scope: .unsent)
  static let overloaded = SendError(
    code: .quotaExceeded, message: "the app's rate leaves no room for another check at the moment",
    disposition: .retry, scope: .unsent)
  fileprivate static let quotaUsedUp = SendError(
    code: .quotaExceeded, message: "FCM's quota is used up, and it asked to wait", disposition: .retry,
    scope: .unsent)
}
