import FCMMessage
import Outbox
import Testing

/// No error of a store shows a registration token, a template or a message.
@Suite struct ErrorDescriptionTests {
  @Test(arguments: StoreKind.allCases)
  func outboxErrorHoldsNothingOfTheNotification(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind, depthMax: 4)
    let base = notification(template: "s3cret-template")
    let given = NewNotification(
      id: base.id, app: base.app, template: base.template, client: "s3cret-client", createdAt: start,
      sendAt: nil, expiresAt: base.expiresAt, priority: .normal,
      message: SealedMessage(bytes: Array(#""data":{"k":"s3cret-text"}"#.utf8), placeholders: []),
      deliveries: base.deliveries.map { ($0.id, .token("s3cret-token")) })
    try await fixture.store.enqueue([given])
    let duplicate = await #expect(throws: OutboxError.self) { try await fixture.store.enqueue([given]) }
    #expect(duplicate?.code == .unavailable)
    let full = await #expect(throws: OutboxError.self) {
      try await fixture.store.enqueue([notification(count: 4, template: "s3cret-template")])
    }
    #expect(full?.code == .full)
    await fixture.store.close()
    let closed = await #expect(throws: OutboxError.self) { try await fixture.store.enqueue([given]) }
    #expect(closed?.code == .closed)
    for error in [duplicate, full, closed] { #expect(error?.description.contains("s3cret") == false) }
  }
}
