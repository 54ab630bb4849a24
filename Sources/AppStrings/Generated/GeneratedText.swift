internal import Glibc
internal import JSON

/// A text that Dragoman writes into an app's string resources.
package struct GeneratedText: Sendable, Equatable {
  package let key: String
  package let text: String
  /// The language in a string catalog; the other formats have one file for each language.
  package let language: String
  /// The key that it is generated from. A string catalog gets the new key after it.
  package let origin: String
  /// Android: false keeps lint from asking for translations.
  package let isTranslatable: Bool

  package init(key: String, text: String, language: String, origin: String, isTranslatable: Bool = true) {
    self.key = key
    self.text = text
    self.language = language
    self.origin = origin
    self.isTranslatable = isTranslatable
  }
}

/// Why a file cannot take generated texts.
package struct GeneratedTextError: Error, Sendable, Equatable {
  /// What is wrong and what to do, in one or two sentences.
  package let message: String
  /// The line of the file, from 1.
  package let line: Int?

  package init(_ message: String, line: Int? = nil) {
    self.message = message
    self.line = line
  }
}

/// Files with generated texts.
package enum GeneratedFile {
  /// The bytes of a file that may have generated texts; nil if there is no such file.
  package static func read(_ path: String) throws(GeneratedTextError) -> [UInt8]? {
    do throws(FileReadError) {
      return try RegularFile.read(path, bytesMax: AppleResourceLimits().fileSizeBytesMax)
    } catch {
      if error.code == .system(ENOENT) { return nil }
      throw GeneratedTextError("The file cannot be read: \(error.reason).")
    }
  }
}
