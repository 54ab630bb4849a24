/// Why credentials cannot be used: which file, which fields, and what is wrong. Never holds a value of the file.
package struct CredentialsError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The file is not there or cannot be read.
    case file
    /// The file is not a JSON object.
    case syntax
    /// The file's `type` is none that can be used.
    case unsupportedType
    /// Fields are missing or wrong.
    case field
    /// Nothing in the environment says which credentials to use.
    case notFound
  }

  /// One thing that is wrong, as the end of a sentence that begins with the field, or with the file.
  package struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// As a path: `credential_source.url`.
    package let field: String?
    package let reason: String

    package var description: String { field.map { "field \"\($0)\" \(reason)" } ?? reason }
  }

  package let code: Code
  package let file: String?
  /// All of a file's mistakes; at least one.
  package let problems: [Problem]

  init(code: Code, file: String? = nil, problems: [Problem]) {
    self.code = code
    self.file = file
    self.problems = problems
  }

  init(code: Code, file: String? = nil, reason: String) {
    self.init(code: code, file: file, problems: [Problem(field: nil, reason: reason)])
  }

  package var description: String {
    let text = file.map { "credentials file \($0): " } ?? "credentials: "
    return text + problems.map(\.description).joined(separator: "; ")
  }
}
