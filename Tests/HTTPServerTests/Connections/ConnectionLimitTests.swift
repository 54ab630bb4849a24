import Foundation
import Glibc
import Synchronization
import Telemetry
import Testing

@testable import HTTPServer

/// Rule 54 of the checklist: no client can use up all connections.
@Suite(.timeLimit(.minutes(1))) struct ConnectionLimitTests {
  private func served(_ address: HTTPListenAddress, from source: String) throws -> RawClient {
    let client = try RawClient(address, from: source)
    client.send(get("/1"))
    #expect(try client.answer().status == 200)
    return client
  }

  @Test func oneAddressCannotTakeAllConnections() async throws {
    try await withServer {
      $0.connectionsPerAddressMax = 2
    } _: { address, _ in
      let first = try served(address, from: "127.0.0.1")
      let second = try served(address, from: "127.0.0.1")
      let third = try RawClient(address, from: "127.0.0.1")
      let answer = try third.answer()
      #expect(answer.status == 503)
      #expect(answer.body == "error: tooManyConnections")
      #expect(answer.field("Connection") == "close")
      // Other addresses are served meanwhile, and the first one again after it has closed its connections.
      withExtendedLifetime(try served(address, from: "127.0.0.2")) {}
      third.close()
      first.close()
      second.close()
      #expect(
        try waitUntil {
          let client = try RawClient(address, from: "127.0.0.1")
          client.send(get("/1"))
          return try client.answer().status == 200
        })
    }
  }

  /// Retries until the server has noticed a closed connection.
  private func waitUntil(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<500 {
      if try condition() { return true }
      var nothing = pollfd(fd: -1, events: 0, revents: 0)
      poll(&nothing, 1, 10)
    }
    return false
  }

  @Test func oneAddressCannotTakeAllRefusals() async throws {
    try await withServer {
      $0.connectionsPerAddressMax = 1
      $0.refusedConnectionsMax = 1
    } _: { address, _ in
      let first = try served(address, from: "127.0.0.1")
      let second = try RawClient(address, from: "127.0.0.1")
      #expect(try second.answer().status == 503)
      let third = try RawClient(address, from: "127.0.0.1")
      #expect(try third.waitForClose() == "")
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test func countsIPv6ByNetworkAndMappedIPv4AsIPv4() throws {
    let one = try #require(clientAddress("2001:db8:1:2::1"))
    #expect(clientAddress("2001:db8:1:2:ffff::9") == one)
    #expect(clientAddress("2001:db8:1:3::1") != one)
    #expect(clientAddress("::ffff:192.0.2.1") == clientAddress("192.0.2.1"))
    #expect(clientAddress("192.0.2.2") != clientAddress("192.0.2.1"))
    #expect(
      ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"].allSatisfy {
        clientAddress($0)?.isLoopback == true
      })
    #expect(["192.0.2.1", "::", "::2", "fe80::1"].allSatisfy { clientAddress($0)?.isLoopback == false })
    #expect(ClientAddress(sockaddr_storage()) == nil)
  }

  @Test func defaultLeavesRoomForOthers() {
    var configuration = HTTPServerConfiguration.testing
    configuration.connectionsMax = 100
    func allowed(_ text: String) -> Int {
      let census = ConnectionCensus(configuration)
      guard let address = clientAddress(text) else { return -1 }
      return (1...200).first { _ in census.enter(address) > 0 }.map { $0 - 1 } ?? 200
    }
    #expect(allowed("192.0.2.1") == 50)
    #expect(allowed("127.0.0.1") == 75)
    configuration.connectionsPerAddressMax = 7
    #expect(allowed("192.0.2.1") == 7)
    #expect(allowed("127.0.0.1") == 7)
  }

  @Test func censusForgetsClosedConnections() throws {
    var configuration = HTTPServerConfiguration.testing
    configuration.connectionsPerAddressMax = 1
    let census = ConnectionCensus(configuration)
    let address = try #require(clientAddress("192.0.2.1"))
    for _ in 0..<3 {
      #expect(census.enter(address) == 0)
      #expect(census.enter(address) == 1)
      census.leave(address)
      census.leave(address)
    }
    census.leave(address)
    #expect(census.enter(address) == 0)
  }

  private func clientAddress(_ text: String) -> ClientAddress? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(text, "80", &hints, &list) == 0, let info = list?.pointee else { return nil }
    defer { freeaddrinfo(list) }
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
    }
    return ClientAddress(storage)
  }

  @Test func survivesAndReportsRunningOutOfDescriptors() async {
    // Runs in its own process, so that using up the descriptors affects no other test.
    await #expect(processExitsWith: .success) {
      let server = HTTPServer(
        configuration: HTTPServerConfiguration(listen: .unix(path: "/tmp/dragoman-\(getpid()).sock")),
        handler: TestHandler.echo, log: .silent)
      let address = try server.start()
      let first = try RawClient(address)
      first.send(get("/1"))
      try #require(try first.answer().status == 200)
      // The client and the server's connection take one descriptor each: with one left, the second fails.
      let last = try RawClient(address)
      last.send(get("/last"))
      try #require(try last.answer().status == 200)
      var taken: [Int32] = []
      let waiting = try RawClient(address, connects: false)
      while true {
        let descriptor = dup(0)
        guard descriptor >= 0, taken.count < 1_000_000 else { break }
        taken.append(descriptor)
        if taken.count == 1 {
          var limit = rlimit(rlim_cur: rlim_t(descriptor + 20), rlim_max: rlim_t(descriptor + 20))
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
      }
      try waiting.connect(address)
      let answer = try waiting.answer()
      try #require(answer.status == 503)
      // Connected clients are still served.
      first.send(get("/2"))
      try #require(try first.answer().body == "GET /2 ")
      for descriptor in taken { close(descriptor) }
      let next = try RawClient(address)
      next.send(get("/3"))
      try #require(try next.answer().body == "GET /3 ")
      await server.shutDown(grace: .zero)
    }
  }

  /// Not measured in seconds, which depend on the machine: hardly any of the flood is answered meanwhile,
  /// and no part of it has to finish first.
  @Test func cheapRequestStaysQuickDuringAFlood() async throws {
    try await withServer {
      $0.headerTimeout = .seconds(60)
    } _: { address, _ in
      let flood = Flood()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<2 {
          group.addTask { try await onThread { try flood.run(address, from: "127.0.0.\(worker + 2)") } }
        }
        try await onThread {
          defer { flood.isOver.store(true, ordering: .relaxed) }
          var answeredMeanwhile: [Int] = []
          while answeredMeanwhile.count < 30 || flood.rounds.load(ordering: .relaxed) < 100 {
            let before = flood.rounds.load(ordering: .relaxed)
            let client = try RawClient(address)
            client.send(get("/healthz"))
            try #require(try client.answer().status == 200)
            answeredMeanwhile.append(flood.rounds.load(ordering: .relaxed) - before)
          }
          // The median, because a thread of the test itself may be delayed.
          #expect(answeredMeanwhile.sorted()[answeredMeanwhile.count / 2] < 20)
        }
        try await group.waitForAll()
      }
    }
  }
}

/// One address's share of a flood, and its progress.
private final class Flood: Sendable {
  let isOver = Atomic<Bool>(false)
  let rounds = Atomic<Int>(0)

  /// Holds a hundred connections in the middle of a request, and sends heads that are too large, one after
  /// another.
  func run(_ address: HTTPListenAddress, from source: String) throws {
    let tooLarge = "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 70_000)
    let slow = try (0..<100).map { _ in try RawClient(address, from: source) }
    for client in slow { client.send("GET / HTTP/1.1\r\n") }
    while !isOver.load(ordering: .relaxed) {
      let client = try RawClient(address, from: source)
      client.send(tooLarge)
      #expect(try client.answer().status == 431)
      rounds.add(1, ordering: .relaxed)
    }
    // These connections were open all the time, and each request is still answered.
    for client in slow { client.send("Host: h\r\n\r\n") }
    for client in slow { #expect(try client.answer().status == 200) }
  }
}

/// Runs blocking code on its own thread, because Swift's tasks have only as many threads as the machine has
/// cores.
private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
