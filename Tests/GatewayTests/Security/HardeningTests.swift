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

  @Test func findsFilesThatOthersMayUse() throws {
    let folder = try TemporaryFolder()
    for name in ["a.json", "b.json", "queue.db", "key.pem"] { try folder.write("x", to: name) }
    var configuration = GatewayConfiguration()
    for name in ["a", "b"] {
      var app = GatewayConfiguration.App(name: name, catalog: "c.yaml")
      app.credentials = .file("\(folder.path)/\(name).json")
      configuration.apps.append(app)
    }
    configuration.server.tls = .init(certificate: "c", key: "\(folder.path)/key.pem", clientCA: nil)
    configuration.queue.store = .sqlite(path: "\(folder.path)/queue.db")
    let modes: [(String, mode_t)] = [
      ("a.json", 0o640), ("b.json", 0o604), ("queue.db", 0o602), ("key.pem", 0o400), ("", 0o777),
    ]
    for (name, mode) in modes { #expect(chmod("\(folder.path)/\(name)", mode) == 0) }
    let found = FileAccess.exposures(in: configuration).map { "\($0.path) \($0.mode)" }
    #expect(
      found == ["\(folder.path)/b.json 604", "\(folder.path)/queue.db 602", "\(folder.path) 777"])
    // As in /tmp, nobody may replace another user's files.
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(FileAccess.exposures(in: configuration).count == 2)
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
