internal import API
internal import CatalogCheck
internal import Delivery
internal import FCM
internal import FCMMessage
internal import Foundation
internal import GoogleAuth
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Outbox
internal import Telemetry

/// The loaded parts of a configuration: catalogs with their strings, and an FCM client for each app.
struct GatewayParts: Sendable {
  /// An app's client and its peer. A reload can replace its credentials, but not its peer.
  struct Client: Sendable {
    struct Peer: Sendable, Equatable {
      let projectID: String
      let endpoint: String
      let caFile: String?
      let requestTimeout: Duration
    }

    let peer: Peer
    let credentials: Credentials
    let sender: FCMClient
    /// One of the pool's.
    let transport: HTTPTransport
  }

  let configuration: GatewayConfiguration
  let catalogs: [ExactText: CheckedCatalog]
  let clients: [ExactText: Client]
  /// Of the apps whose strings for messages that are given as a whole are not those of the catalog.
  private let rawChecks: [ExactText: RawMessageCheck]
  /// Of the files that are read again when they change, before they were read.
  let stamps: FileStamps
  /// When the certificates in these files expire, in seconds since 1970.
  let certificateExpiries: [String: Int]
  /// Why the credentials of apps could not be loaded; those before stay in force, if there are any.
  let credentialsFailures: [(app: String, error: CredentialsError)]

  /// Whether an app waits for a metadata server.
  var awaitsMetadata: Bool { credentialsFailures.contains { $0.error.code == .notFound } }

  /// Loads everything, or throws `GatewayError` with everything that is wrong and changes nothing. Clients of
  /// `old` whose peer is unchanged are kept; the caller replaces their credentials. With `keepsCatalogs`, its
  /// catalogs are kept too.
  ///
  /// An app whose credentials cannot be loaded keeps those of `old`, or waits for them without any, unless
  /// that is a mistake in the files of all apps.
  init(
    _ configuration: GatewayConfiguration, over transport: HTTPTransport, pool: TransportPool,
    refused: RefusedCredentials, log: Log, keeping old: GatewayParts? = nil, keepsCatalogs: Bool = false
  ) async throws(GatewayError) {
    self.configuration = configuration
    stamps = FileStamps(configuration.watchedFiles)
    certificateExpiries = configuration.certificateExpiries
    var clients: [ExactText: Client] = [:]
    var failures: [String] = []
    var catalogs = keepsCatalogs ? old?.catalogs ?? [:] : [:]
    if !keepsCatalogs {
      let checked = await Loading.run(inBackground: old != nil) { Self.checkedCatalogs(of: configuration) }
      failures = checked.failures
      for app in configuration.apps { catalogs[ExactText(app.name)] = checked.catalogs[app.catalog] }
    }
    var credentialsFailures: [(app: String, error: CredentialsError)] = []
    for app in configuration.apps {
      let name = ExactText(app.name)
      var credentials: Credentials
      do {
        credentials = try await Self.credentials(of: app, over: transport)
      } catch {
        credentialsFailures.append((app.name, error))
        credentials = .unavailable(error)
        if let kept = old?.credentials(of: app) { credentials = kept }
      }
      let known = app.projectID ?? credentials.projectID ?? Credentials.projectID()
      // Nothing is sent before there are credentials, which may name it.
      guard let projectID = known ?? (credentials.failure == nil ? nil : "unknown") else {
        failures.append("apps.\(app.name): the credentials name no project; set project_id")
        continue
      }
      let peer = Client.Peer(
        projectID: projectID, endpoint: app.endpoint, caFile: app.caFile,
        requestTimeout: configuration.delivery.requestTimeout)
      if let kept = old?.clients[name], kept.peer == peer {
        clients[name] = Client(
          peer: peer, credentials: credentials, sender: kept.sender, transport: kept.transport)
      } else {
        let used = clients.values.map(\.transport) + (old?.clients.values.map(\.transport) ?? [])
        clients[name] = Client(
          peer: peer, credentials: credentials, over: pool.transport(besides: used), refused: refused,
          log: log)
      }
    }
    let mistakes = credentialsFailures.filter { !$0.error.mayPass }
    if mistakes.count == configuration.apps.count {
      failures += mistakes.map { "apps.\($0.app).credentials: \($0.error)" }
    }
    guard failures.isEmpty else {
      let faulty = configuration.apps.map(\.name).filter {
        catalogs[ExactText($0)] == nil || clients[ExactText($0)] == nil
      }
      throw GatewayError(.parts, failures.joined(separator: "\n"), apps: faulty)
    }
    self.catalogs = catalogs
    self.clients = clients
    self.credentialsFailures = credentialsFailures
    if keepsCatalogs, let old {
      rawChecks = old.rawChecks
    } else {
      rawChecks = await Loading.run(inBackground: old != nil) { [catalogs] in
        Self.rawChecks(of: configuration, catalogs)
      }
    }
  }

  /// The credentials in force of an app whose source of them has not changed.
  private func credentials(of app: GatewayConfiguration.App) -> Credentials? {
    guard let own = configuration.apps.first(where: { $0.name.hasSameBytes(as: app.name) }),
      own.credentials == app.credentials
    else { return nil }
    return clients[ExactText(app.name)]?.credentials
  }

  /// The catalogs by their files. Apps that share a file share the catalog, its strings and its report: a
  /// thousand copies take a minute to make, and much memory.
  private static func checkedCatalogs(
    of configuration: GatewayConfiguration
  ) -> (catalogs: [String: CheckedCatalog], failures: [String]) {
    var failures: [String] = []
    var seen: Set<String> = []
    var catalogs: [String: CheckedCatalog] = [:]
    for app in configuration.apps where seen.insert(app.catalog).inserted {
      do {
        catalogs[app.catalog] = try CheckedCatalog(try AppCatalog.load(file: app.catalog))
      } catch {
        failures.append("\(error)")
      }
    }
    return (catalogs, failures)
  }

  private static func rawChecks(
    of configuration: GatewayConfiguration, _ catalogs: [ExactText: CheckedCatalog]
  ) -> [ExactText: RawMessageCheck] {
    var checks: [ExactText: RawMessageCheck] = [:]
    for app in configuration.apps {
      guard let named = app.raw.resources, let catalog = catalogs[ExactText(app.name)] else { continue }
      let resources = AppResources(
        readingAndroid: named.android.map { ResourceLocation($0) },
        ios: named.ios.map { ResourceLocation($0) },
        developmentLanguage: named.developmentLanguage)
      checks[ExactText(app.name)] = RawMessageCheck(resources, ignoring: catalog.catalog)
    }
    return checks
  }

  static func credentials(
    of app: GatewayConfiguration.App, over transport: HTTPTransport
  ) async throws(CredentialsError) -> Credentials {
    switch app.credentials {
    case .none: .none
    case .file(let path): try Credentials.load(file: path)
    case .applicationDefault: try await Credentials.applicationDefault(over: transport)
    }
  }

  /// The apps as the delivery engine serves them.
  var deliveryApps: [DeliveryApp] {
    configuration.apps.compactMap { app in
      clients[ExactText(app.name)].map {
        DeliveryApp(name: app.name, sender: $0.sender, messagesPerSecond: app.rate.perSecond)
      }
    }
  }

  /// The senders that `others` does not use.
  func senders(besides others: GatewayParts) -> [FCMClient] {
    clients.compactMap { name, client in
      others.clients[name]?.sender === client.sender ? nil : client.sender
    }
  }

  /// The snapshot that requests are answered from. Clients of `old` keep what is left of their rates.
  func snapshot(keeping old: Authenticator? = nil) -> APIState.Snapshot {
    APIState.Snapshot(
      authenticator: Authenticator(clients: configuration.auth.clients, keeping: old),
      apps: configuration.apps.compactMap { app in
        guard let catalog = catalogs[ExactText(app.name)], let client = clients[ExactText(app.name)] else {
          return nil
        }
        return APIState.App(
          name: app.name, catalog: catalog.catalog, resources: catalog.resources, report: catalog.report,
          projectID: client.peer.projectID,
          raw: RawMessagePolicy(app.raw.check, by: rawChecks[ExactText(app.name)] ?? catalog.rawMessages),
          sender: client.sender)
      },
      maxAgeMilliseconds: configuration.delivery.maxAge.components.seconds * 1000,
      batchTargetsMax: configuration.queue.batchTargetsMax,
      allowedHosts: configuration.server.allowedHosts,
      publicPath: PublicPath(
        configuration.server.publicPath, trustsForwarded: configuration.server.trustsForwarded))
  }

  /// Logs the findings of the catalogs' checks, and which credentials could not be loaded.
  func logFindings(_ log: Log) {
    logCredentialsFailures(log)
    for app in configuration.apps { catalogs[ExactText(app.name)]?.log(to: log, app: app.name) }
  }
}

extension GatewayParts {
  func logCredentialsFailures(_ log: Log) {
    for (app, error) in credentialsFailures {
      let keepsOlder = clients[ExactText(app)]?.credentials.failure == nil
      log.error(
        keepsOlder
          ? "the credentials of an app cannot be loaded; the older ones stay in force"
          : "an app sends nothing: its credentials cannot be loaded; they are read again when they change",
        ["app": .string(app), "reason": .string(error.description)])
    }
  }
}

extension GatewayParts.Client {
  init(
    peer: Peer, credentials: Credentials, over transport: HTTPTransport, refused: RefusedCredentials, log: Log
  ) {
    let configuration = FCMAppConfiguration(
      projectID: peer.projectID, endpoint: peer.endpoint, credentials: credentials, caFile: peer.caFile,
      requestTimeout: peer.requestTimeout)
    self.init(
      peer: peer, credentials: credentials,
      sender: FCMClient(
        configuration: configuration, transport: transport, log: log, onRefusedCredentials: { refused.note() }
      ),
      transport: transport)
  }
}

extension RetryPolicy {
  init(_ delivery: GatewayConfiguration.Delivery) {
    self.init()
    attemptsMax = delivery.attemptsMax
    backoffMin = delivery.minBackoff
    backoffMax = delivery.maxBackoff
    quotaBackoff = delivery.quotaBackoff
  }
}

extension DeliveryConfiguration {
  init(_ delivery: GatewayConfiguration.Delivery) {
    self.init()
    ramp = delivery.ramp
  }
}

extension HTTPServerConfiguration {
  init(_ server: GatewayConfiguration.Server) {
    self.init(listen: server.listen)
    tls = server.tls.map(TLSConfiguration.init)
    connectionsMax = OpenFileLimit.connections(server.connectionsMax)
    bodyBytesMax = server.bodyBytesMax
    headerTimeout = server.headerTimeout
    bodyTimeout = server.bodyTimeout
    idleTimeout = server.idleTimeout
  }
}

extension TLSConfiguration {
  init(_ tls: GatewayConfiguration.TLS) {
    self.init(certificateFile: tls.certificate, keyFile: tls.key, clientCAFile: tls.clientCA)
  }
}

extension GatewayConfiguration.Queue {
  /// What one of `clientCount` clients may have in the queue: all of it if there is no other.
  func clientDepthMax(clientCount: Int) -> Int {
    clientCount > 1
      ? max(1, depthMax / 100 * clientSharePercent + depthMax % 100 * clientSharePercent / 100) : depthMax
  }

  /// Opens the queue, and creates the folder of its file if there is none.
  func open(clientCount: Int, log: Log) throws(GatewayError) -> any OutboxStore {
    var configuration = OutboxConfiguration()
    configuration.depthMax = depthMax
    configuration.clientDepthMax = clientDepthMax(clientCount: clientCount)
    configuration.retentionMilliseconds = Int64(retention.components.seconds) * 1000
    configuration.writeTimeoutMilliseconds = Int(writeTimeout.components.seconds) * 1000
    configuration.leaseMilliseconds = Int64(lease.components.seconds) * 1000
    do throws(OutboxError) {
      switch store {
      case .sqlite(let path):
        try Self.makeFolder(of: path)
        if let problem = Self.accessProblem(path) {
          throw OutboxError(code: .unavailable, description: problem)
        }
        return try DurableOutboxStore(path: path, configuration: configuration, log: log)
      case .postgres(let url):
        return try DurableOutboxStore(url: url, configuration: configuration, log: log)
      }
    } catch {
      throw GatewayError(.queue, "queue.url: \(error.description)", underlying: error)
    }
  }

  private static func makeFolder(of path: String) throws(OutboxError) {
    var folder = ""
    for part in URL(filePath: path).deletingLastPathComponent().path.split(separator: "/") {
      folder += "/\(part)"
      var status = stat()
      if stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
        let reason = String(cString: strerror(errno))
        throw OutboxError(code: .unavailable, description: "the folder \(folder) cannot be made: \(reason)")
      }
    }
  }
}
