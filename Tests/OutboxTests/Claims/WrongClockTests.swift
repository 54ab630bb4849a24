import Clock
import SQL
import Synchronization
import Telemetry
import Testing

@testable import Outbox

/// A queue whose clock was wrong while it was written.
@Suite(.timeLimit(.minutes(1)))
struct WrongClockTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()
  private let hour: Int64 = 3_600

  init() throws { folder = try TemporaryFolder() }

  private func open(log: Log = .silent) throws -> DurableOutboxStore {
    let clock = clock
    return try DurableOutboxStore(path: folder.database, log: log, clock: { clock.now })
  }

  /// The store after a restart at `seconds` after the beginning.
  private func restart(
    _ store: DurableOutboxStore, at seconds: Int64, log: Log = .silent
  ) async throws
    -> DurableOutboxStore
  {
    await store.close()
    clock.now = start.plus(seconds: seconds)
    return try open(log: log)
  }

  /// The clock was an hour ahead, and the gateway starts with the right one.
  @Test func whatWasAcceptedUnderAClockAheadIsDueAtOnce() async throws {
    clock.now = start.plus(seconds: hour)
    var store = try open()
    let given = (0..<3).map { _ in notification(createdAt: clock.now) }
    for new in given { try await store.enqueue([new]) }
    let lines = Mutex<[String]>([])
    let log = Log(sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    store = try await restart(store, at: 0, log: log)
    let claimed = try await store.claim(now: start)
    #expect(claimed.map(\.notification) == given.map(\.id))
    #expect(log.flush())
    #expect(lines.withLock { $0.count { $0.contains("while the clock was ahead") } } == 1)
  }

  /// With a new time it would get a new checksum, and look intact.
  @Test func aDamagedRecordStaysDamaged() async throws {
    clock.now = start.plus(seconds: hour)
    var store = try open()
    let given = [notification(createdAt: clock.now), notification(createdAt: clock.now)]
    try await store.enqueue(given)
    await store.close()
    let connection = try SQLiteConnection(path: folder.database)
    try connection.run(
      "UPDATE dragoman_deliveries SET target = $1 WHERE id = $2",
      [.text("uoken-1"), .uuid(given[0].deliveries[0].id.uuid)])
    clock.now = start
    store = try open()
    #expect(try await store.claim(now: start).map(\.notification) == [given[1].id])
    #expect(try await store.claim(now: start.plus(seconds: hour)).isEmpty)
    #expect(try await store.counts() == [.failed: 1, .sending: 1])
    await store.close()
  }

  @Test func aRetryKeepsTheWaitThatWasMeant() async throws {
    clock.now = start.plus(seconds: hour)
    var store = try open()
    try await store.enqueue([notification(createdAt: clock.now)])
    let id = try #require(try await store.claim(now: clock.now).first?.id)
    try await store.settle(id, at: clock.now, .retry(at: clock.now.plus(seconds: 40), error: refusal))
    store = try await restart(store, at: 0)
    #expect(try await store.nextDue() == start.plus(seconds: 40))
    #expect(try await store.claim(now: start.plus(seconds: 39)).isEmpty)
    #expect(try await store.claim(now: start.plus(seconds: 40)).map(\.attempts) == [1])
  }

  @Test func aRetriedDeadLetterHasItsWholeTTLFromNowOn() async throws {
    var store = try open()
    let given = notification(ttlMilliseconds: 60_000)
    try await store.enqueue([given])
    let id = try #require(try await store.claim().first?.id)
    try await store.settle(id, .failed(error: refusal))
    clock.now = start.plus(seconds: hour)
    _ = try await store.retry(given.id, now: clock.now)
    store = try await restart(store, at: 10)
    let claimed = try #require(try await store.claim(now: clock.now).first)
    #expect(claimed.dueSince == clock.now)
    #expect(claimed.expiresAt == clock.now.plus(seconds: 60))
  }

  /// The caller's own time is right whatever the gateway's clock said.
  @Test func aScheduledDeliveryStaysAtItsTime() async throws {
    clock.now = start.plus(seconds: hour)
    var store = try open()
    let sendAt = start.plus(seconds: 2 * hour)
    try await store.enqueue([notification(createdAt: clock.now, sendAt: sendAt)])
    store = try await restart(store, at: 0)
    #expect(try await store.claim(now: sendAt.adding(milliseconds: -1)).isEmpty)
    #expect(try await store.claim(now: sendAt).count == 1)
  }

  /// What was written under a right clock is left as it is, and so is a clock that was behind.
  @Test func nothingElseIsChanged() async throws {
    clock.now = start.plus(seconds: -hour)
    var store = try open()
    try await store.enqueue([notification(createdAt: clock.now)])
    let id = try #require(try await store.claim(now: clock.now).first?.id)
    try await store.settle(id, at: clock.now, .retry(at: clock.now.plus(seconds: 40), error: refusal))
    store = try await restart(store, at: -hour + 10)
    #expect(try await store.nextDue() == start.plus(seconds: -hour + 40))
    store = try await restart(store, at: 0)
    #expect(try await store.claim(now: start).map(\.attempts) == [1])
  }

  // MARK: - While it runs

  /// Sets the clock ahead, and waits until the store has seen it.
  private func setAhead(_ fixture: Fixture, seconds: Int64) async throws {
    let store = try #require(fixture.store as? DurableOutboxStore)
    fixture.clock.now = start.plus(seconds: seconds)
    while store.watch.withLock({ $0.latest }) != fixture.clock.now { await Task.yield() }
  }

  private func running(_ kind: StoreKind) throws -> Fixture {
    try Fixture(kind) {
      $0.inspectionIntervalMilliseconds = 5
      $0.restingIntervalMilliseconds = 5
      $0.stepDeliveriesMax = 2
    }
  }

  @Test(arguments: StoreKind.durableCases)
  func correctsAllInSeveralSteps(_ kind: StoreKind) async throws {
    let fixture = try running(kind)
    try await setAhead(fixture, seconds: hour)
    let given = (0..<5).map { _ in notification(createdAt: fixture.clock.now) }
    try await fixture.store.enqueue(given)
    fixture.clock.now = start
    var claimed: Set<NotificationID> = []
    while claimed.count < given.count {
      claimed.formUnion(try await fixture.store.claim(now: start).map(\.notification))
      await Task.yield()
    }
    #expect(claimed == Set(given.map(\.id)))
    await fixture.store.close()
  }

  @Test(arguments: StoreKind.durableCases)
  func aClockThatIsSetBackDelaysNoRetry(_ kind: StoreKind) async throws {
    let fixture = try running(kind)
    let (store, clock) = (fixture.store, fixture.clock)
    try await setAhead(fixture, seconds: hour)
    let given = notification(createdAt: clock.now)
    try await store.enqueue([given])
    let id = try #require(try await store.claim(now: clock.now).first?.id)
    try await store.settle(id, at: clock.now, .retry(at: clock.now.plus(seconds: 40), error: refusal))
    clock.now = start
    while try await store.nextDue() != start.plus(seconds: 40) { await Task.yield() }
    let stored = try await store.notification(given.id)
    #expect(stored?.deliveries.map(\.nextAttemptAt) == [start.plus(seconds: 40)])
    #expect(try await store.claim(now: start.plus(seconds: 39)).isEmpty)
    #expect(try await store.claim(now: start.plus(seconds: 40)).map(\.id) == [id])
    await store.close()
  }

  @Test(arguments: StoreKind.durableCases)
  func whatWasClaimedMeanwhileIsDelayedNoMore(_ kind: StoreKind) async throws {
    let fixture = try running(kind)
    let (store, clock) = (fixture.store, fixture.clock)
    try await setAhead(fixture, seconds: hour)
    try await store.enqueue([notification(createdAt: clock.now), notification(createdAt: clock.now)])
    let claimed = try #require(try await store.claim(limit: 1, now: clock.now).first?.id)
    clock.now = start
    // The one that waits.
    while try await store.nextDue() != start { await Task.yield() }
    try await store.settle(claimed, at: start, .release)
    while try await store.claim(now: start).allSatisfy({ $0.id != claimed }) { await Task.yield() }
    await store.close()
  }

  @Test(arguments: StoreKind.durableCases)
  func aScheduledDeliveryStaysAtItsTimeWhenTheClockIsSetBack(_ kind: StoreKind) async throws {
    let fixture = try running(kind)
    let (store, clock) = (fixture.store, fixture.clock)
    try await setAhead(fixture, seconds: hour)
    let sendAt = start.plus(seconds: 2 * hour)
    try await store.enqueue([notification(createdAt: clock.now, sendAt: sendAt)])
    try await store.enqueue([notification(createdAt: clock.now)])
    clock.now = start
    while try await store.nextDue() != start { await Task.yield() }
    #expect(try await store.claim(now: sendAt.adding(milliseconds: -1)).count == 1)
    #expect(try await store.claim(now: sendAt).count == 1)
    await store.close()
  }
}
