import CatalogCheck
import Foundation
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// The causes of findings in the list of templates and in the log.
@Suite(.blocking) struct FindingGroupsTests {
  private static func app() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let templates = (0..<14).map { "  t\($0): {title: {ios: K\($0)}}" }.joined(separator: "\n")
    try folder.write(
      """
      version: 1
      resources: {android: res, ios: App, development_language: en}
      templates:
        crash: {params: {n: {type: string}}, body: {android: k, args: [n]}}
        other: {params: {n: {type: string}}, body: {android: k, args: [n]}}
      \(templates)
      """, to: "catalog.yaml")
    try folder.write(#"<resources><string name="k">%1$s</string></resources>"#, to: "res/values/s.xml")
    try folder.write(#"<resources><string name="k">%1$d</string></resources>"#, to: "res/values-de/s.xml")
    try folder.write(#"<resources><string name="x">"#, to: "res/values-fr/s.xml")
    try folder.write(#""A" = "a";"#, to: "App/en.lproj/Localizable.strings")
    return folder
  }

  @Test func listTheTemplatesOfEachCause() async throws {
    let folder = try Self.app()
    func client(_ name: String, templates: [String]?) -> ClientGrant {
      ClientGrant(
        name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: [.preview], apps: nil,
        templates: templates, rate: nil)
    }
    try await GatewayFixture.run(
      adjust: { configuration in
        configuration.apps[0].catalog = "\(folder.path)/catalog.yaml"
        configuration.auth.clients = [
          client("all", templates: nil), client("one", templates: ["crash"]),
        ]
      }
    ) { fixture in
      func groups(_ name: String) throws -> [JSON] {
        let headers = [("Authorization", "Bearer key-\(name)")]
        return try fixture.client.get("/v1/templates", headers: headers).json["finding_groups"]?.array ?? []
      }
      let all = try groups("all")
      #expect(all.first?["rule"] == "StringFormatMatches")
      #expect(all.first?["impact"] == "crash")
      #expect(all.first?["templates"] == ["crash", "other"])
      #expect(all.first?["locales"] == ["de"])
      #expect(all.first?["findings"] == 2)
      #expect(all.contains { $0["rule"] == "UnparsableStrings" })
      let one = try groups("one")
      #expect(one.first?["templates"] == ["crash"])
      #expect(one.allSatisfy { $0["templates"] == ["crash"] }, "Files concern every template.")
    }
  }

  @Test func logsASummaryAndTheTenWorst() throws {
    let folder = try Self.app()
    let app = try CheckedCatalog(try AppCatalog.load(file: "\(folder.path)/catalog.yaml"))
    let lines = Mutex<[JSON]>([])
    let log = Log(sink: { bytes in
      let texts = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      lines.withLock { $0 += texts.compactMap { try? JSON.parse($0) } }
    })
    app.log(to: log, app: "default")
    #expect(log.flush())
    let logged = lines.withLock { $0 }
    #expect(logged.count == 11)
    #expect(logged[0]["message"] == "catalog checked")
    #expect(logged[0]["errors"]?.int64 == Int64(app.report.count(of: .error)))
    #expect(logged[1]["level"] == "error")
    #expect(logged[1]["impact"] == "crash")
    #expect(logged[1]["templates"] == "crash, other")
    #expect(logged[1]["findings"] == 2)
    #expect(logged[1]["reason"]?.string == app.report.groups.first?.message)
  }
}
