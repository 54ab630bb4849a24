internal import Clock

/// How much the delivery engine holds at once, and how long it waits after failures.
package struct DeliveryConfiguration: Sendable {
  /// Unanswered requests of one app: 1,500 at 100 ms an answer are one and a half times FCM's default quota
  /// of 10,000 a second.
  package var inFlightPerAppMax = 1_500
  /// The same over all apps; each app has an even share of it, whether or not the others use theirs, so that
  /// an app whose requests hang delays none of them.
  package var inFlightTotalMax = 6_000
  /// Deliveries claimed at once. The next claim waits for room for as many, so that a busy engine claims
  /// seldom.
  package var claimBatchMax = 500
  /// Outcomes recorded in one transaction.
  package var settleBatchMax = 2_000
  /// How long outcomes wait for another write to share its transaction while there are fewer than
  /// `settleCompanyMin`, or than a quarter of what an app may have in flight. After a crash meanwhile their
  /// messages are sent again, which each device shows once.
  package var settleWaitMax: Duration = .milliseconds(100)
  package var settleCompanyMin = 32
  /// The first and the longest wait before the store is called again after a failure; doubled each time.
  package var storeRetryMin: Duration = .milliseconds(100)
  package var storeRetryMax: Duration = .seconds(5)
  /// The first wait before an app whose credentials are refused is probed, the same for an app whose
  /// messages FCM refuses, and the longest for both; doubled each time.
  package var probeMin: Duration = .seconds(60)
  package var refusedProbeFirst: Duration = .seconds(5)
  package var probeMax: Duration = .seconds(300)
  /// No `Retry-After` stops a whole app for longer without a probe.
  package var appWaitMax: Duration = .seconds(300)
  /// How long an app's rate climbs from cold and after a quota answer; zero for no ramp.
  package var ramp: Duration = .seconds(60)
  /// The waits before an app is probed after a run of server errors: the first, and all others.
  package var breakerProbeFirst: Duration = .seconds(5)
  package var breakerProbeNext: Duration = .seconds(30)
  /// Targets held at once for each app; beyond that the oldest hold is dropped. The same for deliveries that
  /// wait for their next attempt.
  package var holdsMax = 10_000
  /// One in this many claimed deliveries has normal priority if any such wait, however many of high priority
  /// do.
  package var normalPriorityEvery = 10
  /// How many messages of an app wait to be checked by FCM, and how long each waits for its turn.
  package var validationsMax = 256
  package var validationWaitMax: Duration = .seconds(5)
  /// How long a stop waits for the store once its grace is over.
  package var stopSettleMax: Duration = .seconds(2)
  /// Whether other gateways share the queue, and learn what this one learns. The engine asks the queue.
  package var sharesLimits = false

  package init() {}

  /// An app's in-flight limit among `appCount`: its even share, but enough to make progress.
  func inFlightMax(appCount: Int) -> Int {
    min(max(1, inFlightPerAppMax), max(16, inFlightTotalMax / max(1, appCount)))
  }
}

/// A wait that doubles with each failure.
struct Backoff: Sendable {
  private let least: Int64
  private let most: Int64
  private(set) var failures = 0

  init(from least: Duration, to most: Duration) {
    self.least = max(1, least.wholeMilliseconds)
    self.most = max(self.least, most.wholeMilliseconds)
  }

  /// Counts a failure; how many milliseconds to wait.
  mutating func fail() -> Int64 {
    failures += 1
    return milliseconds
  }

  /// The wait after the last failure; the least one before any.
  var milliseconds: Int64 {
    let (grown, overflow) = least.multipliedReportingOverflow(by: 1 << Int64(min(max(0, failures - 1), 40)))
    return overflow ? most : min(most, grown)
  }

  mutating func reset() { failures = 0 }
}
