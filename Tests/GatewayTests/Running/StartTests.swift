import Foundation
import HTTPServer
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Gateway

/// What happens while a gateway starts, and when it cannot.
@Suite(.blocking, .timeLimit(.minutes(2))) struct StartTests {
  /// A gateway whose metadata server does not answer: while it is asked, the process is known to be starting.
  private func withStartingProcess(
    _ body: (DragomanProcess, SilentMetadata) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let metadata = SilentMetadata()
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: metadata,
      log: .silent)
    let address = try server.start()
    let text = """
      server: {listen: "127.0.0.1:0", shutdown_grace: 1s}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
      endpoint: "http://127.0.0.1:1"}}
      queue: {url: "sqlite:queue.db"}

      """
    try folder.write(text, to: "gateway.yaml")
    let process = try DragomanProcess(
      ["serve", "--config", "\(folder.path)/gateway.yaml"],
      environment: ["GCE_METADATA_HOST": "\(address)", "GCE_METADATA_TIMEOUT": "60", "HOME": folder.path])
    defer { process.kill() }
    try #require(metadata.waitForRequest())
    try await body(process, metadata)
    await server.shutDown(grace: .zero)
  }

  @Test func aHangUpBeforeListeningEndsNothing() async throws {
    try await withStartingProcess { process, metadata in
      process.reload()
      metadata.answer()
      _ = try process.address(after: "gateway listening on ")
      // The reload follows now, and the end does not wait for it.
      #expect(metadata.waitForRequest())
      #expect(process.terminate() == 0)
    }
  }

  @Test func aTerminationBeforeListeningEndsTheProcessAtOnce() async throws {
    try await withStartingProcess { process, _ in
      #expect(process.terminate() == 0)
      let output = try process.output()
      #expect(output.isEmpty)
    }
  }

  @Test func aGatewayThatCannotListenSendsNothing() async throws {
    let fcm = try StandIn { _ in .hold }
    defer { fcm.stop() }
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.apps[0].endpoint = fcm.url
      $0.server.shutdownGrace = .milliseconds(400)
      started = $0
    }) { fixture in
      let tokens = (0..<100).map { JSON.string("token-\($0)") }
      let message: JSON = ["template": "welcome", "to": ["tokens": .array(tokens)], "args": ["name": "A"]]
      #expect(try fixture.client.post("/v1/notifications", message).status == 202)
      while fcm.requests.isEmpty { await Task.yield() }
      // What FCM has not answered is due again.
      await fixture.gateway.shutDown()
      let before = fcm.requests.count
      var configuration = try #require(started)
      configuration.server.listen = .tcp(host: "127.0.0.1", port: fixture.emulator.port)
      await #expect(throws: GatewayError.self) {
        _ = try await Gateway(configuration: configuration, log: .silent)
      }
      #expect(fcm.requests.count == before)
    }
  }
}

/// A metadata server that answers when the test says so.
private final class SilentMetadata: HTTPHandler, HTTPRequestHandler {
  private let responders = Mutex<[HTTPResponder]>([])
  private let asked = DispatchSemaphore(value: 0)

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    responders.withLock { $0.append(responder) }
    asked.signal()
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }

  func waitForRequest() -> Bool { asked.wait(timeout: .now() + 20) == .success }

  func answer() {
    let waiting = responders.withLock { responders in
      defer { responders = [] }
      return responders
    }
    for responder in waiting {
      responder.respond(
        HTTPResponse(status: 200, headers: ["Metadata-Flavor": "Google"], body: Array("project-1".utf8)))
    }
  }
}
