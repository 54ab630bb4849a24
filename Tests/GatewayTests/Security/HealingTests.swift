import Foundation
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Gateway

/// What is not there when the gateway starts is read when it comes, without a signal.
@Suite(.blocking, .timeLimit(.minutes(2))) struct HealingTests {
  private let welcome: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]]

  private func user(_ fixture: GatewayFixture) -> String {
    let user: JSON = [
      "type": "authorized_user", "client_id": "made-up", "client_secret": "made-up",
      "refresh_token": "made-up", "token_uri": .string("http://127.0.0.1:\(fixture.emulator.port)/token"),
    ]
    return String(decoding: user.serialized, as: UTF8.self)
  }

  private func check(
    _ name: String, of fixture: GatewayFixture, becomes status: String
  ) async throws -> String {
    while true {
      let check = try fixture.client.get("/readyz").json["checks"]?[name]
      if let check, check["status"] == .string(status) {
        return [check["detail"]?.string, check["reason"]?.string].compactMap(\.self).joined(separator: ": ")
      }
      await Task.yield()
    }
  }

  @Test func sendsOnceItsCredentialsAreMounted() async throws {
    let folder = try TemporaryFolder()
    try await GatewayFixture.run(adjust: {
      $0.apps[0].credentials = .file("\(folder.path)/later/user.json")
    }) { fixture in
      let detail = try await check("credentials", of: fixture, becomes: "warning")
      #expect(detail.contains("user.json: does not exist"), "\(detail)")
      let answer = try fixture.client.post("/v1/notifications", welcome)
      #expect(answer.status == 202)
      // As Kubernetes does: a link to a folder, which is replaced as a whole.
      try FileManager.default.createDirectory(atPath: "\(folder.path)/1", withIntermediateDirectories: true)
      try folder.write(user(fixture), to: "1/user.json")
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/later", withDestinationPath: "\(folder.path)/1")
      await fixture.gateway.readChangedFiles()
      _ = try await check("credentials", of: fixture, becomes: "ok")
      let id = try #require(answer.json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "sent")
    }
  }

  /// The file changes, and the next token is refused before anybody has looked at the file again.
  @Test func readsCredentialsAgainWhenATokenServiceRefusesThem() async throws {
    let folder = try TemporaryFolder()
    let (old, new) = (#""refresh_token":"old""#, #""refresh_token":"new""#)
    let isRenewed = Mutex(false)
    let tokens = try StandIn { request in
      guard String(decoding: request.body, as: UTF8.self).contains("refresh_token=old") else {
        return .respond(200, [:], #"{"access_token":"t","expires_in":3600}"#)
      }
      isRenewed.withLock { isRenewed in
        guard !isRenewed, let text = try? String(contentsOfFile: "\(folder.path)/user.json", encoding: .utf8)
        else { return }
        try? folder.write(text.replacing(old, with: new), to: "user.json")
        isRenewed = true
      }
      return .respond(400, [:], #"{"error":"invalid_grant","error_description":"Bad Request"}"#)
    }
    defer { tokens.stop() }
    let user =
      #"{"type":"authorized_user","client_id":"made-up","client_secret":"made-up",\#(old),"#
      + #""token_uri":"\#(tokens.url)/token"}"#
    try folder.write(user, to: "user.json")
    let (lines, log) = AsyncStream.makeStream(of: String.self)
    try await GatewayFixture.run(
      log: Log(sink: { log.yield(String(decoding: $0, as: UTF8.self)) }),
      adjust: { $0.apps[0].credentials = .file("\(folder.path)/user.json") }
    ) { fixture in
      var reason: String?
      for await line in lines where line.contains("credentials and certificates were read again") {
        reason = line
        break
      }
      #expect(reason?.contains("a token service refused them") == true, "\(reason ?? "")")
      _ = try await check("credentials", of: fixture, becomes: "ok")
    }
  }

  @Test func readsRefusedCredentialsOnceInAWhile() {
    let refused = RefusedCredentials()
    let count = Atomic<Int>(0)
    refused.onRefusal { count.add(1, ordering: .relaxed) }
    let start = ContinuousClock.now
    for milliseconds in [0, 1, 4_999, 5_000, 5_001, 9_999, 10_000] {
      refused.note(now: start + .milliseconds(milliseconds))
    }
    #expect(count.load(ordering: .relaxed) == 3)
  }

  @Test func noticesALinkThatIsReplaced() throws {
    let folder = try TemporaryFolder()
    let (files, link) = (FileManager.default, "\(folder.path)/data")
    for name in ["1", "2"] {
      try files.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
      try folder.write("same", to: "\(name)/key")
    }
    let none = FileStamps(["\(link)/key"])
    try files.createSymbolicLink(atPath: link, withDestinationPath: "\(folder.path)/1")
    let first = FileStamps(["\(link)/key"])
    #expect(first != none)
    #expect(first == FileStamps(["\(link)/key"]))
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: link, withDestinationPath: "\(folder.path)/2")
    #expect(first != FileStamps(["\(link)/key"]))
  }

  @Test func oneAppWithWrongCredentialsStopsNoOther() async throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"project_info": {}, "client": []}"#, to: "wrong.json")
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      var other = $0.apps[0]
      other.name = "other"
      other.credentials = .file("\(folder.path)/wrong.json")
      $0.apps.append(other)
      started = $0
    }) { fixture in
      let detail = try await check("credentials", of: fixture, becomes: "warning")
      #expect(detail.contains("other: "), "\(detail)")
      #expect(detail.contains("google-services.json"), "\(detail)")
      var request = try #require(welcome.object)
      request["app"] = "default"
      let id = try #require(try fixture.client.post("/v1/notifications", .object(request)).json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "sent")
      // Neither does it stop a reload, which keeps what works.
      var changed = try #require(started)
      changed.apps[0].credentials = .file("\(folder.path)/wrong.json")
      changed.apps[1].credentials = .none
      await fixture.gateway.reload(.success(changed))
      #expect(fixture.gateway.parts.configuration.apps[1].credentials == .none)
      try folder.write("{", to: "wrong.json")
      changed.apps = [changed.apps[0]]
      await fixture.gateway.reload(.success(changed))
      #expect(fixture.gateway.parts.configuration.apps.count == 2)
    }
  }

  @Test func showsWhenACertificateExpiresAndReadsTheNextOne() async throws {
    let folder = try TemporaryFolder()
    try folder.makeCertificate()
    try await GatewayFixture.run(adjust: {
      $0.apps[0].caFile = "\(folder.path)/tls.crt"
    }) { fixture in
      func expiry() throws -> Substring? {
        try fixture.client.get("/metrics").text.split(separator: "\n").first {
          $0.hasPrefix("dragoman_tls_certificate_expiry_timestamp_seconds{")
        }
      }
      let first = try #require(try expiry())
      #expect(first.contains("tls.crt"))
      try FileManager.default.removeItem(atPath: "\(folder.path)/tls.crt")
      await fixture.gateway.readChangedFiles()
      #expect(try expiry() == nil)
      try folder.makeCertificate()
      await fixture.gateway.readChangedFiles()
      #expect(try expiry() != nil)
    }
  }

  @Test func measuresTheClockByFCMsAnswers() async throws {
    let fcm = try StandIn { _ in
      .respond(
        200, ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"], #"{"name":"projects/p/messages/1"}"#)
    }
    defer { fcm.stop() }
    try await GatewayFixture.run(adjust: { $0.apps[0].endpoint = fcm.url }) { fixture in
      let id = try #require(try fixture.client.post("/v1/notifications", welcome).json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "sent")
      let metrics = try fixture.client.get("/metrics").text
      let skew = metrics.split(separator: "\n").first { $0.hasPrefix("dragoman_clock_skew_seconds ") }
      #expect(skew.flatMap { Double($0.split(separator: " ").last ?? "") } ?? 0 > 1_000_000, "\(metrics)")
    }
  }
}
