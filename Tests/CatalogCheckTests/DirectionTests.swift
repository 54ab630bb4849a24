import AppStrings
import Catalog
import FCMMessage
import Testing

@testable import CatalogCheck

/// `BidiUnsafe`, and texts in a phone's order in the terminal.
@Suite struct DirectionTests {
  private func findings(
    _ texts: [(locale: String, text: String)], args: String = "a, b", bidi: String = "none"
  ) throws -> [String] {
    var fixture = CheckFixture()
    fixture.templates = """
        t:
          params: {a: {type: string, max_length: 9, bidi: \(bidi)}, b: {type: string, max_length: 9}, n: {type: integer}}
          body: {android: k, args: [\(args)]}
        u:
          params: {a: {type: string, max_length: 9}}
          body: {android: k, args: [a, a]}
      """
    fixture.android = ["default": [("k", "%1$s x %2$s")]]
    for (locale, text) in texts { fixture.android[locale] = [("k", .string(text))] }
    return try fixture.report().findings.filter { $0.rule == .bidiUnsafe }.map {
      "\($0.template ?? "") \($0.platform.map { "\($0)" } ?? "") \($0.locale ?? "-") \($0.key ?? "") \($0.line ?? 0)"
    }
  }

  @Test func reportsAKeyAndPlatformOnce() throws {
    #expect(
      try findings([("he", "%1$s, %2$s"), ("ar", "%1$s: %2$s"), ("fr", "%1$s: %2$s")]).count == 1)
    #expect(try findings([("fr", "%1$s: %2$s")]) == [])
    #expect(try findings([("he", "שלום %1$s ו%2$s יש")]) == [])
  }

  @Test func looksAtTheNeighborsOfPlaceholders() {
    let unsafe: [(String, Set<Int>)] = [
      ("%1$s שלום", [0]), ("שלום %1$s", [0]), ("א %1$s %2$s ב", [0, 1]), ("א %1$s 3 ב", [0]),
      ("א (%1$s) ב", [0]), ("א %1$s, ב", [0]), ("א ٣ %2$s ב", [1]), ("א\n%1$s ב", [0]), ("א %1$s%% ב", [0]),
      ("א %1$s 👍 ב", [0]), ("%1$s ב %2$s א", [0]), ("%s %s", [0, 1]),
    ]
    for (text, args) in unsafe {
      #expect(
        FormatString(text, platform: .android).exposedArguments(language: .rightToLeft) == args, "\(text)")
    }
    let safe = [
      "א %1$s ב", "א%1$sב", "abc %1$s", "%1$s: 3", "א \u{2068}%1$s\u{2069}, ב", "abc שלום %1$s",
      "א \u{200F}%1$s\u{200F} 3",
      "",
    ]
    for text in safe {
      let language: TextDirection = text.hasPrefix("%") ? .leftToRight : .rightToLeft
      #expect(FormatString(text, platform: .android).exposedArguments(language: language) == [], "\(text)")
    }
  }

  @Test func printsTextsInAPhonesOrder() {
    #expect("Hello, Bob!".inPhoneOrder(.leftToRight) == "Hello, Bob!")
    #expect("\u{1B}x".inPhoneOrder(.leftToRight) == "␛x")
    #expect("שלום Bob".inPhoneOrder(.rightToLeft) == "\u{2068}שלום Bob\u{2069}")
    #expect("Hi \u{2068}דנה\u{2069}".inPhoneOrder(.leftToRight) == "\u{2068}Hi \u{2068}דנה\u{2069}\u{2069}")
    #expect("3 (5)".inPhoneOrder(.rightToLeft) == "\u{2067}3 (5)\u{2069}")
    #expect("a\u{202E}b\u{2069}".inPhoneOrder(.leftToRight) == "\u{2068}a\u{202E}b\u{202C}\u{2069}")
    #expect("ש\n\u{202E}".inPhoneOrder(.leftToRight) == "\u{2068}ש␊\u{202E}\u{202C}\u{2069}")
  }
}
