import API
import FCMEmulator
import Foundation
import Gateway
import HTTPServer
import JSON
import Telemetry
import TestSupport

/// A gateway with the example app and a real emulator, both on free ports, and its own folder.
final class GatewayFixture: Sendable {
  let gateway: Gateway
  let client: HTTPTestClient
  let emulator: HTTPTestClient
  let folder: String
  private let emulatorServer: HTTPServer
  /// What the gateway was started with.
  let configuration: GatewayConfiguration

  static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private init(
    gateway: Gateway, emulatorServer: HTTPServer, emulator: HTTPTestClient, folder: String,
    configuration: GatewayConfiguration
  ) {
    self.configuration = configuration
    self.gateway = gateway
    self.emulatorServer = emulatorServer
    self.emulator = emulator
    self.folder = folder
    client = Self.client(of: gateway.address)
  }

  /// Runs `body` with a gateway that `adjust` can change before it starts.
  static func run(
    catalog: String? = nil, log: Log = .silent, adjust: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: (GatewayFixture) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dragoman-test-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)),
      handler: FCMEmulator(log: .silent), log: .silent)
    let emulator = client(of: try server.start())
    var app = GatewayConfiguration.App(name: "default", catalog: "\(repository)/config/catalog.yaml")
    if let catalog {
      app.catalog = "\(folder)/catalog.yaml"
      try Data(catalog.utf8).write(to: URL(filePath: app.catalog))
    }
    app.credentials = .none
    app.projectID = "p"
    app.endpoint = "http://127.0.0.1:\(emulator.port)"
    var configuration = GatewayConfiguration()
    configuration.server.listen = .tcp(host: "127.0.0.1", port: 0)
    configuration.apps = [app]
    configuration.queue.store = .sqlite(path: "\(folder)/queue.db")
    adjust(&configuration)
    let gateway = try await Gateway(configuration: configuration, log: log)
    let fixture = GatewayFixture(
      gateway: gateway, emulatorServer: server, emulator: emulator, folder: folder,
      configuration: configuration)
    do {
      try await body(fixture)
    } catch {
      await fixture.stop()
      throw error
    }
    await fixture.stop()
  }

  /// Runs `body` with the client of another gateway on the same queue, once this one has stopped.
  func restarted(_ body: (HTTPTestClient) async throws -> Void) async throws {
    let next = try await Gateway(configuration: configuration, log: .silent)
    do {
      try await body(Self.client(of: next.address))
    } catch {
      await next.shutDown()
      throw error
    }
    await next.shutDown()
  }

  private func stop() async {
    await gateway.shutDown()
    await emulatorServer.shutDown(grace: .zero)
  }

  private static func client(of address: HTTPListenAddress) -> HTTPTestClient {
    guard case .tcp(_, let port) = address else { return HTTPTestClient(port: 0) }
    return HTTPTestClient(port: port)
  }

  /// The notification once all its deliveries are final; polls for at most 10 s.
  func settled(_ id: String) async throws -> JSON {
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      let answer = try client.get("/v1/notifications/\(id)")
      let status = answer.json["status"]?.string ?? ""
      if !["scheduled", "queued", "sending"].contains(status) || ContinuousClock.now > deadline {
        return answer.json
      }
      await Task.yield()
    }
  }

  /// The tokens to which the emulator received messages.
  func inboxTokens(limit: Int) throws -> [String] {
    (try emulator.get("/inbox?limit=\(limit)").json["messages"]?.array ?? [])
      .compactMap { $0["message"]?["token"]?.string }
  }

  /// What the emulator received, newest first.
  func inbox() throws -> [JSON] {
    (try emulator.get("/inbox?limit=10000").json["messages"]?.array ?? []).compactMap { $0["message"] }
  }
}
