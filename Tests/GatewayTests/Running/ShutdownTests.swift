import FCMEmulator
import Gateway
import Glibc
import JSON
import TestSupport
import Testing

/// What a stop leaves behind while a client and FCM are slow.
@Suite(.blocking, .timeLimit(.minutes(2))) struct ShutdownTests {
  /// A connection whose upload never ends.
  private func stalledUpload(to port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    let head =
      "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    let sent = Array(head.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
    try #require(sent == head.utf8.count)
    return descriptor
  }

  @Test func aStalledUploadMakesNoMessageBeSentTwice() async throws {
    try await GatewayFixture.run(adjust: { $0.server.shutdownGrace = .seconds(3) }) { fixture in
      let faults: JSON = ["rules": [["token": "*", "latency": "300ms"]]]
      #expect(try fixture.emulator.send("PUT", "/faults", body: faults.serialized).status == 200)
      let tokens = (0..<300).map { JSON.string("token-\($0)") }
      let sent = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["tokens": .array(tokens)], "args": ["name": "A"]])
      #expect(sent.status == 202)
      let upload = try stalledUpload(to: fixture.client.port)
      defer { close(upload) }
      while try fixture.inbox().isEmpty { await Task.yield() }
      await fixture.gateway.shutDown()
      // The next process sends the rest.
      try await fixture.restarted { next in
        let id = sent.json["id"]?.string ?? ""
        while try next.get("/v1/notifications/\(id)").json["status"] != "sent" { await Task.yield() }
      }
      let received = try fixture.inboxTokens(limit: 1000)
      #expect(received.count == 300)
      #expect(Set(received).count == 300)
    }
  }
}
