import FCMEmulator
import Foundation
import HTTPServer
import JSON
import Telemetry
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
    let (fcm, fcmServer) = try RecordingPeer.start(FCMEmulator(log: .silent))
    let emulator = HTTPTestClient(port: fcm.port)
    let faults = try emulator.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")], body: Self.faults.serialized)
    #expect(faults.status == 200)
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
      apps: {default: {catalog: \(GatewayFixture.repository)/config/catalog.yaml, credentials: none, project_id: p, endpoint: "http://127.0.0.1:\(fcm.port)"}}
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
    #expect(accepted >= 6)
    let events = try await feedback(client, hook)
    #expect(Set(events.compactMap { $0["type"]?.string }) == ["registration.dead", "activity.dead"])
    #expect(events.contains { $0["activity_token"] == "gone-activity" })
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
    await fcmServer.shutDown(grace: .zero)
    for answer in answers { #expect(isPlanted(in: answer).isEmpty, "\(answer.prefix(300))") }
    #expect(isPlanted(in: log.text).isEmpty)
    let output = try process.output()
    #expect(isPlanted(in: output).isEmpty)
    #expect(hook.requests.count >= 2 && fcm.requests.count >= 6)
    for request in hook.requests + fcm.requests {
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

  /// The feedback once it and the webhook have told of a dead registration and a dead activity; polls for at
  /// most 30 s.
  private func feedback(_ client: HTTPTestClient, _ hook: RecordingPeer) async throws -> [JSON] {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      let events = try client.get("/v1/feedback").json["events"]?.array ?? []
      if events.count >= 2 && hook.requests.count >= 2 || ContinuousClock.now > deadline { return events }
      await Task.yield()
    }
  }

  /// What FCM says about registrations and activities that are gone.
  private static let faults: JSON = [
    "rules": [
      ["token": "gone-phone", "error_code": "UNREGISTERED"],
      [
        "token": "phone-with-activity", "status": 404,
        "body": .string(
          """
          {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[\
          {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"},\
          {"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":410,"reason":"Unregistered"}]}}
          """),
      ],
    ]
  ]

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
    let gone = body(
      ["platform": "android", "app_version": .string(versions[0]), "locale": .string(locales[0])],
      ["to": ["token": "gone-phone"]])
    let activity = body(
      [
        "platform": "ios", "app_version": .string(versions[1]), "locale": .string(locales[1]),
        "time_zone": .string(timeZones[0]),
      ],
      [
        "template": "match_goal", "to": ["token": "phone-with-activity"], "render": "gateway",
        "args": ["home": 2, "away": 1, "scorer": "Ada"],
        "live_activity": ["token": "gone-activity", "event": "update"],
      ])
    return [
      known, list, gone, activity, body(["platform": "web", "locale": .string(locales[0])]),
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
