/// Something that is wrong in a resource file or folder, found while reading it.
package struct ResourceProblem: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// The file, or an entry of it, is not what the platform's own tools take.
    case unparsable
    /// The folder's name names no locale, or one that the platform does not look for.
    case localeFolder
    /// A key that the same file or table has already.
    case duplicateKey
    /// Legal, but users read what was not meant: a lone surrogate, say.
    case suspicious
    /// Worth knowing for who looks into what was read; `check` does not tell it.
    case remark
    /// What was named as the resources' folder holds none, or cannot be read.
    case noResources
  }

  package let kind: Kind
  package let file: String
  package let line: Int?
  /// The table's name (`default`, `fr`); nil where it is about none.
  package let table: String?
  package let key: String?
  /// What is wrong and what to do, in one sentence or two; never quotes more than 100 characters of a text.
  package let message: String

  package init(
    kind: Kind, file: String, line: Int? = nil, table: String? = nil, key: String? = nil, message: String
  ) {
    self.kind = kind
    self.file = file
    self.line = line
    self.table = table
    self.key = key
    self.message = message
  }
}
