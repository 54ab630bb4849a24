import AppStrings
import Testing

@Suite struct AppleStringCatalogTests {
  private func resources(
    _ strings: String, head: String = "\"sourceLanguage\":\"en\",\"version\":\"1.0\""
  ) throws -> StringResources {
    try AppleAppFolder(["Localizable.xcstrings": "{\(head),\n\"strings\":{\n\(strings)\n}}"]).read()
  }

  private func unit(_ text: String, _ state: String = "translated") -> String {
    "{\"stringUnit\":{\"state\":\"\(state)\",\"value\":\"\(text)\"}}"
  }

  @Test func readsUnitsOfAllLanguages() throws {
    let resources = try resources(
      "\"A\":{\"comment\":\"c\",\"localizations\":{\n\"en\":\(unit("one")),\n\"pt-BR\":\(unit("um"))}}")
    #expect(resources.problems == [])
    #expect(resources.tables.map(\.name) == ["en", "pt-BR"])
    #expect(resources.table("pt-BR")?.locale?.description == "pt-BR")
    #expect(resources.text("en", "A") == "one")
    #expect(resources.table("en")?["A"]?.line == 4)
    #expect(resources.table("pt-BR")?["A"]?.line == 5)
    #expect(resources.table("pt-BR")?["A"]?.state == .translated)
    #expect(resources.table("pt-BR")?["A"]?.isTranslatable == true)
  }

  @Test func keyWithoutSourceLocalizationIsItsOwnText() throws {
    let resources = try resources("\"Hello\":{},\n\"Bye\":{\"localizations\":{\"fr\":\(unit("Adieu"))}}")
    #expect(resources.text("en", "Hello") == "Hello")
    #expect(resources.text("en", "Bye") == "Bye")
    #expect(resources.table("en")?["Bye"]?.line == 4)
    #expect(resources.text("fr", "Hello") == nil)
  }

  @Test func reportsTheStateOfEachTranslation() throws {
    let resources = try resources(
      "\"A\":{\"localizations\":{\"en\":\(unit("a")),\"fr\":\(unit("b", "new")),\"de\":\(unit("c", "needs_review")),\"it\":\(unit("d", "x"))}}"
    )
    #expect(resources.table("en")?["A"]?.state == .translated)
    #expect(resources.table("fr")?["A"]?.state == .new)
    #expect(resources.table("de")?["A"]?.state == .needsReview)
    #expect(resources.table("it")?["A"]?.state == nil)
  }

  @Test func staleKeyMakesItsTranslationsStale() throws {
    let resources = try resources(
      "\"A\":{\"extractionState\":\"stale\",\"localizations\":{\"fr\":\(unit("b")),\"de\":\(unit("c", "new"))}}"
    )
    // Xcode calls every key stale that no code names, and no code names a key of push messages only.
    #expect(resources.table("en")?["A"]?.state == nil)
    #expect(resources.table("fr")?["A"]?.state == .translated)
    #expect(resources.table("de")?["A"]?.state == .new)
  }

  @Test func readsShouldTranslate() throws {
    let resources = try resources("\"A\":{\"shouldTranslate\":false}")
    #expect(resources.table("en")?["A"]?.isTranslatable == false)
  }

  @Test func compilesAPlural() throws {
    let plural =
      "{\"variations\":{\"plural\":{\"one\":\(unit("%lld file")),\"other\":\(unit("%lld files", "new"))}}}"
    let entry = try #require(try resources("\"N\":{\"localizations\":{\"en\":\(plural)}}").table("en")?["N"])
    #expect(
      entry.value
        == .plural([.init(category: "one", text: "%lld file"), .init(category: "other", text: "%lld files")]))
    #expect(entry.formatKey == "%#@value@")
    #expect(entry.state == .new)
  }

  @Test func reportsAPluralWithoutOther() throws {
    let plural = "{\"variations\":{\"plural\":{\"one\":\(unit("x"))}}}"
    let resources = try resources("\"N\":{\"localizations\":{\n\"fr\":\(plural)}}")
    #expect(resources.problems.map(\.kind) == [.suspicious])
    #expect(resources.problems.first?.line == 4)
    #expect(resources.problems.first?.table == "fr")
    #expect(resources.problems.first?.key == "N")
  }

  @Test func prefersTheVariationForIPhonesThenOther() throws {
    let own =
      "{\"variations\":{\"device\":{\"mac\":\(unit("Click")),\"iphone\":\(unit("Tap")),\"other\":\(unit("Press"))}}}"
    let other = "{\"variations\":{\"device\":{\"mac\":\(unit("Click")),\"other\":\(unit("Press"))}}}"
    let resources = try resources("\"A\":{\"localizations\":{\"en\":\(own),\"fr\":\(other)}}")
    #expect(resources.table("en")?["A"]?.formatKey == "Tap")
    #expect(resources.table("fr")?["A"]?.formatKey == "Press")
    #expect(
      resources.table("fr")?["A"]?.value
        == .plural([.init(category: "mac", text: "Click"), .init(category: "other", text: "Press")]))
  }

  @Test func readsPluralsInDevices() throws {
    let nested =
      "{\"variations\":{\"device\":{\"iphone\":{\"variations\":{\"plural\":{\"one\":\(unit("a")),\"other\":\(unit("b"))}}}}}}"
    let entry = try #require(try resources("\"A\":{\"localizations\":{\"en\":\(nested)}}").table("en")?["A"])
    #expect(
      entry.value
        == .plural([.init(category: "iphone.one", text: "a"), .init(category: "iphone.other", text: "b")]))
    #expect(entry.formatKey == "%#@value@")
  }

  @Test func readsSubstitutions() throws {
    func substitution(_ text: String) -> String {
      "{\"argNum\":1,\"formatSpecifier\":\"lld\",\"variations\":{\"plural\":{\"other\":\(unit(text))}}}"
    }
    let text =
      "{\"stringUnit\":{\"state\":\"translated\",\"value\":\"%#@birds@ in %#@trees@\"},\"substitutions\":{\"trees\":\(substitution("%arg trees")),"
      + "\"birds\":\(substitution("%arg birds"))}}"
    let resources = try resources("\"A\":{\"localizations\":{\"en\":\(text)}}")
    #expect(resources.problems == [])
    #expect(resources.table("en")?["A"]?.formatKey == "%#@birds@ in %#@trees@")
    #expect(resources.table("en")?["A"]?.value == .plural([.init(category: "other", text: "%arg birds")]))
  }

  /// Xcode writes the substitutions of texts for devices once, beside them.
  @Test func textsForDevicesShareSubstitutions() throws {
    func device(_ text: String) -> String {
      "{\"stringUnit\":{\"state\":\"translated\",\"value\":\"\(text)\"}}"
    }
    let forms = "{\"one\":\(unit("%arg photo")),\"other\":\(unit("%arg photos"))}"
    let text =
      "{\"substitutions\":{\"c\":{\"argNum\":1,\"formatSpecifier\":\"lld\",\"variations\":{\"plural\":\(forms)}}},"
      + "\"variations\":{\"device\":{\"iphone\":\(device("Tap: %#@c@ from %2$@")),"
      + "\"mac\":\(device("Click")),\"other\":\(device("%#@c@"))}}}"
    let entry = try #require(
      try resources("\"A\":{\"localizations\":{\"en\":\(text)}}").table("en")?["A"])
    #expect(entry.formatKey == "Tap: %#@c@ from %2$@")
    #expect(entry.pluralFormat?.format == "Tap: %#@c@ from %2$@")
    let variable = try #require(entry.pluralFormat?.variables.first)
    #expect(variable.position == 1)
    #expect(
      variable.forms == [
        .init(category: "one", text: "%arg photo"), .init(category: "other", text: "%arg photos"),
      ])
    guard case .plural(let all) = entry.value else {
      Issue.record("The entry is no plural.")
      return
    }
    #expect(all.map(\.category) == ["iphone.one", "iphone.other", "mac", "other.one", "other.other"])
  }

  @Test func reportsUndefinedSubstitutions() throws {
    let text =
      "{\"stringUnit\":{\"value\":\"%#@birds@\"},\"substitutions\":{\"trees\":{\"variations\":{\"plural\":{\"one\":\(unit("x"))}}}}}"
    let resources = try resources("\"A\":{\"localizations\":{\"en\":\(text)}}")
    #expect(resources.problems.count == 2)
    #expect(resources.problems.first?.message.contains("\"birds\"") == true)
    #expect(resources.problems.last?.message.contains("substitution \"trees\"") == true)
  }

  @Test func readsAStringSet() throws {
    let resources = try resources(
      "\"A\":{\"localizations\":{\"en\":{\"stringSet\":{\"state\":\"new\",\"values\":[\"x\",\"y\"]}}}}")
    #expect(resources.table("en")?["A"]?.value == .array(["x", "y"]))
    #expect(resources.table("en")?["A"]?.state == .new)
  }

  @Test func theLastOfEqualKeysWinsInAllItsLanguages() throws {
    let resources = try resources(
      "\"A\":{\"localizations\":{\"fr\":\(unit("1")),\"de\":\(unit("1"))}},\n\"A\":{\"localizations\":{\"fr\":\(unit("2")),\n\"fr\":\(unit("3"))}}"
    )
    #expect(resources.text("fr", "A") == "3")
    #expect(resources.table("de") == nil)
    #expect(resources.problems.map(\.kind) == [.duplicateKey, .duplicateKey])
    #expect(resources.problems.map(\.line) == [4, 5])
    #expect(resources.problems.map(\.key) == ["A", nil])
  }

  @Test func skipsUnknownMembers() throws {
    let resources = try resources(
      "\"A\":{\"new\":[1],\"localizations\":{\"en\":{\"x\":{},\"stringUnit\":{\"value\":\"v\",\"y\":1}}}}",
      head: "\"z\":null,\"sourceLanguage\":\"en\",\"version\":\"1.9\"")
    #expect(resources.problems == [])
    #expect(resources.text("en", "A") == "v")
  }

  @Test func reportsWrongTypes() throws {
    let resources = try resources(
      "\"A\":1,\"B\":{\"localizations\":[]},\"C\":{\"localizations\":{\"en\":5}},\"D\":{\"localizations\":{\"en\":{\"stringUnit\":{\"value\":5}}}}"
    )
    for key in ["A", "B", "C", "D"] { #expect(resources.text("en", key) == key) }
  }

  @Test func reportsAnUnknownVersionAndAMissingSourceLanguage() throws {
    let resources = try resources(
      "\"A\":{},\"B\":{\"localizations\":{\"fr\":\(unit("b"))}}", head: "\"version\":\"2.0\"")
    #expect(resources.problems.map(\.kind) == [.remark, .remark])
    #expect(resources.tables.map(\.name) == ["fr"])
  }

  @Test(arguments: [
    "", "{", "{\"strings\":{\n\"A\":}", "[]", "{\"sourceLanguage\":\"en\",\"version\":\"1.0\"}",
  ])
  func rejectsWhatIsNotACatalog(text: String) throws {
    let resources = try AppleAppFolder([
      "Localizable.xcstrings": text, "en.lproj/Localizable.strings": "A=1;",
    ]).read()
    #expect(resources.text("en", "A") == "1")
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func reportsTheLineOfASyntaxError() throws {
    let resources = try resources("\"A\":{}\n\"B\":{}")
    #expect(resources.problems.map(\.line) == [4])
  }

  @Test func acceptsAByteOrderMark() throws {
    let resources = try AppleAppFolder([
      "Localizable.xcstrings":
        "\u{FEFF}{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{\"A\":{}}}"
    ]).read()
    #expect(resources.text("en", "A") == "A")
  }

  @Test func reportsInvalidLanguages() throws {
    let resources = try resources("\"A\":{\"localizations\":{\n\"en-rGB\":\(unit("x"))}}")
    #expect(resources.problems.map(\.kind) == [.localeFolder])
    #expect(resources.problems.first?.line == 4)
    #expect(resources.problems.first?.message.contains("\"en-GB\"") == true)
    #expect(resources.text("en-rGB", "A") == "x")
  }
}
