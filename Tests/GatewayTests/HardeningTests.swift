import Foundation
import TestSupport
import Testing

@testable import Gateway

/// What `serve` refuses and forbids to guard its secrets.
@Suite struct HardeningTests {
  @Test func areForbiddenOnceAndForAll() {
    #expect(MemoryDumps.forbid())
    #expect(MemoryDumps.areForbidden)
  }

  @Test func areForbiddenWhereThereAreSecrets() {
    var configuration = GatewayConfiguration()
    var app = GatewayConfiguration.App(name: "default", catalog: "c.yaml")
    app.credentials = .none
    configuration.apps = [app]
    #expect(!configuration.holdsSecrets)
    configuration.apps[0].credentials = .applicationDefault
    #expect(configuration.holdsSecrets)
    configuration.apps[0].credentials = .none
    configuration.server.tls = .init(certificate: "c", key: "k", clientCA: nil)
    #expect(configuration.holdsSecrets)
  }

  @Test(arguments: [[], ["--listen", "0.0.0.0:0"]]) func anOpenDoorNeedsKeys(_ flags: [String]) throws {
    let folder = try TemporaryFolder()
    let text = """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", credentials: none, project_id: p}}

      """
    try folder.write(text, to: "gateway.yaml")
    let environment = flags.isEmpty ? ["DRAGOMAN_SERVER_LISTEN": "[::]:0"] : [:]
    let result = try DragomanProcess.run(
      ["serve", "--config", "\(folder.path)/gateway.yaml"] + flags, environment: environment)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("auth.clients is empty"), "\(result.errors)")
    #expect(result.errors.contains("allow_anonymous"))
  }
}
