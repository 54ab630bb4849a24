package import Clock
package import FCMMessage

/// A hold of one target, whose quota is used up.
package struct TargetHold: Sendable, Hashable {
  package let app: String
  package let target: Target
  package let until: Timestamp

  package init(app: String, target: Target, until: Timestamp) {
    self.app = app
    self.target = target
    self.until = until
  }
}

/// Through which the gateways that share a database tell each other what they learn about sending.
///
/// Everything reaches the others within about a second. While the database is away, each gateway goes on with
/// what it knows, and tells the others afterwards. All calls return at once.
package protocol SharedLimits: SharedHistory {
  /// Merges what this gateway has learnt into what all know.
  func publish(_ limits: AppLimits, app: String)

  func publish(_ hold: TargetHold)

  /// Asks for the right to send the probes of the stop that was decided at this time, which one gateway at a
  /// time has. Answers false while another has it, and when the database is away.
  func takeProbeTurn(
    app: String, stop decidedAt: Timestamp, completion: @escaping @Sendable (_ isTaken: Bool) -> Void)

  /// Gives up the right to send a stop's probes, because there is nothing to send.
  func returnProbeTurn(app: String, stop decidedAt: Timestamp)

  /// Called with what is new of an app. Set once, before the first call.
  func onChange(
    limits: @escaping @Sendable (_ app: String, AppLimits) -> Void,
    holds: @escaping @Sendable ([TargetHold]) -> Void)

  /// Calls the closures of `onChange` with everything that is known, for apps that were not served before.
  func repeatAll()
}
