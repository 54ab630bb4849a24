internal import JSON

/// The syntax of one option: `--name value` or `--name=value`, or a flag without a value.
struct OptionSyntax: Sendable {
  let name: String
  let takesValue: Bool
  let isRepeatable: Bool
  /// Whether the value names a file or folder.
  var isPath = false

  static func value(_ name: String) -> OptionSyntax {
    .init(name: name, takesValue: true, isRepeatable: false)
  }
  static func path(_ name: String) -> OptionSyntax {
    .init(name: name, takesValue: true, isRepeatable: false, isPath: true)
  }
  static func paths(_ name: String) -> OptionSyntax {
    .init(name: name, takesValue: true, isRepeatable: true, isPath: true)
  }
  static func list(_ name: String) -> OptionSyntax { .init(name: name, takesValue: true, isRepeatable: true) }
  static func flag(_ name: String) -> OptionSyntax {
    .init(name: name, takesValue: false, isRepeatable: false)
  }
}

/// An invalid command line; the process exits with 2.
///
/// The message can quote arguments, so it goes only to the terminal of the person who typed them.
struct UsageError: Error {
  let message: String
}

/// The options and positional arguments of a command line, checked against a syntax.
struct Options: Sendable {
  /// The options that every command has.
  static let everywhere = ["help", "version"]

  private var values: [String: [String]] = [:]
  private(set) var positionals: [String] = []

  init(_ arguments: ArraySlice<String>, syntax: [OptionSyntax], positionalsMax: Int = 0) throws(UsageError) {
    var rest = arguments
    var onlyPositionals = false
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--"), !onlyPositionals else {
        if argument.hasPrefix("-"), argument.count > 1, !onlyPositionals {
          throw UsageError(message: "unknown option \(argument); options begin with two dashes")
        }
        positionals.append(argument)
        continue
      }
      if argument == "--" {
        onlyPositionals = true
        continue
      }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts.first ?? "")
      guard let option = syntax.first(where: { $0.name == name }) else {
        let known = syntax.map(\.name) + Self.everywhere
        let help = suggestion(for: name, among: known, prefix: "--", of: "options")
        throw UsageError(message: "unknown option --\(name)\(help)")
      }
      if values[name] != nil && !option.isRepeatable { throw UsageError(message: "--\(name) is given twice") }
      guard option.takesValue else {
        guard parts.count == 1 else { throw UsageError(message: "--\(name) takes no value") }
        values[name] = []
        continue
      }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw UsageError(message: "--\(name) needs a value")
      }
      // Such as that of a variable that is not set. It would begin at the root of the file system.
      if option.isPath, value.isEmpty {
        throw UsageError(message: "--\(name) is empty; name a file or folder, or leave the option out")
      }
      values[name, default: []].append(value)
    }
    if positionals.count > positionalsMax {
      let extra = positionals[positionalsMax]
      let file = ["config", "catalog"].first { name in syntax.contains { $0.name == name } }
      let advice = extra.hasSuffix(".yaml") ? file.map { "; name the file with --\($0) \(extra)" } ?? "" : ""
      throw UsageError(message: "unexpected argument \(extra)\(advice)")
    }
  }

  /// The value of an option; nil if it is not given.
  subscript(name: String) -> String? { values[name]?.first }
  /// All values of a repeatable option.
  func all(_ name: String) -> [String] { values[name] ?? [] }
  /// Whether an option is given.
  func has(_ name: String) -> Bool { values[name] != nil }
}

/// What to write in place of a mistyped name: the nearest known one, otherwise all of them.
func suggestion(for name: String, among known: [String], prefix: String = "", of kind: String) -> String {
  if let nearest = nearestName(to: name, among: known) { return "; did you mean \(prefix)\(nearest)?" }
  guard !known.isEmpty else { return "" }
  return "; the \(kind) are \(known.map { prefix + $0 }.joined(separator: ", "))"
}
