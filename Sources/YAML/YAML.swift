/// YAML 1.2 as configuration files use it: one document, string keys, no tags, places kept.
///
/// libyaml reads the text. Where it still follows YAML 1.1 this module makes up for it: line separators
/// (U+0085, U+2028, U+2029) are text, and scalars are resolved by the core schema.
package enum YAML {
  /// Bytes of one file.
  package static let byteCountMax = 16 << 20
  /// Mappings and lists that may lie in each other.
  package static let depthMax = 64
  /// Values of one document, with those that aliases repeat.
  package static let nodeCountMax = 1 << 20

  /// Reads one document. Duplicate keys are reported, and the first of them kept; whatever else is wrong ends
  /// it. An empty file is a mistake too.
  /// - Returns: nil when the text is not such a document, which `problems` then tell.
  package static func parse(_ bytes: [UInt8], problems: ProblemCollector) -> YAMLNode? {
    do {
      let source = try YAMLSource(bytes)
      return try source.withEvents { reader throws(YAMLSyntaxError) in
        var composer = YAMLComposer(reader: reader, source: source, problems: problems)
        return try composer.composeDocument()
      }
    } catch {
      problems.report(
        ConfigurationProblem(
          file: problems.file, line: error.line, column: error.column, path: error.path.description,
          message: error.message))
      return nil
    }
  }

  /// Reads one document or tells everything that is wrong with it.
  package static func parse(_ bytes: [UInt8], file: String?) throws(ConfigurationError) -> YAMLNode {
    let problems = ProblemCollector(file: file)
    let node = parse(bytes, problems: problems)
    guard let node, problems.problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
    return node
  }
}

/// Everything that is wrong in one file; never empty.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  package let problems: [ConfigurationProblem]
  package init(problems: [ConfigurationProblem]) { self.problems = problems }
  package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Why reading cannot go on.
struct YAMLSyntaxError: Error {
  let line: Int
  let column: Int
  var path: FieldPath = .root
  let message: String
}
