import FCMMessage
import Testing

@testable import AppStrings

@Suite struct RenderDocumentedTextTests {
  @Test(arguments: [
    ("You have %1$d new message(s) from %2$s.", "You have 5 new message(s) from Bob."),
    ("%d from %s", "5 from Bob"),
    ("%ld from %@", "5 from Bob"),
    ("%2$@: %1$@", "Bob: 5"),
    ("%lu %i", "5 Bob"),
    ("%.2f", "5"),
    ("%1$s %1$s", "5 5"),
    ("%s %s %s", "5 Bob %s"),
    ("%3$@ %@", "%3$@ 5"),
    ("50% off %@", "50% off 5"),
    ("100% sure %s", "100% sure 5"),
    ("50%% off %d", "50% off 5"),
    ("100%", "100%"),
    ("%#@n@ %@", "%#@n@ Bob"),
    ("%é %@", "%é 5"),
    ("%0$d", "%0$d"),
  ])
  func fillsEveryPlaceholderInItsOwnOrder(format: String, text: String) {
    #expect(DocumentedText.fill(format, args: ["5", "Bob"], platform: .android) == text)
    #expect(DocumentedText.fill(format, args: ["5", "Bob"], platform: .ios) == text)
  }

  @Test func withoutArgsTheTextIsUnchanged() {
    #expect(DocumentedText.fill("%% %s %@", args: [], platform: .android) == "%% %s %@")
    #expect(DocumentedText.fill("%% %s %@", args: [], platform: .ios) == "%% %s %@")
  }

  @Test func androidsOwnFormatsAreFilledAsAndroidDoes() {
    #expect(DocumentedText.fill("%3s|%S%n", args: ["5", "Bob"], platform: .android) == "  5|BOB\n")
    #expect(
      DocumentedText.fill("%S", args: ["i"], platform: .android, language: LocaleTag("tr")) == "İ")
    #expect(DocumentedText.fill("%d%n", args: ["5"], platform: .android) == "5\n")
  }

  @Test func argsAreNotScannedAgain() {
    #expect(DocumentedText.fill("%d", args: ["%% %s"], platform: .ios) == "%% %s")
  }
}
