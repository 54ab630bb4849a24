import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// Applies random histories to the durable store and to the model: both give the same answers.
@Suite struct ModelTests {
  private static let apps = ["a", "b"]

  /// The store under test and the model that it is compared with.
  private struct Pair {
    let durable: any OutboxStore
    let model: any OutboxStore

    /// The durable store's answer, after the comparison with the model's.
    @discardableResult
    func same<Answer: Equatable>(
      _ ask: (any OutboxStore) async throws -> Answer, _ location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
      let ours = try await ask(durable)
      let theirs = try await ask(model)
      #expect(ours == theirs, sourceLocation: location)
      return ours
    }
  }

  /// The stores with the seeds of their histories.
  private static let histories: [(StoreKind, UInt64)] =
    (1...16).map { (.sqliteWithSmallLimits, $0) } + (1...6).map { (.sqlite, $0) }
    + (PostgresCluster.isInstalled ? (1...4).map { (.postgres, $0) } : [])

  @Test(arguments: histories) func answersAsTheModelDoes(_ kind: StoreKind, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let durable = try Fixture(kind, depthMax: 150, clientDepthMax: 70)
    let model = try Fixture(.memory, depthMax: 150, clientDepthMax: 70)
    let stores = Pair(durable: durable.store, model: model.store)
    let logged = Set(DeliveryOutcome.allCases.filter { _ in Bool.random(using: &random) })
    for store in [durable.store, model.store] { store.logOutcomes(logged) }
    var claimed: [DeliveryID] = []
    var known: [NotificationID] = []
    var now = start
    for _ in 0..<180 {
      let app = Self.apps.randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<13, using: &random) {
      case 0..<3:
        let given = (0..<Int.random(in: 1...6, using: &random)).map { _ in
          someNotification(app, now, &random)
        }
        let key = someRecord(now, &random)
        try await stores.same { store in
          guard let key else { return (try? await store.enqueue(given)).map { EnqueueOutcome.accepted } }
          return try? await store.enqueue(given, key)
        }
        known += given.map(\.id)
      case 3..<5:
        let limit = Int.random(in: 1...12, using: &random)
        let normalMin = Int.random(in: -1...13, using: &random)
        let leave = Bool.random(using: &random)
        claimed += try await stores.same { store in
          let claims = try await store.claim(app, limit: limit, normalMin: normalMin, now: now)
          return (leave ? claims.left() : claims).map(ClaimWords.init)
        }.map(\.id)
      case 5..<7:
        claimed.shuffle(using: &random)
        let count = min(claimed.count, Int.random(in: 1...10, using: &random))
        let settlements = claimed.suffix(count).map { id in
          SettledDelivery(id, at: now, someResult(now, &random))
        }
        claimed.removeLast(count)
        // Both name the same claims that were over.
        try await stores.same { try await $0.settle(settlements) }
      case 7:
        now = now.adding(milliseconds: Int64.random(in: 0...4_000, using: &random))
        durable.clock.now = now
        model.clock.now = now
      case 8:
        guard let id = known.randomElement(using: &random) else { break }
        try await stores.same { words(try await $0.cancel(id, now: now)) }
      case 9:
        guard let id = known.randomElement(using: &random) else { break }
        try await stores.same { words(try? await $0.retry(id, now: now)) }
      case 10:
        let limit = Int.random(in: 1...20, using: &random)
        try await stores.same { try await $0.expireAll(app, now: now, limit: limit) }
      case 11 where Bool.random(using: &random):
        try await stores.same { try await $0.webhookEvents(limit: 1_000) }
        let cursor = try await durable.store.webhookEvents(limit: Int.random(in: 1...5, using: &random)).next
        for store in [durable.store, model.store] { try await store.setWebhookCursor(cursor ?? 0) }
      case 11:
        let end = now.adding(milliseconds: Int64.random(in: -30_000 ... -5_000, using: &random))
        let limit = Int.random(in: 1...20, using: &random)
        try await stores.same { try await $0.pruneAll(endedBy: end, limit: limit) }
      default:
        try await expectSameAnswers(stores, known.randomElement(using: &random).map { [$0] } ?? [])
      }
    }
    try await expectSameAnswers(stores, known)
    try await expectSameLists(stores, &random)

    // Claimed deliveries wait again after a restart, except those that are to be cancelled.
    await durable.store.close()
    try await model.store.settle(claimed.map { SettledDelivery($0, at: now, .release) })
    let reopened = try durable.reopened()
    let after = Pair(durable: reopened, model: model.store)
    // It cancels those by itself before it answers later queries.
    _ = try await reopened.counts()
    try await expectSameAnswers(after, known)
    try await expectSameLists(after, &random)
    for app in Self.apps {
      let end = now.plus(seconds: 100)
      try await after.same { try await $0.claim(app, limit: 1000, now: end).map(ClaimWords.init) }
    }
  }

  /// The compared parts of a claimed delivery.
  private struct ClaimWords: Equatable {
    let id: DeliveryID
    let attempts: Int
    let expiresAt: Timestamp
    let dueSince: Timestamp
    let message: SealedMessage

    init(_ claimed: ClaimedDelivery) {
      id = claimed.id
      message = claimed.message
      attempts = claimed.attempts
      expiresAt = claimed.expiresAt
      dueSince = claimed.dueSince
    }
  }

  private func words(_ outcome: CancelOutcome) -> String {
    switch outcome {
    case .notFound: "not found"
    case .allFinal: "all final"
    case .done(let stored, let cancelled, let inFlight):
      "\(cancelled) \(inFlight) \(stored.deliveries.map(\.state.name))"
    }
  }

  private func words(_ outcome: RetryOutcome?) -> String {
    switch outcome {
    case nil: "refused"
    case .notFound: "not found"
    case .some(.none): "nothing"
    case .done(let stored, let queued): "\(queued) \(stored.deliveries.map(\.state.name))"
    }
  }

  /// The queues of the apps, and the notifications with `ids`.
  private func expectSameAnswers(_ stores: Pair, _ ids: [NotificationID]) async throws {
    for app in Self.apps {
      try await stores.same { try await $0.counts(app) }
      try await stores.same { try await $0.nextDue(app) }
      try await stores.same { try await $0.firstDueAt(app) }
    }
    for id in ids {
      try await stores.same { try await $0.notification(id)?.status }
      try await stores.same { try await $0.notification(id)?.deliveries }
    }
  }

  private func expectSameLists(_ stores: Pair, _ random: inout SeededGenerator) async throws {
    for status in [nil, "queued", "partial", "cancelled"] as [String?] {
      for owner in [nil, .anonymous, .client("orders")] as [NotificationFilter.Owner?] {
        let filter = NotificationFilter(
          status: status, apps: Bool.random(using: &random) ? ["b"] : nil, owner: owner)
        let limit = Int.random(in: 1...30, using: &random)
        try await stores.same { try await $0.listAll(filter, limit: limit) }
      }
    }
    try await stores.same { try await $0.feedback(limit: 1_000).events }
    try await stores.same { try await $0.webhookEvents(limit: 1_000).events }
    for number in 0..<3 {
      try await stores.same { try await $0.idempotent(record("\(number)")) }
    }
  }

  /// One of a few keys, for one of two requests, or none.
  private func someRecord(_ now: Timestamp, _ random: inout SeededGenerator) -> IdempotencyRecord? {
    guard Bool.random(using: &random) else { return nil }
    let print = UInt8.random(in: 1...2, using: &random)
    return record(
      "\(Int.random(in: 0..<3, using: &random))", fingerprint: Array(repeating: print, count: 32),
      answer: answer("\(now.milliseconds)"),
      expiresAt: now.adding(milliseconds: Int64.random(in: 0...9_000, using: &random)))
  }

  private func someNotification(
    _ app: String, _ now: Timestamp, _ random: inout SeededGenerator
  ) -> NewNotification {
    let delay = Int64.random(in: -3_000...9_000, using: &random)
    let text = Array(repeating: UInt8(ascii: "x"), count: Int.random(in: 0...80, using: &random))
    return notification(
      app: app, count: Int.random(in: 1...4, using: &random),
      createdAt: now.adding(milliseconds: Int64.random(in: -200...0, using: &random)),
      sendAt: Bool.random(using: &random) ? nil : now.adding(milliseconds: delay),
      priority: Bool.random(using: &random) ? .high : .normal,
      client: Bool.random(using: &random) ? "orders" : nil,
      ttlMilliseconds: Int64.random(in: 1...40_000, using: &random),
      message: SealedMessage(bytes: Array(shortMessage.bytes) + text, placeholders: shortMessage.placeholders)
    )
  }

  private func someResult(_ now: Timestamp, _ random: inout SeededGenerator) -> Outcome {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: .sent(messageName: "n")
    case 1: .failed(error: refusal, deadRegistration: Bool.random(using: &random))
    case 2:
      .expired(
        error: Bool.random(using: &random) ? refusal : nil, attempted: Bool.random(using: &random))
    case 3: .release
    case 4:
      .deferred(
        until: now.adding(milliseconds: Int64.random(in: -500...9_000, using: &random)),
        error: Bool.random(using: &random) ? refusal : nil)
    default:
      .retry(at: now.adding(milliseconds: Int64.random(in: -500...9_000, using: &random)), error: refusal)
    }
  }
}
