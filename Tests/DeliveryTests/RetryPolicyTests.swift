import FCM
import GoogleAuth
import HTTPClient
import Outbox
import Testing

@testable import Delivery

struct RetryPolicyTests {
  let policy = RetryPolicy()

  /// What an attempt that is answered at time 0 leads to.
  func judge(
    _ outcome: SendOutcome, attempts: Int = 0, lifetime: Int64 = 86_400_000, isAppWide: Bool = false,
    random: Double = 0
  ) -> Settlement {
    policy.settlement(
      of: delivery(1, attempts: attempts, lifetime: lifetime), after: outcome, isAppWide: isAppWide,
      now: wall(0), random: random)
  }

  func judge(
    _ failure: SendError, attempts: Int = 0, lifetime: Int64 = 86_400_000, random: Double = 0
  ) -> Settled {
    Settled(judge(.failed(failure), attempts: attempts, lifetime: lifetime, random: random))
  }

  @Test func acceptedIsSent() {
    #expect(Settled(judge(sent, attempts: 11, lifetime: 1)) == .sent("projects/p/messages/1"))
  }

  @Test(arguments: [
    failure(.timeout, .retryOutcomeUnknown, .service), failure(.network, .retry, .service),
    failure(.badResponse, .retryOutcomeUnknown, .service, status: 200),
    failure(.unavailable, .retry, .service, status: 503), failure(.internal, .retry, .service, status: 500),
    failure(.unavailable, .retry, .service, status: 408),
  ])
  func serviceFailuresBackOffFromTenSeconds(failure: SendError) {
    #expect(judge(failure) == .retry(at: 10_000, failure.code.rawValue))
  }

  @Test(
    arguments: [
      (1, 20_000), (2, 40_000), (3, 80_000), (6, 640_000), (7, 900_000), (11, 900_000),
    ] as [(Int, Int64)])
  func backoffDoublesUpToItsCeilingWithFullJitterAboveTheFloor(attemptsMade: Int, ceiling: Int64) {
    let attempts = attemptsMade - 1
    #expect(judge(unavailable, attempts: attempts, random: 0) == .retry(at: 10_000, "UNAVAILABLE"))
    let middle = 10_000 + (ceiling - 10_000) / 2
    #expect(judge(unavailable, attempts: attempts, random: 0.5) == .retry(at: middle, "UNAVAILABLE"))
    guard case .retry(let latest, _) = judge(unavailable, attempts: attempts, random: 1 - 1e-12) else {
      return #expect(Bool(false), "must be tried again")
    }
    #expect(latest <= ceiling && latest > ceiling - 10)
  }

  @Test(arguments: [1, 2, 30, 3600])
  func neverRetriesBeforeRetryAfter(seconds: Int) {
    let asked = Int64(seconds) * 1000
    for status in [429, 503] {
      let answer = failure(.unavailable, .retry, .service, status: status, retryAfter: seconds)
      #expect(judge(answer, lifetime: 10 * 86_400_000) == .retry(at: asked, "UNAVAILABLE"))
      guard case .retry(let at, _) = judge(answer, lifetime: 10 * 86_400_000, random: 0.999) else {
        return #expect(Bool(false), "must be tried again")
      }
      #expect(at >= asked && at <= asked + asked / 10)
    }
  }

  @Test func capsAnAbsurdRetryAfterAtAnHour() {
    let answer = failure(.unavailable, .retry, .service, status: 503, retryAfter: .max)
    #expect(judge(answer, lifetime: 10 * 86_400_000) == .retry(at: 3_600_000, "UNAVAILABLE"))
  }

  @Test(arguments: [0, -5])
  func retryAfterOfZeroKeepsTheBackoff(seconds: Int) {
    let answer = failure(.unavailable, .retry, .service, status: 503, retryAfter: seconds)
    #expect(judge(answer) == .retry(at: 10_000, "UNAVAILABLE"))
  }

  @Test(arguments: [
    failure(.quotaExceeded, .retry, .targetQuota, status: 429),
    failure(.quotaExceeded, .retry, .projectQuota, status: 429),
    failure(.unavailable, .retry, .service, status: 429),
  ])
  func quotaAnswersWithoutRetryAfterWaitAMinute(failure: SendError) {
    for attempts in [0, 5] {
      #expect(judge(failure, attempts: attempts) == .retry(at: 60_000, failure.code.rawValue))
    }
  }

  @Test(arguments: [
    unregistered, failure(.invalidArgument, .permanent, .message, status: 400),
    failure(.senderIDMismatch, .permanent, .foreignRegistration, status: 403),
    failure(.thirdPartyAuthError, .permanent, .thirdPartyCredentials, status: 401),
    failure(.thirdPartyAuthError, .retry, .thirdPartyCredentials, status: 401),
  ])
  func permanentErrorsAreFinal(failure: SendError) {
    #expect(judge(failure) == .failed(failure.code.rawValue))
  }

  @Test func twelfthAttemptIsTheLast() {
    #expect(judge(unavailable, attempts: 10) == .retry(at: 10_000, "UNAVAILABLE"))
    #expect(judge(unavailable, attempts: 11) == .failed("UNAVAILABLE"))
  }

  @Test func whatFCMDidNotActOnIsDeferredAndNeverUsesUpTheAttempts() {
    let lost = SendError(
      code: .network, message: "why", disposition: .retry, scope: .service,
      end: AttemptEnd(.lookup, .fcm, isCounted: false))
    #expect(judge(lost, attempts: 11) == .refused(at: 10_000, "NETWORK"))
    #expect(judge(lost, attempts: 11, lifetime: 10_000) == .expired("NETWORK"))
  }

  @Test func retryAtOrAfterTheExpiryExpiresWithTheLastError() {
    #expect(judge(unavailable, lifetime: 9_999) == .expired("UNAVAILABLE"))
    #expect(judge(unavailable, lifetime: 10_000) == .expired("UNAVAILABLE"))
    #expect(judge(unavailable, lifetime: 10_001) == .retry(at: 10_000, "UNAVAILABLE"))
  }

  @Test func jitterYieldsToTheExpiry() {
    guard case .retry(let at, _) = judge(unavailable, attempts: 5, lifetime: 12_000, random: 0.999) else {
      return #expect(Bool(false), "must have its last chance")
    }
    #expect(at >= 10_000 && at < 12_000)
  }

  @Test(arguments: [
    forbidden, failure(.authentication, .permanent, .configuration, status: 401),
    failure(.notFound, .permanent, .configuration, status: 404),
    failure(.authentication, .refreshAccessToken, .configuration, status: 401),
  ])
  func aRefusalIsRetriedIfOnlyTheTargetIsMeant(failure: SendError) {
    let code = failure.disposition == .refreshAccessToken ? "AUTHENTICATION" : failure.code.rawValue
    #expect(judge(failure, attempts: 3) == .retry(at: 10_000, code))
    #expect(judge(failure, attempts: 11) == .failed(code))
  }

  @Test(arguments: [
    failure(.authentication, .permanent, .unsent, status: 400),
    failure(.authentication, .retry, .unsent, status: 503, retryAfter: 2_419_200),
    failure(.network, .permanent, .unsent),
  ])
  func whatNeverLeftKeepsTheDelivery(failure: SendError) {
    let settlement = judge(.failed(failure), attempts: 11, isAppWide: true)
    #expect(Settled(settlement) == .refused(at: 0, failure.code.rawValue))
    #expect(!settlement.countsAttempt)
  }

  @Test func tokenRefusedTwiceCountsAsAuthentication() {
    let refused = failure(.unavailable, .refreshAccessToken, .service, status: 401)
    #expect(Settled(judge(.failed(refused), isAppWide: true)) == .refused(at: 0, "AUTHENTICATION"))
    #expect(judge(refused) == .retry(at: 10_000, "AUTHENTICATION"))
  }

  @Test(
    arguments: [(unregistered, .registration), (Self.unregisteredActivity, .activity), (forbidden, nil)]
      as [(SendError, Settlement.Dead?)])
  func tellsWhatIsDead(failure: SendError, dead: Settlement.Dead?) {
    #expect(judge(.failed(failure)).dead == dead)
  }

  private static let unregisteredActivity = failure(.unregistered, .permanent, .activity, status: 404)
}
