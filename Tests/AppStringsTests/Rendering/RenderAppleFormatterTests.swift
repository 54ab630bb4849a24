import Testing

@testable import AppStrings

@Suite struct RenderAppleFormatterTests {
  @Test(arguments: [
    ("%@ sent %@", ["A", "B"], "A sent B"),
    ("%2$@ %1$@", ["A", "B"], "B A"),
    ("%@ %@ %@", ["A", "B"], "A B <null>"),
    ("%3$@", ["A"], "<null>"),
    ("%0$@", ["A"], "<null>"),
    ("%99999999999999999999$@", ["A"], "<null>"),
    ("%d msgs", ["5"], " msgs"),
    ("%1$d msgs", ["5"], "$d msgs"),
    ("%ld", ["5"], "d"),
    ("%lu new", ["5"], "u new"),
    ("%s", ["A"], ""),
    ("%1$s hi", ["A"], "$s hi"),
    ("50% off %@", ["A"], "50off A"),
    ("50%% off %@", ["A"], "50% off A"),
    ("100%", ["A"], "100"),
    ("%#@value@", ["5"], "@value@"),
    ("%1$#@v@", ["5"], "$#@v@"),
    ("%5@", ["A"], "@"),
    ("%1$@ %@", ["A", "B"], "A A"),
    ("%@", ["50% %@"], "50% %@"),
    ("%1", ["A"], ""),
    ("%1$", ["A"], "$"),
    ("日本 %@ 😀", ["é"], "日本 é 😀"),
    ("", ["A"], ""),
  ])
  func formatsAsAnIPhoneDoes(format: String, args: [String], shown: String) {
    #expect(AppleFormatter.format(format, args: args) == shown)
  }

  @Test(arguments: ["%é", "a %日 b", "%😀", "％ %％"])
  func producesNoTextWhenACharacterIsCut(format: String) {
    #expect(AppleFormatter.format(format, args: ["A"]) == nil)
  }

  @Test func cutsATextBeyondTheLimitBetweenCharacters() {
    let text = AppleFormatter.format(
      String(repeating: "%1$@", count: 1000), args: [String(repeating: "é", count: 1 << 16)])
    #expect(text?.utf8.count == RenderingLimits.textBytesMax)
    let odd = AppleFormatter.format(
      "x" + String(repeating: "%1$@", count: 1000), args: [String(repeating: "é", count: 1 << 16)])
    #expect(odd?.utf8.count == RenderingLimits.textBytesMax - 1)
  }
}
