import DeliveryReports
import Clock
import FCM
import FCMMessage
import Outbox
import Testing

@testable import Delivery

/// An app that FCM rejects as a whole keeps its queue and is probed.
struct PauseTests {
  /// A fixture whose app 0 was paused at time 0 by the refusals of deliveries 1 to 10.
  func paused(apps: [String] = ["default"]) -> CoreBench {
    var bench = CoreBench(apps: apps)
    _ = bench.give((1...10).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell((1...10).map { answer($0, forbidden) }, at: moment(0))
    return bench
  }

  @Test func tenTargetsInARowPauseTheAppAndAreReportedOnce() {
    var bench = CoreBench()
    _ = bench.give((1...12).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell((1...9).map { answer($0, forbidden) }, at: moment(0))
    #expect(bench.settled == Array(repeating: .retry(at: 10_000, "PERMISSION"), count: 9))
    #expect(bench.health()?.isPaused == false)
    #expect(bench.health()?.isRefused == true)
    bench.tell(.settled(.success([])))
    #expect(
      bench.tell(answer(10, forbidden), answer(11, forbidden))
        == ["attempted", "paused default: PERMISSION", "attempted", "settle 2"])
    // From here on, the app is meant, and no attempt is counted.
    #expect(bench.settled == [.refused(at: 0, "PERMISSION"), .refused(at: 0, "PERMISSION")])
    #expect(bench.health()?.pausedSince == wall(0))
    #expect(bench.health()?.lastFailure?.code == .permission)
    #expect(bench.health()?.wait?.reason == .refused)
    #expect(bench.health(at: 1000)?.waitMilliseconds == 4000)
  }

  @Test(arguments: [
    forbidden, failure(.notFound, .permanent, .configuration, status: 404),
    failure(.badResponse, .permanent, .configuration, status: 410),
  ])
  func fewBadTargetsDoNotStopTheOthers(refusal: SendError) {
    var bench = CoreBench()
    var now: Int64 = 0
    // Nine bad targets, again and again, with one good one between.
    for round in 0..<10 {
      _ = bench.give((1...9).map { delivery($0, attempts: round) } + [delivery(100 + round)], at: now)
      bench.tell((1...9).map { answer($0, refusal) } + [accept(100 + round)], at: moment(now))
      bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)), at: now)
      #expect(bench.health(at: now)?.isRefused == false)
      now += 1_000_000
    }
    // Known as bad, they are no evidence against the app, even alone.
    _ = bench.give((1...9).map { delivery($0, attempts: 10) }, at: now)
    bench.tell((1...9).map { answer($0, refusal) }, at: moment(now))
    #expect(bench.health(at: now)?.isRefused == false)
  }

  @Test func badTargetsEndAsDeadLetters() {
    var bench = CoreBench()
    _ = bench.give([delivery(1, attempts: 11), delivery(2)])
    bench.tell(answer(1, forbidden), accept(2))
    #expect(bench.settled == [.failed("PERMISSION"), .sent("projects/p/messages/1")])
    #expect(bench.health()?.isPaused == false)
  }

  @Test func oneTargetAloneIsRetriedAndStopsNothing() {
    var bench = CoreBench()
    for attempts in 0..<11 {
      _ = bench.give([delivery(1, attempts: attempts)], at: Int64(attempts) * 1_000_000)
      bench.tell(answer(1, forbidden), at: Int64(attempts) * 1_000_000)
      #expect(bench.settled == [.retry(at: Int64(attempts) * 1_000_000 + 10_000, "PERMISSION")])
      bench.tell(
        .settled(.success([])), .nextDue(app: 0, .success(nil)), at: Int64(attempts) * 1_000_000)
    }
    #expect(bench.health()?.isPaused == false)
  }

  @Test func oneRefusedAccessTokenPausesTheApp() {
    let refused = failure(.authentication, .refreshAccessToken, .configuration, status: 401)
    var bench = CoreBench()
    _ = bench.give([delivery(1, attempts: 11), delivery(2, to: .token("token-1"))])
    #expect(bench.tell(answer(1, refused)).contains("paused default: AUTHENTICATION"))
    #expect(bench.settled == [.refused(at: 0, "AUTHENTICATION")])
    #expect(bench.health()?.isPaused == true)
    // The request that left before with the next token.
    #expect(bench.tell(accept(2)).contains("resumed default"))
  }

  @Test func pausedAppClaimsNothingUntilItsProbesWhichGoToDifferentTargets() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    #expect(bench.tell(.due(app: 0), at: 3000) == [])
    #expect(bench.timer(at: 3000) == 5000)
    #expect(bench.tell(.timer, at: 5000) == ["claim 42 for 0"])
    // Of the refused ones one would do, of one target as well; the others have not been refused yet.
    let claimed =
      (1...5).map { delivery($0) } + (21...24).map { delivery($0, to: .token("same")) }
      + (31...40).map { delivery($0) }
    let words = bench.tell(.claimed(app: 0, .success(claimed)), at: 5000)
    #expect(
      words.filter { $0.hasPrefix("send") }
        == ([21] + (31...37)).map { "send \($0) for 0" })
    #expect(bench.settled.count == 11)
  }

  /// The next refusal of the app pauses it, too, although it has no other targets.
  @Test func aTargetThatIsAcceptedAgainIsEvidenceAgain() {
    var bench = paused()
    bench.tell(.settled(.success([])), .timer, at: 5000)
    bench.tell(.claimed(app: 0, .success([delivery(11, to: .token("token-1"))])), at: 5000)
    #expect(bench.tell(accept(11), at: 5000).contains("resumed default"))
    bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)), at: 5000)
    func attempt(_ number: Int, to target: Int, _ outcome: DeliveryCore.Event) -> [String] {
      let now = Int64(number) * 1000
      _ = bench.give([delivery(number, to: .token("token-\(target)"))], at: now)
      defer { bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)), at: now) }
      return bench.tell(outcome, at: now)
    }
    for target in 1...10 { _ = attempt(20 + target, to: target, accept(20 + target)) }
    for target in 1...9 { _ = attempt(30 + target, to: target, answer(30 + target, forbidden)) }
    #expect(attempt(40, to: 10, answer(40, forbidden)).contains("paused default: PERMISSION"))
  }

  @Test func onlyOneOfTheRefusedTargetsIsProbed() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    bench.tell(.timer, at: 5000)
    let words = bench.tell(
      .claimed(app: 0, .success((51...55).map { delivery($0, to: .token("token-\($0 - 50)")) })), at: 5000)
    #expect(words.filter { $0.hasPrefix("send") } == ["send 51 for 0"])
  }

  @Test func failedProbesBackOffUpToFiveMinutes() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    var now: Int64 = 5000
    for wait in [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000] as [Int64] {
      #expect(bench.tell(.timer, at: now) == ["claim 42 for 0"])
      bench.tell(.claimed(app: 0, .success([delivery(10)])), at: now)
      bench.tell(.nextDue(app: 0, .success(nil)), at: now)
      #expect(bench.tell(answer(10, forbidden), at: now) == ["attempted", "settle 1"])
      bench.tell(.settled(.success([])), at: now)
      #expect(bench.timer(at: now) == now + wait)
      now += wait
    }
  }

  @Test func reportsAChangedFaultAgain() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    bench.tell(.timer, at: 5000)
    bench.tell(.claimed(app: 0, .success([delivery(10)])), at: 5000)
    let refused = failure(.authentication, .permanent, .configuration, status: 401)
    #expect(bench.tell(answer(10, refused), at: 5000).contains("paused default: AUTHENTICATION"))
    #expect(bench.health()?.pausedSince == wall(0))
  }

  @Test(arguments: [sent, .failed(unregistered)])
  func answerAboutTheMessageResumesTheApp(outcome: SendOutcome) {
    var bench = paused()
    bench.tell(.settled(.success([])))
    bench.tell(.timer, at: 5000)
    bench.tell(.claimed(app: 0, .success([delivery(10), delivery(12)])), at: 5000)
    bench.tell(.nextDue(app: 0, .success(nil)), at: 5000)
    let words = bench.tell(.answered(app: 0, deliveryID(12), outcome), .settled(.success([])), at: 5100)
    #expect(words.contains("resumed default"))
    #expect(words.contains("claim 500 for 0"))
    #expect(bench.health()?.isPaused == false)
  }

  @Test func unreachableServiceProvesNothing() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    bench.tell(.timer, at: 5000)
    bench.tell(.claimed(app: 0, .success([delivery(10)])), at: 5000)
    bench.tell(.nextDue(app: 0, .success(nil)), at: 5000)
    bench.tell(answer(10, unavailable), at: 5000)
    #expect(bench.settled == [.retry(at: 15_000, "UNAVAILABLE")])
    #expect(bench.health()?.isPaused == true)
    bench.tell(.due(app: 0), .settled(.success([])), at: 5000)
    #expect(bench.timer(at: 5000) == 10_000)
  }

  @Test func anotherAnswerToAnEarlierRequestEndsThePauseAndARefusalDoesNotProlongIt() {
    var bench = CoreBench()
    _ = bench.give((1...13).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell((1...10).map { answer($0, forbidden) }, at: moment(0))
    bench.tell(answer(11, forbidden), at: 4000)
    #expect(bench.health()?.isPaused == true)
    bench.tell(.settled(.success([])), at: 4000)
    #expect(bench.timer(at: 4000) == 5000)
    #expect(bench.tell(accept(12), at: 4000).contains("resumed default"))
    #expect(bench.health()?.isPaused == false)
  }

  @Test func aReloadProbesAtOnce() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    #expect(
      bench.tell(.update([.init(name: "default", messagesPerSecond: 1_000_000)]), .due(app: 0), at: 1000)
        == ["claim 42 for 0"])
  }

  @Test func releasesDeliveriesClaimedBeforeThePause() {
    var bench = CoreBench()
    _ = bench.give((1...10).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(.due(app: 0))
    bench.tell((1...10).map { answer($0, forbidden) }, at: moment(0))
    bench.tell(.settled(.success([])))
    let words = bench.tell(.claimed(app: 0, .success([delivery(12), delivery(13)])), at: 10)
    #expect(!words.contains { $0.hasPrefix("send") })
    #expect(bench.settled == [.release, .release])
  }

  @Test func expiryDuringThePauseNamesItsReason() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    bench.tell(.timer, at: 5000)
    let words = bench.tell(
      .claimed(app: 0, .success([delivery(1, lifetime: 4000), delivery(12)])), at: 5000)
    #expect(words.contains("send 12 for 0"))
    #expect(bench.settled == [.expired("PERMISSION")])
  }

  @Test func clockThatIsSetBackDoesNotProlongThePause() {
    var bench = paused()
    bench.tell(.settled(.success([])))
    let now = Moment(wall: wall(-3_600_000), ticks: 5000)
    #expect(bench.tell([.timer], at: now) == ["claim 42 for 0"])
  }

  @Test func otherAppsContinue() {
    var bench = paused(apps: ["broken", "healthy"])
    bench.tell(.settled(.success([])))
    #expect(bench.give([delivery(9, app: "healthy")], app: 1).contains("send 9 for 1"))
    bench.tell(accept(9, app: 1))
    #expect(bench.settled == [.sent("projects/p/messages/1")])
    #expect(bench.core.health(now: 0).map(\.isPaused) == [true, false])
  }

  @Test func appWhoseRequestsHangLeavesOthersTheirShare() {
    var bench = CoreBench(apps: ["hanging", "healthy"]) {
      $0.inFlightTotalMax = 40
      $0.claimBatchMax = 20
    }
    _ = bench.give((1...20).map { delivery($0) })
    _ = bench.tell(.claimed(app: 0, .success((21...40).map { delivery($0) })))
    #expect(bench.health()?.inFlight == 20)
    let words = bench.give((101...120).map { delivery($0) }, app: 1)
    #expect(words.count { $0.hasPrefix("send") } == 20)
  }
}
