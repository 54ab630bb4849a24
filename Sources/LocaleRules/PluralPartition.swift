/// The coarsest partition of the whole numbers in which all numbers of a class have one plural category in
/// each of several languages.
///
/// 0 is a class of its own, because Apple's plurals can have a form for 0 in any language.
package struct PluralPartition: Sendable, Equatable {
  /// The rules of each language, in the order in which the languages were given.
  package let rules: [PluralRules]
  /// The smallest member of each class, in ascending order. It names the class.
  package let smallestMembers: [UInt64]
  /// The class of each number.
  package let table: PluralTable
  /// Whether a class has only one member.
  private let isSingle: [Bool]

  /// Takes about a millisecond for each language.
  package init(languages: [String]) {
    let rules = languages.map { PluralRules(language: $0) }
    self.init(rules) { number -> [PluralCategory?] in
      // Nothing else has this key.
      number == 0 ? [nil] : rules.map { $0.category(of: number) }
    }
  }

  /// Numbers with equal keys are in one class.
  private init<Key: Hashable>(_ rules: [PluralRules], key: (UInt64) -> Key) {
    var classes: [Key: Int] = [:]
    var smallestMembers: [UInt64] = []
    var isSingle: [Bool] = []
    let indices = (0..<PluralCandidate.count).map { candidate -> UInt16 in
      let number = PluralCandidate.number(at: candidate)
      let key = key(number)
      if let known = classes[key] {
        isSingle[known] = false
        return UInt16(clamping: known)
      }
      classes[key] = smallestMembers.count
      smallestMembers.append(number)
      isSingle.append(PluralCandidate.isAlone(at: candidate))
      return UInt16(clamping: smallestMembers.count - 1)
    }
    (self.rules, self.smallestMembers, self.isSingle) = (rules, smallestMembers, isSingle)
    table = PluralTable(classes: indices)
  }

  /// The coarsest partition within this one in which each of `choices` gives all numbers of a class the same
  /// value. A choice must not tell numbers apart that have one `PluralCandidate`.
  package func refined(by choices: [@Sendable (UInt64) -> Int]) -> PluralPartition {
    PluralPartition(rules) { number in [table[number]] + choices.map { $0(number) } }
  }

  /// What a plural's name is followed by in the key of a class: `_n21`.
  package func keySuffix(ofClass index: Int) -> String { "_n\(smallestMembers[index])" }

  /// Whether a class has only one member, so that its text can leave the number out.
  package func hasOneMember(class index: Int) -> Bool { isSingle[index] }

  /// The smallest members of a class, at most `count`.
  package func examples(ofClass index: Int, count: Int) -> [UInt64] {
    let first = smallestMembers[index]
    if isSingle[index] { return [first] }
    // Of the classes that begin below 1,000, each has a further member in any 100 numbers in a row.
    let step: UInt64 = first < 1_000 ? 1 : 1_000
    var examples: [UInt64] = []
    var number = first
    while examples.count < count, number <= first + step * Self.exampleStepsMax {
      if table[number] == index { examples.append(number) }
      number += step
    }
    return examples
  }

  private static let exampleStepsMax: UInt64 = 5_000
}

/// A table of the class of each whole number.
package struct PluralTable: Sendable, Equatable {
  /// By the index of the candidate.
  private let classes: [UInt16]

  fileprivate init(classes: [UInt16]) { self.classes = classes }

  /// The index of a number's class. O(1).
  package subscript(number: UInt64) -> Int { Int(classes[PluralCandidate.index(of: number)]) }
}
