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
    rate: RequestRate(count: 100, windowSeconds: 3600))

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

  /// The configuration is a FIFO: while it is being read, the process is known to be starting.
  @Test func aHangUpBeforeListeningEndsNothing() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dragoman-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/gateway.yaml"
    try #require(mkfifo(path, 0o600) == 0)
    let process = try DragomanProcess(["serve", "--config", path])
    defer { process.kill() }
    let text = """
      server: {listen: "127.0.0.1:0", shutdown_grace: 1s}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", credentials: none, \
      project_id: p, endpoint: "http://127.0.0.1:1"}}
      queue: {url: "sqlite:queue.db"}
      """
    try write(text, toFIFO: path) { process.reload() }
    _ = try process.address(after: "gateway listening on ")
    // The hang-up is made up for: the gateway reads the file again. Nobody writes it now, and the process
    // still ends.
    #expect(process.terminate() == 0)
  }

  /// Waits for a reader, calls `opened`, and writes.
  private func write(_ text: String, toFIFO path: String, opened: () -> Void) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    var descriptor: Int32 = -1
    while descriptor < 0, ContinuousClock.now < deadline {
      descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if descriptor < 0 { sched_yield() }
    }
    try #require(descriptor >= 0)
    opened()
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }
}
