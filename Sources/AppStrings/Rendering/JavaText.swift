/// Operations of `java.lang.String`, which stores text as UTF-16.
enum JavaText {
  /// `String.hashCode()`, its 32 bits unsigned as `Integer.toHexString` shows them.
  static func hashCode(of text: String) -> UInt32 {
    text.utf16.reduce(0) { $0 &* 31 &+ UInt32($1) }
  }

  /// `substring(0, units)`; half a surrogate pair becomes U+FFFD.
  static func prefix(of text: String, units: Int) -> String {
    var result = String.UnicodeScalarView()
    var left = units
    for scalar in text.unicodeScalars {
      guard left > 0 else { return String(result) }
      guard UTF16.width(scalar) <= left else { return String(result) + "\u{FFFD}" }
      result.append(scalar)
      left -= UTF16.width(scalar)
    }
    return text
  }

  /// `length()`, counted up to a maximum.
  static func unitCount(of text: String, atMost limit: Int) -> Int {
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { break }
      count += UTF16.width(scalar)
    }
    return count
  }

  /// `toUpperCase(Locale)` with the rules of SpecialCasing.txt for Turkish, Azerbaijani and Lithuanian.
  ///
  /// Android also removes accents from Greek capitals, which OpenJDK and this function do not.
  static func upperCased(_ text: String, language: LocaleTag?) -> String {
    var result = String.UnicodeScalarView()
    let isTurkic = language?.language == "tr" || language?.language == "az"
    let isLithuanian = language?.language == "lt"
    var isAfterSoftDotted = false
    for scalar in text.unicodeScalars {
      if isTurkic, scalar == "i" {
        result.append("\u{130}")
      } else if !(isLithuanian && scalar == "\u{307}" && isAfterSoftDotted) {
        result.append(contentsOf: scalar.properties.uppercaseMapping.unicodeScalars)
      }
      // A base letter, or another mark above, ends the sequence that the dot can belong to.
      let combiningClass = scalar.properties.canonicalCombiningClass
      if scalar.properties.isSoftDotted {
        isAfterSoftDotted = true
      } else if combiningClass == .notReordered || combiningClass == .above {
        isAfterSoftDotted = false
      }
    }
    return String(result)
  }
}
