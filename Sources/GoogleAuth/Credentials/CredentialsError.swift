/// Why credentials cannot be used: which file, which fields, and what is wrong. Never holds a value of the
/// file.
package struct CredentialsError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The file does not exist, at least not yet.
    case missing
    /// The file cannot be read.
    case file
    /// The file is not a JSON object.
    case syntax
    /// The file's `type` is not supported.
    case unsupportedType
    /// Fields are missing or wrong.
    case field
    /// The environment provides no credentials.
    case notFound
  }

  /// One mistake, as the end of a sentence that begins with the field or the file.
  package struct Detail: Sendable, Equatable, CustomStringConvertible {
    /// As a path: `credential_source.url`.
    package let field: String?
    package let reason: String

    package var description: String { field.map { "field \"\($0)\" \(reason)" } ?? reason }
  }

  package let code: Code
  package let file: String?
  /// All of a file's mistakes; at least one.
  package let problems: [Detail]

  init(code: Code, file: String? = nil, problems: [Detail]) {
    self.code = code
    self.file = file
    self.problems = problems
  }

  init(code: Code, file: String? = nil, reason: String) {
    self.init(code: code, file: file, problems: [Detail(field: nil, reason: reason)])
  }

  /// Whether it may pass without anybody changing a file: one is mounted late, or a metadata server starts.
  package var mayPass: Bool { code == .missing || code == .notFound }

  package var description: String {
    let text = file.map { "credentials file \($0): " } ?? "credentials: "
    return text + problems.map(\.description).joined(separator: "; ")
  }
}
