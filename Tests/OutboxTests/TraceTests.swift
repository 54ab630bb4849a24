import Clock
import FCMMessage
import Outbox
import Telemetry
import Testing

/// The W3C trace context of a notification.
@Suite struct TraceTests {
  static let trace = TraceContext(
    receivedIn: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
    tracestate: ["congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7"])

  private func traced(_ trace: TraceContext?, priority: DeliveryPriority = .normal) -> NewNotification {
    let base = notification(count: 2, priority: priority)
    return NewNotification(
      id: base.id, app: base.app, template: base.template, client: base.client, createdAt: base.createdAt,
      sendAt: nil, expiresAt: base.expiresAt, priority: priority, message: base.message,
      deliveries: base.deliveries, trace: trace)
  }

  @Test(arguments: StoreKind.allCases) func isPassedToEachDelivery(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let trace = try #require(Self.trace)
    for _ in 0..<4 { try await fixture.store.enqueue([traced(trace)]) }
    try await fixture.store.enqueue([traced(nil, priority: .high)])
    let claimed = try await fixture.store.claim()
    #expect(claimed.prefix(2).allSatisfy { $0.trace == nil })
    #expect(claimed.dropFirst(2).map(\.trace) == Array(repeating: trace, count: 8))
  }

  @Test(arguments: StoreKind.allCases) func survivesTheRetryOfADeadLetter(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = traced(Self.trace)
    try await fixture.store.enqueue([given])
    for delivery in try await fixture.store.claim() {
      try await fixture.store.settle(delivery.id, .failed(error: refusal))
    }
    _ = try await fixture.store.retry(given.id)
    #expect(try await fixture.store.claim().map(\.trace) == [Self.trace, Self.trace])
  }

  @Test(arguments: StoreKind.allCases) func isRecordedInTheFeedbackLog(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    try await fixture.store.enqueue([traced(Self.trace), traced(nil)])
    for delivery in try await fixture.store.claim() {
      try await fixture.store.settle(delivery.id, .failed(error: refusal, deadRegistration: true))
    }
    let events = try await fixture.store.feedback().events
    #expect(events.map(\.trace) == [Self.trace, Self.trace, nil, nil])
  }

  @Test func survivesARestart() async throws {
    let folder = try TemporaryFolder()
    let first = try DurableOutboxStore(
      path: folder.database, configuration: OutboxConfiguration(), log: .silent, clock: { start })
    try await first.enqueue([traced(Self.trace)])
    await first.close()
    let second = try DurableOutboxStore(
      path: folder.database, configuration: OutboxConfiguration(), log: .silent, clock: { start })
    #expect(try await second.claim().map(\.trace) == [Self.trace, Self.trace])
    await second.close()
  }
}
