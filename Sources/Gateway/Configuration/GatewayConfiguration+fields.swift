internal import API
internal import Foundation
internal import HTTPClient
internal import HTTPServer
internal import Outbox
internal import SQL
internal import YAML

/// Every field of the configuration file, once: what reads it, names it to the environment and prints it.
extension GatewayConfiguration: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .section("server", \.server), .section("auth", \.auth),
      .entries("apps", \.apps, key: \.name) { App(name: $0, catalog: "") },
      .section("queue", \.queue), .section("delivery", \.delivery),
      .section("feedback", \.feedback, draft: FeedbackSection()), .section("log", \.log, style: .flow),
    ]
  }

  private var feedback: FeedbackSection? {
    get { webhook.map { FeedbackSection(webhook: WebhookSection($0)) } }
    set { webhook = newValue?.webhook?.webhook }
  }

  func validate(_ mapping: ConfigurationMapping) {
    if let exposure { (mapping["server"] ?? mapping.field).report(exposure) }
    if mapping.files.areExamined { examineCredentials(mapping) }
  }

  /// One app with wrong credentials does not stop the others, so that they are mistakes only if no app has
  /// others.
  private func examineCredentials(_ mapping: ConfigurationMapping) {
    var mistakes: [(field: YAMLField, problem: String)] = []
    for (app, entry) in zip(apps, mapping["apps"]?.entries() ?? []) {
      guard case .file(let path) = app.credentials,
        let field = entry.value.entries()?.first(where: { $0.name == "credentials" })?.value,
        let problem = ConfiguredFiles.problem(ofCredentials: path)
      else { return }
      mistakes.append((field, problem))
    }
    for (field, problem) in mistakes { field.report(problem) }
  }
}

extension GatewayConfiguration.Server: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .value(
        "listen", \.listen,
        read: { field, mapping in
          guard let text = field.nonEmptyString() else { return nil }
          if let address = HTTPListenAddress(text) {
            guard case .unix(let path) = address else { return address }
            return .unix(path: mapping.files.path(path))
          }
          field.report("must be HOST:PORT, such as 127.0.0.1:8080, or unix:PATH")
          return nil
        }, print: { ConfigurationText.quoted($0.description) }),
      .value(
        "allowed_hosts", \.allowedHosts, read: { field, _ in readHosts(field) },
        print: { hosts in
          hosts.isEmpty ? nil : "[\(hosts.map(ConfigurationText.quoted).joined(separator: ", "))]"
        }),
      .value(
        "public_path", \.publicPath, read: { field, _ in readPath(field) },
        print: { $0.isEmpty ? nil : ConfigurationText.quoted($0) }),
      .bool("trust_forwarded", \.trustsForwarded),
      .section("tls", \.tls, draft: .init(certificate: "", key: ""), style: .flow),
      .integer("max_connections", \.connectionsMax, in: 1...1_000_000),
      .bytes("max_body_bytes", \.bodyBytesMax, in: 1024...1_073_741_824),
      .duration("header_timeout", \.headerTimeout, secondsMin: 1),
      .duration("body_timeout", \.bodyTimeout, secondsMin: 1),
      .duration("idle_timeout", \.idleTimeout, secondsMin: 1),
      .duration("shutdown_grace", \.shutdownGrace, secondsMin: 0),
    ]
  }

  private static func readPath(_ field: YAMLField) -> String? {
    guard let text = field.nonEmptyString() else { return nil }
    if let path = PublicPath.normalized(text) { return path }
    field.report(
      "must be the path below which callers reach the gateway, such as /push: letters, digits, `-._~` and `/`"
    )
    return nil
  }

  private static func readHosts(_ field: YAMLField) -> [String]? {
    guard let names = field.names() else { return nil }
    for name in names where !HostPolicy.isName(name.text) {
      name.field.report(
        "\"\(name.text)\" is not a host name; write it without scheme and port, or * for any name")
    }
    return names.map(\.text)
  }
}

extension GatewayConfiguration.TLS: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [.file("certificate", \.certificate), .file("key", \.key), .file("client_ca", \.clientCA)]
  }

  /// Its files.
  var paths: [String] { [certificate, key] + (clientCA.map { [$0] } ?? []) }

  func validate(_ mapping: ConfigurationMapping) {
    // One that is not there yet may be mounted later.
    let isComplete = paths.allSatisfy { access($0, F_OK) == 0 }
    guard mapping.files.areExamined, !certificate.isEmpty, !key.isEmpty, isComplete else { return }
    do {
      _ = try TLSIdentity(loading: TLSConfiguration(self))
    } catch {
      (mapping[error.kind.rawValue] ?? mapping.field).report("\(error.file): \(error.reason)")
    }
  }
}

extension GatewayConfiguration.Auth: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .bool("allow_anonymous", \.allowAnonymous),
      .list(
        "clients", \.clients, draft: ClientGrant(name: "", keyHash: [], scopes: []), identity: \.name),
    ]
  }

  /// Only one of several clients with the same key would count.
  func validate(_ mapping: ConfigurationMapping) {
    guard !clients.isEmpty, let fields = mapping["clients"]?.elements() else { return }
    var names: [[UInt8]: String] = [:]
    for (client, field) in zip(clients, fields) where !client.keyHash.isEmpty {
      guard let first = names[client.keyHash] else {
        names[client.keyHash] = client.name
        continue
      }
      (field["key_sha256"] ?? field["key_sha256_file"] ?? field).report(
        "\"\(client.name)\" has the same key as \"\(first)\"; create another one with `dragoman keys new`")
    }
  }
}

extension ClientGrant: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .text("name", \.name),
      .secret(
        "key_sha256", \.keyHash,
        read: { text, field, _ in
          let digits = text.compactMap(\.hexDigitValue)
          guard digits.count == 64, text.count == 64 else {
            field.report("must be the key's SHA-256 in 64 hexadecimal digits")
            return nil
          }
          return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }),
      .value(
        "scopes", \.scopes, isRequired: true,
        read: { field, _ in
          guard let elements = field.elements() else { return nil }
          if elements.isEmpty {
            let known = APIScope.allCases.map(\.rawValue).joined(separator: ", ")
            field.report("must name at least one of \(known)")
          }
          return Set(elements.compactMap { $0.choice(APIScope.self) })
        },
        print: { "[\($0.map(\.rawValue).sorted().joined(separator: ", "))]" }),
      .allowed("apps", \.apps), .allowed("templates", \.templates), .rate("rate", \.rate),
    ]
  }
}

extension GatewayConfiguration.App: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .file("catalog", \.catalog, examine: ConfiguredFiles.problem(ofFile:)), credentialsField,
      .value(
        "project_id", \.projectID,
        read: { field, _ in
          guard let text = field.nonEmptyString() else { return nil }
          let isID = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "-_.:".utf8.contains(byte)
          }
          if !isID {
            field.report(
              "must be the project's id, such as my-project-1a2b3, not its display name; the Firebase console shows "
                + "both in the project's settings")
          }
          return text
        }, print: { $0.map(ConfigurationText.quoted) }),
      .value(
        "endpoint", \.endpoint,
        read: { field, _ in
          guard let text = field.nonEmptyString() else { return nil }
          // The text is not quoted, since it may hold a password.
          if let problem = EndpointURL.problem(text) {
            field.report("\(problem); use an address such as https://fcm.googleapis.com")
            return nil
          }
          return EndpointURL.withoutTrailingSlashes(text)
        }, print: ConfigurationText.quoted),
      .file("ca_file", \.caFile, examine: ConfiguredFiles.problem(ofAuthorities:)), .rate("rate", \.rate),
      .section("raw", \.raw, style: .flow),
    ]
  }

  private static var credentialsField: ConfigurationField<Self> {
    ConfigurationField(
      keys: ["credentials"], paths: ["credentials"],
      read: { mapping, app in
        guard let field = mapping["credentials"], let text = field.nonEmptyString() else { return }
        if text == "none" {
          app.credentials = .none
        } else if let path = field.filePath(in: mapping.files, examine: { _ in nil }) {
          app.credentials = .file(path)
        }
      },
      printed: { app in
        switch app.credentials {
        case .none: ["credentials: none"]
        case .file(let path): ["credentials: \(ConfigurationText.quoted(path))"]
        case .applicationDefault: ["# credentials: Application Default Credentials"]
        }
      })
  }

  func validate(_ mapping: ConfigurationMapping) {
    if credentials == .none && projectID == nil {
      mapping.field.report("project_id is needed, since credentials: none does not name one")
    }
    if credentials == .none && mapping["endpoint"] == nil {
      mapping.field.report(
        "endpoint is needed, since FCM itself takes no message without credentials; name the emulator's address"
      )
    }
  }
}

extension GatewayConfiguration.RawMessages: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .choice("check", \.check), .section("resources", \.resources, draft: Resources(), style: .flow),
    ]
  }
}

extension GatewayConfiguration.RawMessages.Resources: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      strings("android", \.android), strings("ios", \.ios),
      .text("development_language", \.developmentLanguage),
    ]
  }

  private static func strings(
    _ name: String, _ path: WritableKeyPath<Self, String?>
  ) -> ConfigurationField<Self> {
    .value(
      name, path, read: { field, mapping in field.nonEmptyString().map(mapping.files.path) },
      print: { $0.map(ConfigurationText.quoted) })
  }

  func validate(_ mapping: ConfigurationMapping) {
    if android == nil, ios == nil { mapping.field.report("must name android, ios or both") }
  }
}

extension GatewayConfiguration.Queue: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .secret("url", \.store, isRequired: false, read: readStore, print: printed),
      .integer("max_depth", \.depthMax, in: 1...1_000_000_000),
      .integer("client_share_percent", \.clientSharePercent, in: 1...100),
      .integer("max_batch_targets", \.batchTargetsMax, in: 1...1_000_000),
      .duration("retention", \.retention, secondsMin: 1), .duration("lease", \.lease, secondsMin: 1),
      .duration("write_timeout", \.writeTimeout, secondsMin: 1),
    ]
  }

  private static func readStore(_ text: String, _ field: YAMLField, _ mapping: ConfigurationMapping) -> Store?
  {
    do throws(QueueURLError) {
      let store = try Store(url: text)
      return if case .sqlite(let path) = store { .sqlite(path: mapping.files.path(path)) } else { store }
    } catch {
      field.report(error.description)
      return nil
    }
  }

  private static func printed(_ store: Store) -> String {
    switch store {
    case .sqlite(let path): ConfigurationText.quoted("sqlite:\(path)")
    case .postgres(let url): ConfigurationText.quoted(url.printed)
    }
  }
}

extension GatewayConfiguration.Delivery: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] {
    [
      .integer("max_attempts", \.attemptsMax, in: 1...1000),
      .duration("min_backoff", \.minBackoff, secondsMin: 0),
      .duration("max_backoff", \.maxBackoff, secondsMin: 1),
      .duration("quota_backoff", \.quotaBackoff, secondsMin: 0), .duration("ramp", \.ramp, secondsMin: 0),
      .duration("max_age", \.maxAge, secondsMin: 1),
      .duration("request_timeout", \.requestTimeout, secondsMin: 1),
    ]
  }

  func validate(_ mapping: ConfigurationMapping) {
    if minBackoff > maxBackoff { mapping.field.report("min_backoff is longer than max_backoff") }
  }
}

extension GatewayConfiguration.Logging: ConfigurationSection {
  static var fields: [ConfigurationField<Self>] { [.choice("level", \.level), .choice("format", \.format)] }
}
