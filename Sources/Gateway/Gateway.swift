import Catalog
import Delivery
import FCM
import Foundation
package import HTTPServer
import Outbox
import StringResources
package import Telemetry
import YAML

/// The whole gateway: reads what the configuration names, starts what it needs, stops it in the right order.
package final class Gateway: Sendable {
  package static let version = "0.1.0"

  private static let recordingGrace = Duration.seconds(2)

  /// The bound address.
  package let address: HTTPListenAddress

  private let configuration: GatewayConfiguration
  private let state: GatewayState
  private let store: any OutboxStore
  private let transport: FCMTransport
  private let engine: DeliveryEngine
  private let server: HTTPServer
  private let log: Log

  /// Starts serving. Throws `GatewayError` with everything that stands in the way.
  package init(configuration: GatewayConfiguration, log: Log) async throws(GatewayError) {
    self.configuration = configuration
    self.log = log
    let catalogs = try Self.loadCatalogs(configuration)
    let transport = FCMTransport(log: log)
    let clients: [String: FCMClient]
    let store: any OutboxStore
    do throws(GatewayError) {
      clients = try await Self.makeClients(configuration, transport: transport, log: log)
      store = try Self.openStore(configuration.queue, log: log)
    } catch {
      await transport.shutDown()
      throw error
    }
    state = GatewayState(Self.snapshot(configuration, catalogs: catalogs, senders: clients))
    engine = DeliveryEngine(
      apps: clients, store: store, policy: RetryPolicy(configuration.delivery), log: log)
    let handler = GatewayHandler(state: state, store: store, engine: engine)
    server = HTTPServer(
      configuration: HTTPServerConfiguration(configuration.server), handler: handler, log: log)
    self.store = store
    self.transport = transport
    engine.start()
    do {
      address = try server.start()
    } catch {
      await engine.stop(grace: .zero)
      await store.close()
      await transport.shutDown()
      throw GatewayError(error.description)
    }
    warnAboutWhatIsNotServed()
    for (app, catalog) in catalogs { catalog.log(to: log, app: app) }
    log.info(
      "gateway listening", ["address": .string(address.description), "version": .string(Self.version)])
  }

  /// Stops accepting, finishes requests in flight, finishes or hands back claimed deliveries, closes the queue.
  package func shutDown() async {
    log.info("gateway stopping")
    state.beginShutdown()
    let grace = configuration.server.shutdownGrace
    let started = ContinuousClock.now
    await server.shutDown(grace: grace)
    // Recording what was handed back takes its own time, and all of it must fit into the grace.
    let left = grace - (ContinuousClock.now - started) - Self.recordingGrace
    await engine.stop(grace: max(.zero, left))
    await store.close()
    await transport.shutDown()
    log.info("gateway stopped")
    log.flush()
  }

  /// Takes over the catalogs and clients of a configuration that was read anew. What fails to load leaves the old
  /// one in force, whole.
  package func reload(_ result: Result<GatewayConfiguration, any Error>) {
    let old = state.snapshot
    do {
      let fresh = try result.get()
      guard fresh.apps.map(\.name) == old.apps.map(\.name) else {
        throw GatewayError("the list of apps changed; restart to take it over")
      }
      let catalogs = try Self.loadCatalogs(fresh)
      let senders = Dictionary(uniqueKeysWithValues: old.apps.map { ($0.name, $0.sender) })
      state.replace(with: Self.snapshot(fresh, catalogs: catalogs, senders: senders))
      log.info("configuration reloaded")
      for (app, catalog) in catalogs { catalog.log(to: log, app: app) }
    } catch {
      let now = Timestamp.now
      let apps = old.apps.map { app in
        var app = app
        app.reloadFailure = ("\(error)", app.reloadFailure?.since ?? now)
        return app
      }
      state.replace(
        with: .init(authenticator: old.authenticator, apps: apps, maxAgeMilliseconds: old.maxAgeMilliseconds))
      log.error("reload failed; the old configuration stays in force", ["reason": .string("\(error)")])
    }
  }

  private func warnAboutWhatIsNotServed() {
    if configuration.webhook != nil {
      log.warning("feedback.webhook is not served by this version: no events are posted")
    }
    if configuration.auth.clients.contains(where: { $0.rate != nil }) {
      log.warning("auth.clients.rate is not enforced by this version")
    }
    for app in configuration.apps where app.endpoint.hasPrefix("http://") && app.credentials != .none {
      log.warning("credentials are sent over plain HTTP", ["app": .string(app.name)])
    }
  }
}

/// Why the gateway does not start or reload.
package struct GatewayError: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}

// MARK: What it is made of

extension Gateway {
  private static func loadCatalogs(
    _ configuration: GatewayConfiguration
  ) throws(GatewayError) -> [String: CheckedCatalog] {
    var catalogs: [String: CheckedCatalog] = [:]
    var failures: [String] = []
    for app in configuration.apps {
      do {
        catalogs[app.name] = try CheckedCatalog(try Catalog.load(file: app.catalog))
      } catch {
        failures.append("\(error)")
      }
    }
    guard failures.isEmpty else { throw GatewayError(failures.joined(separator: "\n")) }
    return catalogs
  }

  private static func makeClients(
    _ configuration: GatewayConfiguration, transport: FCMTransport, log: Log
  ) async throws(GatewayError) -> [String: FCMClient] {
    var clients: [String: FCMClient] = [:]
    var failures: [String] = []
    for app in configuration.apps {
      do {
        let credentials =
          switch app.credentials {
          case .none: Credentials.none
          case .file(let path): try Credentials.load(file: path)
          case .applicationDefault: try await Credentials.applicationDefault(over: transport)
          }
        guard let projectID = app.projectID ?? credentials.projectID ?? Credentials.projectID() else {
          failures.append("apps.\(app.name): the credentials name no project; set project_id")
          continue
        }
        clients[app.name] = FCMClient(
          configuration: FCMAppConfiguration(
            projectID: projectID, endpoint: app.endpoint, credentials: credentials, caFile: app.caFile,
            requestTimeout: configuration.delivery.requestTimeout),
          transport: transport, log: log)
      } catch {
        failures.append("apps.\(app.name).credentials: \(error)")
      }
    }
    guard failures.isEmpty else { throw GatewayError(failures.joined(separator: "\n")) }
    return clients
  }

  private static func openStore(
    _ queue: GatewayConfiguration.Queue, log: Log
  ) throws(GatewayError) -> any OutboxStore {
    guard case .sqlite(let path) = queue.store else {
      throw GatewayError("queue.url: PostgreSQL is not supported by this version")
    }
    let folder = URL(filePath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw GatewayError("queue.url: the folder \(folder) cannot be made")
    }
    var configuration = OutboxConfiguration()
    configuration.depthMax = queue.depthMax
    configuration.retentionMilliseconds = Int64(queue.retention.components.seconds) * 1000
    do {
      return try SQLiteOutboxStore(path: path, configuration: configuration, log: log)
    } catch {
      throw GatewayError("queue.url: \(error.description)")
    }
  }

  private static func snapshot(
    _ configuration: GatewayConfiguration, catalogs: [String: CheckedCatalog],
    senders: [String: any MessageSender]
  ) -> GatewayState.Snapshot {
    GatewayState.Snapshot(
      authenticator: Authenticator(clients: configuration.auth.clients),
      apps: configuration.apps.compactMap { app in
        guard let catalog = catalogs[app.name], let sender = senders[app.name] else { return nil }
        return GatewayState.App(
          name: app.name, catalog: catalog.catalog, resources: catalog.resources, report: catalog.report,
          sender: sender)
      },
      maxAgeMilliseconds: configuration.delivery.maxAge.components.seconds * 1000)
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

extension HTTPServerConfiguration {
  init(_ server: GatewayConfiguration.Server) {
    self.init(listen: server.listen)
    connectionsMax = server.connectionsMax
    bodyBytesMax = server.bodyBytesMax
    headerTimeout = server.headerTimeout
    idleTimeout = server.idleTimeout
  }
}
