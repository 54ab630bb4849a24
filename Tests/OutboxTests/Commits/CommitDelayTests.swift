import Dispatch
import Synchronization
import Telemetry
import Testing

@testable import Outbox

/// When a commit waits for intakes that can share it.
@Suite(.timeLimit(.minutes(1))) struct CommitDelayTests {
  private static let limits = CommitDelay.Limits(
    delayMax: .milliseconds(1), gapMin: .microseconds(100), intakesMax: 4)

  /// Intakes, commits and the time.
  private struct Course {
    var delay = CommitDelay()
    var now = ContinuousClock.now

    mutating func arrive(after gap: Duration) {
      now += gap
      delay.arrived(at: now)
    }

    mutating func commit(left: Int = 0) {
      delay.began(left: left)
      delay.ended()
    }

    /// The pace of intakes, of which `count` are in flight together.
    mutating func run(gap: Duration, together count: Int, times: Int = 100) {
      for _ in 0..<times {
        for _ in 0..<count { arrive(after: gap) }
        commit()
      }
    }

    var wanted: Int? { delay.worthwhile(now: now, CommitDelayTests.limits)?.intakes }
  }

  @Test func aCallerThatIsAloneNeverWaits() {
    var course = Course()
    for _ in 0..<200 {
      course.arrive(after: .microseconds(400))
      #expect(course.wanted == nil)
      course.commit()
    }
  }

  @Test func aCommitWaitsForAsManyAsWereInFlightTogether() {
    for count in 2...6 {
      var course = Course()
      course.run(gap: .microseconds(400), together: count)
      course.arrive(after: .microseconds(400))
      #expect(course.wanted == min(count, 4))
    }
  }

  @Test func anIntakeDuringACommitIsInFlightTogetherWithIt() {
    var course = Course()
    course.arrive(after: .zero)
    course.delay.began(left: 0)
    course.arrive(after: .microseconds(400))
    course.delay.ended()
    #expect(course.wanted == 2)
  }

  @Test func theIntakeThatWaitsLongestDecides() throws {
    var course = Course()
    course.run(gap: .microseconds(400), together: 4)
    course.arrive(after: .microseconds(400))
    let first = course.now
    course.arrive(after: .microseconds(400))
    let until = try #require(course.delay.worthwhile(now: course.now, Self.limits)?.until)
    #expect(until == first + .milliseconds(1))
    #expect(course.delay.worthwhile(now: until, Self.limits) == nil)
    // Also one that the commit left.
    course.commit(left: 1)
    #expect(course.delay.worthwhile(now: course.now, Self.limits)?.until == until)
    course.commit()
    #expect(course.wanted == nil)
  }

  @Test(arguments: [
    (50, false), (99, false), (101, true), (1_000, true), (2_990, true), (3_010, false), (50_000, false),
  ])
  func thePaceDecides(microseconds: Int, isDelayed: Bool) {
    var course = Course()
    course.run(gap: .microseconds(microseconds), together: 2)
    course.arrive(after: .microseconds(microseconds))
    #expect((course.wanted != nil) == isDelayed)
  }

  @Test func aPauseIsForgottenSoon() {
    var course = Course()
    course.run(gap: .microseconds(400), together: 2)
    course.arrive(after: .seconds(3600))
    course.commit()
    course.run(gap: .microseconds(400), together: 2, times: 20)
    course.arrive(after: .microseconds(400))
    #expect(course.wanted == 2)
  }

  @Test func callersThatWereTogetherOnceAreForgotten() {
    var course = Course()
    course.run(gap: .microseconds(400), together: 3, times: 1)
    course.run(gap: .microseconds(400), together: 1, times: 60)
    course.arrive(after: .microseconds(400))
    #expect(course.wanted == 3)
    course.commit()
    course.run(gap: .microseconds(400), together: 1, times: 128)
    course.arrive(after: .microseconds(400))
    #expect(course.wanted == nil)
  }
}

/// Commits of a store that wait for company.
@Suite(.timeLimit(.minutes(1))) struct DelayedCommitTests {
  private let folder: TemporaryFolder
  private let store: SQLiteOutboxStore

  init() throws {
    folder = try TemporaryFolder()
    var configuration = OutboxConfiguration()
    configuration.commitDelay = CommitDelay.Limits(delayMax: .seconds(3600), gapMin: .zero, intakesMax: 4)
    store = try SQLiteOutboxStore(path: folder.database, configuration: configuration, log: .silent)
  }

  /// Enqueues notifications, one a call, and returns how many are answered.
  private func enqueue(_ count: Int) -> @Sendable () -> Int {
    final class Count: Sendable { let value = Atomic<Int>(0) }
    let answered = Count()
    for _ in 0..<count {
      store.enqueue([notification()]) { _ in answered.value.add(1, ordering: .relaxed) }
    }
    return { answered.value.load(ordering: .relaxed) }
  }

  /// Two intakes that are in flight together, after which a commit of one is delayed.
  private func beginTogether() async throws {
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      store.counts { _ in
        continuation.resume()
        gate.wait()
      }
    }
    let answered = enqueue(2)
    gate.signal()
    try await eventually { answered() == 2 }
    // What comes as the store's thread looks once more whether anything is pending is committed at once.
    await withCheckedContinuation { continuation in store.writing.async { continuation.resume() } }
  }

  private func beginDelay() async throws -> @Sendable () -> Int {
    try await beginTogether()
    let answered = enqueue(1)
    try await eventually { store.pending.withLock { $0.isDelaying } }
    #expect(answered() == 0)
    return answered
  }

  @Test func oneMoreIntakeEndsTheDelay() async throws {
    let first = try await beginDelay()
    let before = store.commitCount
    let second = enqueue(1)
    try await eventually { first() == 1 && second() == 1 }
    #expect(store.commitCount == before + 1)
    await store.close()
  }

  @Test func anythingElseEndsTheDelay() async throws {
    let answered = try await beginDelay()
    #expect(try await store.counts() == [.queued: 3])
    #expect(answered() == 1)
    await store.close()
  }

  @Test func closingEndsTheDelay() async throws {
    let answered = try await beginDelay()
    await store.close()
    #expect(answered() == 1)
  }

  @Test func theDelayEndsByItself() async throws {
    let folder = try TemporaryFolder()
    var configuration = OutboxConfiguration()
    configuration.commitDelay = CommitDelay.Limits(delayMax: .milliseconds(1), gapMin: .zero, intakesMax: 4)
    let store = try SQLiteOutboxStore(path: folder.database, configuration: configuration, log: .silent)
    for _ in 0..<50 {
      async let one: Void = store.enqueue([notification()])
      async let other: Void = store.enqueue([notification()])
      _ = try await (one, other)
      try await store.enqueue([notification()])
    }
    #expect(try await store.counts() == [.queued: 150])
    await store.close()
  }
}
