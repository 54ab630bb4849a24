internal import FCM

/// Notices that FCM accepts nothing because the gateway's or the app's own credentials are those of another
/// project: each message fails for good, and none says that the app is refused.
struct ForeignAnswers {
  /// A single registration may be of another project; so many in a row are no accident.
  static let foreignMin = 3

  private var inARow = 0
  private var last: SendError?

  /// The last such answer; nil as long as it may be an accident.
  var failure: SendError? {
    guard let last, inARow >= Self.foreignMin || last.scope == .thirdPartyCredentials else { return nil }
    return last
  }

  mutating func note(_ outcome: SendOutcome) {
    switch outcome {
    case .sent: (inARow, last) = (0, nil)
    case .failed(let failure)
    where failure.scope == .thirdPartyCredentials || failure.scope == .foreignRegistration:
      inARow = min(inARow + 1, Self.foreignMin)
      last = failure
    case .failed, .withdrawn: break
    }
  }
}
