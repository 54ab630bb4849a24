import Clock
import FCMMessage
import Foundation
import HTTPServer
import JSON
import Outbox
import Telemetry
import Testing

@testable import Feedback

/// The webhook on the durable queue, on the machine's own clock.
@Suite(.timeLimit(.minutes(1))) struct WebhookWithQueueTests {
  /// Accepts a notification to `tokens` and lets FCM report each of them as dead.
  private func reportAsDead(_ tokens: [String], in store: any OutboxStore) async throws {
    let now = Timestamp.now
    let notification = NewNotification(
      id: NotificationID(UUIDv7()), app: "default", template: "new_message", client: nil, createdAt: now,
      sendAt: nil, expiresAt: now.adding(milliseconds: 86_400_000), priority: .high,
      message: SealedMessage(bytes: Array("\"data\":{}".utf8), placeholders: []),
      deliveries: tokens.map { (DeliveryID(UUIDv7()), .token($0)) })
    try await withCheckedContinuation { continuation in
      store.enqueue([notification]) { continuation.resume(returning: $0) }
    }.get()
    let claimed = try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: 1000, normalMin: 0, now: .now) { continuation.resume(returning: $0) }
    }.get().deliveries
    let error = DeliveryError(code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: nil)
    let settlements = claimed.map {
      Settlement(delivery: $0.id, at: .now, result: .failed(error: error, deadRegistration: true))
    }
    try await withCheckedContinuation { continuation in
      store.settle(settlements) { continuation.resume(returning: $0) }
    }.get()
  }

  private func tokens(_ count: Int, from receiver: Receiver) async throws -> [String] {
    var tokens: [String] = []
    for _ in 0..<count {
      let request = try #require(await receiver.requests.next())
      tokens.append(try #require(try JSON.parse(request.body)["data"]?["token"]?.string))
    }
    return tokens
  }

  @Test func continuesAfterARestartWhereItStopped() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "webhook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let receiver = Receiver { _ in HTTPResponse(status: 200) }
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: receiver,
      log: .silent)
    guard case .tcp(_, let port) = try server.start() else { return }
    let url = try WebhookURL("http://127.0.0.1:\(port)/", allowsPrivateAddresses: true)
    for run in 1...3 {
      let store = try SQLiteOutboxStore(path: folder.path + "/queue.db", log: .silent)
      let webhook = FeedbackWebhook(
        url: url, secrets: try WebhookSecret.list(secretText), store: store, log: .silent)
      store.onCommit { if $0.feedbackEvents > 0 { webhook.wake() } }
      webhook.start()
      let dead = (1...150).map { "token-\(run)-\($0)" }
      try await reportAsDead(dead, in: store)
      #expect(Set(try await tokens(150, from: receiver)) == Set(dead))
      await webhook.stop()
      #expect(webhook.health.outstanding == 0)
      await store.close()
    }
    await server.shutDown(grace: .zero)
  }
}
