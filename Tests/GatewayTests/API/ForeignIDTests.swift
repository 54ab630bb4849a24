import Clock
import Foundation
import HTTPServer
import JSON
import Outbox
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// A client can see nothing of another's notifications, not even that they exist.
@Suite(.blocking) struct ForeignIDTests {
  private func client(
    _ name: String, _ scopes: Set<APIScope>, apps: [String]? = nil
  ) -> ClientGrant {
    .init(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: apps, templates: nil,
      rate: nil)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  /// An answer without the parts that always differ.
  private func essence(_ answer: HTTPTestClient.Answer) -> String {
    let headers = answer.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
    return "\(answer.status)\n\(headers.map { "\($0.name): \($0.value)" }.sorted())\n\(answer.text)"
  }

  @Test func isIndistinguishableFromAnUnknownID() async throws {
    let clients = [
      client("a", [.send, .read]), client("b", [.send, .read]),
      client("elsewhere", [.admin], apps: ["other"]),
      client("boss", [.admin]),
    ]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let made = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "Bob"]],
        headers: bearer("a"))
      let id = try #require(made.json["id"]?.string)
      let never = "01890000-0000-7000-8000-000000000000"
      for other in ["b", "elsewhere"] {
        for (method, suffix) in [("GET", ""), ("HEAD", ""), ("DELETE", ""), ("POST", "/retry")] {
          func ask(_ id: String) throws -> String {
            essence(
              try fixture.client.send(
                method, "/v1/notifications/\(id)\(suffix)", headers: bearer(other),
                body: method == "POST" ? [] : nil))
          }
          let foreign = try ask(id)
          #expect(foreign.hasPrefix("404\n"), "\(other) \(method)")
          #expect(foreign == (try ask(never)), "\(other) \(method)")
        }
        let list = try fixture.client.get("/v1/notifications", headers: bearer(other))
        #expect(list.json["notifications"]?.array?.isEmpty == true)
      }
      #expect(try fixture.client.get("/v1/notifications/\(id)", headers: bearer("boss")).status == 200)
    }
  }

  @Test func clientsDoNotShareIdempotencyKeys() async throws {
    let clients = [client("a", [.send, .read]), client("b", [.send, .read])]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let key = [("Idempotency-Key", "same")]
      let answers = try ["a", "b"].map { name in
        try fixture.client.post(
          "/v1/notifications",
          ["template": "welcome", "to": ["token": .string(name)], "args": ["name": "x"]],
          headers: bearer(name) + key)
      }
      #expect(answers.map(\.status) == [202, 202])
      #expect(answers[0].json["id"] != answers[1].json["id"])
    }
  }

  @Test func comparesNamesOfAppsAndClientsByteByByte() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    func principal(_ name: String) throws -> Principal {
      let grant = client(name, [.read], apps: [name])
      let head = HTTPRequestHead(
        method: "GET", target: "/", headers: ["Authorization": "Bearer key-\(name)"])
      return try Authenticator(clients: [grant]).principal(of: head)
    }
    let notification = StoredNotification(
      id: NotificationID(UUIDv7(now: .now)), app: composed, template: "t", client: composed, createdAt: .now,
      deliveries: [])
    #expect(try principal(composed).maySee(notification))
    #expect(try principal(composed).mayUse(app: composed))
    #expect(try !principal(composed).mayUse(app: decomposed))
    #expect(try !principal(decomposed).maySee(notification))
  }
}
