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
  /// The code of the feedback event for a dead registration, or for the dead token of a Live Activity.
  private(set) var deadCode: String?
  /// Whether `deadCode` is about the Live Activity.
  private(set) var isActivityDead = false

  init(_ result: Settlement.Result) {
    switch result {
    case .sent(let name): (state, countsAttempt, messageName) = (.sent, true, name)
    case .retry(let at, let error):
      (state, waitsAgain, countsAttempt, nextAttemptAt, self.error) = (.queued, true, true, at, error)
    case .release: waitsAgain = true
    case .deferred(let until, let error):
      (state, waitsAgain, nextAttemptAt, self.error) = (.queued, true, until, error)
      dropsErrorWhenCancelled = true
    case .failed(let error, let isDead, let isActivityDead):
      (state, countsAttempt, self.error) = (.failed, true, error)
      self.isActivityDead = isActivityDead && !isDead
      if isDead || isActivityDead { deadCode = error.code }
    case .expired(let error, let attempted):
      (state, countsAttempt, self.error) = (.expired, error != nil && attempted, error)
    }
  }

  /// What becomes of an update of a Live Activity that would wait again, although it is not needed any more.
  var superseded: SettlementRule {
    var rule = self
    (rule.state, rule.waitsAgain, rule.nextAttemptAt, rule.error) = (.cancelled, false, nil, .superseded)
    rule.dropsErrorWhenCancelled = false
    return rule
  }

  /// The feedback event that it adds; nil for none.
  func feedback(of delivery: QueuedDelivery) -> (code: String, activityToken: String?)? {
    guard let deadCode, delivery.target.isRegistration else { return nil }
    guard isActivityDead else { return (deadCode, nil) }
    return delivery.activity.map { (deadCode, $0.token) }
  }
}
