package import FCM
internal import Synchronization
internal import Telemetry

/// An app as the engine serves it.
package struct DeliveryApp: Sendable {
  /// FCM's default quota: 600,000 messages a minute (Firebase documentation, "Throttling and quotas").
  package static let defaultMessagesPerSecond = 10_000.0

  package let name: String
  package let sender: any MessageSender
  /// No window of one second exceeds this by more than 1 %.
  package let messagesPerSecond: Double

  package init(
    name: String, sender: any MessageSender, messagesPerSecond: Double = defaultMessagesPerSecond
  ) {
    self.name = name
    self.sender = sender
    self.messagesPerSecond = messagesPerSecond
  }

  var quota: DeliveryCore.AppQuota {
    .init(name: name, messagesPerSecond: messagesPerSecond, inFlightMax: sender.inFlightMax)
  }
}

/// A sender with the number of its unanswered requests.
final class SenderInUse: Sendable {
  private struct Use {
    var requests = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let sender: any MessageSender
  private let use = Mutex(Use())
  /// What `takeInFlightChange` returned last; 0 before.
  private let knownInFlightMax = Atomic<Int>(0)

  init(_ sender: any MessageSender) { self.sender = sender }

  func isFor(_ other: any MessageSender) -> Bool { (sender as AnyObject) === (other as AnyObject) }

  func send(
    _ body: [UInt8], trace: TraceContext?, atDeparture: @escaping @Sendable () -> [UInt8]?,
    completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    use.withLock { $0.requests += 1 }
    sender.send(body, trace: trace, atDeparture: atDeparture) { [self] outcome in
      completion(outcome)
      let waiters = use.withLock { use in
        use.requests -= 1
        guard use.requests == 0 else { return [CheckedContinuation<Void, Never>]() }
        defer { use.waiters = [] }
        return use.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// How many requests the sender can have under way at once, `.max` for no limit; nil if that has not
  /// changed since the last call.
  func takeInFlightChange() -> Int? {
    let most = sender.inFlightMax ?? .max
    guard knownInFlightMax.load(ordering: .relaxed) != most else { return nil }
    knownInFlightMax.store(most, ordering: .relaxed)
    return most
  }

  /// Lets the next `takeInFlightChange` return it, changed or not.
  func forgetInFlightMax() { knownInFlightMax.store(0, ordering: .relaxed) }

  /// Returns once no request is unanswered.
  func untilUnused() async {
    await withCheckedContinuation { continuation in
      let isUnused = use.withLock { use in
        if use.requests > 0 { use.waiters.append(continuation) }
        return use.requests == 0
      }
      if isUnused { continuation.resume() }
    }
  }
}

/// The senders that an update of the engine's apps removed or replaced.
package struct RetiredSenders: Sendable {
  let senders: [SenderInUse]

  /// Returns once none of their requests is unanswered, so that they can be shut down.
  package func untilUnused() async {
    for sender in senders { await sender.untilUnused() }
  }
}
