import AppStrings
import Foundation
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// `GET /v1/icons/{icon}`.
@Suite(.blocking) struct IconTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [0, 0, 0, 48, 0, 0, 0, 48]

  /// Runs `body` with an app whose Android resources have an icon, and another without one.
  private func run(_ body: (GatewayFixture, _ icon: String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try folder.write("<resources><string name=\"hi\">Hi</string></resources>", to: "res/values/strings.xml")
    try folder.write("", to: "res/mipmap/empty")
    try Data(Self.png).write(to: URL(filePath: "\(folder.path)/res/mipmap/ic_launcher.png"))
    let catalog = """
      version: 1
      resources: {android: \(folder.path)/res}
      templates: {hello: {title: {android: hi}}}
      """
    let clients = [
      ("shop", APIScope.preview, "default"), ("news", .preview, "news"), ("send", .send, "default"),
    ]
    try await GatewayFixture.run(
      catalog: catalog,
      adjust: { configuration in
        var news = configuration.apps[0]
        (news.name, news.catalog) = ("news", "\(GatewayFixture.repository)/config/catalog.yaml")
        configuration.apps.append(news)
        configuration.auth.clients = clients.map { name, scope, app in
          ClientGrant(
            name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: [scope], apps: [app],
            templates: nil)
        }
      },
      { fixture in
        let answer = try fixture.client.post("/v1/templates/hello/preview", [:], headers: key("shop"))
        let icon = try #require(answer.json["previews"]?.array?.first?["app_icon"]?.string)
        try await body(fixture, icon)
      })
  }

  private func key(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  @Test func answersWithTheIconThatPreviewsName() async throws {
    try await run { fixture, icon in
      let answer = try fixture.client.get(
        "/v1/icons/\(icon)", headers: key("shop") + [("Accept-Encoding", "gzip")])
      #expect(answer.status == 200 && answer.body == Self.png)
      #expect(answer.header("Content-Type") == "image/png")
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(answer.header("Cache-Control") == "private, no-cache")
      #expect(answer.header("Content-Encoding") == nil)
      let tag = try #require(answer.header("ETag"))
      let again = try fixture.client.get(
        "/v1/icons/\(icon)", headers: key("shop") + [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.isEmpty)
      #expect(try fixture.client.get("/v1/icons/\(icon)?x=1", headers: key("shop")).status == 422)
    }
  }

  /// Like an icon that does not exist.
  @Test func hidesTheIconsOfAppsThatAClientMayNotUse() async throws {
    try await run { fixture, icon in
      let hidden = try fixture.client.get("/v1/icons/\(icon)", headers: key("news"))
      let absent = try fixture.client.get("/v1/icons/0", headers: key("news"))
      #expect(hidden.status == 404 && hidden.body == absent.body)
      #expect(try fixture.client.get("/v1/icons/0", headers: key("shop")).status == 404)
      #expect(try fixture.client.get("/v1/icons/\(icon)", headers: key("send")).status == 403)
      #expect(try fixture.client.get("/v1/icons/\(icon)").status == 401)
    }
  }
}
