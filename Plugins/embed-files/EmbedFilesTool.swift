import FoundationEssentials

/// `embed-files OUTPUT TYPE text FOLDER PATH` and `embed-files OUTPUT TYPE files FOLDER PATH…`: writes an
/// extension of TYPE that holds the text of the files, without the comments and indentation of JavaScript and CSS.
@main
enum EmbedFilesTool {
  private struct UsageError: Error, CustomStringConvertible {
    let description = "usage: embed-files OUTPUT TYPE text|files FOLDER PATH…"
  }

  private struct FileError: Error, CustomStringConvertible {
    let description: String
  }

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 5 else { throw UsageError() }
    let (header, paths) = (Array(arguments.prefix(4)), arguments.dropFirst(4))
    let literals = try paths.map { (path: $0, literal: try literal(of: "\(header[3])/\($0)")) }
    let member: String
    switch (header[2], literals.first) {
    case ("text", let file?) where literals.count == 1: member = "static let text = \(file.literal)"
    case ("files", _):
      let pairs = literals.map { "    (\"\($0.path)\", \($0.literal)),\n" }.joined()
      member = "static let files: [(path: String, text: String)] = [\n\(pairs)  ]"
    default: throw UsageError()
    }
    // A file that stays as it is compiles nothing anew. Debug and release builds share it, but not this tool:
    // each of them starts its own again after the other.
    let (source, output) = (Data("extension \(header[1]) {\n  \(member)\n}\n".utf8), URL(filePath: header[0]))
    if (try? Data(contentsOf: output)) != source { try source.write(to: output) }
  }

  /// A file's text as a Swift string literal on one line.
  private static func literal(of path: String) throws -> String {
    guard let text = String(validating: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) else {
      throw FileError(description: "\(path) is not UTF-8; only text can be embedded")
    }
    let stripped: String
    do {
      stripped = try SourceStripper.stripped(text, path: path)
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
    var literal = "\""
    for scalar in stripped.unicodeScalars {
      switch scalar {
      case "\\", "\"": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case let control where control.value < 0x20 || control.value == 0x7F:
        literal += "\\u{\(String(control.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
