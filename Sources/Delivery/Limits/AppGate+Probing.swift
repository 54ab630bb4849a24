internal import DeliveryReports
internal import FCMMessage
internal import Outbox

/// What probes go to: what always fails hides that FCM accepts the rest.
extension AppGate {
  /// Whether a few messages may have caused the outage.
  var mayBeMessages: Bool { closure?.reason == .outage && messages.areSuspects }

  /// Whether a delivery has a message that may have caused the outage.
  func isSuspect(_ delivery: ClaimedDelivery) -> Bool {
    mayBeMessages && messages.hasFailed(delivery.message)
  }

  /// Whether a delivery makes room for others that it may hide, which may show that FCM works.
  func makesRoom(_ delivery: ClaimedDelivery) -> Bool {
    closure?.mayHideOthers == true && isSuspect(delivery)
  }

  /// A claim was made; `isAll` tells that nothing else is due.
  mutating func claimed(_ deliveries: [ClaimedDelivery], isAll: Bool) {
    guard isClosed else { return }
    let mayHideOthers = !isAll && deliveries.allSatisfy(isSuspect)
    closure?.mayHideOthers = mayHideOthers
  }

  /// Whether a probe shows something that those with the keys of `others` do not.
  func isFresh(_ delivery: ClaimedDelivery, besides others: Set<Int>) -> Bool {
    !others.contains(probeKey(delivery)) && !hasFailed(delivery.target.hashValue) && !isSuspect(delivery)
  }

  /// What is different in each of several probes: the message if that may be the cause, otherwise the target.
  func probeKey(_ delivery: ClaimedDelivery) -> Int {
    mayBeMessages ? delivery.message.encoded.hashValue : delivery.target.hashValue
  }

  /// How many targets a probe should rather not go to.
  var failedTargetCount: Int { failing.count + refusals.refusedCount }

  private func hasFailed(_ target: Int) -> Bool {
    failing.contains(target) || refusals.hasRefused(target)
  }

  /// The deliveries of `ready` in the order in which they are sent, the next one last: as probes, each goes
  /// to another target or has another message, and one that has not failed if there is one: what always fails
  /// hides that FCM accepts the rest.
  func ordered(_ ready: [ClaimedDelivery]) -> [ClaimedDelivery] {
    guard isClosed else { return ready }
    var fresh: [ClaimedDelivery] = []
    var rest: [ClaimedDelivery] = []
    var keys: Set<Int> = []
    for delivery in ready.reversed() {
      if isFresh(delivery, besides: keys) {
        keys.insert(probeKey(delivery))
        fresh.append(delivery)
      } else {
        rest.append(delivery)
      }
    }
    // Among the rest, a target that has not failed still comes first.
    let untried = rest.filter { !hasFailed($0.target.hashValue) }
    return (fresh + untried + rest.filter { hasFailed($0.target.hashValue) }).reversed()
  }
}
