import Foundation
import Telemetry
import Testing

@testable import HTTPServer

struct ShutdownTests {
  @Test func answersWhatIsInFlightAndClosesTheRest() async throws {
    let pending = PendingRequests()
    // On one loop, so that the end of one connection proves that the shutdown has reached the other.
    try await withServer(pending.handler) {
      $0.loopCount = 1
    } _: { address, server in
      let busy = try RawClient(address)
      let idle = try RawClient(address)
      idle.send(get("/idle"))
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try idle.answer().status == 200)
      busy.send(get("/busy"))
      let requests = await pending.take(1)
      let (stopped, end) = AsyncStream<Void>.makeStream()
      server.beginShutDown(grace: .seconds(10)) { end.finish() }
      #expect(try idle.waitForClose() == "")
      for (request, responder) in requests { responder.respond(.echo(request)) }
      let answer = try busy.answer()
      #expect(answer.body == "GET /busy ")
      #expect(answer.field("Connection") == "close")
      busy.close()
      for await _ in stopped {}
      #expect(throws: (any Error).self) { try RawClient(address) }
    }
  }

  @Test func finishesARequestThatIsStillArriving() async throws {
    try await withServer {
      $0.loopCount = 1
    } _: { address, server in
      let idle = try RawClient(address)
      let client = try RawClient(address)
      client.send("POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      #expect(try client.answer().status == 100)
      let (stopped, end) = AsyncStream<Void>.makeStream()
      server.beginShutDown(grace: .seconds(10)) { end.finish() }
      #expect(try idle.waitForClose() == "")
      client.send("hi")
      let answer = try client.answer()
      #expect(answer.body == "POST /x hi")
      #expect(answer.field("Connection") == "close")
      client.close()
      for await _ in stopped {}
    }
  }

  @Test func graceEnds() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) { address, server in
      let client = try RawClient(address)
      client.send(get("/1"))
      let requests = await pending.take(1)
      await server.shutDown(grace: .milliseconds(50))
      #expect(try client.waitForClose() == "")
      for (request, responder) in requests { responder.respond(.echo(request)) }
    }
  }

  @Test func stopsOnceForAllCallers() async throws {
    let server = HTTPServer(configuration: .testing, handler: TestHandler.echo, log: .silent)
    _ = try server.start()
    async let first: Void = server.shutDown(grace: .seconds(1))
    async let second: Void = server.shutDown(grace: .seconds(1))
    _ = await (first, second)
    await server.shutDown(grace: .seconds(1))
    #expect(throws: HTTPServerError.self) { try server.start() }
  }
}

struct ListeningTests {
  @Test func listensOnAUnixSocketAndRemovesAStaleOne() async throws {
    let path = NSTemporaryDirectory() + "dragoman-http-\(UUID().uuidString.prefix(8)).sock"
    let configuration = HTTPServerConfiguration(listen: .unix(path: path))
    // A killed process leaves a socket file that nothing listens on.
    close(try ListeningSocket.open(.unix(path: path), backlog: 1).descriptor)
    #expect(FileManager.default.fileExists(atPath: path))
    let server = HTTPServer(configuration: configuration, handler: TestHandler.echo, log: .silent)
    let address = try server.start()
    // Connecting needs write permission, which owner and group have regardless of the umask.
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o660)
    let client = try RawClient(address)
    client.send(get("/1"))
    #expect(try client.answer().body == "GET /1 ")
    let other = HTTPServer(configuration: configuration, handler: TestHandler.echo, log: .silent)
    #expect(throws: HTTPServerError.self) { try other.start() }
    await server.shutDown(grace: .zero)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func keepsASocketFileOfAnotherProcess() async throws {
    let path = NSTemporaryDirectory() + "dragoman-http-\(UUID().uuidString.prefix(8)).sock"
    let configuration = HTTPServerConfiguration(listen: .unix(path: path))
    let server = HTTPServer(configuration: configuration, handler: TestHandler.echo, log: .silent)
    _ = try server.start()
    unlink(path)
    let successor = HTTPServer(configuration: configuration, handler: TestHandler.echo, log: .silent)
    let address = try successor.start()
    await server.shutDown(grace: .zero)
    let client = try RawClient(address)
    client.send(get("/1"))
    #expect(try client.answer().body == "GET /1 ")
    await successor.shutDown(grace: .zero)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func keepsAFileThatIsNotASocket() throws {
    let path = NSTemporaryDirectory() + "dragoman-http-\(UUID().uuidString.prefix(8)).txt"
    #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .unix(path: path)), handler: TestHandler.echo,
      log: .silent)
    #expect(throws: HTTPServerError.self) { try server.start() }
    #expect(FileManager.default.fileExists(atPath: path))
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func refusesAPortInUse() async throws {
    try await withServer { address, _ in
      let other = HTTPServer(
        configuration: HTTPServerConfiguration(listen: address), handler: TestHandler.echo, log: .silent)
      do throws(HTTPServerError) {
        _ = try other.start()
        Issue.record("the port was free")
      } catch {
        #expect(error.code == .addressInUse)
        #expect(error.description.contains("\(address)"))
      }
    }
  }

  @Test(arguments: [
    ("127.0.0.1:8080", HTTPListenAddress.tcp(host: "127.0.0.1", port: 8080), true),
    ("[::1]:80", .tcp(host: "::1", port: 80), true), ("localhost:0", .tcp(host: "localhost", port: 0), true),
    (":8080", .tcp(host: "", port: 8080), false), ("0.0.0.0:1", .tcp(host: "0.0.0.0", port: 1), false),
    ("unix:/run/x.sock", .unix(path: "/run/x.sock"), true),
    ("127.example.com:1", .tcp(host: "127.example.com", port: 1), false),
  ])
  func readsAddresses(text: String, address: HTTPListenAddress, isLoopback: Bool) {
    #expect(HTTPListenAddress(text) == address)
    #expect(address.description == text)
    #expect(address.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "host", "1.2.3.4:", ":99999", "::1:80", "[::1]", "[h]:1", "a b:1", "unix:", "h:+1", "h:-1",
  ])
  func rejectsInvalidAddresses(text: String) {
    #expect(HTTPListenAddress(text) == nil)
  }
}
