internal import AppStrings
internal import Catalog
internal import CatalogCheck
internal import FCMEmulator
internal import FCMMessage
internal import Foundation
package import HTTPServer
internal import Synchronization
package import Telemetry

/// `dragoman dev`: the gateway and the FCM emulator in one process, on the example app, for this machine
/// only. It loads the catalog and its strings again when they change.
package final class DevelopmentGateway: Sendable {
  package let gateway: Gateway
  package let emulatorAddress: HTTPListenAddress

  private let emulatorServer: HTTPServer
  /// Removed when the gateway stops.
  private let temporaryFolder: String
  private let configuration: GatewayConfiguration
  private let show: @Sendable (String) -> Void
  private let watching = Mutex(Watching())

  private struct Watching {
    var watcher: FileWatcher?
    /// What was said last about changes that go unnoticed.
    var gap: String?
  }

  /// The settings of `dragoman dev`.
  package struct Settings: Sendable {
    package var listen = HTTPListenAddress.tcp(host: "127.0.0.1", port: 8080)
    package var emulatorListen = HTTPListenAddress.tcp(host: "127.0.0.1", port: 8085)
    /// Nil: the example app's.
    package var catalog: String?
    /// Nil: a temporary folder.
    package var dataFolder: String?
    package init() {}
  }

  /// `show` receives a line for each request, push and reload. It is called on the gateway's own threads, so
  /// it must not block.
  package init(
    settings: Settings, log: Log, show: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(GatewayError) {
    for address in [settings.listen, settings.emulatorListen] where !address.isLoopback {
      throw GatewayError(
        .configuration, "\(address): dev has no keys, so it listens on loopback addresses only")
    }
    self.show = show
    temporaryFolder =
      FileManager.default.temporaryDirectory.appending(path: "dragoman-\(UUID().uuidString)").path
    let emulator = FCMEmulator(log: log)
    emulatorServer = HTTPServer(
      configuration: HTTPServerConfiguration(listen: settings.emulatorListen), handler: emulator, log: log)
    do {
      emulatorAddress = try emulatorServer.start()
    } catch {
      throw GatewayError(
        .listening, error.explanation(option: "--emulator-listen"), underlying: error)
    }
    do {
      configuration = try Self.configuration(
        settings, emulator: emulatorAddress, temporaryFolder: temporaryFolder)
      gateway = try await Gateway(
        configuration: configuration,
        development: DevelopmentParts(
          activity: GatewayActivity(show: show), emulator: emulator, emulatorAddress: emulatorAddress),
        log: log)
    } catch {
      await emulatorServer.shutDown(grace: .zero)
      try? FileManager.default.removeItem(atPath: temporaryFolder)
      guard error.code == .queue, let folder = settings.dataFolder, let reason = error.underlying else {
        throw error
      }
      // Nobody has named `queue.url` here.
      throw GatewayError(.queue, "--data \(folder): \(reason)", underlying: reason)
    }
    beginWatching()
  }

  private static func configuration(
    _ settings: Settings, emulator: HTTPListenAddress, temporaryFolder: String
  ) throws(GatewayError) -> GatewayConfiguration {
    var app = GatewayConfiguration.App(name: "default", catalog: "")
    do {
      app.catalog = try settings.catalog ?? ExampleApp.write(into: temporaryFolder)
    } catch {
      throw GatewayError(
        .development,
        "cannot write into the temporary folder \(temporaryFolder): \(error.localizedDescription)",
        underlying: error)
    }
    app.credentials = .none
    app.projectID = "dragoman-dev"
    app.endpoint = "http://\(emulator)"
    var configuration = GatewayConfiguration()
    configuration.server.listen = settings.listen
    configuration.server.shutdownGrace = .seconds(5)
    configuration.apps = [app]
    configuration.queue.store = .sqlite(path: "\(settings.dataFolder ?? temporaryFolder)/queue.db")
    return configuration
  }

  /// What there is in the catalog, and how much `check` finds.
  package var summary: String { ReloadLine.loaded(gateway.catalogs) }

  /// The files and folders that a change of makes the gateway load the catalog again.
  package var watchedPaths: [String] {
    gateway.catalogs.flatMap { checked in
      let catalog = checked.catalog
      let releases = AppPlatform.allCases.flatMap { catalog.releases[$0].map(\.resources) }
      let resources = AppPlatform.allCases.flatMap { platform in
        let project = checked.resources?[platform]?.project
        return project.map { $0.sources + $0.buildFiles } ?? catalog.resources?[platform]?.paths ?? []
      }
      let sources = checked.resources?.sourcePlaces ?? []
      return [catalog.file].compactMap(\.self) + resources + sources + releases
    }
  }

  private func beginWatching() {
    let watcher = FileWatcher { [weak self] in self?.reload() }
    watching.withLock { $0.watcher = watcher }
    if watcher == nil { show("changes are not noticed: the system has no watch left; send SIGHUP after one") }
    watch()
  }

  private func watch() {
    let watcher = watching.withLock { $0.watcher }
    let gap = watcher?.watch(watchedPaths)?.description
    let isNews = watching.withLock { watching in
      defer { watching.gap = gap }
      return watching.gap != gap
    }
    if let gap, isNews { show(gap) }
  }

  /// Loads the catalog and its strings again, after any load that is under way, and shows what changed. If
  /// that fails, the old catalog stays in force.
  package func reload() {
    gateway.afterReloads { [self] in
      let started = ContinuousClock.now
      let old = gateway.catalogs
      let outcome = await gateway.apply(.success(configuration))
      let took = (ContinuousClock.now - started).wholeMilliseconds
      switch outcome {
      case .applied:
        show(
          ReloadLine.applied(
            from: old, to: gateway.catalogs, milliseconds: took))
      case .refused(let error): show(ReloadLine.refused(error))
      case .discarded: return
      }
      // The catalog can name other folders now.
      watch()
    }
  }

  package func shutDown() async {
    watching.withLock { $0.watcher.take() }?.stop()
    await gateway.shutDown()
    await emulatorServer.shutDown(grace: .zero)
    do {
      if FileManager.default.fileExists(atPath: temporaryFolder) {
        try FileManager.default.removeItem(atPath: temporaryFolder)
      }
    } catch {
      // Nothing depends on it: the system empties its temporary folder.
    }
  }
}
