import FCMMessage
import Outbox
import Telemetry
import Testing

/// Random histories, played to the durable store and to the one in memory: they answer alike.
@Suite struct ModelTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  private static let apps = ["a", "b"]

  @Test(arguments: 1...12) func answersAsTheModelDoes(seed: UInt64) async throws {
    var random = Generator(state: seed)
    let durable = try Fixture(.sqliteWithTinyWindow, depthMax: 150)
    let model = try Fixture(.memory, depthMax: 150)
    var claimed: [DeliveryID] = []
    var known: [NotificationID] = []
    var now = start
    for _ in 0..<150 {
      let app = Self.apps.randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let given = (0..<Int.random(in: 1...6, using: &random)).map { _ in
          someNotification(app, now, &random)
        }
        let results = (try? await durable.store.enqueue(given), try? await model.store.enqueue(given))
        #expect((results.0 == nil) == (results.1 == nil))
        known += given.map(\.id)
      case 4..<6:
        let limit = Int.random(in: 1...12, using: &random)
        let ours = try await durable.store.claim(app, limit: limit, now: now)
        let theirs = try await model.store.claim(app, limit: limit, now: now)
        #expect(ours.map(\.id) == theirs.map(\.id))
        #expect(ours.map(\.attempts) == theirs.map(\.attempts))
        claimed += ours.map(\.id)
      case 6..<8:
        claimed.shuffle(using: &random)
        let count = min(claimed.count, Int.random(in: 1...10, using: &random))
        let settlements = claimed.suffix(count).map { id in
          Settlement(delivery: id, at: now, result: someResult(now, &random))
        }
        claimed.removeLast(count)
        try await durable.store.settle(settlements)
        try await model.store.settle(settlements)
      case 8:
        now = now.adding(milliseconds: Int64.random(in: 0...4_000, using: &random))
        durable.clock.now = now
        model.clock.now = now
      default:
        try await expectSameAnswers(durable.store, model.store, known.randomElement(using: &random))
      }
    }
    for id in known { try await expectSameAnswers(durable.store, model.store, id) }

    // What was claimed is waiting again after a restart.
    let folder = try #require(durable.folder)
    await durable.store.close()
    try await model.store.settle(claimed.map { Settlement(delivery: $0, at: now, result: .release) })
    let clock = durable.clock
    let reopened = try SQLiteOutboxStore(path: folder.database, log: .silent, clock: { clock.now })
    for id in known { try await expectSameAnswers(reopened, model.store, id) }
    for app in Self.apps {
      let end = now.plus(seconds: 100)
      let ours = try await reopened.claim(app, limit: 1000, now: end)
      #expect(ours.map(\.id) == (try await model.store.claim(app, limit: 1000, now: end)).map(\.id))
    }
  }

  private func expectSameAnswers(
    _ ours: any OutboxStore, _ theirs: any OutboxStore, _ id: NotificationID?
  ) async throws {
    for app in Self.apps {
      #expect(try await ours.counts(app) == (try await theirs.counts(app)))
      #expect(try await ours.nextDue(app) == (try await theirs.nextDue(app)))
    }
    guard let id else { return }
    let mine = try await ours.notification(id)
    let other = try await theirs.notification(id)
    #expect(mine?.status == other?.status)
    #expect(mine?.deliveries.map(\.state) == other?.deliveries.map(\.state))
    #expect(mine?.deliveries.map(\.attempts) == other?.deliveries.map(\.attempts))
    #expect(mine?.deliveries.map(\.nextAttemptAt) == other?.deliveries.map(\.nextAttemptAt))
    #expect(mine?.deliveries.map(\.error) == other?.deliveries.map(\.error))
    #expect(mine?.deliveries.map(\.updatedAt) == other?.deliveries.map(\.updatedAt))
  }

  private func someNotification(
    _ app: String, _ now: Timestamp, _ random: inout Generator
  ) -> NewNotification {
    let delay = Int64.random(in: -3_000...9_000, using: &random)
    return notification(
      app: app, count: Int.random(in: 1...4, using: &random),
      createdAt: now.adding(milliseconds: Int64.random(in: -200...0, using: &random)),
      sendAt: Bool.random(using: &random) ? nil : now.adding(milliseconds: delay),
      priority: Bool.random(using: &random) ? .high : .normal)
  }

  private func someResult(_ now: Timestamp, _ random: inout Generator) -> Settlement.Result {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .sent(messageName: "n")
    case 1: .failed(error: refusal)
    case 2: .expired(error: Bool.random(using: &random) ? refusal : nil)
    case 3: .release
    default:
      .retry(at: now.adding(milliseconds: Int64.random(in: -500...9_000, using: &random)), error: refusal)
    }
  }
}
