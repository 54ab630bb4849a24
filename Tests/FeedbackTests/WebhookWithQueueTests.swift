import DeliveryReports
import Clock
import FCMMessage
import Foundation
import HTTPServer
import JSON
import Outbox
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Feedback
@testable import SQL

/// The webhook on the durable queue, on the machine's own clock.
@Suite(.timeLimit(.minutes(2))) struct WebhookWithQueueTests {
  private static let dead = DeliveryError(
    code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: nil)

  /// Accepts a notification to `tokens`, and ends each delivery as `outcome` says.
  private func deliver(
    to tokens: [String], in store: any OutboxStore, _ outcome: (Int, ClaimedDelivery) -> Settlement
  ) async throws {
    let now = store.now
    let notification = NewNotification(
      id: NotificationID(UUIDv7()), app: "default", template: "new_message", client: nil, createdAt: now,
      sendAt: nil, expiresAt: now.adding(milliseconds: 86_400_000), priority: .high,
      message: SealedMessage(bytes: Array("\"data\":{}".utf8), placeholders: []),
      deliveries: tokens.map { (DeliveryID(UUIDv7()), .token($0)) })
    _ = try await withCheckedContinuation { continuation in
      store.enqueue([notification], idempotency: nil) { continuation.resume(returning: $0) }
    }.get()
    let claimed = try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: 1000, normalMin: 0, now: store.now) {
        continuation.resume(returning: $0)
      }
    }.get().deliveries
    let settlements = claimed.enumerated().map { outcome($0, $1) }
    _ = try await withCheckedContinuation { continuation in
      store.settle(settlements, waitMilliseconds: 0) { continuation.resume(returning: $0) }
    }.get()
  }

  private func reportAsDead(_ tokens: [String], in store: any OutboxStore) async throws {
    try await deliver(to: tokens, in: store) { _, claim in
      .failed(claim, at: store.now, error: Self.dead, dead: .registration)
    }
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
      let store = try DurableOutboxStore(path: folder.path + "/queue.db", log: .silent)
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

  private enum Database: CaseIterable { case sqlite, postgres }

  private static let databases: [Database] =
    PostgresCluster.isInstalled ? Database.allCases : [.sqlite]

  private func webhookEvents(of store: any OutboxStore) async throws -> [WebhookEvent] {
    try await withCheckedContinuation { continuation in
      store.webhookEvents(after: nil, limit: 1_000) { continuation.resume(returning: $0) }
    }.get().events
  }

  /// The receiver refuses everything at first. What was logged then arrives after a restart, and what the
  /// receiver has is not kept.
  @Test(arguments: databases) private func outcomesWaitForTheReceiver(_ database: Database) async throws {
    let folder = try TemporaryFolder()
    let schema = database == .postgres ? try PostgresCluster.shared.newSchema().url : ""
    func open() throws -> any OutboxStore {
      switch database {
      case .sqlite: try DurableOutboxStore(path: folder.path + "/queue.db", log: .silent)
      case .postgres: try DurableOutboxStore(url: try PostgresURL(schema), log: .silent)
      }
    }
    let isUp = Atomic<Bool>(false)
    let got = Mutex<[Int64: JSON]>([:])
    let receiver = Receiver { request in
      guard isUp.load(ordering: .acquiring) else { return HTTPResponse(status: 500) }
      if let body = try? JSON.parse(request.body), let id = body["data"]?["id"]?.string.flatMap({ Int64($0) })
      {
        got.withLock { $0[id] = body }
      }
      return HTTPResponse(status: 200)
    }
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: receiver,
      log: .silent)
    guard case .tcp(_, let port) = try server.start() else { return }
    let url = try WebhookURL("http://127.0.0.1:\(port)/", allowsPrivateAddresses: true)
    // What was sent is in the log too, as after a change of the configuration, and is passed over.
    let events: Set<WebhookEventType> = [.registrationDead, .deliveryFailed, .deliveryExpired]
    for run in 0..<2 {
      let store = try open()
      store.logOutcomes(Set(DeliveryOutcome.allCases))
      let webhook = FeedbackWebhook(
        url: url, secrets: try WebhookSecret.list(secretText), events: events, store: store, log: .silent)
      store.onCommit { if $0.feedbackEvents > 0 { webhook.wake() } }
      if run == 1 { isUp.store(true, ordering: .releasing) }
      webhook.start()
      try await deliver(to: (0..<60).map { "token-\(run)-\($0)" }, in: store) { index, claim in
        switch index % 3 {
        case 0: .sent(claim, at: store.now, messageName: "n")
        case 1: .failed(claim, at: store.now, error: Self.dead, dead: .registration)
        default: .expired(claim, at: store.now, error: nil)
        }
      }
      if run == 0 {
        while webhook.health.failing < 5 { await Task.yield() }
        #expect(try await webhookEvents(of: store).count == 80)
      } else {
        while got.withLock({ $0.count }) < 120 || webhook.health.outstanding > 0 { await Task.yield() }
      }
      await webhook.stop()
      if run == 1 {
        // Only what the API shows is kept.
        let kept = try await webhookEvents(of: store)
        #expect(kept.count == 40)
        #expect(kept.allSatisfy { if case .dead = $0 { true } else { false } })
      }
      await store.close()
    }
    await server.shutDown(grace: .zero)
    let types = got.withLock { $0.values.compactMap { $0["type"]?.string } }
    let counts = Dictionary(types.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(counts == ["registration.dead": 40, "delivery.failed": 40, "delivery.expired": 40])
  }
}
