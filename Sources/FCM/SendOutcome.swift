/// The outcome of one `messages:send` request.
package enum SendOutcome: Sendable, Equatable {
  /// FCM accepted the message and named it (`projects/p/messages/…`).
  case sent(name: String)
  case failed(SendError)
  /// Nothing of it was sent: the sender withdrew it, or it waited in vain until a connection could carry it.
  case withdrawn
}

extension SendOutcome {
  /// Whether nothing was sent, for a reason that concerns the app and not the message.
  package var isUnsent: Bool {
    if case .failed(let failure) = self { failure.scope == .unsent } else { false }
  }
}
