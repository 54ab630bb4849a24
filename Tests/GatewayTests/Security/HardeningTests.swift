import Foundation
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What `serve` refuses and disables to protect its secrets.
@Suite(.blocking) struct HardeningTests {
  @Test(arguments: ["", "enable=yes,interactive=no"]) func coreDumpsAreDisabled(_ backtrace: String) throws {
    let folder = try TemporaryFolder()
    let hash = String(repeating: "ab", count: 32)
    let text = """
      server: {listen: "127.0.0.1:0"}
      auth: {clients: [{name: a, key_sha256: \(hash), scopes: [admin]}]}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
        credentials: none, project_id: p, endpoint: "http://127.0.0.1:1"}}
      queue: {url: "sqlite:queue.db"}

      """
    try folder.write(text, to: "gateway.yaml")
    let process = try DragomanProcess(
      ["serve", "--config", "\(folder.path)/gateway.yaml"], environment: ["SWIFT_BACKTRACE": backtrace])
    defer { process.kill() }
    _ = try process.address(after: "gateway listening on ")
    func proc(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(process.id)/\(name)")), as: UTF8.self)
    }
    #expect(try proc("coredump_filter").allSatisfy { $0 == "0" || $0 == "\n" })
    let limit = try #require(
      try proc("limits").split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(limit.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    #expect(process.terminate() == 0)
  }

  @Test func debuggersCannotAttachOnceForbidden() {
    #expect(MemoryDumps.forbid(keepsCrashReports: false))
    #expect(MemoryDumps.areForbidden)
  }

  @Test func areForbiddenWhenThereAreSecrets() {
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

  @Test(arguments: [[], ["--listen", "0.0.0.0:0"]]) func publicAddressNeedsKeys(_ flags: [String]) throws {
    let folder = try TemporaryFolder()
    let text = """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
        credentials: none, project_id: p, endpoint: "http://127.0.0.1:1"}}

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
