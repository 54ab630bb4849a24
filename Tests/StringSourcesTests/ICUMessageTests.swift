import LocaleRules
import Testing

@testable import StringSources

/// Flutter's messages.
@Suite struct ICUMessageTests {
  /// What a message shows for a number and values, in a language; args as `<name>`.
  static func shown(
    _ text: String, _ number: UInt64 = 5, _ values: [String: String] = [:], language: String = "en",
    usesEscaping: Bool = false
  ) -> String {
    let rules = PluralRules(language: language)
    switch ICUMessageParser.parse(text, usesEscaping: usesEscaping) {
    case .failure(let fault): return "! \(fault.message)"
    case .success(let message):
      let pieces = message.pieces(values: values) { plural in
        plural.index(of: number, rules.category(of: number)).map { plural.forms[$0] }
      }
      return (pieces ?? [.text("-")]).map { piece in
        switch piece {
        case .text(let text): text
        case .argument(let name): "<\(name)>"
        case .position(let index): "<\(index)>"
        }
      }.joined()
    }
  }

  @Test func textsAndArgs() {
    #expect(Self.shown("") == "")
    #expect(
      Self.shown("It's 100% {free_1}, { sender }! 🎉 # | \\n") == "It's 100% <free_1>, <sender>! 🎉 # | \\n")
  }

  @Test(arguments: [(0, "none"), (1, "one"), (2, "pair"), (3, "<n>"), (21, "<n>")] as [(UInt64, String)])
  func exactNumbersAreCasesOfTheirNames(number: UInt64, text: String) {
    #expect(Self.shown("{n, plural, =0{none} =1{one} =2{pair} other{{n}}}", number) == text)
    #expect(Self.shown("{n,plural,zero{none}one{one}two{pair}other{{n}}}", number) == text)
  }

  @Test func aCaseIsForItsNumberAndForItsCategory() {
    let message = "{n, plural, zero{Z} one{O} two{T} few{F} many{M} other{X}}"
    let numbers: [UInt64] = [0, 1, 2, 3, 5, 21, 22]
    #expect(numbers.map { Self.shown(message, $0, language: "ru") } == ["Z", "O", "T", "F", "M", "O", "F"])
    #expect(numbers.map { Self.shown(message, $0, language: "ja") } == ["Z", "O", "T", "X", "X", "X", "X"])
    // Slovenian's two has the form few where there is none for two.
    #expect(Self.shown("{n, plural, few{F} other{X}}", 102, language: "sl") == "F")
    #expect(Self.shown("{n, plural, other{X}}", 1) == "X")
  }

  @Test func aNumberWinsOverItsCategory() {
    let message = "{n, plural, =1{number} one{category} other{X}}"
    #expect(Self.shown(message, 1, language: "ru") == "number")
    #expect(Self.shown(message, 21, language: "ru") == "category")
    #expect(Self.shown("{n, plural, =1{number} other{X}}", 21, language: "ru") == "number")
    #expect(Self.shown("{n, plural, one{first} one{last} other{X}}", 1) == "last")
  }

  @Test func formsNest() {
    let message =
      "{who, select, female{Her {n, plural, one{photo} other{{n} photos}}} other{Their {n, plural, other{{n}}}}}!"
    #expect(Self.shown(message, 1, ["who": "female"]) == "Her photo!")
    #expect(Self.shown(message, 3, ["who": "female"]) == "Her <n> photos!")
    #expect(Self.shown(message, 3, ["who": "x"]) == "Their <n>!")
  }

  @Test func apostrophesQuoteOnlyWithEscaping() {
    #expect(Self.shown("It's '{a}'") == "It's '<a>'")
    #expect(Self.shown("It''s '{a}' {b}", usesEscaping: true) == "It's {a} <b>")
    #expect(Self.shown("'Flutter''s' {b}", usesEscaping: true) == "Flutter's <b>")
    #expect(Self.shown("It's", usesEscaping: true).hasPrefix("! An apostrophe"))
  }

  @Test(
    arguments: [
      ("{", "! An opening brace"), ("}", "! A closing brace"), ("{a", "! {a is followed"),
      ("{a b}", "! {a is followed"),
      ("{n, number}", "! {n, number…} is not supported"),
      ("{n, date, short}", "! {n, date…} is not supported"),
      ("{n, selectordinal, other{x}}", "! {n, selectordinal…}"),
      ("{n, plural, one{x}}", "! {n, plural…} has no case"),
      ("{n, plural, =3{x} other{y}}", "! =3 is no case"),
      ("{n, plural, offset:1 other{y}}", "! offset is no case"),
      ("{n, plural, 1{x} other{y}}", "! 1 is no case"),
      ("{n, plural, =one{x} other{y}}", "! =one is no case"),
      ("{n, plural, other{y}", "! A case of {n"), ("{n, plural, other{y", "! An opening brace"),
      ("{a, select, x{1}}", "! {a, select…} has no case"), ("{, plural, other{}}", "! An opening brace"),
      ("{n plural other{}}", "! {n is followed"), ("{n, plural other{}}", "! {n, plural is not"),
    ])
  func faultsAreNamed(message: String, start: String) {
    #expect(Self.shown(message).hasPrefix(start), "\(Self.shown(message))")
  }

  @Test func depthAndLengthAreBounded() {
    let deep = String(repeating: "{a, select, other{", count: 200) + String(repeating: "}}", count: 200)
    #expect(Self.shown(deep).hasPrefix("! The message has more than"))
    #expect(Self.shown(String(repeating: "x", count: 70_000)).hasPrefix("! The text is longer"))
  }
}
