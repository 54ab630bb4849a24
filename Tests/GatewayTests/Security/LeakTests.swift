import Foundation
import HTTPServer
import JSON
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// A run with everything that can go wrong, and a search for its secrets in everything that it wrote.
@Suite(.blocking, .timeLimit(.minutes(3))) struct LeakTests {
  private static let traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test(arguments: ["json", "text"]) func nothingSecretIsWrittenAnywhere(_ format: String) async throws {
    let scene = try LeakScene(logFormat: format)
    do {
      var open = try await sendOfAllKinds(scene)
      open += try askWrongly(scene)
      open += try reloadBrokenConfigurations(scene)
      open += try lookAround(scene)
      try pauseTheApp(scene)
      open += try lookAround(scene)
      let process = try processList(scene)
      #expect(scene.process.terminate() == 0)
      try scene.waitForLog("gateway stopped")
      try judge(scene, format: format, open: open, process: process)
    } catch {
      await scene.stop()
      throw error
    }
    await scene.stop()
  }

  // MARK: What happens

  /// Each way in which a delivery can end. Returns the answers to the caller.
  private func sendOfAllKinds(_ scene: LeakScene) async throws -> [String] {
    let kinds = [
      "UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL",
      "THIRD_PARTY_AUTH_ERROR", "close", "latency", "html", "quote", "sent",
    ]
    let tokens = kinds.map { "\($0)-\(scene.secret("token for \($0)"))" }
    let text = scene.secret("arg")
    let rules: [JSON] = zip(kinds, tokens).compactMap { kind, token in
      let glob: JSON = .string("\(kind)-*")
      switch kind {
      case "sent": return nil
      case "close": return ["token": glob, "close": true]
      case "latency": return ["token": glob, "latency": "1500ms"]
      case "html": return ["token": glob, "status": 200, "body": .string("<html>\(text)</html>"), "times": 2]
      case "quote":
        let body = #"{"error":{"code":400,"message":"bad \#(token)","status":"INVALID_ARGUMENT"}}"#
        return ["token": glob, "status": 400, "body": .string(body)]
      default: return ["token": glob, "error_code": .string(kind)]
      }
    }
    try setFaults(rules, scene)
    var targets: [JSON] = tokens.map { ["token": .string($0)] }
    targets += [
      ["fid": .string("UNREGISTERED-\(scene.secret("fid"))")], ["topic": .string(scene.secret("topic"))],
      ["condition": .string("'\(scene.secret("condition"))' in topics")],
    ]
    var bodies: [String] = []
    var ids: [String] = []
    for target in targets {
      let answer = try post(
        scene,
        [
          "template": "new_message", "to": target,
          "args": ["name": .string(text), "sender": .string(scene.secret("sender")), "count": 2],
          "data": ["thread": .string(scene.secret("data"))],
          "collapse_key": .string(scene.secret("collapse")),
        ])
      #expect(answer.status == 202, "\(answer.text)")
      bodies.append(answer.text)
      ids.append(answer.json["id"]?.string ?? "")
    }
    for id in ids { bodies.append(try await ended(id, scene)) }
    let checked = try post(
      scene,
      ["template": "welcome", "to": targets[4], "args": ["name": .string(text)], "validate_only": true])
    return bodies + [checked.text]
  }

  /// Rejected requests, each with a secret of the caller.
  private func askWrongly(_ scene: LeakScene) throws -> [String] {
    func secret(_ name: String) -> String { scene.secret("bad input: \(name)") }
    let bad: [String] = [
      #"{"template":"\#(secret("cut text"))"#,
      #"{"template":"\#(secret("unknown template"))","to":{"token":"t"}}"#,
      #"{"template":"welcome","to":{"token":"t"},"app":"\#(secret("unknown app"))"}"#,
      #"{"template":"welcome","to":{"token":"t"},"args":{"\#(secret("arg name"))":1}}"#,
      #"{"template":"new_message","to":{"topic":"a b \#(secret("topic"))"},"#
        + #""args":{"count":"\#(secret("count"))"}}"#,
      #"{"\#(secret("field"))":1,"ttl":"\#(secret("ttl"))","priority":"\#(secret("priority"))"}"#,
      #"{"a":1,"a":"\#(secret("duplicate"))"}"#,
    ]
    var bodies = try bad.map {
      try scene.client.post("/v1/notifications", bytes: Array($0.utf8), headers: bearer(scene.key)).text
    }
    for path in [
      "/\(secret("path"))", "/v1/notifications/\(secret("id"))", "/v1/templates/\(secret("template"))",
      "/v1/notifications?cursor=\(secret("cursor"))", "/metrics?key=\(secret("query"))",
      "/problems/\(secret("problem"))",
    ] {
      bodies.append(try scene.client.get(path, headers: bearer(scene.key)).text)
    }
    for value in ["Bearer \(secret("key"))", "Basic \(secret("basic"))", secret("scheme")] {
      bodies.append(try scene.client.get("/v1/stats", headers: [("Authorization", value)]).text)
    }
    for raw in [
      "GET /\(secret("raw path")) HTTP/9.9\r\n\r\n",
      "\(secret("method").uppercased()) / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nBad Name: \(secret("field line"))\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: \(secret("length"))\r\n\r\n",
    ] {
      bodies.append(try scene.client.exchange(Array(raw.utf8)).text)
    }
    return bodies
  }

  /// Configurations with a secret in the wrong place; each leaves the old one in force.
  private func reloadBrokenConfigurations(_ scene: LeakScene) throws -> [String] {
    let path = "\(scene.folder.path)/gateway.yaml"
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    let secret = try String(contentsOfFile: "\(scene.folder.path)/hook.secret", encoding: .utf8).dropLast()
    let account = try String(contentsOfFile: "\(scene.folder.path)/account.json", encoding: .utf8)
    try scene.folder.write(account.replacingOccurrences(of: "BEGIN", with: "BEGUN"), to: "pem.json")
    try scene.folder.write(String(account.dropLast(3)), to: "cut.json")
    try scene.folder.write(
      account.replacingOccurrences(of: "private_key\":", with: "private_key\":1,\""), to: "odd.json")
    let broken: [(String, String)] = [
      ("secret_file: hook.secret", "secret: \(secret.dropFirst(6))"),
      ("secret_file: hook.secret", "secret: [\(secret)]"),
      ("secret_file: hook.secret", "secret: \"\(secret)"), ("secret_file: hook.secret", "\(secret): 1"),
      ("key_sha256_file: orders.hash", "key_sha256: \(scene.key)"),
      ("key_sha256_file: orders.hash", "key_sha256_file: \(scene.key)"),
      ("account.json", "pem.json"), ("account.json", "cut.json"), ("account.json", "odd.json"),
      ("format:", "fromat:"), ("credentials: account.json", "credentials: '\(account)'"),
      ("credentials: account.json", "credentials: \(account)"),
    ]
    var written: [String] = []
    for (index, (old, new)) in broken.enumerated() {
      let text = whole.replacingOccurrences(of: old, with: new)
      #expect(text != whole)
      try scene.folder.write(text, to: "gateway.yaml")
      scene.process.reload()
      try scene.waitForLog("reload failed", count: index + 1)
      let printed = try DragomanProcess.run(["serve", "--config", path, "--print-config"])
      written += [printed.output, printed.errors]
    }
    try scene.folder.write(whole, to: "gateway.yaml")
    let ready = try scene.client.get("/readyz")
    #expect(ready.json["status"] == "degraded")
    scene.process.reload()
    try scene.waitForLog("configuration reloaded")
    let printed = try DragomanProcess.run([
      "serve", "--config", "\(scene.folder.path)/print.yaml", "--print-config",
    ])
    #expect(printed.status == 0, "\(printed.errors)")
    let diagnoses = try ["text", "json"].map { format in
      try DragomanProcess.run(["doctor", "--config", "\(scene.folder.path)/print.yaml", "--format", format])
    }
    #expect(diagnoses.map(\.status) == [0, 0], "\(diagnoses)")
    written += diagnoses.flatMap { [$0.output, $0.errors] }
    return written + [ready.text, printed.output, printed.errors]
  }

  private func lookAround(_ scene: LeakScene) throws -> [String] {
    var bodies = try ["/metrics", "/readyz", "/healthz"].map { try scene.client.get($0).text }
    bodies += try ["/v1/stats", "/v1/templates", "/v1/templates/welcome"].map {
      try scene.client.get($0, headers: bearer(scene.key)).text
    }
    for body in bodies {
      for (name, value) in scene.secrets.caller { #expect(!body.contains(value), "\(name)") }
    }
    return bodies
  }

  /// FCM rejects the whole app, with the token in its message.
  private func pauseTheApp(_ scene: LeakScene) throws {
    let token = "last-\(scene.secret("token for a refused app"))"
    // A few refused targets do not stop an app.
    let tokens = (0..<12).map { "\(token)-\($0)" }
    let faults = tokens.map { token -> JSON in
      let body = #"{"error":{"code":403,"message":"not for \#(token)","status":"PERMISSION_DENIED"}}"#
      return ["token": .string(token), "status": 403, "body": .string(body)]
    }
    try setFaults(faults, scene)
    _ = try post(
      scene,
      ["template": "welcome", "to": ["tokens": .array(tokens.map { .string($0) })], "args": ["name": "x"]])
    try scene.waitForLog("app paused")
    #expect(try scene.client.get("/readyz").json["checks"]?["credentials"]?["status"] == "warning")
  }

  // MARK: What is found

  private func judge(_ scene: LeakScene, format: String, open: [String], process: [String]) throws {
    let log = scene.log
    let secrets = scene.secrets
    #expect(secrets.server.count >= 10 && secrets.caller.count >= 30)
    let own = ["the log": [log], "stdout": [try scene.process.output()], "the process list": process]
    for (place, texts) in own {
      for (name, value) in secrets.server.merging(secrets.caller, uniquingKeysWith: { first, _ in first }) {
        #expect(!texts.contains { holds($0, value) }, "\(place) holds the \(name)")
      }
    }
    for (name, value) in secrets.server {
      let place = open.first { holds($0, value) }
      #expect(place == nil, "an answer holds the \(name): \(place ?? "")")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path).filter {
      !$0.hasPrefix("queue.db") && !$0.hasSuffix(".json") && !$0.hasSuffix(".yaml")
    }
    #expect(files.sorted() == ["hook.secret", "orders.hash"])
    format == "json" ? try judgeLines(log) : judgeText(log)
    #expect(
      scene.fcm.requests.contains {
        ($0.head.headers["traceparent"] ?? "").hasPrefix(Self.traceParent.prefix(35))
      })
    let received = scene.receiver.requests.map(\.head.headers)
    #expect(
      !received.isEmpty
        && received.allSatisfy { ($0["traceparent"] ?? "").hasPrefix(Self.traceParent.prefix(35)) })
  }

  /// Whether a text contains the beginning or the end of a secret.
  private func holds(_ text: String, _ secret: String) -> Bool {
    text.contains(secret.prefix(16)) || text.contains(secret.suffix(16))
  }

  /// Every line is JSON; those about a request or a delivery identify it.
  private func judgeLines(_ log: String) throws {
    var seen: Set<String> = []
    for line in log.split(separator: "\n") {
      let json = try JSON.parse(String(line))
      let message = json["message"]?.string ?? ""
      seen.insert(message)
      let needed: [String] =
        switch message {
        case "request", "login failed", "notification accepted": ["request_id", "trace_id"]
        case "request refused": ["request_id"]
        case "attempt failed", "delivery ended", "registration is dead":
          ["notification_id", "delivery_id", "target", "trace_id"]
        default: []
        }
      for field in ["time", "level"] + needed where json[field]?.string == nil {
        // The deliveries of the last step are in no trace.
        if field != "trace_id" || json["delivery_id"] == nil { Issue.record("\(message) has no \(field)") }
      }
    }
    for message in [
      "request", "login failed", "request refused", "notification accepted", "attempt failed",
      "delivery ended", "registration is dead", "app paused: only probes are sent until one is accepted",
      "gateway stopped",
    ] { #expect(seen.contains(message), "\(message)") }
  }

  private func judgeText(_ log: String) {
    let levels = Set(Log.Level.allCases.map { $0.name.uppercased() })
    for line in log.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      #expect(words.count == 3 && words[0].hasSuffix("Z") && levels.contains(String(words[1])), "\(line)")
    }
    #expect(log.contains("request method=POST route=/v1/notifications status=202"))
  }

  /// What every user of the machine, or the same user, can see of the process.
  private func processList(_ scene: LeakScene) throws -> [String] {
    try ["cmdline", "environ", "comm", "status"].map { name in
      String(
        decoding: try Data(contentsOf: URL(filePath: "/proc/\(scene.process.id)/\(name)")), as: UTF8.self)
    }
  }

  // MARK: Requests

  private func bearer(_ key: String) -> [(String, String)] { [("Authorization", "Bearer \(key)")] }

  private func post(_ scene: LeakScene, _ body: JSON) throws -> HTTPTestClient.Answer {
    try scene.client.post(
      "/v1/notifications", body, headers: bearer(scene.key) + [("traceparent", Self.traceParent)])
  }

  private func setFaults(_ rules: [JSON], _ scene: LeakScene) throws {
    let peer = HTTPTestClient(port: scene.fcm.port)
    let body: JSON = ["rules": .array(rules)]
    #expect(
      try peer.send("PUT", "/faults", headers: [("Content-Type", "application/json")], body: body.serialized)
        .status == 200)
  }

  private func ended(_ id: String, _ scene: LeakScene) async throws -> String {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      let answer = try scene.client.get("/v1/notifications/\(id)", headers: bearer(scene.key))
      let status = answer.json["status"]?.string ?? ""
      if !["scheduled", "queued", "sending"].contains(status) { return answer.text }
      guard ContinuousClock.now < deadline else {
        throw DragomanProcess.Failure(description: "still \(status): \(answer.text)")
      }
      await Task.yield()
    }
  }
}
