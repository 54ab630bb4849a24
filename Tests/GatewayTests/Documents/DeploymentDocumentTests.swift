import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

/// Compares docs/deployment.md with the files in deploy/.
@Suite(.blocking) struct DeploymentDocumentTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(GatewayFixture.repository)/\(path)", encoding: .utf8)
  }

  @Test(arguments: ["debian", "kubernetes/overlays/emulator", "kubernetes/overlays/fcm"])
  func catalogToStartWithAcceptsTheDocumentedRequest(folder: String) async throws {
    let document = try Self.text("docs/deployment.md")
    let found = try #require(document.firstMatch(of: /\/v1\/notifications [^']*'[^']*' -d '(?<body>[^']*)'/))
    let request = try JSON.parse(Array(found.output.body.utf8))
    try await GatewayFixture.run(catalog: Self.text("deploy/\(folder)/catalog.yaml")) { fixture in
      let answer = try fixture.client.post("/v1/notifications", request)
      #expect(answer.status == 202, "\(String(decoding: answer.body, as: UTF8.self))")
    }
  }
}
