package import FCMMessage
package import JSON

/// `live_activity` of a request: the activity that its message is for, and what happens to it.
package struct ActivityRequest: Sendable {
  package let token: String
  package let event: ActivityEvent
  /// UNIX seconds.
  package let staleDate: Int64?
  /// UNIX seconds.
  package let dismissalDate: Int64?
  package let relevanceScore: JSON.Number?

  package init(
    token: String, event: ActivityEvent, staleDate: Int64? = nil, dismissalDate: Int64? = nil,
    relevanceScore: JSON.Number? = nil
  ) {
    self.token = token
    self.event = event
    self.staleDate = staleDate
    self.dismissalDate = dismissalDate
    self.relevanceScore = relevanceScore
  }

  /// For a message that is only shown or checked.
  package static func example(_ event: ActivityEvent = .update) -> ActivityRequest {
    ActivityRequest(token: String(repeating: "0", count: 64), event: event)
  }

  /// The longest that a message can have: `start` has the most keys.
  static var longest: ActivityRequest {
    ActivityRequest(
      token: String(repeating: "0", count: 200), event: .start, staleDate: 9_999_999_999,
      relevanceScore: JSON.Number(-1_000_000_000_000_000_000))
  }
}
