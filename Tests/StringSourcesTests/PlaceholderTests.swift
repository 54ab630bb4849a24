import AppStrings
import FCMMessage
import Testing

@testable import StringSources

/// The placeholders of all formats but ICU's, and the bounds of texts.
@Suite struct PlaceholderTests {
  private static let header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"

  /// What a text of a PO file shows, with the flag that says what its placeholders are.
  private func gettext(_ text: String, _ flag: String = "python-format") throws -> String {
    let folder = try SourceFolder([
      "de.po": Self.header + "#, \(flag)\nmsgid \"k\"\nmsgstr \"\(text)\"\n"
    ])
    let strings = folder.strings(.gettext, "{locale}.po", language: "de")
    #expect(strings.problems.isEmpty)
    return try #require(folder.shown(strings, "k").first).replacing(" (de.po:5)", with: "")
  }

  private func i18next(_ text: String) throws -> String {
    let folder = try SourceFolder(["de.json": "{\"k\": \"\(text)\"}"])
    return try #require(folder.shown(folder.strings(.i18next, "{locale}.json"), "k").first)
      .replacing(" (de.json:1)", with: "")
  }

  private func compose(_ text: String) throws -> String {
    let folder = try SourceFolder([
      "r/values/a.xml": "<resources><string name=\"k\">\(text)</string></resources>"
    ])
    return try #require(folder.shown(folder.strings(.compose, "r", language: "de"), "k").first)
      .replacing(" (r/values/a.xml:1)", with: "")
  }

  /// A vowel sign of Hindi, a joiner and an accent are one `Character` with what they follow.
  @Test(arguments: ["\u{940}", "\u{200D}", "\u{301}"])
  func whatCombinesWithAPlaceholderDoesNotHideIt(mark: String) throws {
    #expect(try i18next("100%\(mark) {{who}}\(mark)x") == "de: 100%\(mark) <who>\(mark)x")
    #expect(try compose("100%\(mark) %1$s\(mark) %2$d\(mark)") == "de: 100%\(mark) <0>\(mark) <1>\(mark)")
    #expect(try gettext("100%%\(mark) %(who)s\(mark) %s\(mark)") == "de: 100%\(mark) <who>\(mark) <0>\(mark)")
    #expect(
      try gettext("{{\(mark) {who}\(mark)", "python-brace-format") == "de: {\(mark) <who>\(mark)")
  }

  @Test func whatCombinesWithAMarkOfAPOFileDoesNotHideIt() throws {
    let text = "msgid \"k\"\nmsgstr \"\"\n\"\u{200D}a\"\n\"\u{301}b\"\n#\u{301} note\n"
    let folder = try SourceFolder(["de.po": Self.header + text])
    let strings = folder.strings(.gettext, "{locale}.po", language: "de")
    #expect(folder.problems(strings).isEmpty)
    #expect(folder.shown(strings, "k") == ["de: \u{200D}a\u{301}b (de.po:4)"])
  }

  @Test(arguments: [
    ("%(price).2f", "python-format"), ("%(n)5d", "python-format"), ("%(x)r", "python-format"),
    ("%.1f", "c-format"), ("%2$05d", "c-format"), ("%x", "c-format"), ("{price:.2f}", "python-brace-format"),
    ("{a.b}", "python-brace-format"),
  ])
  func formatsThatNoPhoneAppliesAreFaults(text: String, flag: String) throws {
    #expect(try gettext("a \(text) b", flag) == "de: ! \(text) has a format, which a phone cannot apply.")
  }

  @Test func placeholdersWithoutANameAreArgsByPosition() throws {
    #expect(try gettext("%s %ld %@ %3$s", "c-format") == "de: <0> <1> <2> <2>")
    #expect(try gettext("{} {1} {} {who}", "python-brace-format") == "de: <0> <1> <1> <who>")
    #expect(try gettext("%1000$s {", "c-format") == "de: %1000$s {")
    #expect(try compose("%1$ld %s %0$s %1$.2f") == "de: %1$ld %s <-1> %1$.2f")
  }

  @Test func percentSignsOfTextsWithoutAFormatStay() throws {
    #expect(try gettext("100% sure, %d and %(", "no-c-format") == "de: 100% sure, %d and %(")
    #expect(try gettext("50% off %(who)", "c-format") == "de: 50% off %(who)")
  }

  @Test(arguments: ["{{", "{{ }", "{", "}}", "{{\u{301}"])
  func bracesWithoutAnEndAreText(text: String) throws {
    #expect(try i18next("a \(text)") == "de: a \(text)")
  }

  /// A text of 10 MB took minutes.
  @Test func textsThatNoPhoneShowsAreFaults() throws {
    let long = String(repeating: "%%{{", count: 20_000)
    for shown in [try gettext(long), try i18next(long), try compose(long)] {
      #expect(shown == "de: ! The text is longer than 64 KiB.")
    }
  }

  @Test(arguments: ["[{\"k\": \"x\"}]", "\"k\"", "null"])
  func aJSONFileWithoutAnObjectIsAProblem(text: String) throws {
    let folder = try SourceFolder(["a_de.arb": text, "de.json": text])
    for strings in [folder.strings(.arb, "."), folder.strings(.i18next, "{locale}.json")] {
      #expect(strings.isIncomplete)
      #expect(strings.problems.map(\.message) == ["The file has no JSON object with texts."])
    }
  }
}
