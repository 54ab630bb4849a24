import Foundation
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What a reload may change, and what it waits for.
@Suite(.blocking) struct ReloadTests {
  private let client = ClientGrant(
    name: "a", keyHash: sha256(Array("key".utf8)), scopes: [.read],
    rate: RequestRate(requests: 100, windowSeconds: 3600))

  @Test func aReloadDoesNotOpenTheBoundAddress() async throws {
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.server.listen = .tcp(host: "0.0.0.0", port: 0)
      $0.auth.clients = [client]
      started = $0
    }) { fixture in
      var open = try #require(started)
      open.server.listen = .tcp(host: "127.0.0.1", port: 0)
      open.auth.clients = []
      await fixture.gateway.reload(.success(open))
      #expect(try fixture.client.get("/v1/stats").status == 401)
      #expect(try fixture.client.get("/v1/stats", headers: [("Authorization", "Bearer key")]).status == 200)
      #expect(try fixture.client.get("/readyz").json["checks"]?["catalog"]?["status"] == "warning")
      open.auth.allowAnonymous = true
      await fixture.gateway.reload(.success(open))
      #expect(try fixture.client.get("/v1/stats").status == 200)
    }
  }

  @Test func countsAFailedReloadForTheAppsAtFault() async throws {
    struct Unreadable: Error {}
    try await GatewayFixture.run(adjust: { configuration in
      configuration.apps += configuration.apps
      configuration.apps[1].name = "second"
    }) { fixture in
      try expectFailures(0, 0, in: fixture)
      var faulty = fixture.configuration
      faulty.apps[1].catalog = "/nowhere.yaml"
      await fixture.gateway.reload(.success(faulty))
      try expectFailures(0, 1, in: fixture)
      faulty = fixture.configuration
      faulty.apps[1].credentials = .file("/nowhere.json")
      await fixture.gateway.reload(.success(faulty))
      try expectFailures(0, 2, in: fixture)
      // What is not served has no counter yet, whose first increase an alert would miss.
      faulty = fixture.configuration
      faulty.apps[1].name = "third"
      faulty.apps[1].catalog = "/nowhere.yaml"
      await fixture.gateway.reload(.success(faulty))
      try expectFailures(1, 3, in: fixture)
      await fixture.gateway.reload(.failure(Unreadable()))
      try expectFailures(2, 4, in: fixture)
    }
  }

  /// Checks how many failed reloads the metrics of both apps count.
  private func expectFailures(_ first: Int, _ second: Int, in fixture: GatewayFixture) throws {
    let metrics = try fixture.client.get("/metrics").text
    for (name, count) in [("default", first), ("second", second)] {
      let series = "dragoman_catalog_reloads_total{app=\"\(name)\",result=\"failure\"}"
      #expect(metrics.contains("\(series) \(count)\n"), "\(metrics)")
    }
    #expect(!metrics.contains("app=\"third\""))
  }

  @Test func aReloadDoesNotRefillAClientsRate() async throws {
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.auth.clients = [client]
      started = $0
    }) { fixture in
      func remaining() throws -> String? {
        let answer = try fixture.client.get("/v1/stats", headers: [("Authorization", "Bearer key")])
        return answer.header("RateLimit")?.split(separator: ";").first { $0.hasPrefix("r=") }.map(String.init)
      }
      #expect(try remaining() == "r=99")
      var configuration = try #require(started)
      await fixture.gateway.reload(.success(configuration))
      #expect(try remaining() == "r=98")
      configuration.auth.clients[0].rate = RequestRate(perSecond: 5)
      await fixture.gateway.reload(.success(configuration))
      #expect(try remaining() == "r=4")
    }
  }

  /// The concurrency pool has a thread for each core, on which a shutdown and the metrics run as well.
  @Test func loadsOutsideTheConcurrencyPool() async throws {
    var started: GatewayConfiguration?
    let isInTask = Mutex<Bool?>(nil)
    try await GatewayFixture.run(adjust: { started = $0 }) { fixture in
      let configuration = try #require(started)
      fixture.gateway.beginReload {
        isInTask.withLock { $0 = withUnsafeCurrentTask { $0 != nil } }
        return configuration
      }
      await withCheckedContinuation { continuation in
        fixture.gateway.afterReloads { continuation.resume() }
      }
      #expect(isInTask.withLock { $0 } == false)
    }
  }

  @Test func theShutdownDoesNotWaitForAReloadThatLoads() async throws {
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var started: GatewayConfiguration?
    let waited = Mutex(false)
    try await GatewayFixture.run(adjust: { started = $0 }) { fixture in
      let configuration = try #require(started)
      fixture.gateway.beginReload {
        began.signal()
        if release.wait(timeout: .now() + 10) == .timedOut { waited.withLock { $0 = true } }
        return configuration
      }
      #expect(
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: began.wait(timeout: .now() + 10)) }
        } == .success)
      await fixture.gateway.shutDown()
      #expect(!waited.withLock { $0 })
      release.signal()
    }
  }

  @Test func reloadsThatAreRequestedDuringOneAreCarriedOutAsOne() async throws {
    let (began, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var started: GatewayConfiguration?
    let loads = Mutex(0)
    try await GatewayFixture.run(adjust: { started = $0 }) { fixture in
      let configuration = try #require(started)
      func request() {
        fixture.gateway.beginReload {
          let number = loads.withLock { loads in
            loads += 1
            return loads
          }
          if number == 1 {
            began.signal()
            _ = release.wait(timeout: .now() + 10)
          }
          return configuration
        }
      }
      request()
      #expect(
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: began.wait(timeout: .now() + 10)) }
        } == .success)
      for _ in 0..<20 { request() }
      release.signal()
      await withCheckedContinuation { continuation in
        fixture.gateway.afterReloads { continuation.resume() }
      }
      #expect(loads.withLock { $0 } == 2)
    }
  }

  @Test func warnsOfARestartOnlyWhileOneIsNeeded() throws {
    let folder = try TemporaryFolder()
    func write(_ delivery: String) throws {
      try folder.write(
        """
        server: {listen: "127.0.0.1:0"}
        apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
        credentials: none, project_id: p, endpoint: "http://127.0.0.1:1"}}
        queue: {url: "sqlite:queue.db"}
        delivery: \(delivery)

        """, to: "gateway.yaml")
    }
    let log = CollectedText()
    try write("{max_attempts: 5}")
    let process = try DragomanProcess(["serve", "--config", "\(folder.path)/gateway.yaml"], log: log)
    defer { process.kill() }
    _ = try process.address(after: "gateway listening on ")
    func warnings(afterReload count: Int) -> Int {
      process.reload()
      #expect(log.wait(for: "configuration reloaded", count: count))
      return log.text.components(separatedBy: "take effect after a restart").count - 1
    }
    try write("{max_attempts: 6}")
    #expect(warnings(afterReload: 1) == 1)
    #expect(warnings(afterReload: 2) == 2, "The change still waits.")
    try write("{max_attempts: 5, max_age: 1h}")
    #expect(warnings(afterReload: 3) == 2)
    #expect(process.terminate() == 0)
  }

  @Test(.timeLimit(.minutes(1)))
  func aReloadDoesNotWaitForTheRequestsOfASenderThatItReplaces() async throws {
    let fcm = try StandIn { _ in .hold }
    defer { fcm.stop() }
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.apps[0].endpoint = fcm.url
      $0.delivery.requestTimeout = .seconds(600)
      $0.server.shutdownGrace = .seconds(2)
      started = $0
    }) { fixture in
      let message: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]]
      #expect(try fixture.client.post("/v1/notifications", message).status == 202)
      while fcm.requests.isEmpty { await Task.yield() }
      var configuration = try #require(started)
      configuration.apps[0].projectID = "other"
      await fixture.gateway.reload(.success(configuration))
      #expect(try fixture.client.post("/v1/notifications", message).status == 202)
      while fcm.requests.count < 2 { await Task.yield() }
      #expect(fcm.requests.last?.path == "/v1/projects/other/messages:send")
    }
  }
}
