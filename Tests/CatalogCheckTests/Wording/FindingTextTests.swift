import AppStrings
import JSON
import Testing

@testable import CatalogCheck

/// Texts of findings, which the console makes in other languages.
@Suite struct FindingTextTests {
  @Test func saysWhatItIsMadeOf() {
    let consequence = FindingText(.everyIPhoneShows, [FaultText.rawKey])
    let text = FindingText(.noKeySimilar, [consequence, "welcome"]) + FindingText(english: "As read.")
    #expect(
      text.english
        == "No language has this key: every iPhone shows the raw key; did you mean welcome? As read.")
    #expect(
      text.sentences == [["noKeySimilar", ["everyIPhoneShows", ["rawKey"]], "welcome"], "As read."])
  }

  @Test func fillsOnlyItsOwnPlaceholders() {
    #expect(
      FindingText(.useParam, ["{1}"]).english
        == "Use it in args or as {$param: {1}}, or remove it from params.")
    #expect(FindingText(.addFallback, ["title"]).english == "Add fallback: {title: …}.")
    #expect(FindingText(.sinceSafeRelease, ["ios", "2.0"]).english.hasSuffix("since: {ios: 2.0}."))
    #expect(FindingText(.write, ["%1$s {2}"]).english == "Write %1$s {2}.")
  }
}
