/// One problem in a configuration file or catalog, with its location.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
  package let file: String?
  /// The line, from 1; 0 when the value does not come from the file.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int
  /// The field, such as `templates.new_message.title.args[1]`; empty for the whole document.
  package let path: String
  /// What is wrong. Holds field names, never values that could be secret.
  package let message: String
  /// The known name that is most similar to an unknown one.
  package let suggestion: String?
  /// The source of a value that does not come from the file.
  package let origin: String?

  package init(
    file: String?, line: Int, column: Int, path: String = "", message: String, suggestion: String? = nil,
    origin: String? = nil
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.path = path
    self.message = message
    self.suggestion = suggestion
    self.origin = origin
  }

  /// For example `catalog.yaml:3:5: templates.x.titel: unknown field; did you mean "title"?`.
  package var description: String {
    var text = ""
    if let origin {
      text += origin + ": "
    } else {
      if let file { text += file + ":" }
      if line > 0 { text += "\(line):\(column):" }
      if !text.isEmpty { text += " " }
    }
    if !path.isEmpty { text += shownPath + ": " }
    text += message
    if let suggestion { text += "; did you mean \"\(suggestion)\"?" }
    return text
  }
}

extension ConfigurationProblem {
  /// The number of characters of a path in the description.
  private static let pathCharactersMax = 300

  /// The path as people read it: of a reasonable length, and without characters that would control their
  /// terminal or change the order of what they read.
  private var shownPath: String {
    var text = ""
    for scalar in path.unicodeScalars.prefix(Self.pathCharactersMax) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return path.unicodeScalars.count > Self.pathCharactersMax ? text + "…" : text
  }
}

/// The location of a value in a document: keys joined by dots, indices in brackets.
package struct FieldPath: Sendable, Hashable, CustomStringConvertible {
  package let description: String
  package static let root = FieldPath(description: "")

  private init(description: String) { self.description = description }

  /// The prefixes of API keys, webhook secrets and PEM files. A secret in the place of a field name is not
  /// repeated in messages.
  private static let secretPrefixes = ["dgm_", "whsec_", "-----BEGIN"]

  /// The location of the value of `key` in this mapping.
  package func appending(_ key: String) -> FieldPath {
    if let prefix = Self.secretPrefixes.first(where: { key.utf8.starts(with: $0.utf8) }) {
      return FieldPath(description: "\(description)[\"\(prefix)…\"]")
    }
    let isPlain =
      !key.isEmpty
      && key.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
          true
        default: false
        }
      }
    if !isPlain { return FieldPath(description: "\(description)[\"\(key)\"]") }
    return FieldPath(description: description.isEmpty ? key : "\(description).\(key)")
  }

  /// The location of the element at `index` of this list.
  package func appending(_ index: Int) -> FieldPath { FieldPath(description: "\(description)[\(index)]") }
}

/// Collects all problems of one file, so that people see them at once.
package final class ProblemCollector {
  package let file: String?
  package private(set) var problems: [ConfigurationProblem] = []

  package init(file: String?) { self.file = file }

  /// Adds `problem`.
  package func report(_ problem: ConfigurationProblem) { problems.append(problem) }

  /// Adds a problem at the location of `node`, unless it has one from which this one would follow.
  package func report(
    _ message: String, at node: YAMLNode, path: FieldPath, suggestion: String? = nil
  ) {
    if node.isFaulty { return }
    report(
      ConfigurationProblem(
        file: file, line: node.line, column: node.column, path: path.description, message: message,
        suggestion: suggestion, origin: node.origin))
  }

  /// The problems in the order of the file.
  package var sorted: [ConfigurationProblem] {
    problems.enumerated().sorted { left, right in
      (left.element.line, left.element.column, left.offset)
        < (right.element.line, right.element.column, right.offset)
    }.map(\.element)
  }
}
