import API
import Feedback
import Foundation
import HTTPServer
import Outbox
package import YAML

extension GatewayConfiguration {
  /// Reads a configuration file, or tells everything that is wrong with it.
  package static func load(
    file path: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> GatewayConfiguration {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw ConfigurationError(problems: [
        ConfigurationProblem(
          file: path, line: 0, column: 0, message: "cannot be read; name another with --config FILE")
      ])
    }
    return try parse([UInt8](bytes), file: path, environment: environment)
  }

  package static func parse(
    _ bytes: [UInt8], file: String, environment: [String: String]
  ) throws(ConfigurationError) -> GatewayConfiguration {
    let problems = ProblemCollector(file: file)
    var configuration = GatewayConfiguration()
    if let document = YAML.parse(bytes, problems: problems) {
      let tree = ConfigurationSource(environment: environment, problems: problems).resolve(document)
      let folder = URL(filePath: file).deletingLastPathComponent().path
      let reader = ConfigurationReader(folder: folder.isEmpty ? "." : folder)
      reader.read(YAMLField(node: tree, problems: problems), into: &configuration)
    }
    guard problems.problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
    return configuration
  }
}

/// Reads the document's sections; what is wrong goes to the fields' collector.
struct ConfigurationReader {
  /// Relative paths start here: the folder of the file that names them.
  let folder: String

  enum Section: String, CaseIterable { case server, auth, apps, queue, delivery, feedback, log }

  func read(_ root: YAMLField, into configuration: inout GatewayConfiguration) {
    guard let sections = root.fields(Section.self) else { return }
    sections[.server].map { read($0, into: &configuration.server) }
    sections[.auth].map { read($0, into: &configuration.auth) }
    if let apps = sections.required(.apps) { configuration.apps = readApps(apps) }
    sections[.queue].map { read($0, into: &configuration.queue) }
    sections[.delivery].map { read($0, into: &configuration.delivery) }
    sections[.feedback].map { configuration.webhook = readFeedback($0) }
    sections[.log].map { read($0, into: &configuration.log) }
    let isOpen = configuration.auth.clients.isEmpty && !configuration.auth.allowAnonymous
    if isOpen && !configuration.server.listen.isLoopback {
      (sections[.server] ?? root).report(
        "listens on an address that others can reach, and auth.clients is empty; add a client, listen on "
          + "127.0.0.1, or say auth.allow_anonymous: true")
    }
  }

  // MARK: Server and auth

  enum ServerField: String, CaseIterable {
    case listen, tls
    case connectionsMax = "max_connections"
    case bodyBytesMax = "max_body_bytes"
    case headerTimeout = "header_timeout"
    case idleTimeout = "idle_timeout"
    case shutdownGrace = "shutdown_grace"
  }

  private func read(_ field: YAMLField, into server: inout GatewayConfiguration.Server) {
    guard let fields = field.fields(ServerField.self) else { return }
    if let listen = fields[.listen], let text = listen.nonEmptyString() {
      if let address = HTTPListenAddress(text) {
        server.listen = address
      } else {
        listen.report("must be HOST:PORT, such as 127.0.0.1:8080, or unix:PATH")
      }
    }
    if let tls = fields[.tls] { server.tls = readTLS(tls) }
    set(&server.connectionsMax, fields[.connectionsMax]?.integer(in: 1...1_000_000))
    set(&server.bodyBytesMax, fields[.bodyBytesMax]?.integer(in: 1024...1_073_741_824))
    set(&server.headerTimeout, fields[.headerTimeout].flatMap { duration($0, 1) })
    set(&server.idleTimeout, fields[.idleTimeout].flatMap { duration($0, 1) })
    set(&server.shutdownGrace, fields[.shutdownGrace].flatMap { duration($0, 0) })
  }

  enum TLSField: String, CaseIterable {
    case certificate, key
    case clientCA = "client_ca"
  }

  private func readTLS(_ field: YAMLField) -> GatewayConfiguration.TLS? {
    guard let fields = field.fields(TLSField.self) else { return nil }
    let certificate = fields.required(.certificate)?.nonEmptyString()
    let key = fields.required(.key)?.nonEmptyString()
    guard let certificate, let key else { return nil }
    return .init(
      certificate: path(certificate), key: path(key), clientCA: fields[.clientCA]?.nonEmptyString().map(path))
  }

  enum AuthField: String, CaseIterable {
    case clients
    case allowAnonymous = "allow_anonymous"
  }

  private func read(_ field: YAMLField, into auth: inout GatewayConfiguration.Auth) {
    guard let fields = field.fields(AuthField.self) else { return }
    set(&auth.allowAnonymous, fields[.allowAnonymous]?.bool())
    var names: Set<String> = []
    for client in fields[.clients]?.elements() ?? [] {
      guard let read = readClient(client) else { continue }
      if !names.insert(read.name).inserted { client.report("a client \"\(read.name)\" stands above already") }
      auth.clients.append(read)
    }
  }

  enum ClientField: String, CaseIterable {
    case name, scopes, apps, templates, rate
    case keyHash = "key_sha256"
    case keyHashFile = "key_sha256_file"
  }

  private func readClient(_ field: YAMLField) -> ClientGrant? {
    guard let fields = field.fields(ClientField.self) else { return nil }
    let name = fields.required(.name)?.nonEmptyString()
    let hash = readHash(secret(fields[.keyHash], fields[.keyHashFile], of: field, named: "key_sha256"))
    let scopes = fields.required(.scopes)?.elements()?.compactMap {
      $0.choice(APIScope.self)
    }
    let apps = fields[.apps]?.elements()?.compactMap { $0.nonEmptyString() }
    let templates = fields[.templates]?.elements()?.compactMap { $0.nonEmptyString() }
    let rate = fields[.rate].flatMap(readRate)
    guard let name, let hash, let scopes else { return nil }
    return .init(name: name, keyHash: hash, scopes: Set(scopes), apps: apps, templates: templates, rate: rate)
  }

  private func readHash(_ secret: (text: String, field: YAMLField)?) -> [UInt8]? {
    guard let secret else { return nil }
    let digits = secret.text.compactMap(\.hexDigitValue)
    guard digits.count == 64, secret.text.count == 64 else {
      secret.field.report("must be the key's SHA-256 in 64 hexadecimal digits")
      return nil
    }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  // MARK: Apps

  enum AppField: String, CaseIterable {
    case catalog, credentials, endpoint, rate
    case projectID = "project_id"
    case caFile = "ca_file"
  }

  private func readApps(_ field: YAMLField) -> [GatewayConfiguration.App] {
    guard let entries = field.entries() else { return [] }
    if entries.isEmpty { field.report("must name at least one app") }
    return entries.compactMap { entry in
      guard let fields = entry.value.fields(AppField.self) else { return nil }
      let catalog = fields.required(.catalog)?.nonEmptyString()
      var app = GatewayConfiguration.App(name: entry.name, catalog: catalog.map(path) ?? "")
      if let field = fields[.credentials], let credentials = field.nonEmptyString() {
        if credentials.utf8.contains(UInt8(ascii: "{")) || credentials.utf8.contains(10) {
          field.report("must be the name of a file, not what the file holds")
          return nil
        }
        app.credentials = credentials == "none" ? .none : .file(path(credentials))
      }
      app.projectID = fields[.projectID]?.nonEmptyString()
      if let endpoint = fields[.endpoint], let text = endpoint.nonEmptyString() {
        app.endpoint = text.hasSuffix("/") ? String(text.dropLast()) : text
        if !isHTTP(text) { endpoint.report("must begin with https:// or http://") }
      }
      app.caFile = fields[.caFile]?.nonEmptyString().map(path)
      set(&app.rate, fields[.rate].flatMap(readRate))
      if app.credentials == .none && app.projectID == nil {
        entry.value.report("project_id is needed, since credentials: none does not name one")
      }
      return app
    }
  }

  // MARK: Queue, delivery, feedback, log

  enum QueueField: String, CaseIterable {
    case url, retention, lease
    case urlFile = "url_file"
    case depthMax = "max_depth"
  }

  private func read(_ field: YAMLField, into queue: inout GatewayConfiguration.Queue) {
    guard let fields = field.fields(QueueField.self) else { return }
    if fields[.url] != nil || fields[.urlFile] != nil,
      let (text, urlField) = secret(fields[.url], fields[.urlFile], of: field, named: "url")
    {
      if text.hasPrefix("sqlite:"), text.count > 7 {
        queue.store = .sqlite(path: path(String(text.dropFirst(7))))
      } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
        do throws(PostgresURL.ParseError) {
          queue.store = .postgres(try PostgresURL(text))
        } catch {
          urlField.report(error.description)
        }
      } else {
        urlField.report("must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")
      }
    }
    set(&queue.depthMax, fields[.depthMax]?.integer(in: 1...1_000_000_000))
    set(&queue.retention, fields[.retention].flatMap { duration($0, 1) })
    set(&queue.lease, fields[.lease].flatMap { duration($0, 1) })
  }

  enum DeliveryField: String, CaseIterable {
    case ramp
    case attemptsMax = "max_attempts"
    case minBackoff = "min_backoff"
    case maxBackoff = "max_backoff"
    case quotaBackoff = "quota_backoff"
    case maxAge = "max_age"
    case requestTimeout = "request_timeout"
  }

  private func read(_ field: YAMLField, into delivery: inout GatewayConfiguration.Delivery) {
    guard let fields = field.fields(DeliveryField.self) else { return }
    set(&delivery.attemptsMax, fields[.attemptsMax]?.integer(in: 1...1000))
    set(&delivery.minBackoff, fields[.minBackoff].flatMap { duration($0, 0) })
    set(&delivery.maxBackoff, fields[.maxBackoff].flatMap { duration($0, 1) })
    set(&delivery.quotaBackoff, fields[.quotaBackoff].flatMap { duration($0, 0) })
    set(&delivery.ramp, fields[.ramp].flatMap { duration($0, 0) })
    set(&delivery.maxAge, fields[.maxAge].flatMap { duration($0, 1) })
    set(&delivery.requestTimeout, fields[.requestTimeout].flatMap { duration($0, 1) })
    if delivery.minBackoff > delivery.maxBackoff { field.report("min_backoff is longer than max_backoff") }
  }

  enum FeedbackField: String, CaseIterable { case webhook }

  enum WebhookField: String, CaseIterable {
    case url, secret
    case secretFile = "secret_file"
    case allowPrivateAddresses = "allow_private_addresses"
  }

  private func readFeedback(_ field: YAMLField) -> GatewayConfiguration.Webhook? {
    guard let webhook = field.fields(FeedbackField.self)?[.webhook],
      let fields = webhook.fields(WebhookField.self)
    else { return nil }
    let allowsPrivate = fields[.allowPrivateAddresses]?.bool() ?? false
    let url = fields.required(.url)?.nonEmptyString().flatMap { text in
      do throws(WebhookURL.Flaw) {
        return try WebhookURL(text, allowsPrivateAddresses: allowsPrivate)
      } catch {
        fields[.url]?.report(error.description)
        return nil
      }
    }
    let secret = secret(fields[.secret], fields[.secretFile], of: webhook, named: "secret")
    let secrets = secret.flatMap { secret in
      do throws(WebhookSecret.Flaw) {
        return try WebhookSecret.list(secret.text)
      } catch {
        (fields[.secret] ?? fields[.secretFile])?.report(error.description)
        return nil
      }
    }
    guard let url, let secrets else { return nil }
    return .init(url: url, secrets: secrets)
  }

  enum LogField: String, CaseIterable { case level, format }

  private func read(_ field: YAMLField, into log: inout GatewayConfiguration.Logging) {
    guard let fields = field.fields(LogField.self) else { return }
    set(&log.level, fields[.level]?.choice())
    set(&log.format, fields[.format]?.choice())
  }

  // MARK: Values

  private func set<Value>(_ target: inout Value, _ value: Value?) {
    if let value { target = value }
  }

  private func path(_ text: String) -> String { text.hasPrefix("/") ? text : "\(folder)/\(text)" }

  private func isHTTP(_ url: String) -> Bool { url.hasPrefix("https://") || url.hasPrefix("http://") }

  private func duration(_ field: YAMLField, _ secondsMin: Int) -> Duration? {
    field.seconds(in: secondsMin...31_536_000).map { .seconds($0) }
  }

  /// `500/s`, `600000/m` or `100/h` as a number a second.
  private func readRate(_ field: YAMLField) -> Double? {
    guard let text = field.nonEmptyString() else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let seconds = ["s": 1.0, "m": 60, "h": 3600]
    guard parts.count == 2, let count = Double(parts[0]), count.isFinite, count > 0,
      let unit = seconds[String(parts[1])]
    else {
      field.report("must be a rate such as 500/s, 600000/m or 100/h")
      return nil
    }
    return count / unit
  }

  /// A secret from its field or from the file that its `_file` twin names; one trailing newline is cut.
  private func secret(
    _ field: YAMLField?, _ fileField: YAMLField?, of owner: YAMLField, named name: String
  ) -> (text: String, field: YAMLField)? {
    switch (field, fileField) {
    case (nil, nil):
      owner.report("\(name) or \(name)_file is missing")
      return nil
    case (.some, let fileField?):
      fileField.report("stands beside \(name); only one of them may be set")
      return nil
    case (let field?, nil): return field.nonEmptyString().map { ($0, field) }
    case (nil, let fileField?):
      guard let name = fileField.nonEmptyString() else { return nil }
      guard let data = FileManager.default.contents(atPath: path(name)),
        var text = String(validating: data, as: UTF8.self)
      else {
        // Not quoted: it may be the secret itself that stands there.
        fileField.report("names a file that cannot be read as text")
        return nil
      }
      if text.hasSuffix("\n") { text.removeLast() }
      return (text, fileField)
    }
  }
}
