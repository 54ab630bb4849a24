internal import JSON

/// YAML 1.2 as configuration files use it: one document, string keys, no tags, with the location of every
/// value.
///
/// libyaml parses the text. Where libyaml still follows YAML 1.1, this module compensates: line separators
/// (U+0085, U+2028, U+2029) are text, and scalars are resolved by the core schema.
package enum YAML {
  /// The maximum size of one file, in bytes.
  package static let byteCountMax = 16 << 20
  /// How deeply mappings and lists may be nested.
  package static let depthMax = 64
  /// The maximum number of values in one document, including those that aliases repeat.
  package static let nodeCountMax = 1 << 20

  /// Reads a file that people write, or says why it cannot be read, followed by `advice`.
  package static func read(_ path: String, advice: String? = nil) throws(ConfigurationError) -> [UInt8] {
    do throws(FileReadError) {
      return try RegularFile.read(path, bytesMax: byteCountMax)
    } catch {
      let message = "cannot be read: \(error.shortReason)" + (advice.map { "; \($0)" } ?? "")
      throw ConfigurationError(problems: [
        ConfigurationProblem(file: path, line: 0, column: 0, message: message)
      ])
    }
  }

  /// Parses one document. Duplicate keys are reported and the first one is kept; any other problem ends
  /// parsing. An empty file is a problem, too.
  ///
  /// `advice` gets what stands before and after the place of a syntax error in its line, and returns what to
  /// add to the message.
  /// - Returns: nil if the text is not such a document; `problems` then holds the reason.
  package static func parse(
    _ bytes: [UInt8], problems: ProblemCollector, advice: (Substring, Substring) -> String? = { _, _ in nil }
  ) -> YAMLNode? {
    do {
      let source = try YAMLSource(bytes)
      return try source.withEvents { reader throws(YAMLSyntaxError) in
        var composer = YAMLComposer(reader: reader, source: source, problems: problems)
        return try composer.composeDocument()
      }
    } catch {
      let (before, after) = halves(of: bytes, at: error)
      let message = error.message + (advice(before, after).map { "; \($0)" } ?? "")
      problems.report(
        ConfigurationProblem(
          file: problems.file, line: error.line, column: error.column, path: error.path.description,
          message: message))
      return nil
    }
  }

  /// The line of an error, before and after its place.
  private static func halves(of bytes: [UInt8], at error: YAMLSyntaxError) -> (Substring, Substring) {
    let lines = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: max(0, error.line), omittingEmptySubsequences: false)
    let line = String(decoding: lines.dropFirst(max(0, error.line - 1)).first ?? [], as: UTF8.self)
    let scalars = line.unicodeScalars
    let place = scalars.index(
      scalars.startIndex, offsetBy: max(0, error.column - 1), limitedBy: scalars.endIndex)
    return (line[..<(place ?? line.endIndex)], line[(place ?? line.endIndex)...])
  }

  /// Parses one document.
  /// - Throws: all problems of the document at once.
  package static func parse(_ bytes: [UInt8], file: String?) throws(ConfigurationError) -> YAMLNode {
    let problems = ProblemCollector(file: file)
    let node = parse(bytes, problems: problems)
    guard let node, problems.problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
    return node
  }
}

/// The problems that make a configuration file or catalog unusable.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// All problems of the file; never empty.
  package let problems: [ConfigurationProblem]
  package init(problems: [ConfigurationProblem]) { self.problems = problems }

  /// The number of problems in the description. A file of another kind can have a problem in each line.
  static let shownMax = 100

  package var description: String {
    var lines = problems.prefix(Self.shownMax).map(\.description)
    if problems.count > Self.shownMax { lines.append("and \(problems.count - Self.shownMax) more problems") }
    return lines.joined(separator: "\n")
  }
}

/// A problem that ends parsing.
struct YAMLSyntaxError: Error {
  let line: Int
  let column: Int
  var path: FieldPath = .root
  let message: String
}
