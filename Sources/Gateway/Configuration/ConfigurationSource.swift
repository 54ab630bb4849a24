internal import Foundation
internal import JSON
internal import YAML

/// Applies the environment to a configuration: `${NAME}` in its values, and `DRAGOMAN_…` in place of them.
struct ConfigurationSource {
  let environment: [String: String]
  let problems: ProblemCollector

  /// Every field, as `GatewayConfiguration.fieldPaths` lists them.
  let fieldPaths: [String]

  /// The tree with the environment's values in place.
  func resolve(_ document: YAMLNode) -> YAMLNode {
    var tree = document.mapScalars { scalar, node, path in substitute(scalar, node, path) }
    for path in overridablePaths(apps: tree["apps"]?.mapping?.compactMap { $0.key.scalar?.text } ?? []) {
      let name = Self.variableName(of: path)
      guard let value = environment[name] else { continue }
      tree.set(YAMLNode(untyped: value, origin: "environment variable \(name)"), at: path[...])
    }
    return tree
  }

  /// Variables that other commands read.
  private static let others = ["DRAGOMAN_KEY"]

  /// A problem for each variable that has the prefix and changes no field, such as one with a mistyped name.
  func unknownVariables(apps: [String]) -> [ConfigurationProblem] {
    let known = overridablePaths(apps: apps).map(Self.variableName) + Self.others
    return environment.keys.filter { $0.hasPrefix(Self.prefix) && !isOfService($0) }
      .filter { name in !known.contains { $0.hasSameBytes(as: name) } }.sorted().map { name in
        ConfigurationProblem(
          file: nil, line: 0, column: 0, message: "changes no field",
          suggestion: nearestName(to: name, among: known), origin: "environment variable \(name)")
      }
  }

  /// Whether Kubernetes sets the variable in every container for a service whose name begins with `dragoman`
  /// (kubernetes.io, "Accessing the Service", environment variables).
  private func isOfService(_ name: String) -> Bool {
    environment[name]?.contains("://") == true
      || ["PORT_", "SERVICE_HOST", "SERVICE_PORT"].contains { name.dropFirst(Self.prefix.count).contains($0) }
  }

  private static let prefix = "DRAGOMAN_"

  /// The fields outside of lists, with those of each app.
  private func overridablePaths(apps: [String]) -> [[String]] {
    fieldPaths.filter { !$0.contains("[]") }.flatMap { path -> [[String]] in
      let parts = path.split(separator: ".").map(String.init)
      guard let place = parts.firstIndex(of: "NAME") else { return [parts] }
      return apps.map { app in parts[..<place] + [app] + parts[(place + 1)...] }
    }
  }

  /// `server.listen` is `DRAGOMAN_SERVER_LISTEN`; a character that a variable's name cannot contain becomes
  /// `_`.
  static func variableName(of path: [String]) -> String {
    prefix
      + path.joined(separator: "_").uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
  }

  private func substitute(_ scalar: YAMLNode.Scalar, _ node: YAMLNode, _ path: FieldPath) -> YAMLNode {
    guard scalar.text.contains("${") else { return node }
    var resolved = node
    do {
      resolved.kind = .scalar(.init(text: try substituted(scalar.text), style: .untyped))
    } catch {
      problems.report(error.message, at: node, path: path)
      resolved.isFaulty = true
    }
    return resolved
  }

  private struct ReferenceError: Error {
    let message: String
  }

  private func substituted(_ text: String) throws(ReferenceError) -> String {
    var output = ""
    var rest = text[...]
    while let start = rest.range(of: "${") {
      output += rest[..<start.lowerBound]
      guard let end = rest.range(of: "}", range: start.upperBound..<rest.endIndex) else {
        throw ReferenceError(message: "\"${\" has no \"}\"")
      }
      output += try value(of: rest[start.upperBound..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    return output + rest
  }

  private func value(of reference: Substring) throws(ReferenceError) -> String {
    let parts = reference.range(of: ":-")
    let name = String(parts.map { reference[..<$0.lowerBound] } ?? reference)
    let isName = name.first.map { $0 == "_" || $0.isLetter } ?? false
    guard isName, name.allSatisfy({ $0.isASCII && ($0 == "_" || $0.isLetter || $0.isNumber) }) else {
      throw ReferenceError(message: "\"${\(name)}\" does not name an environment variable")
    }
    if let value = environment[name], !value.isEmpty || parts == nil { return value }
    if let parts { return String(reference[parts.upperBound...]) }
    throw ReferenceError(message: "the environment variable \(name) is not set, and there is no default")
  }
}
