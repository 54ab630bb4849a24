import Clock
import Dispatch
import FCMMessage
import Foundation
import JSON
import OutboxModel
import Synchronization
import Telemetry
import TestSupport
import Testing
@testable import Outbox
@testable import SQL

/// The time at which most tests begin.
let start = Timestamp(milliseconds: 1_800_000_000_000)

/// The stores that the conformance suite tests by the same rules.
enum StoreKind: CaseIterable, Sendable {
  case memory, sqlite, sqliteWithSmallLimits, postgres

  /// Without PostgreSQL if its server is not installed, which the PostgreSQL suites then report.
  static let allCases: [StoreKind] =
    [.memory, .sqlite, .sqliteWithSmallLimits] + (PostgresCluster.isInstalled ? [.postgres] : [])

  /// Those that keep everything on disk.
  static let durableCases = allCases.filter { $0 != .memory }
}

/// A clock that stands still until it is set.
final class TestClock: Sendable {
  private let time = Atomic<Int64>(start.milliseconds)
  var now: Timestamp {
    get { Timestamp(milliseconds: time.load(ordering: .relaxed)) }
    set { time.store(newValue.milliseconds, ordering: .relaxed) }
  }
}

/// A folder that is removed after its test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("outbox-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { _ = try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/queue.db" }

  /// The database as a crash at this moment would leave it: not closed, not checkpointed.
  func crashed(to name: String = "copy.db") throws -> String {
    let copy = path + "/" + name
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
    }
    return copy
  }
}

/// A store with its clock and, if it has one, its folder.
struct Fixture {
  let store: any OutboxStore
  let clock: TestClock
  let folder: TemporaryFolder?
  /// Of a store in PostgreSQL.
  let url: PostgresURL?

  /// Opens the durable store again after it was closed.
  func reopened(clientDepthMax: Int = .max) throws -> any OutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.clientDepthMax = clientDepthMax
    if let url {
      return try DurableOutboxStore(
        url: url, configuration: configuration, log: .silent, clock: { clock.now })
    }
    return try DurableOutboxStore(
      path: try #require(folder).database, configuration: configuration, log: .silent, clock: { clock.now })
  }

  init(
    _ kind: StoreKind, depthMax: Int = 1_000_000, clientDepthMax: Int = .max,
    _ configure: (inout OutboxConfiguration) -> Void = { _ in }
  ) throws {
    let clock = TestClock()
    var configuration = OutboxConfiguration()
    configuration.depthMax = depthMax
    configuration.clientDepthMax = clientDepthMax
    if kind == .sqliteWithSmallLimits {
      configuration.readyMax = 3
      configuration.readyTotalMax = 4
      configuration.partDeliveriesMax = 2
    }
    // Maintenance has its own tests.
    configuration.watchIntervalMilliseconds = 3_600_000
    configuration.prefetchMilliseconds = 3_600_000
    configure(&configuration)
    self.clock = clock
    switch kind {
    case .memory:
      (folder, url) = (nil, nil)
      store = MemoryOutboxStore(configuration: configuration, clock: { clock.now })
    case .postgres:
      let url = try PostgresURL(try PostgresCluster.shared.newSchema().url)
      (folder, self.url) = (nil, url)
      store = try DurableOutboxStore(
        url: url, configuration: configuration, log: .silent, clock: { clock.now })
    case .sqlite, .sqliteWithSmallLimits:
      let folder = try TemporaryFolder()
      (self.folder, url) = (folder, nil)
      store = try DurableOutboxStore(
        path: folder.database, configuration: configuration, log: .silent,
        // The store keeps its folder: tests drop the fixture and go on with the store.
        clock: { withExtendedLifetime(folder) { clock.now } })
    }
    // At its start, a store corrects due times that its clock has not reached, as some tests give them.
    (store as? DurableOutboxStore)?.writing.sync {}
  }
}

/// A notification to `count` registrations, the first of which is `token-1`.
func notification(
  app: String = "default", count: Int = 1, createdAt: Timestamp = start, sendAt: Timestamp? = nil,
  priority: DeliveryPriority = .normal, client: String? = "orders", template: String = "new_message",
  ttlMilliseconds: Int64 = 86_400_000, target: Target? = nil, message: SealedMessage = shortMessage
) -> NewNotification {
  let targets = target.map { [$0] } ?? (1...max(count, 1)).prefix(count).map { .token("token-\($0)") }
  return NewNotification(
    id: NotificationID(UUIDv7()), app: app, template: template, client: client, createdAt: createdAt,
    sendAt: sendAt, expiresAt: createdAt.adding(milliseconds: ttlMilliseconds), priority: priority,
    message: message, deliveries: targets.map { (DeliveryID(UUIDv7()), $0) })
}

let shortMessage = SealedMessage(
  bytes: Array(#""data":{"id":"","é":"\u2028"}"#.utf8), placeholders: [.init(offset: 14, kind: .deliveryID)])

let refusal = DeliveryError(code: "UNAVAILABLE", httpStatus: 503, message: "try later", apnsReason: nil)

extension Timestamp {
  func plus(seconds: Int64) -> Timestamp { adding(milliseconds: seconds * 1000) }
}

extension OutboxStore {
  func enqueue(_ notifications: [NewNotification]) async throws {
    try await withCheckedContinuation { continuation in
      enqueue(notifications) { continuation.resume(returning: $0) }
    }.get()
  }

  func enqueue(
    _ notifications: [NewNotification], _ record: IdempotencyRecord
  ) async throws -> EnqueueOutcome {
    try await withCheckedContinuation { continuation in
      enqueue(notifications, idempotency: record) { continuation.resume(returning: $0) }
    }.get()
  }

  func idempotent(_ record: IdempotencyRecord) async throws -> EnqueueOutcome? {
    try await withCheckedContinuation { continuation in
      idempotent(record.key, fingerprint: record.fingerprint) { continuation.resume(returning: $0) }
    }.get()
  }

  func list(
    _ filter: NotificationFilter = NotificationFilter(), limit: Int = 10, _ cursor: NotificationCursor? = nil
  ) async throws -> NotificationPage {
    try await withCheckedContinuation { continuation in
      list(filter, limit: limit, cursor: cursor) { continuation.resume(returning: $0) }
    }.get()
  }

  /// All pages of a list, one after the other.
  func listAll(
    _ filter: NotificationFilter = NotificationFilter(), limit: Int = 10
  ) async throws
    -> [NotificationID]
  {
    var ids: [NotificationID] = []
    var cursor: NotificationCursor?
    repeat {
      let page = try await list(filter, limit: limit, cursor)
      ids += page.notifications.map(\.id)
      cursor = page.next
    } while cursor != nil
    return ids
  }

  func cancel(_ id: NotificationID, now: Timestamp = start) async throws -> CancelOutcome {
    try await withCheckedContinuation { continuation in
      cancel(id, now: now) { continuation.resume(returning: $0) }
    }.get()
  }

  func retry(_ id: NotificationID, now: Timestamp = start) async throws -> RetryOutcome {
    try await withCheckedContinuation { continuation in
      retry(id, now: now) { continuation.resume(returning: $0) }
    }.get()
  }

  func expire(_ app: String = "default", now: Timestamp, limit: Int = 100) async throws -> ExpirySweep {
    try await withCheckedContinuation { continuation in
      expire(app: app, now: now, limit: limit) { continuation.resume(returning: $0) }
    }.get()
  }

  /// A whole sweep; returns how many expired.
  func expireAll(_ app: String = "default", now: Timestamp, limit: Int = 100) async throws -> Int {
    var expired = 0
    while true {
      let sweep = try await expire(app, now: now, limit: limit)
      expired += sweep.expired
      if sweep.isComplete { return expired }
    }
  }

  func prune(endedBy end: Timestamp, limit: Int = 100) async throws -> PruneStep {
    try await withCheckedContinuation { continuation in
      prune(endedBy: end, limit: limit) { continuation.resume(returning: $0) }
    }.get()
  }

  /// A whole sweep.
  func pruneAll(endedBy end: Timestamp, limit: Int = 100) async throws -> PruneStep {
    var all = PruneStep()
    while !all.isComplete {
      let step = try await prune(endedBy: end, limit: limit)
      all.notifications += step.notifications
      all.deliveries += step.deliveries
      all.feedbackEvents += step.feedbackEvents
      all.idempotencyRecords += step.idempotencyRecords
      all.isComplete = step.isComplete
    }
    return all
  }

  func feedback(
    after: Int64? = nil, apps: [String]? = nil, client: String? = nil, limit: Int = 10
  ) async throws -> FeedbackPage {
    try await withCheckedContinuation { continuation in
      feedback(after: after, apps: apps, client: client, limit: limit) {
        continuation.resume(returning: $0)
      }
    }.get()
  }

  func webhookEvents(after: Int64? = nil, limit: Int = 10) async throws -> WebhookPage {
    try await withCheckedContinuation { continuation in
      webhookEvents(after: after, limit: limit) { continuation.resume(returning: $0) }
    }.get()
  }

  func webhookCursor() async throws -> Int64? {
    try await withCheckedContinuation { continuation in
      webhookCursor { continuation.resume(returning: $0) }
    }.get()
  }

  func setWebhookCursor(_ event: Int64) async throws {
    try await withCheckedContinuation { continuation in
      setWebhookCursor(event) { continuation.resume(returning: $0) }
    }.get()
  }

  func claim(
    _ app: String = "default", limit: Int = 100, normalMin: Int = 0, now: Timestamp = start
  ) async throws
    -> [ClaimedDelivery]
  {
    let claimed = try await withCheckedContinuation { continuation in
      claim(app: app, limit: limit, normalMin: normalMin, now: now) { continuation.resume(returning: $0) }
    }.get().deliveries
    ClaimBook.shared.note(claimed, of: self)
    return claimed
  }

  @discardableResult
  func settle(
    _ delivery: DeliveryID, at: Timestamp = start, _ outcome: Outcome
  ) async throws -> [DeliveryID] {
    try await settle([SettledDelivery(delivery, at: at, outcome)])
  }

  /// Settles the last claim of each delivery.
  @discardableResult
  func settle(_ outcomes: [SettledDelivery]) async throws -> [DeliveryID] {
    try await settle(ClaimBook.shared.settlements(outcomes, of: self))
  }

  /// Returns the deliveries whose claims were over.
  @discardableResult
  func settle(_ settlements: [Settlement]) async throws -> [DeliveryID] {
    try await withCheckedContinuation { continuation in
      settle(settlements) { continuation.resume(returning: $0) }
    }.get()
  }

  func nextDue(_ app: String = "default") async throws -> Timestamp? {
    try await withCheckedContinuation { continuation in
      nextDue(app: app) { continuation.resume(returning: $0) }
    }.get()
  }

  func notification(_ id: NotificationID) async throws -> StoredNotification? {
    try await withCheckedContinuation { continuation in
      notification(id) { continuation.resume(returning: $0) }
    }.get()
  }

  func allCounts() async throws -> [String: OutboxCounts] {
    let byApp: Result<[ExactText: OutboxCounts], OutboxError> = await withCheckedContinuation {
      continuation in
      counts { continuation.resume(returning: $0) }
    }
    return Dictionary(uniqueKeysWithValues: try byApp.get().map { ($0.key.text, $0.value) })
  }

  func firstDueAt(_ app: String = "default") async throws -> Timestamp? {
    try await allCounts()[app]?.firstDueAt
  }

  /// The states of an app that have any deliveries.
  func counts(_ app: String = "default") async throws -> [DeliveryState: Int] {
    try await allCounts()[app]?.byState.filter { $0.value != 0 } ?? [:]
  }
}

extension [ClaimedDelivery] {
  /// The same, after their requests have left.
  func left() -> Self { filter { $0.departure.leave() } }
}
