import Testing

@testable import AppStrings

private func entry(_ value: StringEntry.Value, formatKey: String? = nil) -> StringLookup {
  .found(StringEntry(key: "k", value: value, file: "strings.xml", line: 1, formatKey: formatKey), table: "fr")
}

private let notFound = "android.content.res.Resources$NotFoundException"

@Suite struct RenderAndroidDeviceTests {
  private let device = AndroidDevice(language: LocaleTag("fr"))

  private func outcome(
    key: String? = "k", literal: String? = nil, _ lookup: StringLookup, _ args: String...
  ) -> SlotOutcome {
    device.outcome(key: key, literal: literal, lookup: lookup, args: args)
  }

  private func isDropped(_ outcome: SlotOutcome) -> Bool {
    if case .dropped(let reason) = outcome { !reason.isEmpty } else { false }
  }

  private func exception(_ outcome: SlotOutcome) -> String? {
    if case .crash(let exception, _) = outcome { exception } else { nil }
  }

  @Test func aLiteralWinsOverTheKey() {
    #expect(outcome(literal: "Hi %d", entry(.string("Salut %s")), "A") == .text("Hi %d"))
    #expect(outcome(literal: "", entry(.string("Salut %s")), "A") == .text("Salut A"))
  }

  @Test func slotWithoutKeyShowsNothing() {
    #expect(outcome(key: nil, .missing) == .none)
    #expect(outcome(key: "", .missing) == .none)
  }

  @Test func withoutArgsTheTextIsShownRaw() {
    #expect(outcome(entry(.string("%1$s 50%% 100%"))) == .text("%1$s 50%% 100%"))
  }

  @Test func aMissingStringIsDropped() {
    #expect(isDropped(outcome(.missing)))
  }

  @Test func stringThatOnlyOtherLanguagesHaveCrashes() {
    #expect(exception(outcome(.elsewhere(tables: ["de"]))) == notFound)
  }

  @Test func pluralsAndArraysAreDropped() {
    #expect(isDropped(outcome(entry(.plural([.init(category: "other", text: "x")])))))
    #expect(isDropped(outcome(entry(.array(["x"])))))
  }

  @Test func anEmptyTextIsDropped() {
    #expect(isDropped(outcome(entry(.string("")))))
    #expect(isDropped(outcome(entry(.string("%s")), "")))
  }

  @Test func tooFewArgsDropAndOtherFaultsCrash() {
    #expect(isDropped(outcome(entry(.string("%s %s")), "A")))
    #expect(exception(outcome(entry(.string("%d")), "5")) == "java.util.IllegalFormatConversionException")
    #expect(exception(outcome(entry(.string("100%")), "5")) == "java.util.UnknownFormatConversionException")
  }

  @Test(arguments: ["12345", "+7", "-7", "\u{661}\u{662}", "2147483647", "-2147483648"])
  func aKeyOfDigitsIsAResourceId(key: String) {
    #expect(exception(outcome(key: key, .missing)) == notFound)
  }

  @Test(arguments: ["0", "-0", "00", "2147483648", "+", "-", "1a", "a:b", "string/b", ":", "\u{1D7CF}"])
  func otherOddKeysAreDropped(key: String) {
    #expect(isDropped(outcome(key: key, .missing)))
  }
}

@Suite struct RenderAppleDeviceTests {
  private func outcome(
    key: String? = "KEY", fallback: String? = nil, _ lookup: StringLookup, _ args: String...
  ) -> SlotOutcome {
    AppleDevice().outcome(key: key, fallback: fallback, lookup: lookup, args: args)
  }

  @Test func theKeyWinsOverTheFallback() {
    #expect(outcome(fallback: "Hi", entry(.string("Salut %@")), "A") == .text("Salut A"))
  }

  @Test func aMissingKeyShowsTheFallbackAndFormatsIt() {
    #expect(outcome(fallback: "Hi %@", .missing, "A") == .text("Hi A"))
    #expect(outcome(fallback: "100%", .missing, "A") == .text("100"))
    #expect(outcome(fallback: "100%", .missing) == .text("100%"))
    #expect(outcome(fallback: "Hi", .elsewhere(tables: ["de"])) == .text("Hi"))
  }

  @Test func aMissingKeyWithoutFallbackShowsTheKey() {
    #expect(outcome(.missing, "A") == .rawKey)
    #expect(outcome(fallback: "", .missing) == .rawKey)
  }

  @Test func aMissingKeyIsFormattedLikeAText() {
    #expect(outcome(key: "%@ wrote", .missing, "A") == .text("A wrote"))
    #expect(outcome(key: "%@ wrote", .missing) == .rawKey)
  }

  @Test func textEqualToItsKeyCountsAsText() {
    #expect(outcome(key: "Hello", entry(.string("Hello"))) == .text("Hello"))
    #expect(outcome(key: "Hello", fallback: "Hello", .missing) == .text("Hello"))
  }

  @Test func anEmptyTextShowsTheKeyAndNotTheFallback() {
    #expect(outcome(fallback: "Hi", entry(.string("")), "A") == .rawKey)
    #expect(outcome(fallback: "Hi", entry(.string("%s")), "A") == .rawKey)
  }

  @Test func aCutCharacterShowsTheKey() {
    #expect(outcome(fallback: "Hi", entry(.string("%é")), "A") == .rawKey)
    #expect(outcome(entry(.string("%é"))) == .text("%é"))
  }

  @Test func withoutArgsTheTextIsShownRaw() {
    #expect(outcome(entry(.string("100%% %@"))) == .text("100%% %@"))
  }

  @Test func aPluralShowsItsVariablesName() {
    let forms = [StringEntry.Form(category: "one", text: "1"), .init(category: "other", text: "%d new")]
    #expect(outcome(entry(.plural(forms), formatKey: "%#@value@"), "5") == .text("@value@"))
    #expect(outcome(entry(.plural(forms)), "5") == .text(" new"))
  }

  @Test func textThatVariesByDeviceIsTheIPhonesOne() {
    let forms = [StringEntry.Form(category: "mac", text: "Mac"), .init(category: "iphone", text: "%@")]
    #expect(outcome(entry(.plural(forms)), "A") == .text("A"))
  }

  @Test func anArrayIsNoText() {
    #expect(outcome(entry(.array(["x"]))) == .rawKey)
  }

  @Test func withoutKeyShowsTheFallbackOrNothing() {
    #expect(outcome(key: nil, fallback: "Hi %@", .missing, "A") == .text("Hi %@"))
    #expect(outcome(key: "", .missing) == .none)
  }
}
