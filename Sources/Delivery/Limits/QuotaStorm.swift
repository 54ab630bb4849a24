internal import FCM
internal import FCMMessage
internal import Outbox

/// Detects quota answers about devices that are really about the project: ten different devices in a row.
///
/// FCM's 429 does not always name the quota, and one that names none is read as the device's. Where one
/// registration after another gets it and none gets anything else, it is the project's.
struct QuotaStorm {
  private static let registrationsMin = 10

  /// Hashes of the registrations that got a quota answer since FCM last answered anything else.
  private var registrations: Set<Int> = []

  /// Counts one answer; whether it is part of a storm.
  mutating func noted(_ outcome: SendOutcome, target: Target) -> Bool {
    guard case .failed(let failure) = outcome else {
      registrations = []
      return false
    }
    switch (failure.scope, target) {
    // Not FCM's own answer, which says nothing about quotas; or the project's quota, for which no guess is
    // needed.
    case (.service, _), (.projectQuota, _): return false
    case (.targetQuota, .token), (.targetQuota, .fid):
      if registrations.count < Self.registrationsMin { registrations.insert(target.hashValue) }
      return registrations.count >= Self.registrationsMin
    // FCM names a topic's quota explicitly.
    case (.targetQuota, _): return false
    default:
      registrations = []
      return false
    }
  }
}

extension SendOutcome {
  /// The same answer, read as one about the project's quota.
  var aboutTheProject: SendOutcome {
    guard case .failed(let failure) = self else { return self }
    return .failed(failure.read(about: .projectQuota))
  }
}
