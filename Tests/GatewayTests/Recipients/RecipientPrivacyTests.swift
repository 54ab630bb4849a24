import Foundation
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import Gateway

/// What callers say about recipients, searched for in everything that a gateway writes.
@Suite(.blocking, .timeLimit(.minutes(2))) struct RecipientPrivacyTests {
  /// Planted values that no other text has by chance.
  private static let locales = ["gsw-LI-xyzzyq", "tlh-AQ-plughq"]
  private static let versions = ["741.852.963", "369.258.147-planted"]
  /// A time zone that exists, and one that does not.
  private static let timeZones = ["Antarctica/DumontDUrville", "Mars/Olympus_Mons"]

  private func isPlanted(in text: String) -> [String] {
    (Self.locales + Self.versions + Self.timeZones).filter { text.lowercased().contains($0.lowercased()) }
  }

  @Test func aRecipientIsKeptNowhereButInTheMessage() async throws {
    let log = CollectedText()
    let folder = try TemporaryFolder()
    let (hook, hookServer) = try RecordingPeer.start(nil)
    try folder.write(
      """
      log: {level: debug}
      feedback:
        webhook:
          url: http://127.0.0.1:\(hook.port)/
          secret: whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
          allow_private_addresses: true
      server: {listen: "127.0.0.1:0", shutdown_grace: 3s}
      queue: {url: "sqlite:queue.db"}
      apps: {default: {catalog: \(GatewayFixture.repository)/config/catalog.yaml, credentials: none, project_id: p, endpoint: "http://127.0.0.1:9"}}
      delivery: {max_attempts: 1, min_backoff: 0s}
      """, to: "gateway.yaml")
    let process = try DragomanProcess(["serve", "--config", "\(folder.path)/gateway.yaml"], log: log)
    let address = try process.address(after: "gateway listening on ")
    let client = HTTPTestClient(port: Int(address.split(separator: ":").last ?? "") ?? 0)
    var answers: [String] = []
    var accepted = 0
    for (index, body) in Self.bodies.enumerated() {
      let answer = try client.post(
        body["notifications"] == nil ? "/v1/notifications" : "/v1/notifications/batch", body,
        headers: [("Idempotency-Key", "key-\(index)")])
      if answer.status == 202 { accepted += 1 }
      answers.append(answer.text)
    }
    #expect(accepted >= 4)
    answers.append(
      try client.post(
        "/v1/templates/welcome/preview",
        ["args": ["name": "A"], "locales": ["fr"], "app_version": .string(Self.versions[0])]
      ).text)
    for path in ["/metrics", "/v1/notifications", "/v1/stats", "/v1/feedback", "/readyz", "/v1/templates"] {
      answers.append(try client.get(path).text)
    }
    #expect(log.wait(for: "\"status\":202", count: 1))
    #expect(process.terminate() == 0)
    await hookServer.shutDown(grace: .zero)
    for answer in answers { #expect(isPlanted(in: answer).isEmpty, "\(answer.prefix(300))") }
    #expect(isPlanted(in: log.text).isEmpty)
    #expect(isPlanted(in: process.output()).isEmpty)
    for request in hook.requests {
      #expect(isPlanted(in: String(decoding: request.body, as: UTF8.self)).isEmpty)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasPrefix("queue.db")
    }
    #expect(!files.isEmpty)
    for file in files {
      let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(file)"))
      #expect(isPlanted(in: String(decoding: bytes, as: UTF8.self)).isEmpty, "\(file)")
    }
  }

  /// Requests that are accepted and refused for every reason that has to do with recipients.
  private static var bodies: [JSON] {
    func body(_ recipient: JSON, _ extra: JSON = [:]) -> JSON {
      var object = JSON.Object([
        ("template", "welcome"), ("to", ["token": "t"]), ("args", ["name": "Alice"]),
        ("recipient", recipient),
      ])
      for member in extra.object ?? .init() { object[member.key] = member.value }
      return .object(object)
    }
    let known = body(
      [
        "platform": "android", "app_version": .string(versions[0]), "locale": .string(locales[0]),
        "time_zone": .string(timeZones[0]),
      ])
    let list = body(["locale": .array(locales.map(JSON.string))], ["render": "gateway"])
    return [
      known, list, body(["platform": "web", "locale": .string(locales[0])]),
      ["notifications": [known, list]],
      body(["app_version": .string("x" + versions[1]), "locale": .string(locales[1])]),
      body(["app_version": .string(versions[1]), "locale": .string("?" + locales[1])]),
      body(["app_version": .array([.string(versions[1])]), "locale": ["a": .string(locales[1])]]),
      body(["time_zone": .string(timeZones[1])]), body(["time_zone": [.string(timeZones[0])]]),
      body([:], ["render": .string(locales[0])]), body(["platform": .string(versions[1])]),
      body(
        ["platform": "web", "locale": .string(locales[0]), "app_version": .string(versions[0])],
        ["template": "stock", "args": [:]]),
    ]
  }
}
