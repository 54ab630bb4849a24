import HTTPClient
import Telemetry
import TestSupport
import Testing

@testable import Gateway

/// Apps whose catalogs are the same file.
struct SharedCatalogTests {
  private func reason(apps count: Int, catalog: String) async -> String? {
    var configuration = GatewayConfiguration()
    configuration.apps = (0..<count).map { number in
      var app = GatewayConfiguration.App(name: "app-\(number)", catalog: catalog)
      (app.credentials, app.projectID) = (.none, "p")
      return app
    }
    let (transport, pool) = (HTTPTransport(log: .silent), TransportPool(log: .silent))
    let error = await #expect(throws: GatewayError.self) {
      _ = try await GatewayParts(
        configuration, over: transport, pool: pool, refused: RefusedCredentials(), log: .silent)
    }
    await pool.shutDown()
    await transport.shutDown()
    return error?.description
  }

  /// A thousand apps took a minute to start when each read and checked the file for itself.
  @Test func aFileIsReadOnceForAllItsApps() async throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/catalog.yaml"
    try folder.write("templates: 3\n", to: "catalog.yaml")
    let reason = try #require(await reason(apps: 1, catalog: file))
    #expect(reason.contains("catalog.yaml"))
    #expect(await self.reason(apps: 3, catalog: file) == reason)
  }
}
