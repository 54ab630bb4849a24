import DeliveryReports
import API
import Feedback
import Foundation
import Gateway
import HTTPServer
import Testing
import YAML

@Suite(.blocking) struct ConfigurationTests {
  private let minimal = "apps: {default: {catalog: catalog.yaml, credentials: fcm.json, project_id: p}}\n"

  private func parse(_ text: String, environment: [String: String] = [:]) throws -> GatewayConfiguration {
    try GatewayConfiguration.parse(
      Array(text.utf8), file: "/etc/dragoman/gateway.yaml", environment: environment)
  }

  private func problems(_ text: String, environment: [String: String] = [:]) -> [String] {
    do {
      _ = try parse(text, environment: environment)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func fillsInTheDocumentedDefaults() throws {
    let configuration = try parse(minimal)
    #expect(configuration.server.listen == .tcp(host: "127.0.0.1", port: 8080))
    #expect(configuration.server.connectionsMax == 10_000)
    #expect(configuration.server.bodyBytesMax == 1_048_576)
    #expect(configuration.delivery.attemptsMax == 12)
    #expect(configuration.delivery.quotaBackoff == .seconds(60))
    #expect(configuration.queue.depthMax == 1_000_000)
    #expect(configuration.queue.retention == .seconds(72 * 3600))
    #expect(configuration.apps.first?.catalog == "/etc/dragoman/catalog.yaml")
    #expect(configuration.apps.first?.endpoint == "https://fcm.googleapis.com")
  }

  @Test func readsTheEventsOfTheWebhook() throws {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    func text(_ events: String) -> String {
      minimal + "feedback: {webhook: {url: \"https://example.com/\", secret: \(secret)\(events)}}\n"
    }
    #expect(try parse(text("")).webhook?.events == [.registrationDead, .activityDead])
    let chosen = try parse(text(", events: [delivery.sent, delivery.expired, registration.dead]"))
    #expect(chosen.webhook?.events == [.deliverySent, .deliveryExpired, .registrationDead])
    #expect(chosen.printed.contains("events: [registration.dead, delivery.sent, delivery.expired]"))
    let name = "DRAGOMAN_FEEDBACK_WEBHOOK_EVENTS"
    #expect(
      try parse(text(""), environment: [name: "delivery.failed, delivery.sent"]).webhook?.events
        == [.deliveryFailed, .deliverySent])
    let wrong = problems(text(", events: [delivery.send, activity.dead, 7]"))
    #expect(wrong.count == 2)
    #expect(wrong.contains { $0.contains("no event") && $0.contains("did you mean \"delivery.sent\"") })
    #expect(problems(text(", events: []")).contains { $0.contains("at least one event") })
    #expect(problems(text(""), environment: [name: " , "]).contains { $0.contains("event") })
  }

  @Test func acceptsJSON() throws {
    let configuration = try parse(
      #"{"apps":{"a":{"catalog":"/c.yaml","credentials":"f.json","project_id":"p"}},"queue":{"max_depth":5}}"#
    )
    #expect(configuration.queue.depthMax == 5)
  }

  @Test func reportsAllMistakesAtOnceWithPlaces() {
    let found = problems(
      """
      server: {lisen: "127.0.0.1:1", max_connections: many, header_timeout: 10}
      apps: {default: {catalog: c.yaml, credentials: none}}
      queue: {url: "mysql:x"}
      """)
    #expect(found.count == 6)
    #expect(found.contains { $0.contains("gateway.yaml:1:") && $0.contains("did you mean \"listen\"") })
    #expect(found.contains { $0.contains("server.max_connections") })
    #expect(found.contains { $0.contains("server.header_timeout") })
    #expect(found.contains { $0.contains("project_id") })
    #expect(found.contains { $0.contains("endpoint is needed") })
    #expect(found.contains { $0.contains("queue.url") && $0.contains(":3:") })
  }

  /// With such an address, every message would be accepted, tried for a day and lost.
  @Test(arguments: [
    ("http://", "has no host"), ("http://emulator:80a", "holds a malformed port"),
    ("http://127.0.0.1:8085 ", "holds blanks or characters beyond ASCII"),
    ("http://127.0.0.1:8085/?key=s3cret", "holds a query or fragment"),
    ("https://user:s3cret@fcm.example.com", "holds a user name"),
    ("fcm.googleapis.com", "does not begin with https:// or http://"),
  ])
  func refusesAnEndpointThatCannotBeReached(_ endpoint: String, _ problem: String) {
    let found = problems(
      """
      apps: {a: {catalog: /c.yaml, credentials: none, project_id: p, endpoint: "\(endpoint)"}}
      queue: {url: "sqlite:q.db"}
      """)
    #expect(found.count == 1)
    #expect(found.first?.contains("apps.a.endpoint: \(problem); use an address such as") == true, "\(found)")
    #expect(!found.description.contains("s3cret"))
  }

  @Test func anEndpointHasNoTrailingSlashes() throws {
    let text = """
      apps: {a: {catalog: /c.yaml, project_id: p, endpoint: "http://127.0.0.1:8085//"}}
      queue: {url: "sqlite:q.db"}
      """
    #expect(try parse(text).apps.first?.endpoint == "http://127.0.0.1:8085")
  }

  @Test func readsEnvironmentVariables() throws {
    let text = minimal + "queue: {url: \"sqlite:${DATA:-data}/q.db\", max_depth: \"${DEPTH}\"}\n"
    let environment = [
      "DEPTH": "7", "DRAGOMAN_SERVER_LISTEN": "127.0.0.1:9", "DRAGOMAN_APPS_DEFAULT_PROJECT_ID": "other",
      "DRAGOMAN_PORT": "tcp://10.0.0.1:80",
    ]
    let configuration = try parse(text, environment: environment)
    #expect(configuration.queue.store == .sqlite(path: "/etc/dragoman/data/q.db"))
    #expect(configuration.queue.depthMax == 7)
    #expect(configuration.server.listen == .tcp(host: "127.0.0.1", port: 9))
    #expect(configuration.apps.first?.projectID == "other")
  }

  @Test func reportsAMissingEnvironmentVariable() {
    for value in ["${NOWHERE}", "sqlite:${NOWHERE}", "sqlite://${NOWHERE}"] {
      let found = problems(minimal + "queue: {url: \"\(value)\", max_depth: 0}\n")
      #expect(found.count == 2, "\(found)")
      #expect(found.first?.contains("queue.url: the environment variable NOWHERE is not set") == true)
    }
  }

  @Test(arguments: [
    "feedback: {webhook: {url: https://example.com/, secret: ${WHS}}}", "log: {level: ${LEVEL:-info}}",
    "queue:\n  {max_depth: 5,\n   url: ${URL}}", "server: {allowed_hosts: [gateway, ${HOST}]}",
  ])
  func adviceToPutAVariableInQuotesInsideBraces(_ text: String) {
    let found = problems(minimal + text + "\n", environment: ["WHS": "x"])
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix(#"put a variable in quotes: "${NAME}""#) == true, "\(found)")
  }

  @Test func givesNoAdviceOnVariablesForOtherSyntaxErrors() {
    for text in [#"log: {level: "${LEVEL}", format: {}"#, "log: {level: a {b}}", "é: $", "log: [${"] {
      let found = problems(minimal + text + "\n")
      #expect(found.count == 1)
      #expect(found.first?.contains("quotes: ") == (text == "log: [${"), "\(found)")
    }
  }

  /// Such a path would lead to the root of the file system, or to a file of that name.
  @Test(arguments: [
    ("sqlite://data/queue.db", "two slashes before the path"),
    ("sqlite://", "write sqlite:PATH"), ("sqlite::memory:", "lose what was accepted"),
    ("sqlite:q.db?mode=memory", "has parameters"), ("sqlite:", "must be sqlite:PATH"),
  ])
  func refusesAQueueThatIsNoPathOfAFile(_ url: String, _ problem: String) {
    let found = problems(minimal + "queue: {url: \"\(url)\"}\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("queue.url: ") == true)
    #expect(found.first?.contains(problem) == true, "\(found)")
  }

  @Test func readsAnAbsolutePathAfterThreeSlashes() throws {
    let configuration = try parse(minimal + "queue: {url: \"sqlite:///var/queue.db\"}\n")
    #expect(configuration.queue.store == .sqlite(path: "/var/queue.db"))
  }

  @Test func reportsAnInvalidOverrideWithItsOrigin() {
    let found = problems(minimal, environment: ["DRAGOMAN_QUEUE_MAX_DEPTH": "much"])
    #expect(found.contains { $0.contains("environment variable DRAGOMAN_QUEUE_MAX_DEPTH") })
  }

  @Test func refusesToListenPubliclyWithoutClients() throws {
    #expect(
      problems(minimal + "server: {listen: \"0.0.0.0:8080\"}\n").contains { $0.contains("allow_anonymous") })
    _ = try parse(minimal + "server: {listen: \"0.0.0.0:8080\"}\nauth: {allow_anonymous: true}\n")
  }

  @Test func saysWhatToWriteInPlaceOfABareRateOrASize() {
    let app = "apps: {default: {catalog: c.yaml, credentials: f.json, rate: 10}}\n"
    #expect(problems(app).first?.contains("write 10/s, 10/m or 10/h") == true)
    for (text, bytes) in [
      ("1MB", "1000000"), ("1 MiB", "1048576"), ("64KiB", "65536"), ("2m", "2097152"), ("1gb", "1000000000"),
    ] {
      let found = problems(minimal + "server: {max_body_bytes: \(text)}\n")
      #expect(found.count == 1)
      #expect(found.first?.contains("write \(bytes)") == true, "\(text)")
    }
    for text in ["1XB", "MB", "99999999999999999999MB", "9000000000000000000GB", "\"\""] {
      let found = problems(minimal + "server: {max_body_bytes: \(text)}\n")
      #expect(found.count == 1 && found.first?.contains("expected an integer") == true, "\(text) \(found)")
    }
  }

  @Test func readsTheNamesOfTheGateway() throws {
    let text = minimal + "server: {allowed_hosts: [a, b.example]}\n"
    #expect(try parse(text).server.allowedHosts == ["a", "b.example"])
    #expect(try parse(parse(text).printed).server.allowedHosts == ["a", "b.example"])
    #expect(
      try parse(minimal, environment: ["DRAGOMAN_SERVER_ALLOWED_HOSTS": "a, b"]).server.allowedHosts
        == ["a", "b"])
    let wrong = problems(minimal + "server: {allowed_hosts: [\"a:80\", \"http://a\", ok]}\n")
    #expect(wrong.count == 2)
    #expect(wrong.allSatisfy { $0.contains("without scheme and port") })
  }

  @Test func readsThePathBehindAProxy() throws {
    for (text, path) in [("/push", "/push"), ("/a/b-c/", "/a/b-c"), ("/", "")] {
      let configuration = try parse(minimal + "server: {public_path: \(text)}\n")
      #expect(configuration.server.publicPath == path)
      #expect(try parse(configuration.printed).server.publicPath == path)
    }
    for text in [
      "push", "//host", "/a//b", "/..", "/a/./b", "/a b", "/a%2Fb", "/é", "\"/\"a\"", "http://host/push",
    ] {
      let found = problems(minimal + "server: {public_path: '\(text)'}\n")
      #expect(found.count == 1 && found.first?.contains("such as /push") == true, "\(text) \(found)")
    }
    #expect(try parse(minimal + "server: {trust_forwarded: true}\n").server.trustsForwarded)
  }

  @Test func readsClientsAndHidesTheirSecrets() throws {
    let hash = String(repeating: "ab", count: 32)
    let configuration = try parse(
      minimal
        + "auth: {clients: [{name: orders, key_sha256: \(hash), scopes: [send, read], "
        + "templates: [\"order_*\"], rate: 500/s}]}\n"
    )
    #expect(configuration.auth.clients.first?.rate == RequestRate(perSecond: 500))
    #expect(!configuration.printed.contains(hash))
    #expect(problems(minimal + "auth: {clients: [{name: o, key_sha256: abc, scopes: [all]}]}\n").count == 2)
  }

  @Test func refusesAClientThatMayDoNothing() {
    let hash = String(repeating: "ab", count: 32)
    for (fields, problem) in [
      ("scopes: []", "scopes: must name at least one of send, read, preview, raw, admin"),
      ("scopes: [send], apps: []", "apps: allows nothing; name at least one, or remove the field"),
      ("scopes: [send], templates: []", "templates: allows nothing; name at least one"),
    ] {
      let found = problems(minimal + "auth: {clients: [{name: o, key_sha256: \(hash), \(fields)}]}\n")
      #expect(found.count == 1)
      #expect(found.first?.contains("gateway.yaml:2:") == true, "\(found)")
      #expect(found.first?.contains("auth.clients[0].\(problem)") == true, "\(found)")
    }
  }

  @Test func refusesTwoClientsWithOneKey() {
    let hash = String(repeating: "ab", count: 32)
    let found = problems(
      minimal + "auth:\n  clients:\n    - {name: a, key_sha256: \(hash), scopes: [send]}\n"
        + "    - {name: b, key_sha256: \(hash.uppercased()), scopes: [read]}\n")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("/etc/dragoman/gateway.yaml:5:") == true, "\(found)")
    #expect(
      found.first?.contains(#"auth.clients[1].key_sha256: "b" has the same key as "a""#) == true, "\(found)")
  }

  @Test func aVariableOverridesASecretAndItsFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "dragoman-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("sqlite:/from-file.db".utf8).write(to: file)
    let inFile = minimal + "queue: {url_file: \"\(file.path)\"}\n"
    let inPlace = minimal + "queue: {url: \"sqlite:/in-place.db\"}\n"
    let (url, urlFile) = ("DRAGOMAN_QUEUE_URL", "DRAGOMAN_QUEUE_URL_FILE")
    #expect(
      try parse(inFile, environment: [url: "sqlite:/variable.db"]).queue.store
        == .sqlite(path: "/variable.db"))
    #expect(
      try parse(inPlace, environment: [urlFile: file.path]).queue.store == .sqlite(path: "/from-file.db"))
    #expect(
      problems(inPlace, environment: [url: "sqlite:/a.db", urlFile: file.path]).first?.contains(
        "stands beside url") == true)
  }

  @Test func readsASecretFromItsFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "dragoman-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let hash = String(repeating: "0f", count: 32)
    let clients = "auth: {clients: [{name: o, key_sha256_file: \"\(file.path)\", scopes: [send]}]}\n"
    for end in ["", "\n", "\r\n"] {
      try Data((hash + end).utf8).write(to: file)
      #expect(try parse(minimal + clients).auth.clients.first?.keyHash == Array(repeating: 0x0F, count: 32))
    }
    let both =
      "auth: {clients: [{name: o, key_sha256: \(hash), key_sha256_file: \"\(file.path)\", scopes: [send]}]}\n"
    #expect(problems(minimal + both).count == 1)
  }

  @Test func acceptsARetentionOfOneSecond() throws {
    #expect(try parse(minimal + "queue: {retention: 1s}\n").queue.retention == .seconds(1))
    #expect(problems(minimal + "queue: {retention: 0s}\n").count == 1)
  }

  @Test func printsWhatItCanReadAgain() throws {
    let printed = try parse(
      minimal
        + "queue: {url: \"sqlite:q.db\"}\n"
        + "server: {tls: {certificate: /a.crt, key: /a.key, client_ca: /c.crt}}\n"
    ).printed
    #expect(printed.contains("client_ca: \"/c.crt\""))
    #expect(try parse(printed).printed == printed)
  }

  @Test func reportsAMissingFile() throws {
    let error = try #require(throws: ConfigurationError.self) {
      try GatewayConfiguration.load(file: "/nowhere/gateway.yaml", environment: [:])
    }
    #expect(error.description.contains("/nowhere/gateway.yaml"))
  }
}
