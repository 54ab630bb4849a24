import FCMEmulator
import Foundation
import HTTPServer
import JSON
import Outbox
import Telemetry
import TestSupport
import Testing

@testable import Gateway

/// `dragoman doctor`: what it finds, and what it says about it.
@Suite(.blocking) struct DoctorTests {
  private let folder: TemporaryFolder
  private var file: String { "\(folder.path)/gateway.yaml" }

  init() throws { folder = try TemporaryFolder() }

  private func write(endpoint: String, app: String = "", queue: String = "sqlite:data/queue.db") throws {
    try folder.write(
      """
      apps:
        default:
          catalog: \(GatewayFixture.repository)/config/catalog.yaml
          credentials: none
          project_id: p
          endpoint: \(endpoint)
      \(app.isEmpty ? "" : "    \(app)\n")queue: {url: "\(queue)"}

      """, to: "gateway.yaml")
  }

  private func diagnose(_ environment: [String: String] = [:]) async -> [Diagnosis.Check] {
    await Doctor(file: file, environment: environment).diagnose().checks
  }

  /// A peer that answers the dry run so, and everything else with 404 and its time.
  private func diagnose(
    answering status: Int, _ body: String, headers: [String: String] = [:]
  ) async throws -> [Diagnosis.Check] {
    let peer = try StandIn { request in
      request.method == "POST" ? .respond(status, headers, body) : .respond(404, headers, "")
    }
    defer { peer.stop() }
    try write(endpoint: peer.url)
    let checks = await diagnose()
    let sent = peer.requests.filter { $0.method == "POST" }
    #expect(sent.allSatisfy { (try? JSON.parse($0.body))?["validate_only"] == true })
    return checks
  }

  private func failures(_ checks: [Diagnosis.Check]) -> [Diagnosis.Part] {
    checks.filter { $0.status == .failed }.map(\.part)
  }

  @Test func findsNothingWrongWithAnEmulator() async throws {
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)),
      handler: FCMEmulator(log: .silent), log: .silent)
    try write(endpoint: "http://\(try server.start())")
    let text = try DragomanProcess.run(["doctor", "--config", file])
    #expect(text.status == 0, "\(text.output)\(text.errors)")
    let lines = text.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.prefix(10).map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        == [
          "ok configuration \(file)", "ok files the",
          "ok strings \(GatewayFixture.repository)/config/catalog.yaml:",
          "ok queue \(folder.path)/data/queue.db", "ok disk \(lines[4].split(separator: " ")[2])",
          "ok DNS 127.0.0.1", "ok clock this", "ok token (default)", "ok project (default)",
          "ok role (default)",
        ])
    #expect(lines[11] == "Nothing is wrong.")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/data"), "It changes nothing.")
    let json = try JSON.parse(
      try DragomanProcess.run(["doctor", "--config", file, "--format", "json"]).output)
    #expect(json["failed"] == 0)
    #expect(json["checks"]?.array?.count == 10)
    #expect(json["checks"]?[9]?["app"] == "default")
    #expect(json["configuration"]?.string?.contains("project_id: \"p\"") == true)
    #expect(json["system"]?["version"]?.string == Gateway.version)
    await server.shutDown(grace: .zero)
  }

  @Test func namesWhatIsWrongInTheConfiguration() throws {
    try folder.write("apps: {default: {catalog: c.yaml, projct_id: p}}\n", to: "gateway.yaml")
    let result = try DragomanProcess.run(["doctor", "--config", file])
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("failed   configuration  \(file):1:"), "\(result.output)")
    #expect(result.output.contains("unknown field; did you mean \"project_id\"?"))
    #expect(result.output.contains("1 of 1 checks failed."))
    #expect(try DragomanProcess.run(["doctor", "--format", "yaml"]).status == 2)
  }

  @Test(arguments: [
    (401, "UNAUTHENTICATED", Diagnosis.Part.token), (403, "PERMISSION_DENIED", .role),
    (404, "NOT_FOUND", .project), (503, "UNAVAILABLE", .project), (400, "INVALID_ARGUMENT", .role),
  ])
  func saysWhatFCMsAnswerMeans(_ status: Int, _ name: String, _ part: Diagnosis.Part) async throws {
    let checks = try await diagnose(
      answering: status, #"{"error":{"code":\#(status),"status":"\#(name)","message":"No."}}"#)
    #expect(failures(checks) == [part], "\(checks)")
    let failed = try #require(checks.first { $0.status == .failed })
    #expect(failed.app == "default")
    #expect(failed.detail.contains("No."), "\(failed.detail)")
    #expect(failed.help?.isEmpty == false)
  }

  @Test func comparesTheClockWithThePeers() async throws {
    let name = #"{"name":"projects/p/messages/1"}"#
    let checks = try await diagnose(
      answering: 200, name, headers: ["Date": "Tue, 01 Jan 2019 00:00:00 GMT"])
    #expect(failures(checks) == [.clock])
    #expect(checks.first { $0.part == .clock }?.detail.contains("s ahead of 127.0.0.1's") == true)
    let without = try await diagnose(answering: 200, name)
    #expect(without.first { $0.part == .clock }?.status == .skipped)
  }

  @Test func looksForEachFileThatTheConfigurationNames() async throws {
    try write(endpoint: "http://127.0.0.1:1", app: "ca_file: nothing.pem")
    let checks = await diagnose()
    #expect(failures(checks) == [.files, .project])
    #expect(checks.first { $0.part == .files }?.detail.contains("nothing.pem: No such file") == true)
    #expect(checks.first { $0.part == .role }?.status == .skipped)
  }

  @Test func looksUpTheNamesOfHosts() async throws {
    try write(endpoint: "https://nothing.invalid")
    let direct = await diagnose().first { $0.part == .dns }
    #expect(direct?.status == .failed)
    #expect(direct?.detail.hasPrefix("nothing.invalid: ") == true)
    let proxied = await diagnose(["https_proxy": "http://127.0.0.1:1"]).first { $0.part == .dns }
    #expect(proxied?.status == .skipped)
  }

  @Test func countsTheErrorsInTheStrings() async throws {
    try write(endpoint: "http://127.0.0.1:1")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try folder.write(
      text.replacing("\(GatewayFixture.repository)/config/", with: ""), to: "gateway.yaml")
    try folder.write(
      "version: 1\nresources: {android: res}\ntemplates: {t: {body: {android: k}}}\n", to: "catalog.yaml")
    try folder.write("<resources><string name=\"x\">x</string></resources>", to: "res/values/strings.xml")
    let strings = await diagnose().first { $0.part == .strings }
    #expect(strings?.detail == "\(folder.path)/catalog.yaml: 1 error, 0 warnings")
    #expect(strings?.help?.contains("dragoman check --catalog \(folder.path)/catalog.yaml") == true)
  }

  @Test func warnsOfVariablesThatChangeNothing() async throws {
    try write(endpoint: "http://127.0.0.1:1")
    let checks = await diagnose([
      "DRAGOMAN_SERVER_LISTN": "127.0.0.1:1", "DRAGOMAN_LOG_LEVEL": "info", "DRAGOMAN_KEY": "k",
      "DRAGOMAN_APPS_DEFAULT_PROJECT_ID": "q", "DRAGOMAN_SERVICE_HOST": "10.0.0.1",
      "DRAGOMAN_PORT": "tcp://10.0.0.1:80", "DRAGOMAN_WEB_SERVICE_PORT": "80",
      "DRAGOMAN_PORT_80_TCP_ADDR": "10.0.0.1",
    ])
    let configuration = try #require(checks.first)
    #expect(configuration.status == .failed)
    #expect(
      configuration.detail
        == "environment variable DRAGOMAN_SERVER_LISTN: changes no field; did you mean \"DRAGOMAN_SERVER_LISTEN\"?"
    )
  }

  @Test func verifiesTheQueue() async throws {
    try await GatewayFixture.run { fixture in
      try folder.write("", to: "data/other")
      try write(endpoint: "http://127.0.0.1:1", queue: "sqlite:\(fixture.folder)/queue.db")
      let used = await diagnose().first { $0.part == .queue }
      #expect(used?.status == .ok)
      #expect(used?.detail.contains("a gateway has the queue") == true, "\(String(describing: used))")
    }
    let path = "\(folder.path)/data/queue.db"
    await (try DurableOutboxStore(path: path, log: .silent)).close()
    try write(endpoint: "http://127.0.0.1:1")
    #expect(await diagnose().first { $0.part == .queue }?.status == .ok)
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[20] ^= 1
    try bytes.write(to: URL(filePath: path))
    let damaged = await diagnose().first { $0.part == .queue }
    #expect(damaged?.status == .failed)
    #expect(damaged?.detail.contains("page 1: ") == true)
    try write(endpoint: "http://127.0.0.1:1", queue: "postgres://u:s3cret@127.0.0.1:1/q")
    let absent = await diagnose().first { $0.part == .queue }
    #expect(absent?.status == .failed)
    #expect(absent?.detail.contains("s3cret") == false)
  }

  /// Somebody ran the gateway as root once.
  @Test(.enabled(if: geteuid() == 0, "Only root can act for another user."))
  func saysWhoseFilesAreInTheWay() throws {
    try write(endpoint: "http://127.0.0.1:1")
    try folder.write("", to: "data/queue.db-lock")
    chmod("\(folder.path)/data", 0o777)
    chmod("\(folder.path)/data/queue.db-lock", 0o600)
    func run(_ command: String) throws -> String {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/setpriv")
      process.arguments = [
        "--reuid=65534", "--regid=65534", "--clear-groups", DragomanProcess.executable.path, command,
        "--config", file,
      ]
      let (output, reader) = (Pipe(), Pipe())
      (process.standardOutput, process.standardError) = (output, reader)
      try process.run()
      let text = [output, reader].map {
        String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      }
      process.waitUntilExit()
      return text.joined()
    }
    let owner =
      "\(folder.path)/data/queue.db-lock: Permission denied; it belongs to root (mode 600), and this process runs as "
      + "nobody"
    #expect(try run("serve").contains("queue.url: \(owner)"))
    #expect(try run("doctor").contains(owner))
  }
}
