import Catalog
import CatalogCheck
import Clock
import Delivery
import Dispatch
import FCM
import Glibc
import HTTPServer
import JSON
import OutboxModel
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What takes long runs off the event loops, within bounds.
@Suite(.blocking, .timeLimit(.minutes(1))) struct WorkPoolTests {
  /// A job that occupies a thread until it is released.
  private final class Blockade: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let begun = DispatchSemaphore(value: 0)

    init(_ pool: WorkPool, for client: String?) {
      pool.submit(
        .long, for: client.map(ExactText.init),
        run: { [self] in
          begun.signal()
          gate.wait()
        }, refuse: { Issue.record("there was room") })
    }

    func awaitBegin() { begun.wait() }
    func release() { gate.signal() }
  }

  private func blockade(_ pool: WorkPool, for client: String? = nil) async -> Blockade {
    let blockade = Blockade(pool, for: client)
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        blockade.awaitBegin()
        continuation.resume()
      }
    }
    return blockade
  }

  /// However many long jobs there are, and whoever's they are.
  @Test func longJobsLeaveAThreadToShortOnes() async {
    let pool = WorkPool(threadCount: 1, shortThreadCount: 1)
    let blockade = await blockade(pool)
    let waits = Mutex(true)
    pool.submit(.long, run: { waits.withLock { $0 = false } }, refuse: {})
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in
        pool.submit(.short, run: { continuation.resume() }, refuse: { Issue.record("a thread is idle") })
      }
    }
    #expect(waits.withLock { $0 })
    blockade.release()
  }

  /// A client with long jobs leaves threads, and cores, to others.
  @Test func aClientHasHalfOfTheThreads() async {
    let pool = WorkPool(threadCount: 2, shortThreadCount: 0)
    let blockade = await blockade(pool, for: "many")
    let waits = Mutex(true)
    let ended = DispatchGroup()
    ended.enter()
    pool.submit(
      .long, for: ExactText("many"),
      run: {
        waits.withLock { $0 = false }
        ended.leave()
      }, refuse: { Issue.record("there was room") })
    for lane in [WorkPool.Lane.long, .short, .long] {
      await withCheckedContinuation { continuation in
        let client = ExactText(lane == .short ? "many" : "few")
        pool.submit(
          lane, for: client, run: { continuation.resume() }, refuse: { Issue.record("a thread is idle") })
      }
    }
    #expect(waits.withLock { $0 })
    blockade.release()
    await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    #expect(!waits.withLock { $0 })
  }

  /// Event loops and short jobs have priority over long ones.
  @Test func longJobsAreNice() async {
    let pool = WorkPool(threadCount: 1, shortThreadCount: 1)
    func niceness(_ lane: WorkPool.Lane) async -> Int32 {
      await withCheckedContinuation { continuation in
        pool.submit(
          lane,
          run: { continuation.resume(returning: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) },
          refuse: { Issue.record("a thread is idle") })
      }
    }
    let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    #expect(await niceness(.long) == max(own, 10))
    #expect(await niceness(.short) == own)
  }

  @Test func shortJobsGoFirst() async {
    let pool = WorkPool(threadCount: 1, shortThreadCount: 0)
    let blockade = await blockade(pool)
    let order = Mutex<[String]>([])
    let ended = DispatchGroup()
    func submit(_ lane: WorkPool.Lane, _ name: String) {
      ended.enter()
      pool.submit(
        lane,
        run: {
          order.withLock { $0.append(name) }
          ended.leave()
        }, refuse: { ended.leave() })
    }
    submit(.long, "long 1")
    submit(.long, "long 2")
    submit(.short, "short 1")
    submit(.short, "short 2")
    blockade.release()
    await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    #expect(order.withLock { $0 } == ["short 1", "short 2", "long 1", "long 2"])
  }

  /// Whoever has many jobs, or long ones, waits for those who have few.
  @Test func clientsShareTheThreadsByWhatTheyUse() {
    var queue = FairQueue<String>()
    let (many, few) = (ExactText("many"), ExactText("few"))
    for number in 0..<4 { queue.append("many \(number)", of: many, isShort: false) }
    #expect(queue.popNext() == "many 0")
    queue.charge(10, to: many)
    queue.append("few 0", of: few, isShort: false)
    queue.append("few 1", of: few, isShort: false)
    queue.append("few 2", of: few, isShort: true)
    #expect(queue.popNext() == "few 2")
    queue.charge(4, to: few)
    #expect(queue.popNext() == "few 0")
    queue.charge(8, to: few)
    #expect(queue.popNext() == "many 1")
    queue.charge(1, to: many)
    #expect(queue.popNext() == "many 2")
    queue.charge(5, to: many)
    #expect(queue.popNext() == "few 1")
    #expect(queue.count == 1)
    // A client that did nothing for a while has saved nothing up.
    queue.append("new 0", of: ExactText("new"), isShort: false)
    queue.charge(1, to: ExactText("new"))
    queue.append("new 1", of: ExactText("new"), isShort: false)
    #expect(queue.removeFirst { $0.hasPrefix("many") } == ["many 3"])
    let rest = (0..<3).map { _ in queue.popNext() }
    #expect(rest == ["new 0", "new 1", nil])
    #expect(queue.count == 0)
  }

  /// A client that had the threads for itself for hours need not make up for that.
  @Test func whatNobodyWaitedForDoesNotCount() {
    var queue = FairQueue<String>()
    let (alone, other) = (ExactText("alone"), ExactText("other"))
    for _ in 0..<100 { queue.charge(1_000, to: alone) }
    for name in [alone, other] {
      for _ in 0..<3 { queue.append(name.text, of: name, isShort: false) }
    }
    var served: [String] = []
    while let next = queue.popNext() {
      served.append(next)
      queue.charge(1, to: ExactText(next))
    }
    #expect(Set(served.prefix(2)) == ["alone", "other"])
    #expect(served.count == 6)
  }

  @Test func aClientDoesNotWaitForTheJobsOfAnother() async {
    let pool = WorkPool(threadCount: 1)
    let blockade = await blockade(pool)
    let order = Mutex<[String]>([])
    let ended = DispatchGroup()
    func submit(_ client: String) {
      ended.enter()
      pool.submit(
        .long, for: ExactText(client),
        run: {
          order.withLock { $0.append(client) }
          ended.leave()
        }, refuse: { ended.leave() })
    }
    for _ in 0..<100 { submit("many") }
    submit("few")
    blockade.release()
    await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    #expect(order.withLock { $0.firstIndex(of: "few") } ?? 100 <= 1)
  }

  @Test func refusesBeyondItsLength() async {
    let pool = WorkPool(threadCount: 1, shortThreadCount: 0, waitingMax: 1)
    let blockade = await blockade(pool)
    let refused = Mutex(0)
    for _ in 0..<3 { pool.submit(.short, run: {}, refuse: { refused.withLock { $0 += 1 } }) }
    #expect(refused.withLock { $0 } == 2)
    blockade.release()
  }

  @Test func refusesWhatWaitedTooLongWhileAllThreadsAreBlocked() async {
    let pool = WorkPool(threadCount: 1, queueTimeout: .milliseconds(1))
    let blockade = await blockade(pool)
    await withCheckedContinuation { continuation in
      pool.submit(.long, run: { Issue.record("it waited too long") }, refuse: { continuation.resume() })
    }
    blockade.release()
    // The pool works on, once its thread has come back.
    var hasRun = false
    while !hasRun {
      hasRun = await withCheckedContinuation { continuation in
        pool.submit(
          .long, run: { continuation.resume(returning: true) },
          refuse: { continuation.resume(returning: false) }
        )
      }
    }
  }

  @Test func keepsTheOrderOfItsQueue() {
    var queue = JobQueue<Int>()
    for number in 0..<100 { queue.append(number) }
    #expect((0..<60).map { _ in queue.popFirst() } == (0..<60).map(Optional.some))
    #expect(queue.removeFirst(while: { $0 < 70 }) == Array(60..<70))
    queue.append(100)
    #expect(queue.count == 31)
    var rest: [Int] = []
    while let next = queue.popFirst() { rest.append(next) }
    #expect(rest == Array(70...100))
  }

  // MARK: Behind the API

  /// A gateway's API over a queue in memory.
  private func withAPI(
    _ pool: WorkPool, _ body: (HTTPTestClient) async throws -> Void
  ) async throws {
    let store = MemoryOutboxStore()
    let catalog = try CheckedCatalog(
      try AppCatalog.load(file: "\(GatewayFixture.repository)/config/catalog.yaml"))
    let sender = NeverAnswering()
    let state = APIState(
      .init(
        authenticator: Authenticator(clients: []),
        apps: [
          .init(
            name: "default", catalog: catalog.catalog, resources: catalog.resources, report: catalog.report,
            projectID: "p", sender: sender)
        ], maxAgeMilliseconds: 86_400_000))
    let engine = DeliveryEngine(
      apps: [DeliveryApp(name: "default", sender: sender)], store: store, log: .silent)
    let handler = APIHandler(
      state: state, store: store, engine: engine, metrics: DragomanMetrics(version: "test"), pool: pool,
      log: .silent)
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: handler,
      log: .silent)
    guard case .tcp(_, let port) = try server.start() else { return }
    let result = await Result { try await body(HTTPTestClient(port: port)) }
    await server.shutDown(grace: .zero)
    await store.close()
    try result.get()
  }

  /// A body that is too large for an event loop.
  private var batch: [UInt8] {
    let notification = #"{"template":"welcome","to":{"token":"t"},"args":{"name":"Bob"}}"#
    let list = Array(repeating: notification, count: 1000).joined(separator: ",")
    return Array(#"{"notifications":[\#(list)]}"#.utf8)
  }

  @Test func aLargeBodyThatWaitsKeepsNobodyWaiting() async throws {
    let pool = WorkPool(threadCount: 1, queueTimeout: .seconds(60))
    try await withAPI(pool) { client in
      let blockade = await blockade(pool)
      let body = batch
      let large = Task.detached(executorPreference: BlockingExecutor.shared) {
        try client.post("/v1/notifications/batch", bytes: body)
      }
      // Small bodies and everything else pass while all threads of the pool are blocked.
      for _ in 0..<20 {
        #expect(try client.get("/healthz").status == 200)
        let small = try client.post(
          "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "Bob"]])
        #expect(small.status == 202)
      }
      blockade.release()
      let answer = try await large.value
      #expect(answer.status == 202)
      #expect(answer.json["accepted"] == 1000)
    }
  }

  @Test func aLargeBodyWithoutRoomIsRefused() async throws {
    let pool = WorkPool(threadCount: 1, waitingMax: 0)
    try await withAPI(pool) { client in
      let blockade = await blockade(pool)
      let answer = try client.post("/v1/notifications/batch", bytes: batch)
      #expect(answer.status == 503)
      #expect(answer.json["type"] == "/problems/overloaded")
      #expect(answer.header("Retry-After") != nil)
      blockade.release()
    }
  }
}

/// A sender whose deliveries stay on their way.
private final class NeverAnswering: MessageSender {
  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {}
}

extension Result where Failure == any Error {
  /// What `body` returns or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
