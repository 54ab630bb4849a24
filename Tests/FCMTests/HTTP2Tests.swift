import FCM
import Foundation
import GoogleAuth
import HTTPClient
import Synchronization
import Telemetry
import TestSupport
import Testing

/// HTTP/2 over TLS, as FCM speaks it: nghttpx (Debian's nghttp2-proxy) in front of the stand-in.
@Suite(
  .enabled(if: HTTP2Proxy.isInstalled, "nghttpx (nghttp2-proxy) or openssl is not installed"),
  .timeLimit(.minutes(1)))
struct HTTP2Tests {
  private func run(
    name: String = "IP:127.0.0.1", options: [String] = [], trusts: Bool = true,
    timeout: Duration = .seconds(10),
    limits: TransportLimits = .init(), _ handler: @escaping @Sendable (StandIn.Request) -> StandIn.Answer,
    test: (Fixture) async throws -> Void
  ) async throws {
    try await Fixture.run(limits: limits, handler) { plain in
      let proxy = try await HTTP2Proxy.start(before: plain.standIn.port, name: name, options: options)
      defer { proxy.stop() }
      let client = FCMClient(
        configuration: FCMAppConfiguration(
          projectID: "p", endpoint: proxy.url, credentials: .none, caFile: trusts ? proxy.caFile : nil,
          requestTimeout: timeout),
        transport: plain.transport, log: .silent)
      try await test(Fixture(standIn: plain.standIn, transport: plain.transport, client: client))
      client.shutDown()
    }
  }

  @Test func oneConnectionCarriesManyStreams() async throws {
    let gate = Gate(60)
    try await run { _ in
      gate.pass() ? .respond(200, [:], Fixture.success) : .close
    } test: { fixture in
      let outcomes = await fixture.sendAtOnce(60)
      #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
      #expect(outcomes.count == 60)
      #expect(fixture.transport.statistics.http2Answers == 60)
      #expect(fixture.transport.statistics.connectionsOpened == 1)
    }
  }

  @Test func opensMoreConnectionsWithinItsBoundsWhenStreamsRunOut() async throws {
    let gate = Gate(60)
    var limits = TransportLimits()
    limits.concurrentStreamsMax = 20
    limits.hostConnectionsMax = 4
    try await run(limits: limits) { _ in
      gate.pass() ? .respond(200, [:], Fixture.success) : .close
    } test: { fixture in
      let outcomes = await fixture.sendAtOnce(60)
      #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
      #expect((3...4).contains(fixture.transport.statistics.connectionsOpened))
    }
  }

  @Test func obeysThePeersStreamLimit() async throws {
    try await run(options: ["--frontend-http2-max-concurrent-streams=1"]) { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      let outcomes = await fixture.sendAtOnce(20)
      #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
    }
  }

  @Test(
    arguments: [
      (["--frontend-http2-max-concurrent-streams=2"], 64), (["--npn-list=http/1.1"], 32),
    ])
  func findsOutHowManyRequestsThePeerCarriesAtOnce(options: [String], most: Int) async throws {
    try await run(options: options) { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      #expect(fixture.client.inFlightMax == nil)
      _ = await fixture.send()
      #expect(fixture.client.inFlightMax == most)
    }
  }

  @Test func speaksHTTP1WhenThePeerLacksHTTP2() async throws {
    try await run(options: ["--npn-list=http/1.1"]) { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      #expect(fixture.transport.statistics.http2Answers == 0)
      #expect(fixture.transport.statistics.answers == 1)
    }
  }

  @Test func sendsBodiesWholeAndReadsHeaders() async throws {
    try await run { request in
      request.body == Fixture.body
        ? .respond(429, ["Retry-After": "9"], "") : .respond(200, [:], Fixture.success)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .quotaExceeded)
      #expect(failure.retryAfterSeconds == 9)
      let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
      #expect(await fixture.send(body) == .sent(name: "projects/p/messages/1"))
      #expect(fixture.standIn.requests.last?.body == body)
    }
  }

  @Test func aSlowStreamTimesOutAndLeavesTheOthersAlone() async throws {
    let slow = Array("slow".utf8)
    try await run(timeout: .seconds(2)) { request in
      request.body == slow ? .hold : .respond(200, [:], Fixture.success)
    } test: { fixture in
      async let held = fixture.failure(slow)
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      let failure = try await held
      #expect(failure.code == .timeout)
      #expect(failure.disposition == .retryOutcomeUnknown)
      #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
      #expect(fixture.transport.statistics.connectionsOpened == 1)
    }
  }

  @Test func stopsReadingALongAnswer() async throws {
    let long = String(repeating: "x", count: 1_000_000)
    try await run { request in
      request.body == Fixture.body ? .respond(503, [:], long) : .respond(200, [:], Fixture.success)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .badResponse)
      #expect(failure.httpStatus == 503)
      #expect(await fixture.send([1]) == .sent(name: "projects/p/messages/1"))
    }
  }

  /// Streams of server-sent events have no limit, and their readers may end them.
  @Test func passesOnABodyPartByPart() async throws {
    let long = String(repeating: "x", count: 1_000_000)
    try await Fixture.run { _ in
      .respond(200, [:], long)
    } test: { plain in
      let proxy = try await HTTP2Proxy.start(before: plain.standIn.port, name: "IP:127.0.0.1", options: [])
      defer { proxy.stop() }
      let destination = Destination(url: proxy.url + "/events", method: .get, caFile: proxy.caFile)
      func read(
        onPart: (@Sendable (UnsafeRawBufferPointer) -> Bool)?
      ) async -> Result<TransportResponse, TransportError> {
        await withCheckedContinuation { continuation in
          plain.transport.send(
            TransportRequest(destination: destination, headers: HeaderList([]), body: [], onPart: onPart) {
              continuation.resume(returning: $0)
            })
        }
      }
      let (parts, first) = (Counter(), Counter())
      let bytes = Mutex(0)
      let whole = try await read { part in
        _ = parts.next()
        bytes.withLock { $0 += part.count }
        return true
      }.get()
      #expect(whole == TransportResponse(status: 200, body: []))
      #expect(bytes.withLock { $0 } == 1_000_000)
      #expect(parts.count > 1)
      _ = await read { _ in
        _ = first.next()
        return false
      }
      #expect(first.count == 1)
      // The connection serves others after that.
      #expect(try await read(onPart: nil).get().isBodyCut)
      #expect(plain.transport.statistics.connectionsOpened == 1)
      #expect(plain.transport.statistics.http2Answers >= 2)
    }
  }

  @Test func sendsNothingToAPeerWithAnUntrustedCertificate() async throws {
    try await run(trusts: false) { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .network)
      #expect(failure.disposition == .retry)
      #expect(failure.scope == .service)
      #expect(failure.message.contains("certificate"))
      #expect(fixture.standIn.requests.isEmpty)
    }
  }

  @Test func sendsNothingToAPeerOfAnotherName() async throws {
    try await run(name: "DNS:elsewhere.example") { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .network)
      #expect(failure.disposition == .retry)
      #expect(fixture.standIn.requests.isEmpty)
    }
  }

  @Test func sendsNothingOverOldTLS() async throws {
    let options = ["--tls-min-proto-version=TLSv1.0", "--tls-max-proto-version=TLSv1.1"]
    try await run(options: options) { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      let failure = try await fixture.failure()
      #expect(failure.code == .network)
      #expect(fixture.standIn.requests.isEmpty)
    }
  }
}
