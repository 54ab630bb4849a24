import JSON
import TestSupport
import Testing

/// What FCM answers one of several gateways on one PostgreSQL database holds for all of them.
@Suite(
  .blocking, .serialized,
  .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct SharedSendingTests {
  private let folder: TemporaryFolder
  private let emulator: DragomanProcess
  private let fcm: HTTPTestClient

  init() throws {
    folder = try TemporaryFolder()
    emulator = try DragomanProcess(["emulator", "--listen", "127.0.0.1:0"])
    let address = try emulator.address(after: "emulator listening on ")
    fcm = try Self.client(address)
    try folder.write(PostgresCluster.shared.newSchema().url + "\n", to: "url")
    try folder.write(
      """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
        credentials: none, project_id: p, endpoint: "\(address)"}}
      queue: {url_file: url}
      delivery: {ramp: 0s}
      """, to: "gateway.yaml")
  }

  private static func client(_ url: String) throws -> HTTPTestClient {
    HTTPTestClient(port: try #require(Int(url.split(separator: ":").last ?? "")))
  }

  private struct Gateway {
    let process: DragomanProcess
    let client: HTTPTestClient

    func metric(_ line: String) throws -> String? {
      try client.get("/metrics").text.split(separator: "\n").first { $0.hasPrefix(line) }
        .map { String($0.dropFirst(line.count + 1)) }
    }

    func send(_ count: Int, to target: JSON) throws {
      for _ in 0..<count {
        let answer = try client.post(
          "/v1/notifications", ["template": "welcome", "to": target, "args": ["name": "A"]])
        #expect(answer.status == 202)
      }
    }
  }

  /// Runs `body` with so many gateways, each of which knows of the others.
  private func withGateways(_ count: Int, _ body: ([Gateway]) throws -> Void) throws {
    defer { emulator.kill() }
    let gateways = try (0..<count).map { _ in
      let process = try DragomanProcess(["serve", "--config", "\(folder.path)/gateway.yaml"])
      return Gateway(
        process: process, client: try Self.client(process.address(after: "gateway listening on ")))
    }
    defer { for gateway in gateways { gateway.process.kill() } }
    try body(gateways)
    for gateway in gateways { #expect(gateway.process.terminate() == 0) }
  }

  private func setFault(_ rule: JSON) throws {
    let rules: JSON = ["rules": .array([rule])]
    let answer = try fcm.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
    #expect(answer.status == 200)
  }

  private func until(_ what: String, _ isSo: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(90)
    while try !isSo() {
      guard ContinuousClock.now < deadline else {
        Issue.record("never: \(what)")
        return
      }
    }
  }

  /// The answers that FCM has given, whichever they were.
  private func answers() throws -> Int64 {
    guard case .object(let counts)? = try fcm.get("/stats").json["answers"] else { return 0 }
    return counts.reduce(0) { $0 + ($1.value.int64 ?? 0) }
  }

  /// The project's quota is used up at one gateway. Without sharing, each of the others would learn of it by
  /// sending too.
  @Test func aQuotaAnswerStopsAllGateways() throws {
    try withGateways(3) { gateways in
      try setFault(["status": 429, "error_code": "RATE_LIMIT_EXCEEDED", "retry_after": "120"])
      try gateways[0].send(1, to: ["token": "first"])
      for gateway in gateways {
        try until("held") {
          let wait = try gateway.metric("dragoman_app_wait_seconds{app=\"default\",reason=\"quota\"}")
          return Double(wait ?? "").map { $0 > 60 } ?? false
        }
      }
      for (index, gateway) in gateways.enumerated() {
        try gateway.send(5, to: ["token": .string("t-\(index)")])
      }
      // They have been due for long enough that each would have sent some.
      for gateway in gateways {
        try until("due") {
          let age = try gateway.metric("dragoman_queue_oldest_age_seconds{app=\"default\"}")
          return Double(age ?? "").map { $0 > 3 } ?? false
        }
        #expect(try gateway.metric("dragoman_send_rate{app=\"default\"}") == "0")
        #expect(try gateway.client.get("/v1/stats").json["deliveries"]?["sending"]?.int64 == 0)
      }
      #expect(try answers() == 1)
    }
  }

  /// Has so many attempts of the first gateway fail that the breaker of all of them opens.
  private func beginOutage(_ gateways: [Gateway]) throws {
    try setFault(["status": 503])
    try gateways[0].send(10, to: ["token": "t"])
    for gateway in gateways {
      try until("open") { try gateway.metric("dragoman_breaker_open{app=\"default\"}") == "1" }
    }
  }

  /// An outage at one gateway opens the breaker of all, and one of them sends the probe that shows that it
  /// lasts.
  @Test func oneGatewayProbesForAll() throws {
    try withGateways(3) { gateways in
      try beginOutage(gateways)
      let failed = try answers()
      for gateway in gateways { try gateway.send(4, to: ["token": "t"]) }
      try until("a probe") { try answers() > failed }
      // The next one is 30 seconds away; the others know that before they would probe themselves.
      for gateway in gateways {
        try until("told") { try gateway.metric("dragoman_breaker_open{app=\"default\"}") == "1" }
      }
      #expect(try answers() == failed + 1)
    }
  }

  @Test func aProbeOfOneGatewayEndsAnOutageForAll() throws {
    try withGateways(3) { gateways in
      try beginOutage(gateways)
      for gateway in gateways { try gateway.send(4, to: ["token": "t"]) }
      try setFault(["token": "none", "status": 503])
      for gateway in gateways {
        try until("closed") { try gateway.metric("dragoman_breaker_open{app=\"default\"}") == "0" }
      }
      try until("all sent") {
        try gateways[2].client.get("/v1/stats").json["deliveries"]?["sent"]?.int64 ?? 0 >= 12
      }
    }
  }
}
