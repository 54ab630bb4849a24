internal import Catalog
internal import Foundation
internal import HTTPServer
package import YAML

extension GatewayConfiguration {
  /// Reads a configuration file, or throws everything that is wrong with it and, with `examinesFiles`, with
  /// the files that it names, except for what the catalogs hold.
  package static func load(
    file path: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    examinesFiles: Bool = true
  ) throws(ConfigurationError) -> GatewayConfiguration {
    try parse(
      YAML.read(path, advice: "name another with --config FILE"), file: path, environment: environment,
      examinesFiles: examinesFiles)
  }

  /// Reads the bytes of a configuration file. With `examinesFiles`, the files that it names must be usable.
  package static func parse(
    _ bytes: [UInt8], file: String, environment: [String: String], examinesFiles: Bool = false
  ) throws(ConfigurationError) -> GatewayConfiguration {
    let problems = ProblemCollector(file: file)
    var configuration = GatewayConfiguration()
    if let document = YAML.parse(bytes, problems: problems, advice: quotesAroundVariable) {
      let source = ConfigurationSource(environment: environment, problems: problems, fieldPaths: fieldPaths)
      configuration.read(
        YAMLField(node: source.resolve(document), problems: problems),
        files: ConfiguredFiles(besides: file, areExamined: examinesFiles))
      configuration.unknownVariables = source.unknownVariables(apps: configuration.apps.map(\.name))
    }
    guard problems.problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
    return configuration
  }

  /// YAML takes the brace of `${NAME}` for the start of a mapping where the value is in braces or brackets.
  private static func quotesAroundVariable(_ before: Substring, _ after: Substring) -> String? {
    guard before.hasSuffix("$"), after.hasPrefix("{") else { return nil }
    return "inside braces and brackets, put a variable in quotes: \"${NAME}\""
  }

  /// The path of every field that a configuration may hold, as docs/configuration.md names them: `NAME`
  /// stands for an app's name, `clients[]` for one client of the list.
  package static var fieldPaths: [String] { fields.flatMap(\.paths) }

  /// The effective configuration as YAML, secrets hidden.
  package var printed: String { printedLines.joined(separator: "\n") }

  /// Why other machines could use the API without a key; nil if they cannot.
  var exposure: String? { exposure(listeningOn: server.listen) }

  private func exposure(listeningOn address: HTTPListenAddress) -> String? {
    guard auth.clients.isEmpty, !auth.allowAnonymous, !address.isLoopback else { return nil }
    return
      "listens on an address that other machines can reach, and auth.clients is empty; add a client, "
      + "listen on 127.0.0.1, or set auth.allow_anonymous: true"
  }

  /// Applies the file's rule on exposure to what flags have changed since.
  package func refuseExposure() throws(GatewayError) { try refuseExposure(listeningOn: server.listen) }

  /// Applies the rule to a socket that is bound already: a reload changes clients, but not the socket.
  func refuseExposure(listeningOn address: HTTPListenAddress) throws(GatewayError) {
    guard let exposure = exposure(listeningOn: address) else { return }
    throw GatewayError(.configuration, "server.listen: \(address): the gateway \(exposure)")
  }
}
