import FCM
import HTTPClient
import Testing

/// Faults of a peer over HTTP/2, and what they mean for the message.
@Suite(.enabled(if: FaultPeers.python != nil), .timeLimit(.minutes(1)))
struct HTTP2FaultTests {
  // A TCP reset does not show what the peer has read: anything that was sent may have been processed.
  @Test(arguments: ["reset_before", "reset_mid", "reset_after"])
  func aResetIsAnAttemptOfUnknownOutcome(name: String) async throws {
    try await FaultPeers.run(name) { run in
      for outcome in await run.sendAtOnce(10) {
        guard case .failed(let failure) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
        #expect(failure.code == .network)
        #expect(failure.scope == .service)
        // Only a connection that was closed before anything was sent is known to have carried nothing.
        let isKnown = name == "reset_before" && failure.disposition == .retry
        #expect(failure.disposition == .retryOutcomeUnknown || isKnown)
      }
    }
  }

  @Test func connectionThatBreaksCostsEachRequestOneAttempt() async throws {
    try await FaultPeers.run("reset_after_reuse") { run in
      #expect(await run.send() == FaultRun.sent)
      for outcome in await run.sendAtOnce(20) {
        guard case .failed(let failure) = outcome else { continue }
        #expect(failure.code == .network)
        #expect(failure.disposition == .retryOutcomeUnknown)
      }
      // A message that may have been processed is not sent again without the queue's knowledge.
      let seen = try await run.seen()
      #expect(seen.requests.count == Set(seen.requests).count)
    }
  }

  @Test func unprocessedAfterGOAWAYIsSentAgainAtOnce() async throws {
    try await FaultPeers.run("goaway_unprocessed") { run in
      let outcomes = await run.sendAtOnce(10)
      #expect(outcomes.allSatisfy { $0 == FaultRun.sent })
      let seen = try await run.seen()
      #expect(Set(seen.requests).count == 10)
    }
  }

  /// Each connection carries ten of the requests that wait, as a front end's last one before an update does.
  @Test func aGracefulGOAWAYCostsNoRequestItsAttempt() async throws {
    try await FaultPeers.run("goaway_after_ten") { run in
      let outcomes = await run.sendAtOnce(80)
      #expect(outcomes.allSatisfy { $0 == FaultRun.sent })
    }
  }

  @Test func aPeerThatAlwaysGoesAwayCostsNoAttemptEither() async throws {
    try await FaultPeers.run("goaway_always") { run in
      let failure = try await run.failure()
      #expect(failure.code == .network)
      #expect(!failure.countsAttempt)
      // The peer has reported that it did not process the request.
      #expect(failure.disposition == .retry)
      let seen = try await run.seen()
      #expect(seen.connections == 17)
    }
  }

  @Test func aRefusedStreamIsSentAgainAtOnce() async throws {
    try await FaultPeers.run("stream_refused_once") { run in
      let outcomes = await run.sendAtOnce(10)
      #expect(outcomes.allSatisfy { $0 == FaultRun.sent })
    }
  }

  @Test func aPeerThatAlwaysRefusesCostsAnAttempt() async throws {
    try await FaultPeers.run("stream_refused_always") { run in
      let failure = try await run.failure()
      #expect(failure.code == .network)
      #expect(failure.scope == .service)
      let seen = try await run.seen()
      #expect(seen.requests.count <= 6)
    }
  }

  @Test(arguments: ["stream_internal_error", "stream_calm"])
  func anyOtherStreamErrorIsAnAttemptOfUnknownOutcome(name: String) async throws {
    try await FaultPeers.run(name) { run in
      let failure = try await run.failure()
      #expect(failure.code == .network)
      #expect(failure.disposition == .retryOutcomeUnknown)
      let seen = try await run.seen()
      #expect(seen.requests.count == 1)
    }
  }

  @Test(arguments: ["one_stream", "changing_streams"])
  func followsThePeersStreamLimitWithoutAFailure(name: String) async throws {
    var limits = TransportLimits()
    limits.hostConnectionsMax = 1
    try await FaultPeers.run(name, limits: limits) { run in
      let outcomes = await run.sendAtOnce(100)
      #expect(outcomes.count { $0 == FaultRun.sent } == 100)
      let seen = try await run.seen()
      #expect(seen.requests.count == 100)
    }
  }

  @Test(arguments: ["trickle", "headers_then_silence"])
  func aSlowAnswerTimesOutAndLeavesTheOthersAlone(name: String) async throws {
    try await FaultPeers.run(name, timeout: .seconds(3)) { run in
      async let slow = run.failure("slow")
      let outcomes = await run.sendAtOnce(50)
      #expect(outcomes.allSatisfy { $0 == FaultRun.sent })
      let failure = try await slow
      #expect(failure.code == .timeout)
      #expect(failure.disposition == .retryOutcomeUnknown)
      #expect(await run.send() == FaultRun.sent)
      let seen = try await run.seen()
      #expect(seen.connections <= 2)
    }
  }

  @Test(arguments: [
    ("html_500", SendError.Code.internal, SendError.Disposition.retry),
    ("html_502", .unavailable, .retryOutcomeUnknown), ("html_200", .badResponse, .retryOutcomeUnknown),
    ("truncated_200", .badResponse, .retryOutcomeUnknown), ("gzip_bomb", .badResponse, .retryOutcomeUnknown),
  ])
  func unreadableAnswerIsRetried(
    name: String, code: SendError.Code, disposition: SendError.Disposition
  ) async throws {
    try await FaultPeers.run(name) { run in
      let failure = try await run.failure()
      #expect(failure.code == code)
      #expect(failure.disposition == disposition)
      #expect(failure.scope == .service)
      #expect(!failure.message.contains("<"))
    }
  }

  @Test func boundsAHugeAnswer() async throws {
    try await FaultPeers.run("huge") { run in
      let failure = try await run.failure("huge")
      #expect(failure.code == .badResponse)
      #expect(failure.disposition == .retryOutcomeUnknown)
      #expect(await run.send() == FaultRun.sent)
      let seen = try await run.seen()
      #expect(seen.connections == 1)
    }
  }

  @Test(arguments: ["expired", "wrong_host", "unknown_authority", "old_tls"])
  func sendsNothingWhereTLSCannotBeTrusted(name: String) async throws {
    try await FaultPeers.run(name) { run in
      let failure = try await run.failure()
      #expect(failure.code == .network)
      #expect(failure.disposition == .retry)
      #expect(failure.scope == .service)
      let seen = try await run.seen()
      #expect(seen.requests.isEmpty)
    }
  }

  @Test func silentConnectionIsReplaced() async throws {
    try await FaultPeers.run("silent", timeout: .seconds(1)) { run in
      #expect(await run.send() == FaultRun.sent)
      let failure = try await run.failure()
      #expect(failure.code == .timeout)
      #expect(failure.disposition == .retryOutcomeUnknown)
      #expect(await run.send() == FaultRun.sent)
      let outcomes = await run.sendAtOnce(20)
      #expect(outcomes.allSatisfy { $0 == FaultRun.sent })
      let seen = try await run.seen()
      #expect(seen.connections == 2)
    }
  }
}
