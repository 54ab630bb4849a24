package import Clock

/// The webhook, as the API and the gateway use it.
package protocol Webhook: AnyObject, Sendable {
  /// Any thread; does not wait.
  var health: WebhookHealth { get }
  /// New events may be in the log. Cheap, from any thread.
  func wake()
  /// Sends nothing more, lets requests under way finish for up to `grace`, saves the cursor, and returns.
  func stop(grace: Duration) async
}

extension Webhook {
  package func stop() async { await stop(grace: .seconds(1)) }
}

/// The webhook's health.
package struct WebhookHealth: Sendable, Equatable {
  package struct Failure: Sendable, Equatable {
    package let at: Timestamp
    package let reason: String

    package init(at: Timestamp, reason: String) {
      self.at = at
      self.reason = reason
    }
  }

  /// Whether the receiver ended it with a 410.
  package var isDisabled = false
  /// Events in memory that the receiver does not have yet, and those of them that failed before.
  package var outstanding = 0
  package var failing = 0
  /// When the oldest of these events happened; nil if there is none.
  package var oldestEventAt: Timestamp?
  /// The last failed request; nil if there was none since the start.
  package var lastFailure: Failure?
  /// Whether events wait because the receiver fails, or the webhook is disabled.
  package var isDegraded: StatusSince<Bool>

  package init(since now: Timestamp) { isDegraded = StatusSince(false, since: now) }
}
