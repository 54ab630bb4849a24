import Foundation
import Testing

@testable import LocaleRules

/// The classes of whole numbers against ICU's own answers.
@Suite struct PluralPartitionTests {
  /// The numbers around every constant of the rules and around powers of ten up to 10^15, and random ones.
  static let numbers: [UInt64] = {
    var numbers = Set<UInt64>(0...1_300)
    var power: UInt64 = 1_000
    while power <= 1_000_000_000_000_000 {
      for factor in [1, 2, 3, 4, 5, 6, 9, 10, 11, 21, 40, 60, 71, 80, 90, 100, 123] as [UInt64] {
        let base = power * factor
        guard base <= 1_000_000_000_000_000 else { continue }
        for offset in [0, 1, 2, 3, 5, 6, 10, 11, 12, 19, 20, 21, 71, 99, 100, 101, 200] as [UInt64] {
          numbers.insert(base + offset)
          numbers.insert(base - offset)
        }
      }
      power *= 10
    }
    var generator = SystemRandomNumberGenerator()
    for bits in 10..<50 {
      for _ in 0..<10 { numbers.insert(UInt64.random(in: 0..<1 << UInt64(bits), using: &generator)) }
      numbers.insert(UInt64.random(in: 0...900_000_000) * 1_000_000)
    }
    return numbers.filter { $0 <= 1_000_000_000_000_000 }.sorted()
  }()

  /// One language of each set of rules stands for all of them; that they share the set is checked too.
  static let languages = Dictionary(grouping: ICUPlurals.ruleSets.keys, by: { ICUPlurals.ruleSets[$0] ?? "" })
    .values.compactMap { $0.min() }.sorted()

  @Test(arguments: languages) func categoriesAreThoseOfICU(language: String) {
    let rules = PluralRules(language: language)
    let icu = ICUPlurals(language)
    for number in Self.numbers where rules.category(of: number).rawValue != icu.category(of: number) {
      Issue.record("\(language) \(number): \(rules.category(of: number)), ICU \(icu.category(of: number))")
    }
  }

  @Test func languagesOfOneSetOfRulesHaveTheSameCategories() {
    #expect(ICUPlurals.ruleSets.count > 200)
    for (_, languages) in Dictionary(grouping: ICUPlurals.ruleSets.keys, by: { ICUPlurals.ruleSets[$0] }) {
      let rules = languages.map { PluralRules(language: $0) }
      for other in rules.dropFirst() { #expect(rules[0].hasSameCategories(as: other), "\(other.language)") }
    }
  }

  /// What `PluralCandidate` relies on, from the text of every rule in ICU's data.
  @Test func everyRuleIsDecidedByTheCandidates() throws {
    let sets = Set(ICUPlurals.ruleSets.values)
    #expect(sets.count > 20)
    let relation = /(?:^|and|or)\s*([niftvwce])\s*(?:%\s*(\d+))?\s*(!?=)\s*([\d.,]+)/
    for set in sets {
      for (category, rule) in ICUPlurals.rules(ofSet: set) {
        let relations = rule.matches(of: relation)
        #expect(relations.count == rule.filter { $0 == "=" }.count, "\(set) \(category): \(rule)")
        for relation in relations where relation.1 == "n" || relation.1 == "i" {
          let values = relation.4.split { $0 == "," || $0 == "." }.compactMap { UInt64($0) }
          let modulus = try relation.2.map { try #require(UInt64($0)) }
          // i % 1000000 = 0 and n % 100000 = 40000: only multiples of 1,000 count.
          let isFine =
            switch modulus {
            case nil: values.allSatisfy { $0 < 200 }
            case .some(let modulus) where 100 % modulus == 0: true
            case 1_000?, 100_000?, 1_000_000?:
              relation.3 == "=" || values == [0] || Self.isBounded(rule, relation.0)
                ? Self.countsThousands(values, rule) : false
            default: false
            }
          #expect(isFine, "\(set) \(category): \(rule)")
        }
      }
    }
  }

  /// `n != 0` beside a remainder that is a multiple of 1,000.
  private static func isBounded(_ rule: String, _ relation: Substring) -> Bool { rule.contains("% 1000 = 0") }

  /// Whether the values are multiples of 1,000, or a range of those in a rule for multiples of 1,000.
  private static func countsThousands(_ values: [UInt64], _ rule: String) -> Bool {
    values.allSatisfy { $0 % 1_000 == 0 } || rule.contains("% 1000 = 0")
  }

  @Test func allMembersOfAClassHaveOneCategoryInEachLanguage() {
    let sets: [[String]] = [
      Self.languages, ["en", "de"], ["en", "de", "he", "pl"], ["fr", "lv", "mt"], ["br", "kw", "gv"],
    ]
    for languages in sets {
      let partition = PluralPartition(languages: languages)
      let icu = languages.map { ICUPlurals($0) }
      var categories: [Int: [String]] = [:]
      for number in Self.numbers {
        let found = icu.map { $0.category(of: number) }
        let index = partition.table[number]
        if let known = categories[index] {
          #expect(known == found, "\(languages) \(number)")
        } else {
          categories[index] = found
        }
      }
      // Coarsest: no two classes have the same categories, except for that of 0.
      let others = categories.filter { $0.key != partition.table[0] }.values
      #expect(Set(others).count == others.count, "\(languages)")
      #expect(categories.count == partition.smallestMembers.count, "\(languages)")
    }
  }

  @Test func zeroIsAClassOfItsOwn() {
    for languages in [["en"], ["ja"], Self.languages, []] {
      let partition = PluralPartition(languages: languages)
      #expect(partition.table[0] == 0)
      #expect(Self.numbers.count { partition.table[$0] == 0 } == 1)
      #expect(partition.examples(ofClass: 0, count: 5) == [0])
      #expect(partition.hasOneMember(class: 0))
    }
  }

  @Test(arguments: [
    (["en", "de"], [0, 1, 2]), (["en", "de", "he", "pl"], [0, 1, 2, 3, 5]), (["ja"], [0, 1]),
    (["en", "ru"], [0, 1, 2, 5, 21]), (["en", "ar"], [0, 1, 2, 3, 11, 100]),
    (["en", "de", "fr", "pl", "ru", "ar"], [0, 1, 2, 3, 5, 11, 21, 22, 100, 101, 102, 1_000_000]),
    (["xx", "bqi", "", "a b", "\u{0}"], [0, 1]),
  ])
  func theSmallestMembersNameTheClasses(languages: [String], smallest: [UInt64]) {
    let partition = PluralPartition(languages: languages)
    #expect(partition.smallestMembers == smallest)
    #expect(
      partition.smallestMembers.indices.map { partition.keySuffix(ofClass: $0) } == smallest.map { "_n\($0)" }
    )
    for (index, number) in smallest.enumerated() {
      #expect(partition.table[number] == index)
      let examples = partition.examples(ofClass: index, count: 4)
      #expect(examples.first == number)
      #expect(examples.allSatisfy { partition.table[$0] == index })
      #expect(examples.count == 1 && partition.hasOneMember(class: index) || examples.count == 4)
    }
  }

  /// What docs/plurals.md says about the number of keys.
  @Test(arguments: [
    ("en de", 3), ("en de he pl", 5), ("en de fr pl ru ar", 12),
    ("ar cs da de en es fi fr it ja nb nl pl pt-BR pt-PT ru sv tr uk zh", 13),
    ("bg hr cs da nl en et fi fr de el hu ga it lv lt mt pl pt-PT ro sk sl es sv", 18),
  ])
  func languagesCostKeys(languages: String, count: Int) {
    let partition = PluralPartition(languages: languages.split(separator: " ").map(String.init))
    #expect(partition.smallestMembers.count == count)
  }

  @Test func allLanguagesOfCLDRCost61Keys() {
    #expect(PluralPartition(languages: Self.languages).smallestMembers.count == 61)
  }

  @Test func takesAnyTagOfALanguage() {
    func category(_ language: String, _ number: UInt64) -> PluralCategory {
      PluralRules(language: language).category(of: number)
    }
    for tag in ["he", "iw", "he-IL", "he_IL"] { #expect(category(tag, 2) == .two) }
    #expect(category("pt-BR", 0) == .one)
    #expect(category("pt-PT", 0) == .other)
    #expect(category("sr-Latn-RS", 21) == .one)
    #expect(category(String(repeating: "a", count: 10_000), 1) == .other)
  }
}
