internal import FCM
internal import FCMMessage
internal import Outbox

/// Whether quota answers about devices are in truth about the project: so many different ones in a row.
///
/// FCM's 429 does not always name whose quota it is about, and what names none is taken for the device's. Where one
/// registration after the other gets it and none anything else, it is everybody's.
struct QuotaStorm {
  private static let registrationsMin = 10

  /// Hashes of the registrations that got it since FCM last answered anything else.
  private var registrations: Set<Int> = []

  /// Counts one answer; whether it is part of a storm.
  mutating func noted(_ outcome: SendOutcome, target: Target) -> Bool {
    guard case .failed(let failure) = outcome else {
      registrations = []
      return false
    }
    switch (failure.scope, target) {
    // No answer of FCM's own, which says nothing about quotas; or the project's, which needs no guess.
    case (.service, _), (.projectQuota, _): return false
    case (.targetQuota, .token), (.targetQuota, .fid):
      if registrations.count < Self.registrationsMin { registrations.insert(target.hashValue) }
      return registrations.count >= Self.registrationsMin
    // A topic's is said to be one.
    case (.targetQuota, _): return false
    default:
      registrations = []
      return false
    }
  }
}

extension SendOutcome {
  /// The same answer, taken for one about the project's quota.
  var aboutTheProject: SendOutcome {
    guard case .failed(let failure) = self else { return self }
    return .failed(
      SendError(
        code: failure.code, httpStatus: failure.httpStatus, message: failure.message,
        apnsReason: failure.apnsReason, disposition: failure.disposition, scope: .projectQuota,
        retryAfterSeconds: failure.retryAfterSeconds))
  }
}
