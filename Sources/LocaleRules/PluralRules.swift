internal import _FoundationICU

/// The cardinal plural rules of one language for whole numbers: CLDR's, as the toolchain's ICU has them.
package struct PluralRules: Sendable, Equatable {
  /// A BCP 47 tag. A language that ICU does not know has one category, `other`.
  package let language: String
  /// By the index of the candidate.
  private let categories: [PluralCategory]

  /// Takes about a millisecond.
  package init(language: String) {
    self.language = language
    categories = Self.categories(of: language)
  }

  /// The category of a number. O(1).
  package func category(of number: UInt64) -> PluralCategory {
    categories[PluralCandidate.index(of: number)]
  }

  /// Whether all whole numbers have the same categories in both languages.
  package func hasSameCategories(as other: PluralRules) -> Bool { categories == other.categories }

  /// Longer tags are none.
  private static let tagBytesMax = 64

  /// The categories of all candidates. The handle of ICU is closed before this returns.
  private static func categories(of language: String) -> [PluralCategory] {
    let unknown = [PluralCategory](repeating: .other, count: PluralCandidate.count)
    guard language.utf8.count <= tagBytesMax, language.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return unknown
    }
    var status = U_ZERO_ERROR
    // The header renames ICU's functions with macros, and Swift imports only the new names.
    let rules = swift_uplrules_open(language, &status)
    defer { swift_uplrules_close(rules) }
    guard status.rawValue <= U_ZERO_ERROR.rawValue else { return unknown }
    return (0..<PluralCandidate.count).map { index in
      var status = U_ZERO_ERROR
      let quantity = Double(PluralCandidate.number(at: index))
      return withUnsafeTemporaryAllocation(of: UChar.self, capacity: keywordUnitsMax) { keyword in
        let length = swift_uplrules_select(
          rules, quantity, keyword.baseAddress, Int32(keyword.count), &status)
        guard status.rawValue <= U_ZERO_ERROR.rawValue, (0...keyword.count).contains(Int(length)) else {
          return .other
        }
        let name = keyword[..<Int(length)]
        return keywords.first { $0.units.elementsEqual(name) }?.category ?? .other
      }
    }
  }

  private static let keywordUnitsMax = 16

  /// The categories as ICU names them. Comparing units takes a twentieth of making a `String` of each.
  private static let keywords = PluralCategory.allCases.map {
    (category: $0, units: Array($0.rawValue.utf16))
  }
}
