package import HTTPClient

/// How far an attempt came, and who ended it. It decides what counts as an attempt, and is what the API, the
/// log, `/readyz` and the metrics show.
package struct AttemptEnd: Sendable, Equatable {
  package typealias Phase = TransportError.Phase

  package enum Peer: String, Sendable, CaseIterable {
    case fcm
    case tokenEndpoint = "token_endpoint"
    case proxy
    /// Something in between: its answer is not of Google's form.
    case unknown
  }

  package let phase: Phase
  package let peer: Peer
  /// Whether FCM may have acted on the request. Otherwise, it was no attempt.
  package let isCounted: Bool

  package init(_ phase: Phase, _ peer: Peer, isCounted: Bool) {
    self.phase = phase
    self.peer = peer
    self.isCounted = isCounted
  }

  /// FCM answered.
  package static let answeredByFCM = AttemptEnd(.answer, .fcm, isCounted: true)

  /// There was no access token, so that FCM was not asked.
  package static func withoutToken(_ phase: Phase, _ peer: Peer) -> AttemptEnd {
    AttemptEnd(phase, peer, isCounted: false)
  }
}
