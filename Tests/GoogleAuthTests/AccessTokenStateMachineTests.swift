import Testing

@testable import GoogleAuth

@Suite struct AccessTokenStateMachineTests {
  private typealias Machine = AccessTokenStateMachine<String, Int>
  private let start = ContinuousClock.now
  private static let transient = TokenError.transient("down")
  private static let permanent = TokenError.permanent("invalid_grant")

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  /// Actions as short texts: `refresh`, `wake 1`, `token a → [1]`, `retry 5 → [1]`, `permanent → [1]`.
  private func summary(_ actions: [Machine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .startRefresh: "refresh"
      case .wake(let instant): "wake \((instant - start).components.seconds)"
      case .deliver(.success(let token), let waiters): "token \(token) → \(waiters)"
      case .deliver(.failure(let error), let waiters):
        (error.isTransient ? "retry" : "permanent")
          + "\(error.retryAfterSeconds.map { " \($0)" } ?? "") → \(waiters)"
      }
    }
  }

  private func machine(lifetime: Int = 3600) -> Machine {
    var machine = Machine()
    _ = machine.requested(by: 0, now: start)
    _ = machine.refreshSucceeded("a", lifetime: .seconds(lifetime), now: start, jitter: 0)
    return machine
  }

  @Test func refreshesOnceForManyWaiters() {
    var machine = Machine()
    #expect(summary(machine.requested(by: 1, now: start)) == ["refresh"])
    #expect(summary(machine.requested(by: 2, now: start)) == [])
    #expect(summary(machine.requested(by: 3, now: start)) == [])
    #expect(
      summary(machine.refreshSucceeded("a", lifetime: .seconds(3600), now: start, jitter: 0)) == [
        "token a → [1, 2, 3]"
      ])
    #expect(summary(machine.requested(by: 4, now: start)) == ["token a → [4]"])
    #expect(machine.current(now: start) == "a")
  }

  @Test func refreshesAheadOfExpiryWhileServingTheOldToken() {
    var machine = machine()
    #expect(summary(machine.requested(by: 1, now: at(3374))) == ["token a → [1]"])
    #expect(machine.current(now: at(3374)) == "a")
    #expect(machine.current(now: at(3375)) == nil)
    #expect(summary(machine.requested(by: 2, now: at(3375))) == ["token a → [2]", "refresh"])
    #expect(summary(machine.requested(by: 3, now: at(3376))) == ["token a → [3]"])
    #expect(summary(machine.refreshSucceeded("b", lifetime: .seconds(3600), now: at(3376), jitter: 0)) == [])
    #expect(summary(machine.requested(by: 4, now: at(3377))) == ["token b → [4]"])
  }

  @Test func refreshesAShortLivedTokenInItsLastQuarter() {
    var machine = machine(lifetime: 60)
    #expect(summary(machine.requested(by: 1, now: at(44))) == ["token a → [1]"])
    #expect(summary(machine.requested(by: 2, now: at(45))) == ["token a → [2]", "refresh"])
  }

  @Test func jitterRefreshesUpToAFifthLaterButNeverSooner() {
    var machine = Machine()
    _ = machine.requested(by: 0, now: start)
    _ = machine.refreshSucceeded("a", lifetime: .seconds(3600), now: start, jitter: 1)
    #expect(machine.current(now: at(3419)) == "a")
    #expect(machine.current(now: at(3420)) == nil)
  }

  @Test func usesTheTokenUntilItsExpiryWhileRefreshingFails() {
    var machine = machine()
    _ = machine.requested(by: 1, now: at(3400))
    #expect(summary(machine.refreshFailed(Self.transient, now: at(3400), jitter: 0)) == ["wake 3401"])
    #expect(summary(machine.requested(by: 2, now: at(3400))) == ["token a → [2]"])
    #expect(summary(machine.timerFired(now: at(3401))) == ["refresh"])
    #expect(summary(machine.refreshFailed(Self.transient, now: at(3401), jitter: 0)) == ["wake 3403"])
    #expect(summary(machine.timerFired(now: at(3403))) == ["refresh"])
    #expect(summary(machine.refreshFailed(Self.permanent, now: at(3403), jitter: 0)) == [])
    #expect(summary(machine.requested(by: 3, now: at(3404))) == ["token a → [3]"])
    #expect(summary(machine.requested(by: 4, now: at(3408))) == ["token a → [4]", "refresh"])
    #expect(summary(machine.requested(by: 5, now: at(3600))) == [])
    #expect(summary(machine.refreshFailed(Self.permanent, now: at(3600), jitter: 0)) == ["permanent → [5]"])
  }

  @Test func failsWaitersAfterThreeAttemptsAndCoolsDown() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    _ = machine.refreshFailed(Self.transient, now: start, jitter: 0)
    #expect(summary(machine.requested(by: 2, now: at(0.5))) == [])
    #expect(summary(machine.timerFired(now: at(0.9))) == [])
    _ = machine.timerFired(now: at(1))
    _ = machine.refreshFailed(Self.transient, now: at(1), jitter: 0)
    _ = machine.timerFired(now: at(3))
    #expect(summary(machine.refreshFailed(Self.transient, now: at(3), jitter: 0)) == ["retry 5 → [1, 2]"])
    #expect(summary(machine.requested(by: 3, now: at(4.5))) == ["retry 4 → [3]"])
    #expect(summary(machine.requested(by: 4, now: at(8))) == ["refresh"])
  }

  @Test func coolsDownLongerEachTimeUpToAMinute() {
    var machine = Machine()
    var moment = 0.0
    for coolDown in [5.0, 10, 20, 40, 60, 60] {
      #expect(summary(machine.requested(by: 1, now: at(moment))) == ["refresh"])
      _ = machine.refreshFailed(Self.permanent, now: at(moment), jitter: 0)
      #expect(summary(machine.requested(by: 2, now: at(moment + coolDown - 1))) == ["permanent → [2]"])
      moment += coolDown
    }
  }

  @Test func failsAtOnceOnAPermanentRefusal() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    #expect(summary(machine.refreshFailed(Self.permanent, now: start, jitter: 0)) == ["permanent → [1]"])
  }

  @Test func obeysRetryAfterOfTheTokenEndpoint() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    let asked3 = TokenError.transient("busy", retryAfterSeconds: 3)
    #expect(summary(machine.refreshFailed(asked3, now: start, jitter: 0)) == ["wake 3"])
    _ = machine.timerFired(now: at(3))
    let asked30 = TokenError.transient("busy", retryAfterSeconds: 30)
    #expect(summary(machine.refreshFailed(asked30, now: at(3), jitter: 0)) == ["retry 30 → [1]"])
    #expect(summary(machine.requested(by: 2, now: at(32))) == ["retry 1 → [2]"])
    #expect(summary(machine.requested(by: 3, now: at(33))) == ["refresh"])
  }

  @Test func asksAgainWithinFiveMinutesWhateverTheTokenEndpointAsks() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    let asked = TokenError.transient("busy", retryAfterSeconds: 2_419_200)
    #expect(summary(machine.refreshFailed(asked, now: start, jitter: 0)) == ["retry 300 → [1]"])
    #expect(summary(machine.requested(by: 2, now: at(300))) == ["refresh"])
  }

  @Test func givesATokenWithoutALifetimeOnlyToWaiters() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    #expect(
      summary(machine.refreshSucceeded("a", lifetime: .zero, now: start, jitter: 0)) == ["token a → [1]"])
    #expect(machine.current(now: start) == nil)
    #expect(summary(machine.requested(by: 2, now: start)) == ["refresh"])
  }

  @Test func replacesARefusedTokenOnce() {
    var machine = machine()
    let isReplaced = machine.invalidate(wasAccepted: false, now: at(1))
    #expect(isReplaced)
    #expect(summary(machine.requested(by: 1, now: at(1))) == ["refresh"])
    _ = machine.refreshSucceeded("b", lifetime: .seconds(3600), now: at(1), jitter: 0)
    let isReplacedAgain = machine.invalidate(wasAccepted: false, now: at(2))
    #expect(!isReplacedAgain)
    #expect(machine.token == "b")
    let isReplacedOnceItWorked = machine.invalidate(wasAccepted: true, now: at(2))
    #expect(isReplacedOnceItWorked)
    _ = machine.requested(by: 2, now: at(2))
    _ = machine.refreshSucceeded("c", lifetime: .seconds(3600), now: at(2), jitter: 0)
    let isReplacedLater = machine.invalidate(wasAccepted: false, now: at(33))
    #expect(isReplacedLater)
  }

  @Test func failsAllRequestsAfterTheStop() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    #expect(summary(machine.stop(.shutDown)) == ["retry → [1]"])
    #expect(summary(machine.refreshSucceeded("a", lifetime: .seconds(9), now: start, jitter: 0)) == [])
    #expect(summary(machine.requested(by: 2, now: start)) == ["retry → [2]"])
    let isReplacedAfterStop = machine.invalidate(wasAccepted: true, now: start)
    #expect(!isReplacedAfterStop)
  }

  @Test func renewsATokenSoonAndUsesItUntilThen() {
    var machine = machine()
    machine.renewSoon(now: at(10))
    #expect(machine.current(now: at(10)) == nil)
    #expect(summary(machine.requested(by: 1, now: at(10))) == ["token a → [1]", "refresh"])
    #expect(summary(machine.refreshFailed(Self.permanent, now: at(11), jitter: 0)) == [])
    #expect(summary(machine.requested(by: 2, now: at(12))) == ["token a → [2]"])
    machine.renewSoon(now: at(13))
    #expect(summary(machine.requested(by: 3, now: at(13))) == ["token a → [3]", "refresh"])
    #expect(summary(machine.refreshSucceeded("b", lifetime: .seconds(3600), now: at(14), jitter: 0)) == [])
    #expect(machine.current(now: at(14)) == "b")
  }

  @Test func renewingSoonEndsACoolDown() {
    var machine = Machine()
    _ = machine.requested(by: 1, now: start)
    #expect(summary(machine.refreshFailed(Self.permanent, now: start, jitter: 0)) == ["permanent → [1]"])
    #expect(summary(machine.requested(by: 2, now: at(1))) == ["permanent → [2]"])
    machine.renewSoon(now: at(2))
    #expect(summary(machine.requested(by: 3, now: at(2))) == ["refresh"])
  }
}
