internal import API
internal import Clock
internal import Delivery
internal import DeliveryReports
internal import FCM
internal import Feedback
internal import GoogleAuth
internal import HTTPClient
package import HTTPServer
internal import JSON
internal import Outbox
internal import Synchronization
package import Telemetry
internal import YAML

/// The whole gateway: starts what the configuration names, reloads it, and stops it in the right order.
package final class Gateway: Sendable {
  package static let version = "1.0.0-rc.1"

  private static let recordingGrace = Duration.seconds(2)
  /// What the end of the process takes after a stop that hangs.
  private static let exitGrace = Duration.milliseconds(250)

  /// The bound address.
  package let address: HTTPListenAddress

  private let state: APIState
  private let store: any OutboxStore
  /// For requests that belong to no app, such as those for Application Default Credentials.
  let transport: HTTPTransport
  private let pool: TransportPool
  private let engine: DeliveryEngine
  private let server: HTTPServer
  let log: Log
  private let metrics: DragomanMetrics
  private let current: Mutex<Current>
  /// What was started, of which a reload does not change everything.
  private let started: GatewayConfiguration
  /// The latest reload; the next one waits for it.
  private let lastReload = Mutex<Task<Void, Never>?>(nil)
  /// Whether a requested reload has not begun to load.
  private let isReloadWaiting = Atomic<Bool>(false)
  private let reloadGate = ReloadGate()
  private let credentialsChecks: CredentialsChecks
  private let refusedCredentials = RefusedCredentials()

  /// What a reload replaces.
  private struct Current {
    var parts: GatewayParts
    var webhook: FeedbackWebhook?
  }

  /// Starts serving. Throws `GatewayError` with every reason why it cannot. `willServe` is called before the
  /// first request is accepted and the first message is sent.
  package convenience init(
    configuration: GatewayConfiguration, log: Log, willServe: () -> Void = {}
  ) async throws(GatewayError) {
    try await self.init(configuration: configuration, development: nil, log: log, willServe: willServe)
  }

  /// `development` is what `dragoman dev` adds.
  init(
    configuration: GatewayConfiguration, development: DevelopmentParts?, log: Log,
    willServe: () -> Void = {}
  ) async throws(GatewayError) {
    self.log = log
    started = configuration
    let transport = HTTPTransport(log: log)
    let pool = TransportPool(log: log)
    self.pool = pool
    let parts: GatewayParts
    let store: any OutboxStore
    do throws(GatewayError) {
      parts = try await GatewayParts(
        configuration, over: transport, pool: pool, refused: refusedCredentials, log: log)
      store = try configuration.queue.open(clientCount: configuration.auth.clients.count, log: log)
    } catch {
      await transport.shutDown()
      throw error
    }
    self.store = store
    store.logOutcomes(configuration.webhook?.events.outcomes ?? [])
    self.transport = transport
    current = Mutex(Current(parts: parts))
    state = APIState(parts.snapshot(), emulator: development.map { "http://\($0.emulatorAddress)" })
    let metrics = DragomanMetrics(version: Self.version, log: log)
    self.metrics = metrics
    let events = EventHub()
    let observe = development?.activity.observing(metrics, store: store) ?? metrics.note
    engine = DeliveryEngine(
      apps: parts.deliveryApps, store: store, policy: RetryPolicy(configuration.delivery),
      configuration: DeliveryConfiguration(configuration.delivery), log: log,
      observer: { event in
        observe(event)
        events.note(event)
      })
    credentialsChecks = CredentialsChecks(for: engine)
    let handler = APIHandler(
      state: state, store: store, engine: engine, events: events, metrics: metrics, log: log,
      onAnswer: development?.activity.onAnswer)
    var routes: any HTTPHandler = handler
    if let development { routes = EmulatorRoutes(development.emulator, besides: handler, state: state) }
    server = HTTPServer(
      configuration: HTTPServerConfiguration(configuration.server), handler: routes, log: log)
    store.onCommit { [state] commit in
      metrics.note(commit)
      events.note(commit)
      if commit.feedbackEvents > 0 { state.webhook?.wake() }
    }
    store.onFeedback { [state] in state.webhook?.wake() }
    do {
      // A gateway that cannot listen must send nothing: it would not stay to record FCM's answers, and each
      // further attempt to start it would send the same messages again.
      address = try server.start { [engine] in
        willServe()
        engine.start()
      }
    } catch {
      await store.close()
      await pool.shutDown()
      await transport.shutDown()
      throw GatewayError(error)
    }
    began(parts, answeringWith: handler)
    log.info(
      "gateway listening", ["address": .string(address.description), "version": .string(Self.version)])
  }

  /// Begins what goes on beside the requests.
  private func began(_ parts: GatewayParts, answeringWith handler: APIHandler) {
    metrics.collect(state: state, store: store, engine: engine) { [weak self] in
      self?.parts.certificateExpiries ?? [:]
    }
    handler.startHistory(
      keptIn: parts.configuration.queue.historyPath.map { HistoryFile(path: $0, log: log) })
    startWebhook(parts.configuration.webhook)
    refusedCredentials.onRefusal { [weak self] in
      self?.afterReloads { [weak self] in
        await self?.readChangedFiles(because: "a token service refused them, and their file has changed")
      }
    }
    credentialsChecks.begin(parts.credentialsChecks)
    warn(about: parts.configuration)
    parts.logFindings(log)
    watchFiles()
  }

  /// Stops accepting, finishes requests in flight, finishes or releases claimed deliveries, closes the
  /// queue. A reload that is still reading its files is discarded.
  package func shutDown() async {
    log.info("gateway stopping")
    state.beginShutdown()
    let grace = current.withLock { $0.parts.configuration.server.shutdownGrace }
    let limit = grace > .zero ? grace - min(Self.exitGrace, grace / 20) : Self.recordingGrace
    let isStopped = await Deadline.keeps(limit) { [self] in
      await stop(grace: grace)
    }
    if !isStopped {
      log.error(
        "gateway stops although a part of it has not ended; what is unfinished is due at the next start")
    }
    log.info("gateway stopped")
    log.flush()
  }

  /// Sends are drained beside the server's requests, in a time of their own: a client that takes the whole
  /// grace for its upload must not have messages sent again whose answers are still under way.
  private func stop(grace: Duration) async {
    // Recording the released deliveries takes time as well, which the grace includes.
    let recording = min(Self.recordingGrace, grace / 4)
    async let drained: Void = engine.stop(grace: max(.zero, grace - recording))
    async let answered: Void = server.shutDown(grace: max(.zero, grace - recording))
    await reloadGate.close()
    credentialsChecks.stop()
    await answered
    await drained
    await state.webhook?.stop()
    await store.close()
    await pool.shutDown()
    await transport.shutDown()
  }
}

// MARK: Reload

extension Gateway {
  /// Reads the configuration again with `load` and applies it, after any reload that is under way. Of several
  /// that are requested meanwhile, one is enough: it reads what the last of them would. See `reload(_:)`.
  package func beginReload(_ load: @escaping @Sendable () throws -> GatewayConfiguration) {
    guard !isReloadWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    afterReloads { [self] in
      isReloadWaiting.store(false, ordering: .releasing)
      await reload(await Loading.run(inBackground: true) { Result { try load() } })
    }
  }

  /// Runs `body` after any reload that is under way.
  func afterReloads(_ body: @escaping @Sendable () async -> Void) {
    lastReload.withLock { last in
      let previous = last
      last = Task {
        await previous?.value
        await body()
      }
    }
  }

  /// What is in force.
  var parts: GatewayParts { current.withLock { $0.parts } }

  /// The catalogs in force.
  var catalogs: [CheckedCatalog] { current.withLock { Array($0.parts.catalogs.values) } }

  /// Applies the apps with their catalogs, credentials and rates, the clients and the webhook of a new
  /// configuration. If any of them fails to load, or the clients would open the bound address to everyone,
  /// the old configuration stays in force as a whole. Logs the result.
  package func reload(_ result: Result<GatewayConfiguration, any Error>) async {
    switch await apply(result) {
    case .applied:
      log.info("configuration reloaded")
      current.withLock { $0.parts }.logFindings(log)
    case .refused(let error):
      log.error("reload failed; the old configuration stays in force", ["reason": .string("\(error)")])
    case .discarded: break
    }
  }

  enum ReloadOutcome: Sendable {
    case applied
    /// The old configuration stays in force.
    case refused(any Error)
    /// The gateway is shutting down.
    case discarded
  }

  /// Like `reload`, but returns the result instead of logging it. With `keepsCatalogs`, only credentials and
  /// certificates are read.
  func apply(
    _ result: Result<GatewayConfiguration, any Error>, keepsCatalogs: Bool = false
  ) async -> ReloadOutcome {
    let old = current.withLock { $0.parts }
    do {
      let configuration = try result.get()
      try configuration.refuseExposure(listeningOn: address)
      let identity = try HTTPServerConfiguration(configuration.server).tls.map {
        try TLSIdentity(loading: $0)
      }
      let fresh = try await GatewayParts(
        configuration, over: transport, pool: pool, refused: refusedCredentials, log: log, keeping: old,
        keepsCatalogs: keepsCatalogs)
      guard reloadGate.enter() else {
        for sender in fresh.senders(besides: old) { sender.shutDown() }
        return .discarded
      }
      defer { reloadGate.leave() }
      if let identity { server.reloadTLS(identity) }
      for (name, client) in fresh.clients where old.clients[name]?.sender === client.sender {
        // A reload renews the token of the same credentials too.
        let isSame = old.clients[name]?.credentials.isSame(as: client.credentials) == true
        if !keepsCatalogs || !isSame { client.sender.replace(credentials: client.credentials) }
      }
      current.withLock { $0.parts = fresh }
      state.replace(
        with: fresh.snapshot(keeping: state.snapshot.authenticator), now: .now)
      let retired = await engine.update(apps: fresh.deliveryApps)
      credentialsChecks.begin(fresh.credentialsChecks)
      let unused = old.senders(besides: fresh)
      // What they are sending may take as long as FCM's slowest answer.
      Task {
        await retired.untilUnused()
        for sender in unused { sender.shutDown() }
      }
      // One that begins again repeats what its receiver has got since the first event that it refuses.
      let isWebhookOff = state.webhook?.health.isDisabled ?? false
      if isWebhookOff || fresh.configuration.webhook != old.configuration.webhook {
        await state.webhook?.stop()
        startWebhook(fresh.configuration.webhook)
      }
      guard !keepsCatalogs else {
        fresh.logCredentialsFailures(log)
        return .applied
      }
      let failed = fresh.credentialsFailures.map { ExactText($0.app) }
      for app in fresh.configuration.apps.map(\.name) {
        metrics.noteReload(of: [app], succeeded: !failed.contains(ExactText(app)))
      }
      warn(about: fresh.configuration)
      warnAboutRestart(fresh.configuration)
      return .applied
    } catch {
      if keepsCatalogs { return .refused(error) }
      state.reloadFailed(now: .now)
      metrics.noteReload(of: Self.apps(of: old.configuration, thatFailedFor: error), succeeded: false)
      return .refused(error)
    }
  }

  /// The apps that made a reload fail; all of them if none of those that are served did, so that each failure
  /// counts for an app whose counter exists.
  private static func apps(
    of configuration: GatewayConfiguration, thatFailedFor error: any Error
  ) -> [String] {
    let faulty = (error as? GatewayError)?.apps.map(ExactText.init) ?? []
    let served = configuration.apps.map(\.name)
    let failed = served.filter { faulty.contains(ExactText($0)) }
    return failed.isEmpty ? served : failed
  }

  private func startWebhook(_ webhook: GatewayConfiguration.Webhook?) {
    store.logOutcomes(webhook?.events.outcomes ?? [])
    let fresh = webhook.map {
      FeedbackWebhook(
        url: $0.url, secrets: $0.secrets, events: $0.events, store: store, log: log
      ) { [metrics] result in
        metrics.webhookDeliveries.with(result.rawValue).add()
      }
    }
    state.replaceWebhook(with: fresh)
    fresh?.start()
  }

  private func warnAboutRestart(_ fresh: GatewayConfiguration) {
    var (server, queue, delivery) = (started.server, started.queue, started.delivery)
    // A reload applies these.
    server.shutdownGrace = fresh.server.shutdownGrace
    server.allowedHosts = fresh.server.allowedHosts
    server.publicPath = fresh.server.publicPath
    server.trustsForwarded = fresh.server.trustsForwarded
    if server.tls != nil, fresh.server.tls != nil { server.tls = fresh.server.tls }
    queue.batchTargetsMax = fresh.queue.batchTargetsMax
    delivery.maxAge = fresh.delivery.maxAge
    delivery.requestTimeout = fresh.delivery.requestTimeout
    let isInForce =
      server == fresh.server && queue == fresh.queue && delivery == fresh.delivery
      && started.log == fresh.log
    if !isInForce {
      log.warning("changes to server, queue, delivery and log take effect after a restart")
    }
  }

  private func warn(about configuration: GatewayConfiguration) {
    for app in configuration.apps where app.endpoint.hasPrefix("http://") && app.credentials != .none {
      log.warning("credentials are sent over plain HTTP", ["app": .string(app.name)])
    }
    for problem in configuration.unknownVariables {
      log.warning("an environment variable changes no field", ["reason": .string(problem.description)])
    }
    for exposure in FileAccess.exposures(in: configuration) {
      log.warning(
        "every user of this machine may read or change a file of the gateway; run chmod o= on it",
        ["path": .string(exposure.path), "mode": .string(exposure.mode)])
    }
    let apps = configuration.apps.map(\.name)
    for client in configuration.auth.clients {
      // The client of an app that is to come back, perhaps.
      for name in client.apps ?? [] where !apps.contains(where: { $0.hasSameBytes(as: name) }) {
        log.warning(
          "a client may use an app that does not exist",
          ["client": .string(client.name), "unknown_app": .string(name)])
      }
    }
    if let shortage = ThreadShortage.serving(apps: configuration.apps.count) {
      log.warning(
        "the system has too few threads for sending; raise the limit on processes (pids, ulimit -u, TasksMax)",
        ["threads": .integer(shortage.found), "needed": .integer(shortage.wanted)])
    }
    let connections = OpenFileLimit.connections(configuration.server.connectionsMax)
    if connections < configuration.server.connectionsMax {
      log.warning(
        "the system lets this process open too few files for server.max_connections; raise the limit (nofile)",
        ["connections": .integer(connections), "limit": .integer(OpenFileLimit.current)])
    }
  }
}
