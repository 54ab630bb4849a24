/// The 1,200 whole numbers that represent all others in the plural rules of every language.
///
/// CLDR's rules for whole numbers compare the number itself with at most 100, or its remainder by a power of
/// ten up to 1,000,000; a remainder by more than 100 counts only in multiples of 1,000. So each number has
/// the categories of 0 to 199, or of 1,000, 2,000 … 1,000,000 (UTS #35, part 3, "Language Plural Rules").
package enum PluralCandidate {
  /// The number of candidates.
  package static let count = 1_200

  /// The index, in ascending order, of the candidate that represents a number. O(1).
  package static func index(of number: UInt64) -> Int {
    if number < 200 { return Int(truncatingIfNeeded: number) }
    let (thousands, rest) = number.quotientAndRemainder(dividingBy: 1_000)
    if rest != 0 { return 100 + Int(truncatingIfNeeded: rest % 100) }
    let millionth = Int(truncatingIfNeeded: thousands % 1_000)
    return 199 + (millionth == 0 ? 1_000 : millionth)
  }

  /// The candidate with an index in `0..<count`.
  package static func number(at index: Int) -> UInt64 {
    UInt64(clamping: index < 200 ? index : (index - 199) * 1_000)
  }

  /// Whether the candidate represents no number but itself.
  static func isAlone(at index: Int) -> Bool { index < 100 }
}
