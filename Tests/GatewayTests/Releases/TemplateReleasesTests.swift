import Foundation
import Gateway
import JSON
import TestSupport
import Testing

/// The releases in a template's answer.
@Suite(.blocking) struct TemplateReleasesTests {
  @Test func answersWithTheReleasesThatCanShowIt() async throws {
    let folder = try TemporaryFolder()
    let apps = "\(GatewayFixture.repository)/Tests/AppArchivesTests/Fixtures/apps"
    try folder.write(
      """
      version: 1
      releases:
        android: [{version: 4.0, resources: \(apps)/shrunk.aab}, {version: 4.10, resources: \(apps)/dense.apk}]
      templates: {t: {body: {android: plain}, since: {android: 4.10}}}
      """, to: "catalog.yaml")
    try await GatewayFixture.run(adjust: { $0.apps[0].catalog = "\(folder.path)/catalog.yaml" }) { fixture in
      let android = try fixture.client.get("/v1/templates/t").json["releases"]?["android"]
      #expect(android?["safe_since"] == "4.10")
      #expect(android?["releases"]?["4.0"]?["state"] == "missing")
      let listed = try fixture.client.get("/v1/templates").json["templates"]?[0]
      #expect(listed?["releases"]?["ios"] == ["safe_since": nil, "releases": [:]])
    }
    try await GatewayFixture.run { fixture in
      let welcome = try fixture.client.get("/v1/templates/welcome").json
      #expect(welcome["releases"] == nil)
    }
  }
}
