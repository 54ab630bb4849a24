import Foundation
import JSON
import TestSupport
import Testing

/// Several gateways, as processes, on one PostgreSQL database.
@Suite(
  .blocking, .serialized,
  .enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresGatewayTests {
  private let folder: TemporaryFolder
  private let url: String
  private let emulator: DragomanProcess
  private let emulatorURL: String
  private let inbox: HTTPTestClient

  init() throws {
    folder = try TemporaryFolder()
    url = try PostgresCluster.shared.newSchema().url
    emulator = try DragomanProcess(["emulator", "--listen", "127.0.0.1:0"])
    emulatorURL = try emulator.address(after: "emulator listening on ")
    inbox = try Self.client(emulatorURL)
    try folder.write(
      """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
        credentials: none, project_id: p,
        endpoint: "\(emulatorURL)"}}
      queue: {url_file: url, lease: 2s}
      delivery: {ramp: 0s}
      """, to: "gateway.yaml")
    try folder.write(url + "\n", to: "url")
  }

  private static func client(_ url: String) throws -> HTTPTestClient {
    HTTPTestClient(port: try #require(Int(url.split(separator: ":").last ?? "")))
  }

  private func serve(log: CollectedText? = nil) throws -> (process: DragomanProcess, client: HTTPTestClient) {
    let process = try DragomanProcess(["serve", "--config", "\(folder.path)/gateway.yaml"], log: log)
    return (process, try Self.client(process.address(after: "gateway listening on ")))
  }

  private func send(_ count: Int, from first: Int = 0, to client: HTTPTestClient) throws -> [String] {
    try (first..<first + count).map { index in
      let answer = try client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": .string("t-\(index)")], "args": ["name": "A"]])
      #expect(answer.status == 202)
      return try #require(answer.json["id"]?.string)
    }
  }

  private func waitUntilSent(_ ids: [String], asking client: HTTPTestClient) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    for id in ids {
      var status: JSON?
      repeat {
        status = try client.get("/v1/notifications/\(id)").json["status"]
      } while status != "sent" && ContinuousClock.now < deadline
      #expect(status == "sent")
    }
  }

  private func delivered() throws -> [String] {
    let messages = try inbox.get("/inbox?limit=10000").json["messages"]?.array ?? []
    return messages.compactMap { $0["message"]?["token"]?.string }.sorted()
  }

  private func setFaults(_ rules: String) throws {
    let answer = try inbox.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")], body: Array(rules.utf8))
    #expect(answer.status == 200)
  }

  @Test func takeFCMsOwnRequests() throws {
    defer { emulator.kill() }
    let gateway = try serve()
    defer { gateway.process.kill() }
    let other = try serve()
    defer { other.process.kill() }
    let sent = try gateway.client.post(
      "/v1/projects/p/messages:send", ["message": ["token": "raw", "notification": ["title": "Hi"]]])
    #expect(sent.status == 200)
    #expect(sent.json["name"]?.string?.hasPrefix("projects/p/messages/0:") == true)
    let id = try #require(sent.header("Dragoman-Notification"))
    try waitUntilSent([id], asking: other.client)
    #expect(try other.client.get("/v1/notifications/\(id)").json["template"] == .null)
    #expect(try other.client.get("/v1/notifications").json["notifications"]?[0]?["template"] == .null)
    #expect(try inbox.get("/inbox?token=raw").json["count"] == 1)
    // What was answered outlives a kill.
    try setFaults(#"{"rules":[{"latency":"60s"}]}"#)
    let accepted = try gateway.client.post(
      "/v1/projects/p/messages:send", ["message": ["token": "killed"]], headers: [("Prefer", "wait=0")])
    gateway.process.kill()
    try setFaults(#"{"rules":[]}"#)
    #expect(accepted.status == 200)
    try waitUntilSent([#require(accepted.header("Dragoman-Notification"))], asking: other.client)
  }

  @Test func sendEachDeliveryOnce() throws {
    defer { emulator.kill() }
    let first = try serve()
    defer { first.process.kill() }
    let second = try serve()
    defer { second.process.kill() }
    let ids = try send(40, to: first.client) + send(40, from: 40, to: second.client)
    // Each knows what the other has accepted and sent.
    try waitUntilSent(ids, asking: second.client)
    try waitUntilSent(ids, asking: first.client)
    #expect(try delivered() == (0..<80).map { "t-\($0)" }.sorted())
    #expect(first.process.terminate() == 0)
    #expect(second.process.terminate() == 0)
  }

  @Test func sendWhatAKilledReplicaHadClaimed() throws {
    defer { emulator.kill() }
    let first = try serve()
    defer { first.process.kill() }
    // FCM does not answer, so that all of it is claimed when the gateway dies.
    try setFaults(#"{"rules":[{"latency":"60s"}]}"#)
    let ids = try send(20, to: first.client)
    let deadline = ContinuousClock.now + .seconds(20)
    while try first.client.get("/v1/stats").json["deliveries"]?["sending"]?.int64 != 20,
      ContinuousClock.now < deadline
    {}
    first.process.kill()
    try setFaults(#"{"rules":[]}"#)
    let second = try serve()
    defer { second.process.kill() }
    try waitUntilSent(ids, asking: second.client)
    #expect(Set(try delivered()) == Set((0..<20).map { "t-\($0)" }))
    #expect(second.process.terminate() == 0)
  }

  /// A gateway that is stopped for longer than its lease takes a new one.
  @Test func fenceASuspendedReplica() throws {
    defer { emulator.kill() }
    let log = CollectedText()
    let first = try serve(log: log)
    defer { first.process.kill() }
    try setFaults(#"{"rules":[{"latency":"60s"}]}"#)
    let ids = try send(10, to: first.client)
    let deadline = ContinuousClock.now + .seconds(20)
    while try first.client.get("/v1/stats").json["deliveries"]?["sending"]?.int64 != 10,
      ContinuousClock.now < deadline
    {}
    // Only now, so that the other cannot claim any of it.
    let second = try serve()
    defer { second.process.kill() }
    kill(first.process.id, SIGSTOP)
    try setFaults(#"{"rules":[]}"#)
    try waitUntilSent(ids, asking: second.client)
    kill(first.process.id, SIGCONT)
    #expect(log.wait(for: "lease had ended", count: 1))
    let more = try send(5, from: 10, to: first.client)
    try waitUntilSent(more, asking: second.client)
    try waitUntilSent(ids, asking: first.client)
    let stats = try second.client.get("/v1/stats").json["deliveries"]
    #expect(stats?["sent"]?.int64 == 15)
    #expect(stats?["sending"]?.int64 == 0)
  }

  @Test func hidesThePassword() throws {
    defer { emulator.kill() }
    let environment = [
      "DRAGOMAN_QUEUE_URL_FILE": "\(folder.path)/secret", "DRAGOMAN_SERVER_LISTEN": "127.0.0.1:0",
    ]
    try folder.write("postgres://u:s3cret@127.0.0.1:1/q?application_name=s3cret", to: "secret")
    let printed = try DragomanProcess.run(
      ["serve", "--config", "\(folder.path)/gateway.yaml", "--print-config"], environment: environment)
    #expect(printed.output.contains("postgres://u:(hidden)@127.0.0.1:1/q"))
    #expect(!(printed.output + printed.errors).contains("s3cret"))
    // Nothing answers there: the gateway starts, reports it, and keeps trying.
    let log = CollectedText()
    let process = try DragomanProcess(
      ["serve", "--config", "\(folder.path)/gateway.yaml"], environment: environment, log: log)
    let client = try Self.client(process.address(after: "gateway listening on "))
    #expect(try client.get("/readyz").json["checks"]?["queue"]?["status"] == "failed")
    let answer = try client.post(
      "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]])
    #expect(answer.status == 503)
    #expect(answer.json["type"]?.string?.hasSuffix("storage-unavailable") ?? false)
    #expect(process.terminate() == 0)
    #expect(log.wait(for: "cannot open the queue postgres://u@127.0.0.1:1/q", count: 1))
    #expect(!log.text.contains("s3cret"))
  }
}
