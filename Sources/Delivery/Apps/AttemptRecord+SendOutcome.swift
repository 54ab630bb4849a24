internal import Clock
internal import FCM
internal import Outbox

extension AttemptRecord {
  /// The attempt that has ended now with an outcome; nil if there was none.
  init?(_ outcome: SendOutcome, milliseconds: Int64, isCounted: Bool, now: Timestamp) {
    let failure: SendError?
    switch outcome {
    case .withdrawn: return nil
    case .sent: failure = nil
    case .failed(let error): failure = error
    }
    self.init(
      at: now.adding(milliseconds: -milliseconds), milliseconds: milliseconds,
      phase: failure?.phase ?? SendError.acceptedPhase, peer: failure?.peer ?? SendError.acceptedPeer,
      httpStatus: failure.map(\.httpStatus) ?? 200, code: failure?.code.rawValue, detail: failure?.message,
      isCounted: isCounted)
  }
}
