internal import Clock
internal import FCM

extension AppGate {
  /// An access token was asked for without a message, and `failure` is why there is none. Counts as the
  /// failure of a message for which there was none; a token ends the wait for one.
  mutating func credentialsChecked(_ failure: SendError?, now: Moment, into effects: inout Effects) {
    // What FCM itself answered, or the network, is for a message to find out.
    if let closure, !closure.failure.isMissingToken { return }
    guard let failure else { return reopen(now: now, into: &effects) }
    let attempt = Attempt(id: nil, recipient: nil, startedAtTicks: now.ticks)
    unsent(failure, attempt, now: now, into: &effects)
  }
}
