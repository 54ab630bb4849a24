internal import Catalog
internal import CatalogCheck
internal import Foundation
internal import HTTPClient
internal import JSON
internal import Telemetry
internal import YAML

/// Checks an installation as `serve` would use it, without starting a gateway: it sends nothing but a message
/// that FCM only validates, and changes nothing.
package struct Doctor: Sendable {
  let file: String
  let environment: [String: String]

  package init(file: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
    (self.file, self.environment) = (file, environment)
  }

  package func diagnose() async -> Diagnosis {
    let configuration: GatewayConfiguration
    do throws(ConfigurationError) {
      configuration = try GatewayConfiguration.load(
        file: file, environment: environment, examinesFiles: false)
    } catch {
      let check = Diagnosis.Check.failed(
        .configuration, error.description, help: "Correct it, and run `dragoman doctor` again.")
      return Diagnosis([check], configuration: nil)
    }
    var checks = [configurationCheck(configuration), filesCheck()]
    checks += await Loading.run { Self.stringsChecks(configuration) + configuration.queue.checks }
    let transport = HTTPTransport(log: .silent)
    checks += await PeerChecks(environment: environment, transport: transport).checks(configuration)
    for app in configuration.apps {
      let client = AppChecks(app, requestTimeout: configuration.delivery.requestTimeout, over: transport)
      checks += await client.checks()
    }
    await transport.shutDown()
    return Diagnosis(checks, configuration: configuration.printed)
  }

  private func configurationCheck(_ configuration: GatewayConfiguration) -> Diagnosis.Check {
    guard configuration.unknownVariables.isEmpty else {
      return .failed(
        .configuration, configuration.unknownVariables.map(\.description).joined(separator: "\n"),
        help: "Correct the name of the environment variable, or unset it.")
    }
    return .ok(.configuration, file)
  }

  /// A gateway waits for some files that are not there yet, which here is a failure too.
  private func filesCheck() -> Diagnosis.Check {
    var problem: String?
    do throws(ConfigurationError) {
      let configuration = try GatewayConfiguration.load(file: file, environment: environment)
      problem = configuration.namedFiles.compactMap(ConfiguredFiles.problem(ofFile:)).first
    } catch {
      problem = error.description
    }
    guard let problem else { return .ok(.files, "the files that the configuration names can be read") }
    return .failed(
      .files, problem,
      help: "Correct the file, its name or its permissions. This process runs as \(FileAccess.user).")
  }

  /// One check for each catalog.
  private static func stringsChecks(_ configuration: GatewayConfiguration) -> [Diagnosis.Check] {
    var seen: Set<String> = []
    return configuration.apps.map(\.catalog).filter { seen.insert($0).inserted }.map { file in
      guard ConfiguredFiles.problem(ofFile: file) == nil else {
        return .skipped(.strings, "\(file) cannot be read")
      }
      let help = "Run `dragoman check --catalog \(file)`, which says what to do."
      do throws(CatalogError) {
        let app = try AppCatalog.load(file: file)
        let report = Check(app.catalog, against: app.resources, releases: AppReleases(of: app.catalog))
          .report()
        let detail = "\(file): \(report.summary)"
        return report.count(of: .error) == 0 ? .ok(.strings, detail) : .failed(.strings, detail, help: help)
      } catch {
        return .failed(.strings, error.description, help: help)
      }
    }
  }
}
