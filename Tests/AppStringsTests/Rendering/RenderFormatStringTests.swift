import FCMMessage
import Testing

@testable import AppStrings

@Suite struct RenderFormatStringTests {
  private func android(_ text: String) -> FormatString { FormatString(text, platform: .android) }
  private func ios(_ text: String) -> FormatString { FormatString(text, platform: .ios) }

  @Test func findsPlaceholdersWithTextRangeAndArg() {
    let parsed = android("é %2$s %s %<S")
    #expect(parsed.placeholders.map(\.text) == ["%2$s", "%s", "%<S"])
    #expect(parsed.placeholders.map(\.range) == [3..<7, 8..<10, 11..<14])
    #expect(parsed.placeholders.map(\.numbering) == [.explicit(2), .ordinary, .relative])
    #expect(parsed.placeholders.map(\.argument) == [1, 0, 0])
    #expect(parsed.placeholders.allSatisfy { $0.exception == nil && !$0.isForeign && $0.conversion == .text })
  }

  @Test func countsArgsAndOrdinaryPlaceholders() {
    #expect(android("%s %s").argumentCount == 2)
    #expect(android("%s %s").ordinaryCount == 2)
    #expect(android("%3$s").argumentCount == 3)
    #expect(android("%3$s %1$s").usedArguments == [0, 2])
    #expect(ios("%1$@ %@").usedArguments == [0])
    #expect(ios("none 100%%").argumentCount == 0)
  }

  @Test func detectsMixedNumbering() {
    #expect(ios("%1$@ %@").mixesNumbering)
    #expect(android("%1$s %s").mixesNumbering)
    #expect(!android("%1$s %2$s").mixesNumbering)
    #expect(!android("%s %<s").mixesNumbering)
  }

  @Test func androidNumbersThrow() {
    for text in ["%d", "%1$d", "%,d", "%.2f", "%x"] {
      let placeholder = android(text).placeholders.first
      #expect(placeholder?.conversion == .number)
      #expect(placeholder?.exception == .illegalConversion)
      #expect(placeholder?.isForeign == false)
      #expect(placeholder?.looksStray == false)
    }
  }

  @Test(arguments: ["%@", "%1$@", "%ld", "%lld", "%lu", "%i", "%u", "%1$ld", "%#@n@", "%1$#@n@"])
  func applesPlaceholdersAreForeignOnAndroid(text: String) {
    let parsed = android("a \(text) b")
    #expect(parsed.placeholders.map(\.text) == [text])
    #expect(parsed.placeholders.first?.isForeign == true)
    #expect(parsed.placeholders.first?.exception == .unknownConversion)
    #expect(parsed.strayPercents.isEmpty)
  }

  @Test(arguments: ["%s", "%1$s", "%d", "%1$d", "%ld", "%lu", "%.2f", "%5@", "%i", "%#@n@"])
  func otherPlatformsPlaceholdersAreForeignOnIOS(text: String) {
    let parsed = ios("a \(text) b")
    #expect(parsed.placeholders.map(\.text) == [text])
    #expect(parsed.placeholders.first?.isForeign == true)
    #expect(parsed.placeholders.first?.exception == nil)
  }

  @Test func onlyObjectPlaceholdersAreNativeOnIOS() {
    #expect(ios("%@ %1$@").placeholders.map(\.isForeign) == [false, false])
    #expect(ios("%d %ld %1$d").placeholders.map(\.conversion) == [.number, .number, .number])
    #expect(ios("%#@n@").placeholders.map(\.conversion) == [.plural])
  }

  @Test func percentsBeforeASpaceAreStray() {
    for text in ["50% off", "100% sure", "5 % d"] {
      #expect(android(text).placeholders.map(\.looksStray) == [true])
      #expect(android(text).argumentCount == 0)
      #expect(ios(text).strayPercents.map(\.text) == ["% "])
    }
  }

  @Test func percentsThatBeginNothingAreStray() {
    #expect(android("100%").strayPercents.map(\.text) == ["%"])
    #expect(android("50%さ %!").strayPercents.map(\.text) == ["%さ", "%!"])
    #expect(ios("%12 %!").strayPercents.map(\.text) == ["%12", "%!"])
    #expect(android("% %s").strayPercents.map(\.range) == [0..<2])
    #expect(android("% %s").placeholders.map(\.text) == ["%s"])
  }

  @Test func escapesAreNotPlaceholders() {
    #expect(android("100%% %n %5%").escapeCount == 3)
    #expect(android("100%%").placeholders.isEmpty)
    #expect(android("100%%").hasPercent)
    #expect(ios("100%% %%@").escapeCount == 2)
    #expect(!ios("100").hasPercent)
  }

  @Test func notesFullwidthPercents() {
    #expect(android("\u{FF05}s").fullwidthPercentCount == 1)
    #expect(ios("\u{FF05}1$@").fullwidthPercentCount == 1)
    #expect(ios("100\u{FF05}").fullwidthPercentCount == 0)
    #expect(android("\u{FF05}s").placeholders.isEmpty)
  }

  @Test func reportsIndexesWithoutArg() {
    #expect(android("%0$s").placeholders.map(\.argument) == [nil])
    #expect(android("%0$s").placeholders.map(\.exception) == [.illegalArgumentIndex])
    #expect(android("%99999999999$s").placeholders.map(\.numbering) == [.explicit(.max)])
    #expect(android("%<s").placeholders.map(\.argument) == [nil])
  }

  @Test func shortensLongPlaceholdersInQuotes() {
    let long = "%" + String(repeating: "0", count: 5000) + "1$s"
    let text = android(long).placeholders.first?.text
    #expect(text?.count == RenderingLimits.quotedCharactersMax)
  }
}
