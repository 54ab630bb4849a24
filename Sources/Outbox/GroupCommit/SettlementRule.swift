import Clock

/// What a settlement changes in a claimed delivery's record.
struct SettlementRule {
  /// The new state if no cancel was requested; nil keeps the current one.
  private(set) var state: DeliveryState?
  /// Whether the delivery waits again; it ends as cancelled if a cancel was requested meanwhile.
  private(set) var waitsAgain = false
  /// Whether an attempt is counted.
  private(set) var countsAttempt = false
  /// When it is due again; nil keeps the due time of one that waits again.
  private(set) var nextAttemptAt: Timestamp?
  private(set) var messageName: String?
  /// The new last error; nil keeps the current one.
  private(set) var error: DeliveryError?
  /// Whether a requested cancel drops `error`.
  private(set) var dropsErrorWhenCancelled = false
  /// The code of the feedback event for a dead registration.
  private(set) var deadRegistrationCode: String?

  init(_ result: Settlement.Result) {
    switch result {
    case .sent(let name): (state, countsAttempt, messageName) = (.sent, true, name)
    case .retry(let at, let error):
      (state, waitsAgain, countsAttempt, nextAttemptAt, self.error) = (.queued, true, true, at, error)
    case .release: waitsAgain = true
    case .deferred(let until, let error):
      (state, waitsAgain, nextAttemptAt, self.error) = (.queued, true, until, error)
      dropsErrorWhenCancelled = true
    case .failed(let error, let isDead):
      (state, countsAttempt, self.error) = (.failed, true, error)
      if isDead { deadRegistrationCode = error.code }
    case .expired(let error, let attempted):
      (state, countsAttempt, self.error) = (.expired, error != nil && attempted, error)
    }
  }
}
