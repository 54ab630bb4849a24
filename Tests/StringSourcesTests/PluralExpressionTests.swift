import LocaleRules
import Testing

@testable import StringSources

/// gettext's `Plural-Forms`.
@Suite struct PluralExpressionTests {
  /// The headers that the GNU gettext manual lists, with the languages whose CLDR rules say the same.
  static let headers = [
    ("ja", "nplurals=1; plural=0;", [PluralCategory.other]),
    ("en", "nplurals=2; plural=n != 1;", [.one, .other]),
    ("lv", "nplurals=3; plural=n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2;", []),
    (
      "ru",
      "nplurals=3; plural=n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2;",
      [.one, .few, .many]
    ),
    ("cs", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;", [.one, .few, .other]),
    (
      "pl", "nplurals=3; plural=n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2;",
      [.one, .few, .many]
    ),
    (
      "sl", "nplurals=4; plural=n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3;",
      [.one, .two, .few, .other]
    ),
    (
      "ar",
      "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
      [.zero, .one, .two, .few, .many, .other]
    ),
  ]

  @Test(arguments: headers)
  func agreesWithTheRulesOfTheLanguage(language: String, header: String, categories: [PluralCategory]) throws
  {
    let expression = try #require(PluralExpression(header: header))
    #expect(expression.fitsClasses)
    let rules = PluralRules(language: language)
    for number in UInt64(0)..<1_200 where !categories.isEmpty {
      let index = Int(clamping: expression.value(number))
      #expect(categories[index] == rules.category(of: number), "\(language) \(number)")
    }
  }

  @Test(arguments: [
    "", "nplurals=2", "nplurals=0; plural=0", "nplurals=99; plural=0", "nplurals=2; plural=m",
    "nplurals=2; plural=n !=", "nplurals=2; plural=(n", "nplurals=2; plural=n ? 1", "nplurals=2; plural=n n",
    "nplurals=2; plural=" + String(repeating: "(", count: 900) + "n" + String(repeating: ")", count: 900),
  ])
  func anythingElseIsNoRule(header: String) {
    #expect(PluralExpression(header: header) == nil)
  }

  @Test func divisionByZeroIsNoTrap() throws {
    let expression = try #require(PluralExpression(header: "nplurals=2; plural=n % 0 + n / 0 + n - 5 * n;"))
    #expect(expression.value(0) == 0)
    #expect(expression.value(.max) == UInt64.max &- (5 &* UInt64.max))
  }

  @Test func aRuleFinerThanClassesIsRecognized() throws {
    #expect(try #require(PluralExpression(header: "nplurals=2; plural=n % 7 == 0;")).fitsClasses == false)
    #expect(try #require(PluralExpression(header: "nplurals=2; plural=n > 150;")).fitsClasses == false)
    #expect(
      try #require(PluralExpression(header: "nplurals=2; plural=n != 0 && n % 1000000 == 0;")).fitsClasses)
  }
}
