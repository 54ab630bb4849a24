import Foundation
import Gateway
import TestSupport
import Testing
import YAML

/// The files that a configuration names.
@Suite(.blocking) struct ConfiguredFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeCertificate()
    try folder.makeCertificate("other")
    try folder.write(
      String(contentsOfFile: "\(GatewayFixture.repository)/config/catalog.yaml", encoding: .utf8)
        .replacing("example-app", with: "\(GatewayFixture.repository)/config/example-app"),
      to: "catalog.yaml")
    try folder.write(
      #"{"type": "authorized_user", "client_id": "a", "client_secret": "b", "refresh_token": "c"}"#,
      to: "fcm.json")
  }

  private var file: String { "\(folder.path)/gateway.yaml" }

  /// Writes a configuration of one app, line by line.
  private func write(app fields: String..., more: String = "") throws {
    let lines = ["apps:", "  default:", "    project_id: p"] + fields.map { "    \($0)" }
    try folder.write(
      (lines + ["queue: {url: \"sqlite:queue.db\"}", more, ""]).joined(separator: "\n"), to: "gateway.yaml")
  }

  private func problems(environment: [String: String] = [:]) -> [String] {
    do {
      _ = try GatewayConfiguration.load(file: file, environment: environment)
      return []
    } catch {
      return error.problems.map { $0.description.replacing("\(folder.path)/", with: "") }
    }
  }

  @Test func acceptsFilesThatAreThere() throws {
    try write(
      app: "catalog: catalog.yaml", "credentials: fcm.json", "ca_file: other.crt",
      more: "server: {tls: {certificate: tls.crt, key: tls.key, client_ca: other.crt}}")
    #expect(problems() == [])
  }

  @Test func reportsEachFileAtItsField() throws {
    try write(
      app: "catalog: nope.yaml", "credentials: tls.crt", "ca_file: tls.key",
      more: "server: {tls: {certificate: tls.crt, key: other.key}}")
    #expect(
      problems() == [
        "gateway.yaml:4:14: apps.default.catalog: nope.yaml: No such file or directory",
        "gateway.yaml:5:18: apps.default.credentials: credentials file tls.crt: "
          + "is a private key without its account, such as an APNs key (.p8): upload that to Firebase, "
          + "and name the JSON file of a service account here",
        "gateway.yaml:6:14: apps.default.ca_file: tls.key: it holds no certificate in PEM form",
        "gateway.yaml:8:43: server.tls.key: other.key: the key does not belong to the certificate in tls.crt",
      ])
    // Another machine has the files, perhaps.
    #expect(try DragomanProcess.run(["serve", "--config", file, "--print-config"]).status == 0)
    #expect(try DragomanProcess.run(["serve", "--config", file]).errors.contains("apps.default.catalog"))
  }

  /// What a volume holds that is mounted late.
  @Test func waitsForFilesThatAreNotThereYet() throws {
    try write(
      app: "catalog: catalog.yaml", "credentials: later.json", "ca_file: later.pem",
      more: "server: {tls: {certificate: later.crt, key: later.key}}")
    #expect(problems() == [])
    // Without its certificate, the gateway cannot listen. Its supervisor tries again.
    let result = try DragomanProcess.run(["serve", "--config", file])
    #expect(result.status == 1)
    #expect(result.errors.contains("later.crt"), "\(result.errors)")
  }

  @Test func wrongCredentialsAreAMistakeUnlessAnotherAppHasOthers() throws {
    let other = "  other: {catalog: catalog.yaml, project_id: p, credentials: fcm.json}"
    try write(app: "catalog: catalog.yaml", "credentials: tls.crt")
    #expect(problems().count == 1)
    try folder.write(
      try String(contentsOfFile: file, encoding: .utf8).replacing("queue:", with: other + "\nqueue:"),
      to: "gateway.yaml")
    #expect(problems() == [])
  }

  @Test func exitsWith1IfTheAddressIsInUse() throws {
    let taken = try StandIn { _ in .close }
    defer { taken.stop() }
    try write(
      app: "catalog: catalog.yaml", "credentials: none", "endpoint: \"http://127.0.0.1:1\"",
      more: "server: {listen: \"127.0.0.1:\(taken.port)\"}")
    let result = try DragomanProcess.run(["serve", "--config", file])
    #expect(result.status == 1)
    #expect(result.errors.contains("cannot listen on 127.0.0.1:\(taken.port)"), "\(result.errors)")
  }

  /// Opening a pipe for reading waits for a writer, who may never come.
  @Test func refusesAPipeInPlaceOfAFile() throws {
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    try write(
      app: "catalog: catalog.yaml", "credentials: pipe",
      more: "auth: {clients: [{name: a, key_sha256_file: pipe, scopes: [send]}]}")
    #expect(
      problems() == [
        "gateway.yaml:5:18: apps.default.credentials: credentials file pipe: is not a regular file",
        "gateway.yaml:7:45: auth.clients[0].key_sha256_file: names a file that cannot be read as text",
      ])
    for arguments in [["serve", "--config"], ["emulator", "--config"], ["check", "--catalog"]] {
      let result = try DragomanProcess.run(arguments + ["\(folder.path)/pipe"])
      #expect(result.status == 2)
      #expect(
        result.errors.contains("/pipe: cannot be read: it is not a regular file, but a pipe or a device"),
        "\(result.errors)")
    }
  }

  @Test func refusesAHugeFileUnread() throws {
    try folder.write("", to: "huge")
    #expect(truncate("\(folder.path)/huge", 5 << 30) == 0)
    let catalog = "\(folder.path)/catalog.yaml"
    for arguments in [
      ["serve", "--config"], ["emulator", "--config"], ["check", "--catalog"],
      ["check", "--catalog", catalog, "--baseline"],
    ] {
      let result = try DragomanProcess.run(arguments + ["\(folder.path)/huge"])
      #expect(result.status == 2)
      #expect(result.errors.contains("/huge: cannot be read: it is larger than "), "\(result.errors)")
    }
  }

  @Test func commandsReachAGatewayOnAUnixSocketOrWithItsOwnAuthority() throws {
    let app = ["catalog: catalog.yaml", "credentials: none", "endpoint: \"http://127.0.0.1:1\""]
    // The path is relative to the file.
    try write(app: app[0], app[1], app[2], more: "server: {listen: \"unix:gateway.sock\"}")
    let local = try DragomanProcess(["serve", "--config", file])
    defer { local.kill() }
    let socket = try local.address(after: "gateway listening on ")
    #expect(socket == "unix:\(folder.path)/gateway.sock")
    #expect(try DragomanProcess.run(["healthcheck", "--url", socket]).output == "ready\n")
    let sent = try DragomanProcess.run([
      "send", "welcome", "--token", "t", "--args", #"{"name": "A"}"#, "--url", socket,
    ])
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(local.terminate() == 0)
    let gone = try DragomanProcess.run(["healthcheck", "--url", socket])
    #expect(gone.status == 1)
    #expect(
      gone.errors.contains(
        "no answer from \(socket): nothing listens on the socket \(folder.path)/gateway.sock"))

    let tls = "server: {listen: \"127.0.0.1:0\", tls: {certificate: tls.crt, key: tls.key}}"
    try write(app: app[0], app[1], app[2], more: tls)
    let secure = try DragomanProcess(["serve", "--config", file])
    defer { secure.kill() }
    let url = try secure.address(after: "gateway listening on ")
    #expect(try DragomanProcess.run(["healthcheck", "--url", url]).status == 1)
    let authority = ["--ca-file", "\(folder.path)/tls.crt"]
    #expect(try DragomanProcess.run(["healthcheck", "--url", url] + authority).output == "ready\n")
    #expect(secure.terminate() == 0)
  }

  @Test func commandsHaveACertificateForAGatewayThatAsksForOne() throws {
    let app = ["catalog: catalog.yaml", "credentials: none", "endpoint: \"http://127.0.0.1:1\""]
    let tls = "tls: {certificate: tls.crt, key: tls.key, client_ca: other.crt}"
    try write(app: app[0], app[1], app[2], more: "server: {listen: \"127.0.0.1:0\", \(tls)}")
    let gateway = try DragomanProcess(["serve", "--config", file])
    defer { gateway.kill() }
    let url = try gateway.address(after: "gateway listening on ")
    func healthcheck(_ options: String...) throws -> DragomanProcess.Result {
      try DragomanProcess.run(["healthcheck", "--url", url, "--ca-file", "\(folder.path)/tls.crt"] + options)
    }
    let (certificate, key) = ("\(folder.path)/other.crt", "\(folder.path)/other.key")
    #expect(
      try healthcheck("--certificate", certificate, "--certificate-key", key).output == "ready\n")
    // One file for both.
    let both = "\(folder.path)/both.pem"
    try folder.write(
      try [certificate, key].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined(), to: "both.pem")
    #expect(try healthcheck("--certificate", both).output == "ready\n")

    // None, one that the gateway does not trust, and files that cannot be used.
    let (strange, strangeKey) = ("\(folder.path)/tls.crt", "\(folder.path)/tls.key")
    #expect(try healthcheck().status == 1)
    #expect(try healthcheck("--certificate", strange, "--certificate-key", strangeKey).status == 1)
    for (options, mistake) in [
      (["--certificate", strange + "x"], "--certificate \(strange)x: No such file or directory"),
      (
        ["--certificate", certificate],
        "--certificate-key \(certificate): it holds no private key in PEM form, or an encrypted one"
      ),
      (
        ["--certificate", certificate, "--certificate-key", strangeKey],
        "--certificate-key \(strangeKey): the key does not belong to the certificate in \(certificate)"
      ),
      (["--certificate-key", key], "--certificate-key needs --certificate with the file of the certificate"),
    ] {
      let result = try DragomanProcess.run(["healthcheck", "--url", url] + options)
      #expect(result.status == 2)
      #expect(result.errors.hasPrefix("dragoman healthcheck: \(mistake)\n"), "\(result.errors)")
    }
    #expect(gateway.terminate() == 0)
  }

  @Test func exitsWith2IfTheAuthoritiesCannotBeUsed() throws {
    for (name, reason) in [
      ("nowhere.crt", "No such file or directory"), ("tls.key", "it holds no certificate in PEM form"),
    ] {
      let path = "\(folder.path)/\(name)"
      for command in [["healthcheck"], ["send", "welcome", "--token", "t"], ["notifications", "list"]] {
        let result = try DragomanProcess.run(command + ["--url", "https://127.0.0.1:1", "--ca-file", path])
        #expect(result.status == 2)
        #expect(
          result.errors.hasPrefix("dragoman \(command[0]): --ca-file \(path): \(reason)\n"),
          "\(result.errors)")
      }
    }
  }

  @Test(arguments: ["catalog.yaml", "tls.key"])
  func refusesAuthoritiesWithoutACertificate(_ name: String) throws {
    try write(app: "catalog: catalog.yaml", "credentials: fcm.json", "ca_file: \(name)")
    #expect(
      problems() == [
        "gateway.yaml:6:14: apps.default.ca_file: \(name): it holds no certificate in PEM form"
      ])
  }

  @Test func reportsWhatIsWrongWithAFile() throws {
    try write(
      app: "catalog: .", "credentials: catalog.yaml",
      more: "server: {tls: {certificate: tls.crt, key: other.key}}")
    #expect(
      problems() == [
        "gateway.yaml:4:14: apps.default.catalog: .: it is a folder",
        "gateway.yaml:5:18: apps.default.credentials: credentials file catalog.yaml: "
          + "not valid JSON at line 1, column 1",
        "gateway.yaml:7:43: server.tls.key: other.key: the key does not belong to the certificate in tls.crt",
      ])
  }

  @Test func namesTheVariableThatNamesAFile() throws {
    try write(app: "catalog: catalog.yaml", "credentials: fcm.json")
    #expect(
      problems(environment: ["DRAGOMAN_APPS_DEFAULT_CA_FILE": "tls.key"]) == [
        "environment variable DRAGOMAN_APPS_DEFAULT_CA_FILE: apps.default.ca_file: tls.key: "
          + "it holds no certificate in PEM form"
      ])
  }

  @Test(arguments: [
    #"-----BEGIN PRIVATE KEY-----\nMIGHAgEA"#, #"-----BEGIN PRIVATE KEY-----\\nMIGHAgEA"#,
    "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JR0hBZ0VB" + String(repeating: "QUFB", count: 40),
  ])
  func doesNotRepeatAKeyInThePlaceOfItsFile(_ key: String) throws {
    try write(
      app: "catalog: catalog.yaml", "credentials: fcm.json",
      more: "server: {tls: {certificate: tls.crt, key: \"\(key)\"}}")
    #expect(problems().count == 1)
    #expect(
      problems().first?.hasSuffix("server.tls.key: must be the name of a file, not what the file holds")
        == true)
  }

  @Test func aReloadWithoutItsFilesChangesNothing() throws {
    let log = CollectedText()
    let app = ["catalog: catalog.yaml", "credentials: none", "endpoint: \"http://127.0.0.1:1\""]
    let server = "server: {listen: \"127.0.0.1:0\"}"
    try write(app: app[0], app[1], app[2], "ca_file: tls.crt", more: server)
    let gateway = try DragomanProcess(["serve", "--config", file], log: log)
    defer { gateway.kill() }
    _ = try gateway.address(after: "gateway listening on ")
    try write(app: app[0], app[1], app[2], "ca_file: tls.key", more: server)
    gateway.reload()
    #expect(log.wait(for: "reload failed; the old configuration stays in force", count: 1))
    #expect(log.text.contains("apps.default.ca_file"), "\(log.text)")
    try write(app: app[0], app[1], app[2], "ca_file: other.crt", more: server)
    gateway.reload()
    #expect(log.wait(for: "configuration reloaded", count: 1))
    #expect(gateway.terminate() == 0)
  }
}
