/// The outcome of one `messages:send` request.
package enum SendOutcome: Sendable, Equatable {
  /// FCM accepted the message and named it (`projects/p/messages/…`).
  case sent(name: String)
  case failed(SendError)
}
