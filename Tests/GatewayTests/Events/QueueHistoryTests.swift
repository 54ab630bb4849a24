import Clock
import Foundation
import JSON
import Outbox
import OutboxModel
import SQL
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What the gateway keeps of the last 15 minutes.
@Suite(.blocking) struct QueueHistoryTests {
  private let metrics = DragomanMetrics(version: "test")
  private let store = MemoryOutboxStore()
  private let history: QueueHistory
  private let clock = TestClock()

  init() { history = QueueHistory(store: store, metrics: metrics, clock: clock.now) }

  /// The machine's time, by hand. It begins with an hour.
  private final class TestClock: Sendable {
    private let seconds = Atomic<Int64>(0)

    func set(seconds: Int) { self.seconds.store(Int64(seconds), ordering: .relaxed) }

    var now: @Sendable () -> Timestamp {
      { Timestamp(milliseconds: (500_000 * 3600 + self.seconds.load(ordering: .relaxed)) * 1000) }
    }
  }

  private func samples(of app: String = "shop", every seconds: Int = 10) -> [JSON] {
    history.json(of: app, every: seconds)["samples"]?.array ?? []
  }

  /// Takes a sample, and waits for the store's answer.
  private func take(afterSeconds seconds: Int = 0) async {
    clock.set(seconds: seconds)
    history.take(.now + .seconds(seconds))
    await withCheckedContinuation { continuation in store.counts { _ in continuation.resume() } }
  }

  @Test func hasWhatHappenedBetweenTwoSamples() async {
    metrics.notificationsAccepted.with("shop", "sale").add(3)
    metrics.notificationsAccepted.with("shop", "parcel").add()
    metrics.notificationsAccepted.with("games", "match").add(9)
    await take()
    metrics.deliveries.with("shop", "sent").add(2)
    metrics.deliveries.with("shop", "failed").add()
    metrics.deliveries.with("shop", "cancelled").add(5)
    metrics.deliveryErrors.with("shop", "UNAVAILABLE").add(7)
    metrics.fcmRequestDuration.with("shop").observe(.milliseconds(7))
    await take()
    let samples = samples()
    #expect(samples.compactMap { $0["accepted"]?.int64 } == [4, 0])
    #expect(samples.compactMap { $0["sent"]?.int64 } == [0, 2])
    #expect(samples.compactMap { $0["failed"]?.int64 } == [0, 1])
    #expect(samples.map { $0["errors"] } == [[:], ["UNAVAILABLE": 7]])
    // Of one value between 5 and 10 ms, all that a histogram knows.
    #expect(samples.map { $0["fcm_request_seconds"]?["p50"]?.double } == [nil, 0.0075])
    #expect(samples.map { $0["fcm_request_seconds"]?["p95"]?.double } == [nil, 0.00975])
    #expect(samples.first?["fcm_request_seconds"] == ["p50": nil, "p95": nil])
    #expect(samples.allSatisfy { ($0["seconds"]?.double ?? -1) >= 0 })
    #expect(self.samples(of: "games").compactMap { $0["accepted"]?.int64 } == [9, 0])
  }

  @Test func keepsTheLastFifteenMinutes() async {
    let samplesMax = 90
    for number in 0..<samplesMax + 2 {
      metrics.notificationsAccepted.with("shop", "sale").add(number)
      await take()
    }
    let accepted = samples().compactMap { $0["accepted"]?.int64 }
    #expect(accepted == (2..<Int64(samplesMax + 2)).map { $0 })
  }

  @Test func keepsDaysCoarselyAndOverARestart() async throws {
    let folder = try TemporaryFolder()
    let file = HistoryFile(path: "\(folder.path)/queue.db-history", log: .silent)
    history.use(file)
    for number in 1...577 {
      metrics.notificationsAccepted.with("shop", "sale").add(number)
      metrics.deliveryErrors.with("shop", "UNAVAILABLE").add()
      await take(afterSeconds: number * 300)
      // Too early for a further coarse sample.
      await take(afterSeconds: number * 300 + 10)
    }
    let coarse = samples(every: 300)
    #expect(coarse.compactMap { $0["accepted"]?.int64 } == (2...577).map { $0 })
    #expect(coarse.allSatisfy { $0["errors"] == ["UNAVAILABLE": 1] })
    let hours = samples(every: 3600)
    #expect(hours.count == 48)
    #expect(hours.first?["accepted"]?.int64 == (1...12).reduce(0, +))
    history.finishWriting()
    let restarted = QueueHistory(store: store, metrics: DragomanMetrics(version: "test"))
    restarted.use(file)
    // A thousand samples would fill the report.
    #expect((restarted.json(of: "shop", every: 300)["samples"] == .array(coarse)) == true)
    #expect((restarted.json(of: "shop", every: 3600)["samples"] == .array(hours)) == true)
    #expect(restarted.json(of: "shop")["samples"] == [])
  }

  @Test(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
  func hasWhatAllGatewaysDidOverTheirRestarts() async throws {
    let cluster = try PostgresCluster.shared
    let place = try cluster.newSchema()
    let url = try PostgresURL(place.url)
    let time = clock.now
    func gateway() throws -> (history: QueueHistory, metrics: DragomanMetrics, store: DurableOutboxStore) {
      var configuration = OutboxConfiguration()
      configuration.watchIntervalMilliseconds = 10
      let store = try DurableOutboxStore(url: url, configuration: configuration, log: .silent)
      let metrics = DragomanMetrics(version: "test")
      return (QueueHistory(store: store, metrics: metrics, clock: time), metrics, store)
    }
    func samples(_ history: QueueHistory, every seconds: Int = 300) -> [JSON] {
      history.json(of: "shop", every: seconds)["samples"]?.array ?? []
    }
    func accepted(_ history: QueueHistory, every seconds: Int = 300) -> [Int64] {
      samples(history, every: seconds).compactMap { $0["accepted"]?.int64 }
    }
    /// Until the database has so many samples.
    func keeps(_ count: Int) async throws {
      try await eventually {
        try cluster.query("SELECT count(*) FROM dragoman_history", schema: place.name) == "\(count)"
      }
    }
    let (one, other) = (try gateway(), try gateway())
    // The third time, an hour has ended as well.
    for (seconds, counts, rows) in [(305, (1, 20), 2), (605, (3, 4), 4), (3605, (5, 60), 8)] {
      clock.set(seconds: seconds)
      one.metrics.notificationsAccepted.with("shop", "sale").add(counts.0)
      one.metrics.deliveryErrors.with("shop", "UNAVAILABLE").add(counts.0)
      other.metrics.notificationsAccepted.with("shop", "sale").add(counts.1)
      other.metrics.deliveryErrors.with("shop", "INTERNAL").add()
      for gateway in [one, other] { gateway.history.take() }
      try await keeps(rows)
      // Ten seconds later, each has what the other one did.
      clock.set(seconds: seconds + 10)
      for gateway in [one, other] {
        gateway.history.take()
        try await eventually { accepted(gateway.history).last == Int64(counts.0 + counts.1) }
      }
    }
    #expect(accepted(one.history) == [21, 7, 65] && accepted(other.history) == [21, 7, 65])
    #expect(samples(one.history).first?["errors"] == ["INTERNAL": 1, "UNAVAILABLE": 1])
    try await eventually { accepted(one.history, every: 3_600) == [93] }
    let restarted = try gateway()
    restarted.history.readShared()
    try await eventually { samples(restarted.history, every: 3_600) == samples(one.history, every: 3_600) }
    try await eventually { samples(restarted.history) == samples(one.history) }
    #expect(samples(restarted.history, every: 10) == [])
    // What is older than the ring is removed.
    clock.set(seconds: 3 * 86_400)
    restarted.history.take()
    try await keeps(4)
    try await eventually { accepted(restarted.history) == [21, 7, 65, 0] }
    let late = try gateway()
    late.history.readShared()
    try await eventually { accepted(late.history) == [0] }
    try await eventually { accepted(late.history, every: 3_600) == [93, 0] }
    for gateway in [one, other, restarted, late] { await gateway.store.close() }
  }

  private func eventually(
    _ isSo: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while try !isSo() {
      try #require(ContinuousClock.now < end, "it never came to be", sourceLocation: sourceLocation)
      await Task.yield()
    }
  }

  @Test func beginsAnewWithAFileThatCannotBeRead() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/queue.db-history"
    for text in ["{", "[]", "{\"rings\":[{\"interval_seconds\":300,\"samples\":[{\"at\":5},7]}]}"] {
      try Data(text.utf8).write(to: URL(filePath: path))
      history.use(HistoryFile(path: path, log: .silent))
      #expect(samples(every: 300) == [])
    }
    history.use(HistoryFile(path: "\(folder.path)/none/history", log: .silent))
    await take(afterSeconds: 300)
    history.finishWriting()
    #expect(samples(every: 300).count == 1)
  }

  @Test func hasZerosForAnAppWithoutTraffic() async {
    await take()
    let sample = samples(of: "idle").first
    #expect(sample?["deliveries"] == ["scheduled": 0, "queued": 0, "sending": 0])
    #expect(sample?["accepted"] == 0)
    #expect(sample?["oldest_queued_seconds"] == 0)
  }

  @Test func leavesAGapWhereTheQueueCannotBeRead() async {
    await take()
    await store.close()
    await take()
    #expect(samples().count == 1)
  }

  /// The numbers are those of Prometheus's `histogram_quantile`.
  @Test func interpolatesWithinABucket() {
    let histogram = Histogram([0.1, 0.2, 0.4])
    for value in [0.05, 0.15, 0.15, 0.3] { histogram.observe(value) }
    guard case .histogram(let first) = histogram.reading else { return }
    func isNear(_ value: Double?, _ expected: Double) -> Bool { abs((value ?? -1) - expected) < 1e-9 }
    #expect(isNear(first.quantile(0.5, since: nil), 0.15))
    #expect(isNear(first.quantile(1, since: nil), 0.4))
    #expect(first.quantile(0.5, since: first) == nil)
    histogram.observe(7)
    guard case .histogram(let second) = histogram.reading else { return }
    #expect(isNear(second.quantile(0.5, since: first), 0.4))
  }

  @Test func belongsToTheAppsThatAClientMayUse() async throws {
    let reader = ClientGrant(
      name: "reader", keyHash: sha256(Array("key".utf8)), scopes: [.read], apps: ["other"], templates: nil,
      rate: nil)
    try await GatewayFixture.run(adjust: { $0.auth.clients = [reader] }) { fixture in
      let headers = [("Authorization", "Bearer key")]
      let refused = try fixture.client.get("/v1/stats/history?app=default", headers: headers)
      #expect(refused.status == 422)
      #expect(refused.json["type"] == "/problems/unknown-app")
      #expect(try fixture.client.get("/v1/stats/history?app=none", headers: headers).status == 422)
      #expect(try fixture.client.get("/v1/stats/history").status == 401)
    }
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.get("/v1/stats/history")
      #expect(answer.status == 200)
      #expect(answer.json["app"] == "default")
      #expect(answer.json["samples"]?.array?.isEmpty == true)
      #expect(try fixture.client.get("/v1/stats/history?since=1").status == 422)
      let days = try fixture.client.get("/v1/stats/history?interval=3600")
      #expect(days.json["interval_seconds"] == 3600)
      let refused = try fixture.client.get("/v1/stats/history?interval=60")
      #expect(refused.json["errors"]?[0]?["pointer"] == "/interval")
    }
  }
}
