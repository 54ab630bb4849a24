/// What a command takes: options as `--name value` or `--name=value`, flags, and words.
struct OptionSyntax: Sendable {
  let name: String
  let takesValue: Bool
  let isRepeatable: Bool

  static func value(_ name: String) -> OptionSyntax {
    .init(name: name, takesValue: true, isRepeatable: false)
  }
  static func list(_ name: String) -> OptionSyntax { .init(name: name, takesValue: true, isRepeatable: true) }
  static func flag(_ name: String) -> OptionSyntax {
    .init(name: name, takesValue: false, isRepeatable: false)
  }
}

/// A command line that cannot be understood: exit 2.
struct UsageError: Error {
  let message: String
}

/// A command line's options and words, checked against a syntax.
struct Options: Sendable {
  private var values: [String: [String]] = [:]
  private(set) var words: [String] = []

  init(_ arguments: ArraySlice<String>, syntax: [OptionSyntax], wordsMax: Int = 0) throws(UsageError) {
    var rest = arguments
    var onlyWords = false
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--"), !onlyWords else {
        if argument.hasPrefix("-"), argument.count > 1, !onlyWords {
          throw UsageError(message: "unknown option \(argument); options begin with two dashes")
        }
        words.append(argument)
        continue
      }
      if argument == "--" {
        onlyWords = true
        continue
      }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts.first ?? "")
      guard let option = syntax.first(where: { $0.name == name }) else {
        let known = syntax.map { "--\($0.name)" }.joined(separator: ", ")
        throw UsageError(message: "unknown option --\(name)\(known.isEmpty ? "" : "; known are \(known)")")
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
      values[name, default: []].append(value)
    }
    if words.count > wordsMax { throw UsageError(message: "unexpected argument \(words[wordsMax])") }
  }

  subscript(name: String) -> String? { values[name]?.first }
  func all(_ name: String) -> [String] { values[name] ?? [] }
  func has(_ name: String) -> Bool { values[name] != nil }
}
