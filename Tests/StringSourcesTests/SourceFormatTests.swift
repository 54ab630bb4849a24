import AppStrings
import FCMMessage
import Testing

@testable import StringSources

/// Files of each format, with the places of their texts.
@Suite struct SourceFormatTests {
  @Test func arbFilesAreReadAsFlutterDoes() throws {
    let folder = try SourceFolder([
      "l10n.yaml": "arb-dir: lib/l10n\ntemplate-arb-file: my_app_de.arb\nuse-escaping: true\n",
      "lib/l10n/my_app_de.arb": "\u{FEFF}{\n  \"hi\": \"Hallo '{'{name}\",\n  \"@hi\": {\"x\": \"y\"}\n}",
      "lib/l10n/other.arb": "{\"@@locale\": \"pt_BR\", \"hi\": \"Oi\",\n\"hi\": \"Olá {name}\"}",
      "lib/l10n/app_zh_Hant_TW.arb": "{\"hi\":\n\"嗨\"}", "lib/l10n/broken_fr.arb": "{\"hi\": }",
      "lib/l10n/nothing.arb": "{}",
    ])
    let strings = folder.strings(.arb, "lib/l10n")
    #expect(
      folder.shown(strings, "hi") == [
        "de: Hallo {<name> (lib/l10n/my_app_de.arb:2)", "pt-BR: Olá <name> (lib/l10n/other.arb:2)",
        "zh-Hant-TW: 嗨 (lib/l10n/app_zh_Hant_TW.arb:1)",
      ])
    #expect(strings.sourceLanguage?.description == "de")
    #expect(strings.isIncomplete)
    #expect(
      folder.problems(strings).sorted() == [
        "lib/l10n/broken_fr.arb:1 The file is not valid JSON: expected a value (column 8).",
        "lib/l10n/nothing.arb:0 Neither the file's name nor its content tells its language.",
        "lib/l10n/other.arb:2 The file has the key before, too. The last text counts.",
      ])
    #expect(folder.shown(folder.strings(.arb, "."), "hi").count == 3)
  }

  @Test func i18nextFilesNestAndHavePlurals() throws {
    let folder = try SourceFolder([
      "locales/en/push.json": """
      {"chat": {
         "new_one": "{{count}} message from {{- sender}}", "new_other": "{{ count }} messages",
         "new_zero": "Nothing", "plain": "100% {{", "ref": "$t(a)", "money": "{{x, currency}}"},
       "flat.key": "Flat", "list": ["a"], "empty": ""}
      """,
      "locales/pl/push.json":
        "{\"chat\": {\"new_one\": \"1\", \"new_few\": \"{{count}} few\"}, \"flat\": {\"key\": \"P\"}}",
      "locales/README/push.json": "{}", "locales/fr/other.json": "{}",
    ])
    let strings = folder.strings(.i18next, "locales/{locale}/push.json")
    let file = "(locales/en/push.json"
    #expect(
      folder.shown(strings, "chat.new", 0) == ["en: Nothing \(file):2)", "pl: - (locales/pl/push.json:1)"])
    #expect(folder.shown(strings, "chat.new", 1).first == "en: <count> message from <sender> \(file):2)")
    #expect(folder.shown(strings, "push:chat.new", 3).last == "pl: <count> few (locales/pl/push.json:1)")
    #expect(folder.shown(strings, "chat.plain") == ["en: 100% {{ \(file):3)"])
    #expect(folder.shown(strings, "flat.key").map { $0.prefix(6) } == ["en: Fl", "pl: P "])
    #expect(folder.shown(strings, "chat.ref").first?.hasPrefix("en: ! $t(…)") == true)
    #expect(
      folder.shown(strings, "chat.money").first?.hasPrefix("en: ! {{x, currency}} has a format") == true)
    #expect(folder.shown(strings, "empty") == ["en:  \(file):4)"])
    #expect(strings.problems.isEmpty)
  }

  @Test func composeResourcesHaveEscapesOfTheirOwn() throws {
    let folder = try SourceFolder([
      "res/values/strings.xml": """
      <resources>
        <string name="hi">It's 50% "%1$s" \\u00e9\\ud83c\\udf89 \\\\n\\n%2$d \\'</string>
        <plurals name="n"><item quantity="one">%1$d</item>
          <item quantity="other">%1$d of %2$s</item></plurals>
      </resources>
      """,
      "res/values-pt-rBR/a.xml": "<resources><string name=\"hi\">Oi &amp; %1$s</string></resources>",
      "res/values-night/a.xml": "<resources><string name=\"hi\">x</string></resources>",
      "res/values-fr/a.xml": "<resources><string name=\"hi\">x</resources>",
    ])
    let strings = folder.strings(.compose, "res", language: "de")
    #expect(
      folder.shown(strings, "hi").filter { !$0.hasPrefix("fr") } == [
        "de: It's 50% \"<0>\" é🎉 \\n\n<1> \\' (res/values/strings.xml:2)",
        "pt-BR: Oi & <0> (res/values-pt-rBR/a.xml:1)",
      ])
    #expect(folder.shown(strings, "n", 1) == ["de: <0> (res/values/strings.xml:3)"])
    #expect(folder.shown(strings, "n", 2) == ["de: <0> of <1> (res/values/strings.xml:3)"])
    #expect(folder.problems(strings).contains { $0.hasPrefix("res/values-fr/a.xml:1") })
  }

  @Test func gettextFilesHavePluralsContextsAndFuzzyTexts() throws {
    let header = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
    let folder = try SourceFolder([
      "po/pl.po": header + """
        "Plural-Forms: nplurals=3; plural=n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2;\\n"

        #, python-format
        msgid "%(n)d file from %(who)s, 100%%"
        msgid_plural "%(n)d files from %(who)s, 100%%"
        msgstr[0] "%(n)d plik"
        msgstr[1] "%(n)d pliki"
        msgstr[2] ""
        "%(n)d "
        "plików"

        #, fuzzy
        msgid "Old"
        msgstr "Stary"

        msgctxt "menu"
        msgid "Open"
        msgstr "Otwórz\\t\\"50% taniej\\""
        #~ msgid "gone"
        #~ msgstr "x"
        #, c-format
        msgid "%s to %2$s"
        msgstr "%2$s od %1$s"
        """,
      "po/sr@latin.po": "msgid \"Open\"\r\nmsgstr \"Otvori\"\r\nnonsense\r\nmsgid \"x\" y\r\n",
    ])
    let strings = folder.strings(.gettext, "po/{locale}.po")
    let plural = "%(n)d file from %(who)s, 100%%"
    #expect(
      folder.shown(strings, plural, 1) == [
        "en: <n> file from <who>, 100% (po/pl.po:7)", "pl: <n> plik (po/pl.po:7)",
      ])
    #expect(folder.shown(strings, plural, 22).last == "pl: <n> pliki (po/pl.po:7)")
    #expect(
      folder.shown(strings, plural, 5) == [
        "en: <n> files from <who>, 100% (po/pl.po:7)", "pl: <n> plików (po/pl.po:7)",
      ])
    #expect(folder.shown(strings, "Old") == ["en: Old (po/pl.po:16)"])
    #expect(folder.shown(strings, "menu|Open").last == "pl: Otwórz\t\"50% taniej\" (po/pl.po:20)")
    #expect(folder.shown(strings, "menu\u{4}Open").count == 2)
    #expect(folder.shown(strings, "Open").count == 3)
    #expect(
      folder.shown(strings, "%s to %2$s") == ["en: <0> to <1> (po/pl.po:25)", "pl: <1> od <0> (po/pl.po:25)"])
    #expect(folder.shown(strings, "gone").isEmpty)
    #expect(
      folder.problems(strings) == [
        "po/sr@latin.po:3 \"nonsense\" is no keyword of a .po file.",
        "po/sr@latin.po:4 A text must be in double quotes, with its own quotes escaped.",
      ])
  }

  @Test func theSourceLanguageHasItsOwnTextsInGettext() throws {
    let folder = try SourceFolder([
      "po/en.po":
        "msgid \"A\"\nmsgstr \"\"\n\nmsgid \"B\"\nmsgstr \"Bee\"\n\nmsgid \"c\"\nmsgid_plural \"cs\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
      "po/de.po": "msgid \"A\"\nmsgstr \"\"\n",
    ])
    let strings = folder.strings(.gettext, "po/{locale}.po")
    #expect(folder.shown(strings, "A") == ["en: A (po/en.po:1)"])
    #expect(folder.shown(strings, "B") == ["en: Bee (po/en.po:4)"])
    #expect(folder.shown(strings, "c", 1) == ["en: c (po/en.po:7)"])
    #expect(folder.shown(strings, "c", 0) == ["en: cs (po/en.po:7)"])
  }

  @Test(arguments: [
    (StringSourceLocation.Format.arb, "none"), (.i18next, "none/{locale}.json"), (.compose, "none"),
    (.gettext, "none/{locale}.po"), (.gettext, "{locale}.po"),
  ])
  func anAbsentSourceIsAProblem(format: StringSourceLocation.Format, path: String) throws {
    let folder = try SourceFolder(["x.txt": ""])
    let strings = folder.strings(format, path)
    #expect(strings.languages.isEmpty)
    #expect(strings.isIncomplete)
    #expect(strings.problems.count == 1)
  }

  @Test(arguments: StringSourceLocation.Format.allCases)
  func anyBytesAreReadWithoutATrap(format: StringSourceLocation.Format) throws {
    let hostile = [
      "", "\u{0}", "{", "[[[[", "\"", "{\"a\": {\"b\": {\"c\": 1}}}", "msgid", "msgid \"", "msgstr[9] \"x\"",
      "\"stray\"", "msgid \"a\\", "<", "<resources><string/><plurals name=\"x\"><item/></plurals>",
      "{\"a\": \"{{{{\"}",
      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=9; plural=n%%;\\n\"",
      String(repeating: "{\"a\":", count: 5_000),
    ]
    for text in hostile {
      let folder = try SourceFolder([
        "d/values/a.xml": text, "d/a_en.arb": text, "d/en.json": text, "d/en.po": text,
      ])
      let path =
        switch format {
        case .arb, .compose: "d"
        case .i18next: "d/{locale}.json"
        case .gettext: "d/{locale}.po"
        }
      let strings = folder.strings(format, path)
      for key in strings.keys { _ = folder.shown(strings, key, .max) }
    }
  }

  @Test func earlierSourcesWin() throws {
    let folder = try SourceFolder([
      "a/en.json": "{\"k\": \"first\"}", "b/en.json": "{\"k\": \"second\", \"l\": \"L\"}",
    ])
    let strings = SourceStrings(
      ["a", "b"].map { .init(.i18next, "\(folder.path)/\($0)/{locale}.json", line: 1) },
      developmentLanguage: nil)
    #expect(folder.shown(strings, "k") == ["en: first (a/en.json:1)"])
    #expect(folder.shown(strings, "l") == ["en: L (b/en.json:1)"])
  }
}
