internal import _FoundationICU

/// Apple's own matcher of a user's languages and an app's localizations: `ualoc_localizationsToUse` in the
/// toolchain's ICU.
///
/// It uses stack space for each name, and buffers of the length of language tags. Therefore it gets only
/// names that can be language tags, and a bounded number of them.
enum LocalizationsToUse {
  static let preferredCountMax = 100
  static let availableCountMax = 1_000
  static let nameBytesMax = 32

  /// The names in `available` for the first language that matches, best first; empty if none matches.
  static func names(for preferred: [String], of available: [String]) -> [String] {
    let preferred = preferred.prefix(preferredCountMax).compactMap { LocaleTag($0).map(shortName) }
    let available = available.lazy.filter(isLanguage).prefix(availableCountMax)
    return match(preferred, Array(available))
  }

  /// Names that predate language codes, as in the C code's appleAliasMap.
  static let oldNames = [
    "arabic": "ar", "chinese": "zh-Hans", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi",
    "french": "fr", "german": "de", "italian": "it", "japanese": "ja", "korean": "ko", "norwegian": "nb",
    "polish": "pl", "portuguese": "pt", "russian": "ru", "spanish": "es", "swedish": "sv", "thai": "th",
    "turkish": "tr",
  ]

  private static func shortName(_ tag: LocaleTag) -> String {
    let name = tag.description
    guard name.utf8.count > nameBytesMax else { return name }
    return LocaleTag(language: tag.language, script: tag.script, region: tag.region).description
  }

  private static func isLanguage(_ name: String) -> Bool {
    name.utf8.count <= nameBytesMax && (LocaleTag(name) != nil || oldNames[name.lowercased()] != nil)
  }

  private static func match(_ preferred: [String], _ available: [String]) -> [String] {
    _ = isWarm
    return call(preferred, available)
  }

  /// The C code fills its tables in the first call, and checks for them without a lock.
  private static let isWarm: Bool = !call(["en"], ["en"]).isEmpty

  /// Unsafe because ICU returns pointers into `available`. Guard: they are read before that buffer is freed.
  private static func call(_ preferred: [String], _ available: [String]) -> [String] {
    guard !preferred.isEmpty, !available.isEmpty else { return [] }
    return withCStrings(preferred) { preferred in
      withCStrings(available) { available in
        withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: available.count) { found in
          found.initialize(repeating: nil)
          var status = U_ZERO_ERROR
          let count = ualoc_localizationsToUse(
            preferred.baseAddress, Int32(preferred.count), available.baseAddress, Int32(available.count),
            found.baseAddress, Int32(found.count), &status)
          guard status.rawValue <= U_ZERO_ERROR.rawValue, count > 0 else { return [] }
          return found.prefix(Int(count)).compactMap { $0.map { String(cString: $0) } }
        }
      }
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var offsets: [Int] = []
    var characters: [CChar] = []
    for string in strings {
      offsets.append(characters.count)
      characters += string.utf8CString
    }
    return characters.withUnsafeBufferPointer { characters in
      offsets.map { offset in characters.baseAddress.map { $0 + offset } }.withUnsafeBufferPointer(body)
    }
  }
}
