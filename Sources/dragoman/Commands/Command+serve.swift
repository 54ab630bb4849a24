import Gateway
import HTTPServer
import Telemetry
import YAML

extension Command {
  /// The configuration without `--config`.
  static let defaultConfiguration = "config/gateway.yaml"

  static let serve = Command(
    name: "serve",
    usage: "serve [--config FILE] [--listen HOST:PORT] [--print-config]",
    summary: "Runs the gateway until SIGTERM or SIGINT; SIGHUP reloads catalogs, keys and TLS files.",
    options: [
      (.path("config"), "the configuration; \(defaultConfiguration) by default"),
      (.value("listen"), "overrides server.listen: HOST:PORT or unix:PATH"),
      (.flag("print-config"), "prints the effective configuration without its secrets, and exits"),
    ]
  ) { options in
    let signals = Signals()
    let reloads = PendingReload()
    let stop = PendingStop()
    let isPrinted = options.has("print-config")
    if !isPrinted {
      await signals.watchReloads { reloads.request() }
      await signals.watchStops { stop.request() }
    }
    let file = options["config"] ?? defaultConfiguration
    let listen = try options["listen"].map { try listenAddress($0, option: "listen") }
    @Sendable func load() throws -> GatewayConfiguration {
      var configuration = try GatewayConfiguration.load(file: file, examinesFiles: !isPrinted)
      if let listen { configuration.server.listen = listen }
      try configuration.refuseExposure()
      return configuration
    }
    let configuration = try load()
    if isPrinted {
      for problem in configuration.unknownVariables { Output.note("dragoman serve: \(problem)") }
      Output.print(configuration.printed)
      return .success
    }
    let log = Log(configuration.log)
    if configuration.holdsSecrets, !MemoryDumps.forbid() {
      log.warning("core dumps of this process could not be disabled")
    }
    if !MemoryAllocator.startGivingBack() {
      log.warning("free memory stays with the process while it is idle: no thread could be started")
    }
    let gateway: Gateway
    do {
      gateway = try await Gateway(configuration: configuration, log: log, willServe: stop.begin)
    } catch let error as GatewayError where error.mayPass {
      // A supervisor tries again.
      Output.note("dragoman serve: \(error)")
      return .failure
    }
    reloads.onRequest { gateway.beginReload { try load() } }
    Output.print("gateway listening on \(gateway.address.url(isTLS: configuration.server.tls != nil))")
    await stop.untilRequested()
    withExtendedLifetime(signals) {}
    await gateway.shutDown()
    return .success
  }

  static let dev = Command(
    name: "dev",
    usage: "dev [--listen HOST:PORT] [--emulator-listen HOST:PORT] [--catalog FILE] [--data DIR]",
    summary: "Runs a gateway and an FCM emulator on the example app, without credentials or keys.",
    details: """
      Prints a line for each request and push. Loads the catalog and the strings that it names again when they
      change, and at SIGHUP; a catalog that fails to load leaves the old one in force.
      """,
    options: [
      (.value("listen"), "the gateway's address; 127.0.0.1:8080 by default; port 0 picks a free one"),
      (.value("emulator-listen"), "the emulator's address; 127.0.0.1:8085 by default"),
      (.path("catalog"), "a catalog to use instead of the example app's"),
      (.path("data"), "the folder of the queue; a temporary one by default"),
    ]
  ) { options in
    let signals = Signals()
    let reloads = PendingReload()
    await signals.watchReloads { reloads.request() }
    var settings = DevelopmentGateway.Settings()
    if let text = options["listen"] { settings.listen = try listenAddress(text, option: "listen") }
    if let text = options["emulator-listen"] {
      settings.emulatorListen = try listenAddress(text, option: "emulator-listen")
    }
    settings.catalog = options["catalog"]
    settings.dataFolder = options["data"]
    let log = Log(level: .warning, format: .text)
    let lines = ActivityLines()
    // The start makes a temporary folder, which a stop must remove.
    let stop = PendingStop()
    stop.begin()
    await signals.watchStops { stop.request() }
    let development = try await DevelopmentGateway(settings: settings, log: log) { lines.show($0) }
    reloads.onRequest { development.reload() }
    let (gateway, emulator) = (development.gateway.address.url(), development.emulatorAddress.url())
    Output.print("gateway listening on \(gateway)")
    Output.print("emulator listening on \(emulator)")
    Output.print("console on \(gateway)/, what phones would get on \(emulator)/")
    let check = settings.catalog.map { "; dragoman check --catalog \($0) shows what it finds" } ?? ""
    Output.print("catalog with \(development.summary)\(check)")
    let watched = settings.catalog.map { "\($0) and the strings that it names" } ?? "the example app"
    Output.print("watching \(watched) for changes; Ctrl-C stops")
    lines.begin()
    await stop.untilRequested()
    withExtendedLifetime(signals) {}
    await development.shutDown()
    return .success
  }
}

/// Parses the address in the value of an option.
func listenAddress(_ text: String, option: String) throws(UsageError) -> HTTPListenAddress {
  guard let address = HTTPListenAddress(text) else {
    throw UsageError(message: "--\(option) \(text): must be HOST:PORT, such as 127.0.0.1:8080, or unix:PATH")
  }
  return address
}

extension HTTPListenAddress {
  /// The address as a person types it into a client.
  func url(isTLS: Bool = false) -> String {
    switch self {
    case .tcp: "\(isTLS ? "https" : "http")://\(self)"
    case .unix: description
    }
  }
}

extension Log {
  fileprivate convenience init(_ logging: GatewayConfiguration.Logging) {
    self.init(
      level: Level(name: logging.level.rawValue) ?? .info, format: logging.format == .json ? .json : .text)
  }
}
