import DeliveryReports
import FCM
import Outbox
import Testing

@testable import Delivery

/// An app without an access token waits for one; nothing that never left counts as an attempt.
struct UnsentTests {
  let refused = failure(.authentication, .permanent, .unsent, status: 400)

  func busy(_ seconds: Int) -> SendError {
    failure(.authentication, .retry, .unsent, status: 503, retryAfter: seconds)
  }

  @Test func anUnavailableTokenServiceCountsNoAttempt() {
    var bench = CoreBench()
    _ = bench.give([delivery(1, attempts: 11), delivery(2)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    let words = bench.tell(answer(1, busy(20)), answer(2, busy(20)))
    #expect(
      words == [
        "unsent: AUTHENTICATION", "paused default: AUTHENTICATION", "unsent: AUTHENTICATION", "settle 2",
      ])
    #expect(bench.settled == [.refused(at: 0, "AUTHENTICATION"), .refused(at: 0, "AUTHENTICATION")])
    #expect(bench.health()?.wait?.reason == .accessToken)
    #expect(bench.health()?.isRefused == true)
    #expect(bench.health()?.isBreakerOpen == false)
    bench.tell(.settled(.success([])))
    #expect(bench.timer(at: 0) == 20_000)
  }

  @Test(arguments: [(0, 1000), (300, 300_000), (2_419_200, 300_000), (Int.max, 300_000)] as [(Int, Int64)])
  func waitsAsAskedButFiveMinutesAtMost(seconds: Int, wait: Int64) {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, busy(seconds)))
    bench.tell(.settled(.success([])))
    #expect(bench.timer(at: 0) == wait)
  }

  @Test func aTokenEndsTheWaitWhateverFCMAnswers() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, busy(5)))
    bench.tell(.settled(.success([])))
    #expect(bench.tell(.timer, at: 5000) == ["claim 32 for 0"])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1)])), at: 5000).contains("send 1 for 0"))
    #expect(bench.tell(answer(1, unavailable), at: 5100).contains("resumed default"))
    #expect(bench.health(at: 5100)?.wait == nil)
  }

  @Test func aCheckWithoutAMessageCountsLikeOne() {
    var bench = CoreBench()
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(.credentialsChecked(app: 0, nil)) == [])
    #expect(bench.tell(.credentialsChecked(app: 0, refused), at: 10) == ["paused default: AUTHENTICATION"])
    #expect(bench.health(at: 10)?.isPaused == true)
    #expect(bench.health(at: 10)?.lastFailure == refused)
    // The same again is no news.
    #expect(bench.tell(.credentialsChecked(app: 0, refused), at: 20) == [])
    #expect(bench.health(at: 20)?.pausedSince == wall(10))
    // Messages wait until the probe.
    #expect(bench.tell(.due(app: 0), at: 30) == [])
    #expect(bench.tell(.credentialsChecked(app: 0, busy(3)), at: 40) == ["paused default: AUTHENTICATION"])
    #expect(bench.health(at: 40)?.wait?.reason == .accessToken)
    let words = bench.tell(.credentialsChecked(app: 0, nil), at: 50)
    #expect(words.first == "resumed default")
    #expect(words.contains("claim 500 for 0"))
    #expect(bench.health(at: 50)?.isRefused == false)
  }

  @Test func aCheckDoesNotDisproveWhatFCMAnswered() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    let unauthenticated = failure(.authentication, .permanent, .configuration, status: 401)
    #expect(bench.tell(answer(1, unauthenticated)).contains("paused default: AUTHENTICATION"))
    #expect(bench.tell(.credentialsChecked(app: 0, nil)) == [])
    #expect(bench.tell(.credentialsChecked(app: 0, refused)) == [])
    #expect(bench.health()?.lastFailure == unauthenticated)
  }

  @Test func refusedCredentialsPauseTheAppAtOnce() {
    var bench = CoreBench()
    _ = bench.give([delivery(1), delivery(2)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(
      bench.tell(answer(1, refused))
        == ["unsent: AUTHENTICATION", "paused default: AUTHENTICATION", "settle 1"])
    #expect(bench.health()?.pausedSince == wall(0))
    bench.tell(.settled(.success([])))
    var now: Int64 = 60_000
    for wait in [120_000, 240_000, 300_000, 300_000] as [Int64] {
      #expect(bench.tell(.timer, at: now) == ["claim 32 for 0"])
      bench.tell(.claimed(app: 0, .success([delivery(3)])), at: now)
      bench.tell(.nextDue(app: 0, .success(nil)), at: now)
      bench.tell(answer(3, refused), at: now)
      bench.tell(.settled(.success([])), at: now)
      #expect(bench.timer(at: now) == now + wait)
      now += wait
    }
  }
}
