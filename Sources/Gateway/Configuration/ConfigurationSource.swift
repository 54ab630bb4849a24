import Foundation
import YAML

/// Where a configuration's scalars come from besides the file: `${NAME}` in it, and `DRAGOMAN_…` over it.
struct ConfigurationSource {
  let environment: [String: String]
  let problems: ProblemCollector

  /// Scalar fields that an environment variable can override; those of an app follow its name.
  private static let scalarPaths: [[String]] = [
    ["server", "listen"], ["server", "tls", "certificate"], ["server", "tls", "key"],
    ["server", "tls", "client_ca"],
    ["server", "max_connections"], ["server", "max_body_bytes"], ["server", "header_timeout"],
    ["server", "idle_timeout"], ["server", "shutdown_grace"], ["auth", "allow_anonymous"], ["queue", "url"],
    ["queue", "url_file"], ["queue", "max_depth"], ["queue", "retention"], ["queue", "lease"],
    ["delivery", "max_attempts"],
    ["delivery", "min_backoff"], ["delivery", "max_backoff"], ["delivery", "quota_backoff"],
    ["delivery", "ramp"],
    ["delivery", "max_age"], ["delivery", "request_timeout"], ["feedback", "webhook", "url"],
    ["feedback", "webhook", "allow_private_addresses"], ["feedback", "webhook", "secret"],
    ["feedback", "webhook", "secret_file"], ["log", "level"],
    ["log", "format"],
  ]
  private static let appFields = ["catalog", "credentials", "project_id", "endpoint", "ca_file", "rate"]

  /// The tree as it is meant: environment variables put in, and laid over.
  func resolve(_ document: YAMLNode) -> YAMLNode {
    var tree = document.mapScalars { scalar, node, path in substitute(scalar, node, path) }
    let apps = tree["apps"]?.mapping?.compactMap { $0.key.scalar?.text } ?? []
    let paths = Self.scalarPaths + apps.flatMap { app in Self.appFields.map { ["apps", app, $0] } }
    for path in paths {
      let name = Self.variableName(of: path)
      guard let value = environment[name] else { continue }
      tree.set(YAMLNode(untyped: value, origin: "environment variable \(name)"), at: path[...])
    }
    return tree
  }

  /// `server.listen` is `DRAGOMAN_SERVER_LISTEN`; what a variable's name cannot hold becomes `_`.
  static func variableName(of path: [String]) -> String {
    "DRAGOMAN_"
      + path.joined(separator: "_").uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
  }

  private func substitute(_ scalar: YAMLNode.Scalar, _ node: YAMLNode, _ path: FieldPath) -> YAMLNode {
    guard scalar.text.contains("${") else { return node }
    var output = ""
    var rest = scalar.text[...]
    while let start = rest.range(of: "${") {
      output += rest[..<start.lowerBound]
      guard let end = rest.range(of: "}", range: start.upperBound..<rest.endIndex) else {
        problems.report("\"${\" has no \"}\"", at: node, path: path)
        return node
      }
      output += value(of: rest[start.upperBound..<end.lowerBound], node, path)
      rest = rest[end.upperBound...]
    }
    var resolved = node
    resolved.kind = .scalar(.init(text: output + rest, style: .untyped))
    return resolved
  }

  private func value(of reference: Substring, _ node: YAMLNode, _ path: FieldPath) -> String {
    let parts = reference.range(of: ":-")
    let name = String(parts.map { reference[..<$0.lowerBound] } ?? reference)
    let isName = name.first.map { $0 == "_" || $0.isLetter } ?? false
    guard isName, name.allSatisfy({ $0.isASCII && ($0 == "_" || $0.isLetter || $0.isNumber) }) else {
      problems.report("\"${\(name)}\" does not name an environment variable", at: node, path: path)
      return ""
    }
    if let value = environment[name], !value.isEmpty || parts == nil { return value }
    if let parts { return String(reference[parts.upperBound...]) }
    problems.report(
      "the environment variable \(name) is not set, and there is no default", at: node, path: path)
    return ""
  }
}
