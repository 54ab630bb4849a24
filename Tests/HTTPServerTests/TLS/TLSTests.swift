import COpenSSL
import Foundation
import Testing

@testable import HTTPServer

/// SIGPIPE ends a process that writes to a closed socket through OpenSSL's own BIO, as these clients do.
private let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
  private let authority: TestAuthority

  init() throws {
    ignoresBrokenPipes
    authority = try TestAuthority()
  }

  /// Runs a server with the authority's certificate.
  private func withTLSServer(
    _ handler: TestHandler = .echo, configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ body: (HTTPListenAddress, HTTPServer) async throws -> Void
  ) async throws {
    try await withServer(
      handler,
      configure: {
        $0.tls = authority.server
        configure(&$0)
      }, body)
  }

  private var trusting: TLSClientOptions { TLSClientOptions(authority: authority.path("ca.pem")) }

  @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
  func answersInBothVersions(version: Int32, name: String) async throws {
    try await withTLSServer { address, _ in
      var options = trusting
      options.version = (version, version)
      options.name = "localhost"
      options.protocols = ["h2", "http/1.1"]
      let client = try RawClient(tls: address, options)
      #expect(client.tls?.version == name)
      #expect(client.tls?.chosenProtocol == "http/1.1")
      for number in 1...3 {
        client.send(get("/\(number)"))
        #expect(try client.answer().body == "GET /\(number) ")
      }
      client.send(get("/last", "Connection: close\r\n"))
      #expect(try client.answer().field("Connection") == "close")
      // Ends with close_notify: without it, this would throw.
      #expect(try client.waitForClose() == "")
    }
  }

  @Test(arguments: [TLS1_VERSION, TLS1_1_VERSION])
  func refusesOldVersions(version: Int32) async throws {
    try await withTLSServer { address, _ in
      let error = #expect(throws: RawClient.Failure.self) {
        try RawClient(tls: address, TLSClientOptions(version: (version, version)))
      }
      // The server's alert, not the opinion of the client's library.
      #expect(error?.description == "tlsv1 alert protocol version")
    }
  }

  /// Those that the client's library still has; it no longer has RC4, 3DES and export ciphers.
  @Test(arguments: [
    "NULL", "aNULL", "kRSA", "DHE", "AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM8", "CAMELLIA", "ARIA", "MD5",
  ])
  func refusesWeakCiphers(ciphers: String) async throws {
    try await withTLSServer { address, _ in
      let error = #expect(throws: RawClient.Failure.self) {
        try RawClient(
          tls: address,
          TLSClientOptions(version: (TLS1_2_VERSION, TLS1_2_VERSION), ciphers: "\(ciphers):@SECLEVEL=0"))
      }
      // The server's alert, not a limit of the client's library.
      #expect(error?.description == "sslv3 alert handshake failure")
    }
  }

  @Test(arguments: [
    ("ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    // A client that lists ChaCha20 first has no AES in hardware.
    ("ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"),
  ])
  func choosesTheCipher(offered: String, chosen: String) async throws {
    try await withTLSServer { address, _ in
      let client = try RawClient(
        tls: address, TLSClientOptions(version: (TLS1_2_VERSION, TLS1_2_VERSION), ciphers: offered))
      #expect(client.tls?.cipher == chosen)
    }
  }

  @Test func refusesToRenegotiate() async throws {
    try await withTLSServer { address, _ in
      let client = try RawClient(tls: address, TLSClientOptions(version: (TLS1_2_VERSION, TLS1_2_VERSION)))
      let tls = try #require(client.tls)
      #expect(SSL_ctrl(tls.ssl, SSL_CTRL_GET_RI_SUPPORT, 0, nil) == 1)
      SSL_renegotiate(tls.ssl)
      #expect(SSL_do_handshake(tls.ssl) != 1)
    }
  }

  @Test func rejectsUnknownProtocols() async throws {
    try await withTLSServer { address, _ in
      var options = trusting
      options.protocols = ["h2"]
      #expect(throws: RawClient.Failure.self) { try RawClient(tls: address, options) }
      let client = try RawClient(tls: address, trusting)
      #expect(client.tls?.chosenProtocol == "")
    }
  }

  @Test func acceptsAnyServerName() async throws {
    try await withTLSServer { address, _ in
      var options = trusting
      options.name = "unknown.example"
      let client = try RawClient(tls: address, options)
      client.send(get("/1"))
      #expect(try client.answer().status == 200)
    }
  }

  @Test(arguments: ["GET", "OPTIONS", "X"])
  func answersPlainHTTPInPlainHTTP(method: String) async throws {
    try await withTLSServer { address, _ in
      let client = try RawClient(address)
      client.send("\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 400)
      #expect(answer.body == "error: badRequest")
      #expect(answer.field("Connection") == "close")
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func answersGarbageWithAnAlert() async throws {
    try await withTLSServer { address, _ in
      let client = try RawClient(address)
      client.send("\u{16}\u{3}\u{1}\u{0}\u{5}hello")
      // The record type of an alert, then a close.
      #expect(try client.waitForClose().utf8.first == 21)
    }
  }

  @Test func closesASilentOrSlowHandshake() async throws {
    try await withTLSServer {
      $0.handshakeTimeout = .milliseconds(100)
    } _: { address, _ in
      let silent = try RawClient(address)
      #expect(try silent.waitForClose() == "")
      let slow = try RawClient(address)
      #expect(slow.sendUntilAnswered("\u{16}", every: 10) > 1)
    }
  }

  @Test func transfersBodiesOfManyRecordsBothWays() async throws {
    try await withTLSServer {
      $0.bodyBytesMax = 4_000_000
    } _: { address, _ in
      for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
        let client = try RawClient(tls: address, TLSClientOptions(version: (version, version)))
        let body = String(repeating: "0123456789abcdef", count: 65_000)
        client.send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.answer().body == "POST /b \(body)")
      }
    }
  }

  @Test func slowReaderGetsTheWholeAnswerAndItsEnd() async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let handler = TestHandler { _, responder in
      responder.respond(HTTPResponse(status: 200, body: body, closesConnection: true))
    }
    try await withTLSServer(handler) { address, _ in
      let client = try RawClient(tls: address, receiveBufferBytes: 4096)
      client.send(get("/1"))
      #expect(try client.answer().body.utf8.count == 3_000_000)
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func closesAClientThatDoesNotRead() async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8_000_000)
    let handler = TestHandler { _, responder in responder.respond(HTTPResponse(status: 200, body: body)) }
    try await withTLSServer(handler) {
      $0.writeTimeout = .milliseconds(100)
      $0.writeBytesPerSecondMin = 1_000_000_000
    } _: { address, _ in
      let client = try RawClient(tls: address, receiveBufferBytes: 4096)
      client.send(get("/1"))
      try client.waitUntilCut()
    }
  }

  @Test func answersAHalfClosedClient() async throws {
    let pending = PendingRequests()
    try await withTLSServer(pending.handler) { address, _ in
      let client = try RawClient(tls: address)
      client.send(get("/1"))
      client.tls?.end()
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try client.answer().body == "GET /1 ")
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func servesAClientThatKeepsUpdatingKeys() async throws {
    try await withTLSServer { address, _ in
      let client = try RawClient(tls: address, TLSClientOptions(version: (TLS1_3_VERSION, TLS1_3_VERSION)))
      let tls = try #require(client.tls)
      for number in 1...20 {
        SSL_key_update(tls.ssl, SSL_KEY_UPDATE_REQUESTED)
        client.send(get("/\(number)"))
        #expect(try client.answer().body == "GET /\(number) ")
      }
    }
  }

  @Test func answers503BeyondTheConnectionLimit() async throws {
    try await withTLSServer {
      $0.connectionsMax = 1
    } _: { address, _ in
      let first = try RawClient(tls: address)
      first.send(get("/1"))
      #expect(try first.answer().status == 200)
      let second = try RawClient(tls: address)
      #expect(try second.answer().status == 503)
    }
  }

  @Test func requiresAClientCertificateOfTheAuthority() async throws {
    try authority.issue("client", subject: "/O=Grün/CN=orders")
    let stranger = try TestAuthority()
    let handler = TestHandler { request, responder in
      responder.respond(HTTPResponse(status: 200, body: Array((request.head.clientSubject ?? "none").utf8)))
    }
    try await withTLSServer(handler) {
      $0.tls?.clientCAFile = authority.path("ca.pem")
    } _: { address, _ in
      for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
        var options = trusting
        options.version = (version, version)
        func isServed() -> Bool {
          guard let client = try? RawClient(tls: address, options) else { return false }
          client.send(get("/1"))
          return (try? client.answer().body) == "CN=orders,O=Grün"
        }
        // TLS 1.3 clients learn about it only after their own handshake has finished.
        #expect(!isServed())
        options.certificate = (stranger.path("server.pem"), stranger.path("server.key"))
        #expect(!isServed())
        options.certificate = (authority.path("client.pem"), authority.path("client.key"))
        #expect(isServed())
      }
    }
    try await withTLSServer(handler) { address, _ in
      let client = try RawClient(tls: address)
      client.send(get("/1"))
      #expect(try client.answer().body == "none")
    }
  }

  @Test func drainsLikePlainConnections() async throws {
    let pending = PendingRequests()
    try await withTLSServer(pending.handler) {
      $0.loopCount = 1
    } _: { address, server in
      let idle = try RawClient(tls: address)
      let busy = try RawClient(tls: address)
      busy.send(get("/busy"))
      let requests = await pending.take(1)
      let (stopped, end) = AsyncStream<Void>.makeStream()
      server.beginShutDown(grace: .seconds(10)) { end.finish() }
      #expect(try idle.waitForClose() == "")
      for (request, responder) in requests { responder.respond(.echo(request)) }
      #expect(try busy.answer().body == "GET /busy ")
      busy.close()
      for await _ in stopped {}
    }
  }
}
