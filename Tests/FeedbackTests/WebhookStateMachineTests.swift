import Outbox
import Testing

@testable import Feedback

/// A state machine with its clock and a log that answers at once.
struct MachineRun {
  typealias Machine = WebhookStateMachine

  var machine: Machine
  var now: Int64 = 1_000_000
  var log: [WebhookEvent]
  var savesCursor = true
  var saved: [Int64] = []
  /// Requests under way.
  var sending: [Int64] = []
  /// Each request with the time when it began.
  var sent: [(id: Int64, at: Int64)] = []
  var reports: [Machine.Report] = []
  var reads: [Int64?] = []
  var isAbandoned = false
  var isFinished = false

  init(
    _ count: Int64, policy: WebhookPolicy = WebhookPolicy(), random: @escaping @Sendable () -> Double = { 0 }
  ) {
    machine = Machine(policy: policy, random: random)
    log = (0..<count).map { .dead(event($0 + 1)) }
  }

  static func started(
    _ count: Int64, policy: WebhookPolicy = WebhookPolicy(), random: @escaping @Sendable () -> Double = { 0 }
  ) -> MachineRun {
    var run = MachineRun(count, policy: policy, random: random)
    run.handle(.start)
    run.handle(.cursorRead(.success(nil)))
    return run
  }

  mutating func handle(_ event: Machine.Event) {
    for action in machine.handle(event, now: now) {
      switch action {
      case .readCursor: break
      case .read(let after, let limit):
        reads.append(after)
        let later = log.filter { $0.id > after ?? .min }
        let page = Array(later.prefix(limit))
        handle(
          .pageRead(
            .success(
              WebhookPage(events: page, next: page.last?.id ?? after, hasMore: later.count > page.count))))
      case .saveCursor(let cursor):
        guard savesCursor else { continue }
        saved.append(cursor)
        handle(.cursorSaved(.success(())))
      case .send(let event):
        sending.append(event.id)
        sent.append((event.id, now))
      case .abandon: isAbandoned = true
      case .report(let report): reports.append(report)
      case .finished: isFinished = true
      }
    }
  }

  mutating func answer(_ id: Int64, _ answer: WebhookAnswer) {
    sending.removeAll { $0 == id }
    handle(.answered(id, answer))
  }

  mutating func fail(_ id: Int64, retryAfter: Int64? = nil) {
    answer(id, .failed(reason: "HTTP 500", retryAfter: retryAfter))
  }

  /// Advances to the next timer; false if there is none.
  @discardableResult mutating func wait() -> Bool {
    guard let next = machine.timerAt(now: now) else { return false }
    #expect(next > now)
    now = max(now, next)
    handle(.timer)
    return true
  }

  /// Answers and waits until nothing is left to do, or until the given time.
  mutating func run(until end: Int64 = .max, _ answer: (Int64) -> WebhookAnswer) {
    while true {
      while let id = sending.first { self.answer(id, answer(id)) }
      guard let next = machine.timerAt(now: now), next <= end else { return }
      wait()
    }
  }

  func times(of id: Int64) -> [Int64] {
    let first = sent.first { $0.id == id }?.at ?? 0
    return sent.filter { $0.id == id }.map { $0.at - first }
  }
}

struct WebhookStateMachineTests {
  @Test func sendsAllEventsAndKeepsTheCursor() {
    var run = MachineRun.started(250)
    run.run { _ in .delivered }
    #expect(run.sent.map(\.id) == Array(1...250))
    #expect(run.saved.last == 250)
    #expect(run.saved == run.saved.sorted())
    #expect(run.machine.outstanding == 0)
  }

  @Test func startsAfterTheStoredCursor() {
    var run = MachineRun(10)
    run.handle(.start)
    run.handle(.cursorRead(.success(7)))
    run.run { _ in .delivered }
    #expect(run.sent.map(\.id) == [8, 9, 10])
  }

  @Test func sendsAFewAtATime() {
    var run = MachineRun.started(20)
    #expect(run.sending == [1, 2, 3, 4])
    run.answer(3, .delivered)
    #expect(run.sending == [1, 2, 4, 5])
    #expect(run.saved.isEmpty)
    run.answer(2, .delivered)
    #expect(run.saved.isEmpty)
    run.answer(1, .delivered)
    #expect(run.saved == [3])
  }

  @Test func readsTheLogAgainOnlyWhenWoken() {
    var run = MachineRun.started(1)
    run.run { _ in .delivered }
    let reads = run.reads.count
    run.log.append(.dead(event(2)))
    #expect(run.machine.timerAt(now: run.now) == nil)
    run.handle(.wake)
    #expect(run.sending == [2])
    #expect(run.reads.count == reads + 1)
  }

  @Test func retriesAFailedEventForADayAndThenGivesUp() {
    var run = MachineRun.started(1)
    run.run { _ in .failed(reason: "HTTP 500", retryAfter: nil) }
    #expect(
      run.times(of: 1).map { $0 / 1000 } == [
        0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
      ])
    #expect(run.reports.last == .givenUp(1, reason: "HTTP 500"))
    #expect(run.saved == [1])
    #expect(run.machine.outstanding == 0)
  }

  @Test func addsUpToATenthOfTheWaitAsJitter() {
    var run = MachineRun.started(1, random: { 0.999_999 })
    run.run { _ in .failed(reason: "HTTP 500", retryAfter: nil) }
    let times = run.times(of: 1)
    #expect(times.count == 10)
    for (time, planned) in zip(times, WebhookPolicy().schedule) {
      #expect((planned...(planned * 11 / 10)).contains(time))
    }
    #expect(times[9] > 95_000_000)
  }

  @Test func eventThatAlwaysFailsDelaysNoOther() {
    var run = MachineRun.started(500)
    run.run { $0 == 3 ? .failed(reason: "HTTP 500", retryAfter: nil) : .delivered }
    let firstHour = run.sent.filter { $0.at < run.sent[0].at + 5000 }
    #expect(Set(firstHour.map(\.id)).count == 500)
    #expect(run.times(of: 3).count == 10)
    #expect(run.saved.contains(2))
    #expect(run.saved.last == 500)
    #expect(!run.saved.contains { (3..<500).contains($0) })
  }

  @Test func anOutageUsesUpFewEventsAndEndsSoonAfterTheReceiverIsBack() throws {
    var run = MachineRun.started(1000, random: { 0.5 })
    let start = run.now
    let back = start + 12_000_000
    var isBack = false
    while run.machine.outstanding > 0 || !run.sending.isEmpty {
      while let id = run.sending.first {
        if run.now >= back {
          isBack = true
          run.answer(id, .delivered)
        } else {
          run.fail(id)
        }
      }
      if !run.wait() { break }
    }
    #expect(isBack)
    let tried = Set(run.sent.filter { $0.at < back }.map(\.id))
    #expect(tried.count < 60)
    #expect(Set(run.sent.map(\.id)).count == 1000)
    #expect(run.saved.last == 1000)
    #expect(run.reports.contains(.receiverRecovered))
    let last = try #require(run.sent.last?.at)
    #expect(last - back < 400_000)
  }

  @Test func shortOutageEndsSoonAfterTheReceiverIsBack() {
    var run = MachineRun.started(8)
    let back = run.now + 40_000
    while let id = run.sending.first {
      if run.now < back { run.fail(id) } else { run.answer(id, .delivered) }
      while run.sending.isEmpty, run.wait() {}
    }
    #expect(run.saved.last == 8)
    #expect(run.now < back + 40_000)
    #expect(run.sent.count < 30)
  }

  @Test func failingEventsDelayNewOnesForMinutesAtMost() {
    var run = MachineRun.started(20, random: { 0.5 })
    let start = run.now
    run.run(until: start + 40_000_000) {
      $0 <= 20 ? .failed(reason: "HTTP 500", retryAfter: nil) : .delivered
    }
    for id in 21...300 { run.log.append(.dead(event(Int64(id)))) }
    run.handle(.wake)
    let woken = run.now
    run.run(until: woken + 300_000) { $0 <= 20 ? .failed(reason: "HTTP 500", retryAfter: nil) : .delivered }
    #expect(Set(run.sent.map(\.id)).count == 300)
  }

  @Test func extraAttemptUsesUpNoneOfTheSchedule() {
    var policy = WebhookPolicy()
    policy.failuresMax = 2
    policy.inFlightMax = 1
    var run = MachineRun.started(2, policy: policy)
    run.fail(1)
    run.fail(2)
    run.wait()
    #expect(run.sending == [1])
    run.fail(1)
    #expect(run.sending == [2])
    run.answer(2, .delivered)
    #expect(run.sending == [1])
    run.run { _ in .failed(reason: "HTTP 500", retryAfter: nil) }
    #expect(
      run.times(of: 1).map { $0 / 1000 } == [
        0, 5, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
      ])
  }

  @Test func sendsNothingBeforeRetryAfter() {
    var run = MachineRun.started(50)
    run.fail(1, retryAfter: 3_600_000)
    for id in run.sending { run.answer(id, .delivered) }
    let count = run.sent.count
    run.log.append(.dead(event(51)))
    run.handle(.wake)
    #expect(run.sent.count == count)
    #expect(run.machine.timerAt(now: run.now) == run.now + 3_600_000)
    run.wait()
    #expect(run.sent.count == count + 4)
    run.run { _ in .delivered }
    #expect(run.saved.last == 51)
  }

  @Test func capsAHugeRetryAfterAtADay() {
    var run = MachineRun.started(1)
    run.fail(1, retryAfter: .max)
    run.run { _ in .failed(reason: "HTTP 500", retryAfter: nil) }
    let times = run.times(of: 1)
    #expect(times.count == 10)
    #expect(times[1] == 86_400_000)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 2500 })
  }

  @Test func stopsPermanentlyAtA410() {
    var run = MachineRun.started(50)
    run.answer(2, .gone)
    #expect(run.machine.isDisabled)
    #expect(run.reports == [.disabled(2)])
    run.answer(1, .delivered)
    run.answer(3, .gone)
    run.fail(4)
    run.handle(.wake)
    #expect(run.machine.timerAt(now: run.now) == nil)
    #expect(run.sent.count == 4)
    #expect(run.saved == [1])
    run.handle(.stop(grace: 0))
    #expect(run.isFinished)
  }

  @Test func givesUpAtOnceOnEventsThatCannotBeSent() {
    var run = MachineRun.started(2)
    run.answer(1, .unsendable(reason: "too large"))
    #expect(run.reports == [.givenUp(1, reason: "too large")])
    #expect(run.saved == [1])
  }

  @Test func stopWaitsForRequestsUnderWay() {
    var run = MachineRun.started(6)
    run.handle(.stop(grace: 1000))
    #expect(!run.isFinished)
    for id in 1...3 { run.answer(Int64(id), .delivered) }
    #expect(!run.isFinished)
    run.answer(4, .delivered)
    #expect(run.isFinished)
    #expect(!run.isAbandoned)
    #expect(run.saved.last == 4)
    #expect(run.sent.count == 4)
  }

  @Test func stopAbandonsRequestsThatTakeTooLong() {
    var run = MachineRun.started(6)
    run.answer(1, .delivered)
    run.handle(.stop(grace: 1000))
    run.wait()
    #expect(run.isAbandoned)
    #expect(run.isFinished)
    #expect(run.saved == [1])
  }

  @Test func stopBeforeTheStartCompletesAtOnce() {
    var run = MachineRun(1)
    run.handle(.stop(grace: 1000))
    #expect(run.isFinished)
  }

  @Test func requestThatTheGatewayEndedIsNoAttempt() {
    var run = MachineRun.started(1)
    run.answer(1, .abandoned)
    #expect(run.reports.isEmpty)
    #expect(run.sending == [1])
  }

  @Test func waitsForADegradedQueue() {
    let error = OutboxError(code: .unavailable, description: "disk full")
    var run = MachineRun(3)
    run.handle(.start)
    run.handle(.cursorRead(.failure(error)))
    #expect(run.reports == [.storeFailed("disk full")])
    #expect(run.machine.timerAt(now: run.now) == run.now + 5000)
    run.wait()
    run.handle(.cursorRead(.success(nil)))
    #expect(run.sending == [1, 2, 3])
    run.savesCursor = false
    for id in run.sending { run.answer(id, .delivered) }
    run.handle(.cursorSaved(.failure(error)))
    run.savesCursor = true
    run.wait()
    #expect(run.saved == [3])
  }
}
