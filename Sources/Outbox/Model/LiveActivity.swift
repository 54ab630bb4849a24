package import Clock
package import FCMMessage

/// The Live Activity to which a new notification's message goes.
package struct NewActivity: Sendable, Equatable {
  package let token: String
  package let event: ActivityEvent

  package init(token: String, event: ActivityEvent) {
    self.token = token
    self.event = event
  }
}

/// The Live Activity of a delivery, and the delivery's place among those of the same activity.
///
/// The token is in the message as well, and both are removed together: a digest of it would hide nothing.
package struct LiveActivity: Sendable, Equatable {
  package let token: String
  package let event: ActivityEvent
  /// From when its content counts: when it was accepted or, with `send_at`, when that has come, but never
  /// before an earlier message of the same activity. The message's `timestamp` is made of it.
  package let at: Timestamp

  package init(token: String, event: ActivityEvent, at: Timestamp) {
    self.token = token
    self.event = event
    self.at = at
  }
}

extension DeliveryError {
  /// Why an update of a Live Activity was not sent: a newer one waits, or the activity's end.
  package static let superseded = DeliveryError(
    code: "SUPERSEDED", httpStatus: nil,
    message: "a newer message to the same Live Activity replaced this one",
    apnsReason: nil)
}
