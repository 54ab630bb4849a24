import FCM
import GoogleAuth
import HTTPClient
import HTTPServer
import Telemetry
import TestSupport
import Testing

/// The client against the gateway's own server, as in `dragoman dev`.
@Suite(.timeLimit(.minutes(1))) struct HTTPServerPeerTests {
  private struct Peer: HTTPHandler, HTTPRequestHandler {
    func handle(_ request: HTTPRequest, responder: HTTPResponder) {
      let isSend = request.head.method == "POST" && request.head.path == FCMClientTests.path
      responder.respond(
        HTTPResponse(status: isSend ? 200 : 404, body: isSend ? Array(Fixture.success.utf8) : []))
    }

    func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
  }

  @Test func sendsManyAtOnceOverFewConnections() async throws {
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: Peer(),
      log: .silent)
    guard case .tcp(_, let port) = try server.start() else { throw StandIn.Failure(call: "start") }
    let transport = HTTPTransport(log: .silent)
    let client = FCMClient(
      configuration: FCMAppConfiguration(
        projectID: "p", endpoint: "http://127.0.0.1:\(port)", credentials: .none), transport: transport,
      log: .silent)
    let outcomes = await withTaskGroup { group in
      for _ in 0..<500 {
        group.addTask {
          await withCheckedContinuation { continuation in
            client.send(Fixture.body) { continuation.resume(returning: $0) }
          }
        }
      }
      return await group.reduce(into: [SendOutcome]()) { $0.append($1) }
    }
    #expect(outcomes.count == 500)
    #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
    #expect(transport.statistics.answers == 500)
    #expect(transport.statistics.connectionsOpened <= TransportLimits().hostConnectionsMax)
    client.shutDown()
    await transport.shutDown()
    await server.shutDown(grace: .seconds(1))
  }
}
