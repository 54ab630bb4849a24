import Clock
import FCMMessage
import Outbox
import Synchronization
import Telemetry
import TestSupport
import Testing

/// Random histories of Live Activities: in the durable stores as in the model, with kills, and with several
/// gateways at once.
@Suite struct ActivityHistoryTests {
  private static let histories: [(StoreKind, UInt64)] =
    (1...12).flatMap { [(.sqlite, $0), (.sqliteWithSmallLimits, $0)] }
    + (PostgresCluster.isInstalled ? (1...6).map { (.postgres, $0) } : [])

  private func someNotification(_ now: Timestamp, _ random: inout SeededGenerator) -> NewNotification {
    let delay = Int64.random(in: -2...6, using: &random)
    return activity(
      [.update, .update, .update, .end, .start].randomElement(using: &random) ?? .update,
      ["x", "y"].randomElement(using: &random) ?? "x",
      createdAt: now,
      sendAt: Int.random(in: 0..<4, using: &random) == 0 ? now.plus(seconds: delay) : nil,
      priority: Bool.random(using: &random) ? .high : .normal)
  }

  private func someResult(_ now: Timestamp, _ random: inout SeededGenerator) -> Outcome {
    let later = now.plus(seconds: Int64.random(in: 1...5, using: &random))
    return switch Int.random(in: 0..<6, using: &random) {
    case 0: .retry(at: later, error: refusal)
    case 1: .deferred(until: later)
    case 2: .release
    case 3: .failed(error: refusal)
    default: .sent(messageName: "n")
    }
  }

  @Test(arguments: histories) func claimWhatTheModelClaims(_ kind: StoreKind, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (durable, model) = (try Fixture(kind), try Fixture(.memory))
    let stores = [durable.store, model.store]
    var (claimed, known): ([DeliveryID], [NewNotification]) = ([], [])
    var now = start
    for step in 0..<160 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let given = (0..<Int.random(in: 1...4, using: &random)).map { _ in someNotification(now, &random) }
        for store in stores { try await store.enqueue(given) }
        known += given
      case 2:
        let leave = Bool.random(using: &random)
        var found: [[ClaimedDelivery]] = []
        for store in stores {
          let claims = try await store.claim(limit: 1_000, now: now)
          found.append(leave ? claims.left() : claims)
        }
        #expect(found[0].map(\.id) == found[1].map(\.id), "step \(step)")
        #expect(found[0].map(\.activity) == found[1].map(\.activity), "step \(step)")
        claimed += found[0].map(\.id)
      case 3:
        guard let id = claimed.randomElement(using: &random) else { break }
        claimed.removeAll { $0 == id }
        let settlement = SettledDelivery(id, at: now, someResult(now, &random))
        for store in stores { try await store.settle([settlement]) }
      default:
        now = now.adding(milliseconds: Int64.random(in: 0...3_000, using: &random))
        (durable.clock.now, model.clock.now) = (now, now)
      }
    }
    // Everything that is left is sent, and each delivery ends the same.
    now = now.plus(seconds: 60)
    (durable.clock.now, model.clock.now) = (now, now)
    for round in 0..<known.count {
      for store in stores {
        try await store.settle(
          claimed.map { SettledDelivery($0, at: now, .sent(messageName: "n")) })
      }
      claimed = try await stores[0].claim(limit: 1_000, now: now).map(\.id)
      #expect(try await stores[1].claim(limit: 1_000, now: now).map(\.id) == claimed, "round \(round)")
      if claimed.isEmpty { break }
    }
    for given in known { #expect(try await stores[0].state(given) == stores[1].state(given)) }
  }

  /// After a kill, what was being sent is due again, and nothing older than what was accepted since is sent.
  @Test func aKillLeavesTheOrder() async throws {
    let fixture = try Fixture(.sqlite)
    let folder = try #require(fixture.folder)
    let store = fixture.store
    let given = [activity(.update), activity(.end), activity(.update)]
    func afterKill(_ name: String) async throws -> [NotificationID] {
      let killed = try DurableOutboxStore(
        path: try folder.crashed(to: name), log: .silent, clock: { start.plus(seconds: 1) })
      var sent: [NotificationID] = []
      while let next = try await killed.claim(now: start.plus(seconds: 1)).left().first {
        sent.append(next.notification)
        try await killed.settle(next.id, .sent(messageName: "n"))
      }
      await killed.close()
      return sent
    }
    try await store.enqueue([given[0]])
    #expect(try await store.claimed() == [given[0].id])
    #expect(try await afterKill("sending.db") == [given[0].id])
    try await store.enqueue([given[1]])
    #expect(try await afterKill("ended.db") == [given[1].id])
    try await store.settle(given[0], .retry(at: start, error: refusal))
    #expect(try await afterKill("superseded.db") == [given[1].id])
    try await store.enqueue([given[2]])
    #expect(try await store.claimed() == [given[1].id])
    #expect(try await afterKill("after.db") == [given[1].id, given[2].id])
  }

  /// Several gateways send updates of a few activities, some of which FCM refuses at first, and then their
  /// ends. Of an activity one message is under way at a time, and nothing older follows a newer one.
  @Test(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
  func gatewaysKeepTheOrderTogether() async throws {
    let queue = try SharedQueue()
    let stores = try (0..<3).map { _ in try queue.open() }
    let tokens = ["a", "b", "c"]
    let watch = OrderWatch(activities: tokens.count, writers: stores.count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          for round in 0..<24 {
            let at = start.adding(milliseconds: Int64(round * 10 + index))
            for token in tokens { try await store.enqueue([activity(.update, token, createdAt: at)]) }
          }
          guard watch.writerEnds() else { return }
          for token in tokens { try await store.enqueue([activity(.end, token)]) }
        }
        group.addTask {
          while !watch.allHaveEnded {
            for claimed in try await store.claim(limit: 2).left() {
              guard let activity = claimed.activity else { continue }
              let isRefused = watch.begins(activity)
              await Task.yield()
              watch.ends(activity, isRefused: isRefused)
              try await store.settle(
                claimed.id, isRefused ? .retry(at: start, error: refusal) : .sent(messageName: "n"))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(watch.faults == [])
    for store in stores { #expect(try await store.claim().isEmpty) }
  }
}

/// FCM as several gateways see it: refuses every third message, and notes what comes out of order.
private final class OrderWatch: Sendable {
  private struct State {
    var underWay: Set<String> = []
    var last: [String: LiveActivity] = [:]
    var faults: [String] = []
    var ended: Set<String> = []
    var attempts = 0
    var writersLeft: Int
  }

  private let activities: Int
  private let state: Mutex<State>

  init(activities: Int, writers: Int) {
    self.activities = activities
    state = Mutex(State(writersLeft: writers))
  }

  var faults: [String] { state.withLock { $0.faults } }

  var allHaveEnded: Bool { state.withLock { $0.ended.count == activities } }

  /// Whether the last writer has ended.
  func writerEnds() -> Bool {
    state.withLock { state in
      state.writersLeft -= 1
      return state.writersLeft == 0
    }
  }

  /// A message is under way; whether it is refused.
  func begins(_ activity: LiveActivity) -> Bool {
    state.withLock { state in
      if !state.underWay.insert(activity.token).inserted { state.faults.append("two at once") }
      if let last = state.last[activity.token] {
        if last.at > activity.at { state.faults.append("\(last.at) before \(activity.at)") }
        if last.event == .end { state.faults.append("after the end") }
      }
      state.attempts += 1
      return state.attempts % 3 == 0
    }
  }

  func ends(_ activity: LiveActivity, isRefused: Bool) {
    state.withLock { state in
      state.underWay.remove(activity.token)
      if isRefused { return }
      state.last[activity.token] = activity
      if activity.event == .end { state.ended.insert(activity.token) }
    }
  }
}
