internal import AppStrings

/// Why a file is not an app whose strings can be read.
struct ArchiveError: Error, Sendable, Equatable {
  enum Code: Sendable, Equatable {
    /// The system cannot read the file.
    case unreadable
    /// The bytes break the format's rules.
    case malformed
    /// A limit of `ArchiveLimits` is exceeded.
    case tooLarge
    /// Valid, but nothing that Dragoman reads.
    case unsupported
  }

  let code: Code
  /// A sentence: what is wrong and what to do.
  let text: FindingText

  /// The text in English.
  var reason: String { text.english }

  static func malformed(_ reason: String) -> ArchiveError {
    ArchiveError(code: .malformed, text: FindingText(english: reason))
  }

  static func tooLarge(_ reason: String) -> ArchiveError {
    ArchiveError(code: .tooLarge, text: FindingText(english: reason))
  }

  static func unsupported(_ reason: String) -> ArchiveError {
    .unsupported(FindingText(english: reason))
  }

  static func unsupported(_ text: FindingText) -> ArchiveError {
    ArchiveError(code: .unsupported, text: text)
  }
}
