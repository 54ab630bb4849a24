/// Why credentials cannot be used: which file, which field, and what is wrong. Never holds a value of the file.
package struct CredentialsError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The file is not there or cannot be read.
    case file
    /// The file is not a JSON object.
    case syntax
    /// The file's `type` is none that can be used.
    case unsupportedType
    /// A field is missing or wrong.
    case field
    /// Nothing in the environment says which credentials to use.
    case notFound
  }

  package let code: Code
  package let file: String?
  package let field: String?
  package let reason: String

  init(code: Code, file: String? = nil, field: String? = nil, reason: String) {
    self.code = code
    self.file = file
    self.field = field
    self.reason = reason
  }

  package var description: String {
    var text = file.map { "credentials file \($0): " } ?? "credentials: "
    if let field { text += "field \"\(field)\" " }
    return text + reason
  }
}
