import FCM
import HTTPClient
import Telemetry
import TestSupport
import Testing

/// W3C trace context on the requests to FCM.
@Suite(.timeLimit(.minutes(1))) struct TraceHeaderTests {
  private let trace = TraceContext(
    receivedIn: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"], tracestate: ["congo=1,rojo=2"])

  private func send(_ fixture: Fixture, _ trace: TraceContext?) async -> SendOutcome {
    await withCheckedContinuation { continuation in
      fixture.client.send(Fixture.body, trace: trace, atDeparture: { Fixture.body }) {
        continuation.resume(returning: $0)
      }
    }
  }

  @Test func makesEachRequestItsOwnSpan() async throws {
    try await Fixture.run { _ in
      .respond(200, [:], Fixture.success)
    } test: { fixture in
      for trace in [trace, nil, trace, trace, nil] { _ = await send(fixture, trace) }
      let requests = fixture.standIn.requests
      let parents = requests.compactMap { $0.headers["traceparent"].flatMap(TraceParent.init) }
      #expect(requests.map { $0.headers["traceparent"] != nil } == [true, false, true, true, false])
      #expect(Set(parents.map(\.traceID)) == [trace?.parent.traceID])
      #expect(Set(parents.map(\.spanID)).count == 3)
      #expect(parents.allSatisfy { $0.spanID != trace?.parent.spanID && $0.isSampled })
      #expect(
        requests.map { $0.headers["tracestate"] } == [
          "congo=1,rojo=2", nil, "congo=1,rojo=2", "congo=1,rojo=2", nil,
        ])
      // The common headers are present, too.
      #expect(requests.allSatisfy { $0.headers["authorization"] == "Bearer emulator" })
      #expect(requests.allSatisfy { $0.headers["content-type"] == "application/json" })
      #expect(requests.allSatisfy { $0.headers["expect"] == nil })
    }
  }

  @Test func survivesARefusedAccessToken() async throws {
    let answers = Counter()
    try await Fixture.runWithServiceAccount { request in
      if request.path == "/token" { return StandIn.tokenAnswer(answers.next()) }
      return request.headers["authorization"] == "Bearer t1"
        ? .respond(401, [:], FCMClientTests.unauthenticated) : .respond(200, [:], Fixture.success)
    } test: { fixture in
      #expect(await send(fixture, trace) == .sent(name: "projects/p/messages/1"))
      let parents = fixture.requests(to: FCMClientTests.path).map { $0.headers["traceparent"] ?? "" }
      #expect(parents.count == 2)
      #expect(Set(parents).count == 2)
      #expect(parents.allSatisfy { $0.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-") })
      #expect(fixture.requests(to: "/token").allSatisfy { $0.headers["traceparent"] == nil })
    }
  }
}
