import API
import Feedback
import HTTPServer
import JSON
import Outbox

extension GatewayConfiguration {
  /// The effective configuration as YAML, secrets hidden.
  package var printed: String {
    let sections = [printedServer, printedAuth, printedApps, printedRest]
    return sections.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// A flag may open a door that the file kept shut: the same rule as for the file.
  package func refuseOpenDoor() throws(GatewayError) {
    guard auth.clients.isEmpty, !auth.allowAnonymous, !server.listen.isLoopback else { return }
    throw GatewayError(
      .configuration,
      "server.listen: \(server.listen) can be reached by others, and auth.clients is empty; add a client, listen "
        + "on 127.0.0.1, or say auth.allow_anonymous: true")
  }

  private var printedServer: String {
    let tls = server.tls.map { tls in
      "\n  tls: {certificate: \(quoted(tls.certificate)), key: \(quoted(tls.key))"
        + (tls.clientCA.map { ", client_ca: \(quoted($0))" } ?? "") + "}"
    }
    return """
      server:
        listen: \(quoted(server.listen.description))\(tls ?? "")
        max_connections: \(server.connectionsMax)
        max_body_bytes: \(server.bodyBytesMax)
        header_timeout: \(printed(server.headerTimeout))
        idle_timeout: \(printed(server.idleTimeout))
        shutdown_grace: \(printed(server.shutdownGrace))
      """
  }

  private var printedAuth: String {
    let clients = auth.clients.map { client in
      var lines = ["    - name: \(quoted(client.name))", "      key_sha256: \(Self.hidden)"]
      lines.append("      scopes: [\(client.scopes.map(\.rawValue).sorted().joined(separator: ", "))]")
      if let apps = client.apps { lines.append("      apps: [\(apps.map(quoted).joined(separator: ", "))]") }
      if let templates = client.templates {
        lines.append("      templates: [\(templates.map(quoted).joined(separator: ", "))]")
      }
      if let rate = client.rate { lines.append("      rate: \(printed(rate: rate))") }
      return lines.joined(separator: "\n")
    }
    let list = clients.isEmpty ? " []" : "\n" + clients.joined(separator: "\n")
    return "auth:\n  allow_anonymous: \(auth.allowAnonymous)\n  clients:\(list)"
  }

  private var printedApps: String {
    let apps = apps.map { app in
      var lines = ["  \(quoted(app.name)):", "    catalog: \(quoted(app.catalog))"]
      switch app.credentials {
      case .none: lines.append("    credentials: none")
      case .file(let path): lines.append("    credentials: \(quoted(path))")
      case .applicationDefault: lines.append("    # credentials: Application Default Credentials")
      }
      if let projectID = app.projectID { lines.append("    project_id: \(quoted(projectID))") }
      lines.append("    endpoint: \(quoted(app.endpoint))")
      if let caFile = app.caFile { lines.append("    ca_file: \(quoted(caFile))") }
      lines.append("    rate: \(printed(rate: app.rate))")
      return lines.joined(separator: "\n")
    }
    return "apps:\n" + apps.joined(separator: "\n")
  }

  private var printedRest: String {
    let url: String =
      switch queue.store {
      case .sqlite(let path): quoted("sqlite:\(path)")
      case .postgres(let url): quoted(url.printed)
      }
    let feedback =
      webhook.map { webhook in
        "\nfeedback:\n  webhook: {url: \(quoted(Self.withoutQuery(webhook.url.text))), secret: \(Self.hidden), "
          + "allow_private_addresses: \(webhook.url.allowsPrivateAddresses)}"
      } ?? ""
    return """
      queue:
        url: \(url)
        max_depth: \(queue.depthMax)
        retention: \(printed(queue.retention))
        lease: \(printed(queue.lease))
      delivery:
        max_attempts: \(delivery.attemptsMax)
        min_backoff: \(printed(delivery.minBackoff))
        max_backoff: \(printed(delivery.maxBackoff))
        quota_backoff: \(printed(delivery.quotaBackoff))
        ramp: \(printed(delivery.ramp))
        max_age: \(printed(delivery.maxAge))
        request_timeout: \(printed(delivery.requestTimeout))\(feedback)
      log: {level: \(log.level.rawValue), format: \(log.format.rawValue)}
      """
  }

  /// Many receivers take a key there.
  private static func withoutQuery(_ url: String) -> String {
    guard let mark = url.firstIndex(of: "?") else { return url }
    return url[..<mark] + "?(hidden)"
  }

  private static let hidden = "\"(hidden)\""

  private func quoted(_ text: String) -> String {
    String(decoding: [UInt8].jsonString(text), as: UTF8.self)
  }

  private func printed(_ duration: Duration) -> String { "\(duration.components.seconds)s" }

  private func printed(rate: Double) -> String {
    rate == rate.rounded()
      ? "\(Int(rate))/s" : "\((rate * 3600).rounded() == rate * 3600 ? "\(Int(rate * 3600))/h" : "\(rate)/s")"
  }
}

extension [UInt8] {
  fileprivate static func jsonString(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return bytes
  }
}
