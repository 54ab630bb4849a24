import FCM
import Outbox
import Testing

@testable import Delivery

/// With more work than the quota allows, nothing starves.
struct FloodTests {
  /// A core with a queue that answers at once and an FCM that takes 50 ms or, for some apps, never answers
  /// well.
  private struct World {
    var core: DeliveryCore
    var queue: SimulatedQueue
    var agenda = Agenda<DeliveryCore.Event>()
    var sentAt: [DeliveryID: Int64] = [:]
    let down: Set<Int>
    private var now: Int64 = 0

    init(apps: [String], rate: Double, down: Set<Int> = [], ramp: Duration = .seconds(60)) {
      var configuration = DeliveryConfiguration()
      configuration.ramp = ramp
      core = DeliveryCore(
        apps: apps.map { .init(name: $0, messagesPerSecond: rate) }, policy: RetryPolicy(),
        configuration: configuration, random: { 0.5 })
      queue = SimulatedQueue(appCount: apps.count)
      self.down = down
    }

    mutating func run(until end: Int64) {
      handle([])
      while true {
        let timer = core.timerTicks(now: moment(now)) ?? .max
        let next = min(agenda.nextAt ?? .max, timer)
        guard next <= end else { return }
        now = max(now, next)
        guard timer > agenda.nextAt ?? .max else {
          handle([.timer])
          continue
        }
        if let event = agenda.takeNext()?.happening { handle([event]) }
      }
    }

    private mutating func handle(_ events: [DeliveryCore.Event]) {
      for action in core.handle(events, now: moment(now)) {
        switch action {
        case .claim(let app, let limit, let normalMin):
          let claims = queue.claim(app: app, limit: limit, normalMin: normalMin, now: wall(now))
          agenda.add(at: now, .claimed(app: app, .success(claims)))
        case .nextDue(let app): agenda.add(at: now, .nextDue(app: app, .success(queue.nextDue(app: app))))
        case .send(let app, let delivery):
          if sentAt[delivery.id] == nil { sentAt[delivery.id] = now }
          let hangs = failure(.timeout, .retryOutcomeUnknown, .service)
          agenda.add(
            at: now + (down.contains(app) ? 10_000 : 50),
            .answered(app: app, delivery.id, down.contains(app) ? .failed(hangs) : sent))
        case .settle(let records, _):
          _ = queue.settle(records)
          agenda.add(at: now + 1, .settled(.success([])))
        case .takeProbeTurn(let app, let stop):
          agenda.add(at: now, .probeTurn(app: app, stop: stop, isTaken: true))
        case .publish, .hold, .returnProbeTurn: break
        case .settleNow, .validate, .refuseValidation, .report, .finished: break
        }
      }
    }
  }

  @Test(arguments: [100, 250, 1500] as [Double])
  func staysWithinTheQuotaAndUsesItUp(rate: Double) {
    var world = World(apps: ["a"], rate: rate, ramp: .zero)
    for number in 0..<Int(rate * 4) {
      world.queue.add(.init(delivery: delivery(number), app: 0, dueAt: wall(0)))
    }
    world.run(until: 3000)
    let times = world.sentAt.values.sorted()
    #expect(Double(times.count) >= rate * 2.97)
    let most = Int(rate * 1.01)
    let passed = zip(times, times.dropFirst(most)).filter { $1 - $0 < 1000 }
    #expect(passed.isEmpty)
  }

  @Test func normalPriorityGetsATenthWhileHighPriorityExceedsTheQuota() {
    var world = World(apps: ["a"], rate: 100)
    for number in 0..<3000 {
      world.queue.add(.init(delivery: delivery(number), app: 0, dueAt: wall(0)))
    }
    for number in 3000..<3050 {
      world.queue.add(.init(delivery: delivery(number, priority: .normal), app: 0, dueAt: wall(0)))
    }
    world.run(until: 10_000)
    let normal = (3000..<3050).filter { world.sentAt[deliveryID($0)] != nil }
    #expect(normal.count == 50)
    let firstFiveSeconds = normal.filter { world.sentAt[deliveryID($0)] ?? .max < 5000 }
    // A tenth, up to what one claim holds.
    #expect(firstFiveSeconds.count >= 45)
    #expect(world.sentAt.count >= 990)
    #expect(world.queue.violations == [])
  }

  @Test func appThatHangsDelaysNoOther() {
    var world = World(apps: ["hanging", "well"], rate: 100, down: [0])
    for number in 0..<2000 { world.queue.add(.init(delivery: delivery(number), app: 0, dueAt: wall(0))) }
    for number in 2000..<2500 {
      let dueAt = wall(Int64(number - 2000) * 20)
      world.queue.add(.init(delivery: delivery(number, app: "well"), app: 1, dueAt: dueAt))
    }
    world.run(until: 60_000)
    for number in 2000..<2500 {
      let late = (world.sentAt[deliveryID(number)] ?? .max) - Int64(number - 2000) * 20
      #expect(late <= 100, "delivery \(number)")
    }
    // Ten seconds until the first timeout at 100 a second, then occasional probes.
    #expect((0..<2000).count { world.sentAt[deliveryID($0)] != nil } <= 1015)
    #expect(world.queue.violations == [])
  }
}
