internal import FCMEmulator
internal import Foundation
package import HTTPServer
package import Telemetry

/// `dragoman dev`: the gateway and the FCM emulator in one process, on the example app, for this machine
/// only.
package final class DevelopmentGateway: Sendable {
  package let gateway: Gateway
  package let emulatorAddress: HTTPListenAddress

  private let emulatorServer: HTTPServer
  /// Removed when the gateway stops.
  private let temporaryFolder: String

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

  package init(settings: Settings, log: Log) async throws(GatewayError) {
    for address in [settings.listen, settings.emulatorListen] where !address.isLoopback {
      throw GatewayError(
        .configuration, "\(address): dev has no keys, so it listens on loopback addresses only")
    }
    temporaryFolder =
      FileManager.default.temporaryDirectory.appending(path: "dragoman-\(UUID().uuidString)").path
    emulatorServer = HTTPServer(
      configuration: HTTPServerConfiguration(listen: settings.emulatorListen), handler: FCMEmulator(log: log),
      log: log)
    do {
      emulatorAddress = try emulatorServer.start()
    } catch {
      throw GatewayError(
        .listening, error.explanation(option: "--emulator-listen"), underlying: error)
    }
    do {
      gateway = try await Self.makeGateway(
        settings, emulator: emulatorAddress, temporaryFolder: temporaryFolder, log: log)
    } catch {
      await emulatorServer.shutDown(grace: .zero)
      try? FileManager.default.removeItem(atPath: temporaryFolder)
      throw error
    }
  }

  private static func makeGateway(
    _ settings: Settings, emulator: HTTPListenAddress, temporaryFolder: String, log: Log
  ) async throws(GatewayError) -> Gateway {
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
    return try await Gateway(configuration: configuration, log: log)
  }

  package func shutDown() async {
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
