import Catalog
import FCMEmulator
import Foundation
import Gateway
import HTTPServer
import JSON
import YAML

/// The file of `dragoman emulator --config`: the address, the names and the faults with which the emulator
/// starts.
struct EmulatorConfiguration {
  private enum Field: String, CaseIterable {
    case listen, rules
    case allowedHosts = "allowed_hosts"
  }

  private(set) var listen = HTTPListenAddress.tcp(host: "127.0.0.1", port: 8085)
  private(set) var allowedHosts: [String] = []
  /// The rules, as `PUT /faults` takes them, with their places in the file.
  private var rules: YAMLField?

  init() {}

  /// Reads the file, or throws everything that is wrong with it.
  init(file path: String) throws(ConfigurationError) {
    let problems = ProblemCollector(file: path)
    if let document = YAML.parse(try YAML.read(path), problems: problems) {
      read(YAMLField(node: document, problems: problems), files: ConfiguredFiles(besides: path))
    }
    guard problems.problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
  }

  private mutating func read(_ document: YAMLField, files: ConfiguredFiles) {
    guard let fields = document.fields(Field.self) else { return }
    if let field = fields[.listen], let text = field.nonEmptyString() {
      switch HTTPListenAddress(text) {
      case .unix(let path)?: listen = .unix(path: files.path(path))
      case .some(let address): listen = address
      case nil: field.report("must be HOST:PORT, such as 127.0.0.1:8085, or unix:PATH")
      }
    }
    for field in fields[.allowedHosts]?.elements() ?? [] {
      guard let name = field.nonEmptyString() else { continue }
      if !HostPolicy.isName(name) { field.report("must be a host name without scheme and port, or *") }
      allowedHosts.append(name)
    }
    if let field = fields[.rules], field.elements() != nil { rules = field }
  }

  /// Makes the rules those of the emulator, or throws everything that is wrong with them.
  func setFaults(of emulator: FCMEmulator) throws(ConfigurationError) {
    guard let rules else { return }
    do {
      try emulator.replaceFaults(with: ["rules": JSON(rules.node)])
    } catch {
      for (path, message) in error.problems { report(message, path, in: rules) }
      throw ConfigurationError(problems: rules.problems.sorted)
    }
  }

  /// Reports a problem at its place, such as that of `rules[0].status`.
  private func report(_ message: String, _ path: String, in rules: YAMLField) {
    for rule in rules.elements() ?? [] {
      if path.hasSameBytes(as: rule.path.description) { return rule.report(message) }
      for entry in rule.node.mapping ?? [] {
        let place = rule.path.appending(entry.key.scalar?.text ?? "")
        guard path.hasSameBytes(as: place.description) else { continue }
        return rules.problems.report(message, at: entry.key, path: place)
      }
    }
    rules.report(message)
  }
}
