/// A problem in a resource file or folder that was found while reading it.
package struct ResourceProblem: Sendable, Equatable {
  /// With the name in a snapshot.
  package enum Kind: String, Sendable {
    /// The platform's own tools reject the file, or an entry of it.
    case unparsable
    /// The folder's name is not a locale, or is one that the platform never looks for.
    case localeFolder = "locale_folder"
    /// The folder is valid, but no phone looks for it, or another folder wins over it on every phone.
    case unreachable
    /// iOS: the file is in no `.lproj` folder and hides those of all languages.
    case globalTable = "global_table"
    /// The same file or table already has the key.
    case duplicateKey = "duplicate_key"
    /// Android: two resources of one name and folder, for which the build fails.
    case duplicateResource = "duplicate_resource"
    /// Android: a name for which the build fails.
    case invalidName = "invalid_name"
    /// iOS: a key of a string catalog outside the object that has the keys.
    case misplacedKey = "misplaced_key"
    /// Legal, but users see something unintended, such as a lone surrogate.
    case suspicious
    /// Useful to people who inspect what was read; `check` does not report it.
    case remark
    /// The resources' folder has no resources, or cannot be read.
    case noResources = "no_resources"
    /// A folder or file that looks like strings, but that no build reads because of its name.
    case unread
  }

  package let kind: Kind
  package let file: String
  package let line: Int?
  /// The table's name (`default`, `fr`); nil if the problem concerns no table.
  package let table: String?
  package let key: String?
  /// What is wrong and what to do, in one or two sentences; quotes at most 100 characters of a text.
  package let fault: FindingText
  /// What to do, where the fault does not say it.
  package let advice: FindingText?

  package init(
    kind: Kind, file: String, line: Int? = nil, table: String? = nil, key: String? = nil,
    _ fault: FindingText,
    help advice: FindingText? = nil
  ) {
    self.kind = kind
    self.file = file
    self.line = line
    self.table = table
    self.key = key
    (self.fault, self.advice) = (fault, advice)
  }

  /// The fault in English.
  package var message: String { fault.english }
}
