import Clock
import FCMMessage
import Outbox
import SendingLimits
import Synchronization
import TestSupport
import Testing

/// What gateways on one PostgreSQL database tell each other about sending.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresLimitsTests {
  /// What a store has passed on.
  private final class Learnt: Sendable {
    private struct State {
      var limits: [String: AppLimits] = [:]
      var holds: Set<TargetHold> = []
      var calls = 0
    }

    private let state = Mutex(State())

    init(_ store: DurableOutboxStore) throws {
      try #require(store.sharedLimits).onChange(
        limits: { app, limits in
          self.state.withLock {
            $0.limits[app] = limits
            $0.calls += 1
          }
        }, holds: { holds in self.state.withLock { $0.holds.formUnion(holds) } })
    }

    func limits(_ app: String = "app") -> AppLimits { state.withLock { $0.limits[app] ?? AppLimits() } }
    var holds: Set<TargetHold> { state.withLock { $0.holds } }
    var calls: Int { state.withLock { $0.calls } }
  }

  private let queue: SharedQueue

  init() throws { queue = try SharedQueue() }

  private func open(
    _ queue: SharedQueue? = nil
  ) async throws -> (store: DurableOutboxStore, shared: any SharedLimits, learnt: Learnt) {
    let store = try (queue ?? self.queue).open(watches: true)
    // An app has limits once something was accepted for it.
    try await store.enqueue([notification(app: "app")])
    return (store, try #require(store.sharedLimits), try Learnt(store))
  }

  private func stop(at milliseconds: Int64, reason: AppLimits.Stop.Reason? = .outage) -> AppLimits {
    var limits = AppLimits()
    limits.stop = .init(
      decidedAt: start.adding(milliseconds: milliseconds), reason: reason, since: start,
      probeAt: start.plus(seconds: 5),
      failure: .init(code: "UNAVAILABLE", httpStatus: 503, message: "down"))
    return limits
  }

  private func takesTurn(_ shared: any SharedLimits, _ limits: AppLimits) async throws -> Bool {
    let decidedAt = try #require(limits.stop?.decidedAt)
    return await withCheckedContinuation { continuation in
      shared.takeProbeTurn(app: "app", stop: decidedAt) { continuation.resume(returning: $0) }
    }
  }

  @Test func reachTheOthersAsTheyAre() async throws {
    let (one, other) = (try await open(), try await open())
    var limits = stop(at: 3)
    limits.climb = .init(beganAt: start, millirate: 1_500)
    limits.usedAt = start.plus(seconds: 1)
    limits.quota = .init(attemptBeganAt: start, heldUntil: start.plus(seconds: 9))
    one.shared.publish(limits, app: "app")
    try await eventually { other.learnt.limits() == limits }
    // Each change is passed on once, however often it is read.
    let calls = other.learnt.calls
    let later = stop(at: 4, reason: nil)
    other.shared.publish(later, app: "app")
    try await eventually { one.learnt.limits().stop == later.stop }
    #expect(one.learnt.limits().quota == limits.quota)
    #expect(other.learnt.calls == calls + 1)
  }

  @Test func keepTheLaterOfTwoThatAreWrittenAtOnce() async throws {
    let (one, other) = (try await open(), try await open())
    one.shared.publish(stop(at: 9), app: "app")
    other.shared.publish(stop(at: 5, reason: nil), app: "app")
    try await eventually {
      one.learnt.limits().stop == stop(at: 9).stop && other.learnt.limits().stop == stop(at: 9).stop
    }
  }

  @Test func reachAGatewayThatStartsLater() async throws {
    let one = try await open()
    one.shared.publish(stop(at: 3), app: "app")
    one.shared.publish(TargetHold(app: "app", target: .topic("news"), until: start.plus(seconds: 60)))
    try await eventually { one.learnt.limits() == stop(at: 3) }
    try await eventually { try queue.query("SELECT count(*) FROM dragoman_target_holds") == "1" }
    // It has read them before it can claim anything.
    let late = try queue.open()
    let learnt = try Learnt(late)
    late.sharedLimits?.repeatAll()
    #expect(learnt.limits() == stop(at: 3))
    #expect(learnt.holds.count == 1)
  }

  @Test func holdTargetsEverywhere() async throws {
    let (one, other) = (try await open(), try await open())
    let holds = (0..<300).map {
      TargetHold(app: "app", target: .token("t-\($0)"), until: start.plus(seconds: 60))
    }
    for hold in holds { one.shared.publish(hold) }
    // Too long for the table's index: each gateway learns of it by itself.
    let long = String(repeating: "x", count: 2_000)
    one.shared.publish(TargetHold(app: "app", target: .token(long), until: start.plus(seconds: 60)))
    try await eventually { other.learnt.holds == Set(holds) }
    let longer = TargetHold(app: "app", target: .token("t-0"), until: start.plus(seconds: 90))
    one.shared.publish(TargetHold(app: "app", target: .token("t-0"), until: start.plus(seconds: 30)))
    one.shared.publish(longer)
    try await eventually { other.learnt.holds.contains(longer) }
    #expect(try queue.query("SELECT count(*) FROM dragoman_target_holds") == "300")
  }

  @Test func giveTheTurnToProbeToOne() async throws {
    let stores = [try await open(), try await open(), try await open()]
    let stop = stop(at: 3)
    stores[0].shared.publish(stop, app: "app")
    try await eventually { stores[2].learnt.limits() == stop }
    var taken: [Bool] = []
    for store in stores { taken.append(try await takesTurn(store.shared, stop)) }
    #expect(taken == [true, false, false])
    // Who has it may ask again; who gives it up leaves it to another.
    #expect(try await takesTurn(stores[0].shared, stop))
    stores[0].shared.returnProbeTurn(app: "app", stop: start.adding(milliseconds: 3))
    try await eventually { try queue.query("SELECT prober IS NULL FROM dragoman_limits") == "t" }
    #expect(try await takesTurn(stores[1].shared, stop))
    #expect(try await !takesTurn(stores[0].shared, stop))
    // The next stop begins without one, and the old one has none any more.
    let next = self.stop(at: 8)
    stores[1].shared.publish(next, app: "app")
    try await eventually { stores[2].learnt.limits() == next }
    #expect(try await takesTurn(stores[2].shared, next))
    #expect(try await !takesTurn(stores[1].shared, stop))
  }

  @Test func takeTheTurnOfAGatewayThatIsGone() async throws {
    let (one, other) = (try await open(), try await open())
    let stop = stop(at: 3)
    one.shared.publish(stop, app: "app")
    try await eventually { other.learnt.limits() == stop }
    #expect(try await takesTurn(one.shared, stop))
    await one.store.close()
    #expect(try await takesTurn(other.shared, stop))
  }

  /// While the database is away, a gateway goes on with what it knows, and tells the others afterwards.
  @Test func reachTheOthersAfterAnOutage() async throws {
    let cluster = try PostgresCluster()
    let queue = try SharedQueue(cluster)
    let (one, other) = (try await open(queue), try await open(queue))
    try cluster.crash()
    try await eventually { one.store.health.degradation != nil && other.store.health.degradation != nil }
    one.shared.publish(stop(at: 3), app: "app")
    #expect(try await !takesTurn(one.shared, stop(at: 3)))
    try cluster.begin()
    try await eventually { other.learnt.limits() == stop(at: 3) }
    await one.store.close()
    await other.store.close()
  }
}
