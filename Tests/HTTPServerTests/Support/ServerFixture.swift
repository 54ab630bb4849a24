import Synchronization
import Telemetry
import Testing

@testable import HTTPServer

/// A handler made of closures; errors are answered with their status and `error: CODE`.
struct TestHandler: HTTPHandler, HTTPRequestHandler {
  enum Admission { case accept(bodyBytesMax: Int?), refuse(HTTPResponse) }

  var onAdmit: @Sendable (HTTPRequestHead) -> Admission = { _ in .accept(bodyBytesMax: nil) }
  var onRequest: @Sendable (HTTPRequest, HTTPResponder) -> Void

  /// Answers with the method, target and body of the request.
  static let echo = TestHandler { request, responder in
    responder.respond(.echo(request))
  }

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    switch onAdmit(head) {
    case .accept(let bodyBytesMax): .accept(by: self, bodyBytesMax: bodyBytesMax)
    case .refuse(let response): .refuse(response)
    }
  }
  func handle(_ request: HTTPRequest, responder: HTTPResponder) { onRequest(request, responder) }
  func response(to error: HTTPProtocolError) -> HTTPResponse {
    HTTPResponse(status: error.status, body: Array("error: \(error.code.rawValue)".utf8))
  }
}

extension TestHandler {
  init(_ onRequest: @escaping @Sendable (HTTPRequest, HTTPResponder) -> Void) { self.onRequest = onRequest }
}

extension HTTPResponse {
  static func echo(_ request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: ["Content-Type": "text/plain"],
      body: Array("\(request.head.method) \(request.head.target) ".utf8) + request.body)
  }
}

/// Keeps responders until a test answers them.
final class PendingRequests: Sendable {
  private let list = Mutex<[(request: HTTPRequest, responder: HTTPResponder)]>([])
  private let stream: AsyncStream<Void>
  private let arrived: AsyncStream<Void>.Continuation

  init() { (stream, arrived) = AsyncStream.makeStream() }

  var handler: TestHandler {
    TestHandler { request, responder in
      self.list.withLock { $0.append((request, responder)) }
      self.arrived.yield()
    }
  }

  var count: Int { list.withLock(\.count) }

  /// Waits until this many requests have arrived, and removes them.
  func take(_ count: Int) async -> [(request: HTTPRequest, responder: HTTPResponder)] {
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<count { await iterator.next() }
    return list.withLock { list in
      defer { list.removeFirst(count) }
      return Array(list.prefix(count))
    }
  }
}

/// Runs a server on a free port of 127.0.0.1 while `body` runs.
func withServer(
  _ handler: some HTTPHandler = TestHandler.echo,
  configure: (inout HTTPServerConfiguration) -> Void = { _ in },
  _ body: (HTTPListenAddress, HTTPServer) async throws -> Void
) async throws {
  var configuration = HTTPServerConfiguration.testing
  configure(&configuration)
  let server = HTTPServer(configuration: configuration, handler: handler, log: .silent)
  let address = try server.start()
  do {
    try await body(address, server)
  } catch {
    await server.shutDown(grace: .zero)
    throw error
  }
  await server.shutDown(grace: .zero)
}

func get(_ path: String, _ fields: String = "") -> String {
  "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
}
