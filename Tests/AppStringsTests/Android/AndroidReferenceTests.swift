internal import JSON
@testable import AppStrings
import Testing

/// The targets of `@string/x`, and what `tools:keep` keeps.
@Suite struct AndroidReferenceTests {
  @Test func followsReferencesInTheSameLocaleThenItsParentsThenTheDefault() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<string name=\"a\">default a</string><string name=\"b\">default b</string><string name=\"c\">default c</string>",
      "values-b+zh+Hant/s.xml": "<string name=\"b\">Hant b</string><string name=\"c\">Hant c</string>",
      "values-b+zh+Hant+HK/s.xml": """
      <string name="c">HK c</string><string name="ra">@string/a</string><string name="rb"> @string/b </string>
      <string name="rc">@com.example:string/c</string>
      """,
    ])
    let texts = resources.texts("zh-Hant-HK")
    #expect([texts["ra"], texts["rb"], texts["rc"]] == ["default a", "Hant b", "HK c"])
    #expect(resources.problems == [])
  }

  @Test func followsReferencesToReferences() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<string name=\"a\">@string/b</string><string name=\"b\">@string/c</string><string name=\"c\">\\@string/d</string>",
      "values-fr/s.xml": "<string name=\"c\">fr</string><string name=\"r\">@string/a</string>",
    ])
    #expect(resources.texts("default")["a"] == "@string/d")
    #expect(resources.texts("fr")["r"] == "fr")
    #expect(resources.problems == [])
  }

  @Test(arguments: ["", "s0"])
  func boundsWhatIsReportedOfAChainOfReferences(end: String) throws {
    let count = 2_000
    let chain = (0..<count).map { number in
      let next = number + 1 < count ? "@string/s\(number + 1)" : end.isEmpty ? "end" : "@string/\(end)"
      return "<string name=\"s\(number)\">\(next)</string>"
    }
    var limits = AndroidLimits()
    limits.referenceProblemsMax = 100
    let resources = try readAndroid(["values/s.xml": chain.joined()], limits: limits)
    #expect(resources.problems.count == 101)
    #expect(resources.problems.contains { $0.message.hasPrefix("There are more references without a text") })
    #expect(resources.table("default")?.entries.count == count)
  }

  /// A phone takes the text of the name that `values/` refers to in its own language.
  @Test func languagesInheritTheTextsOfReferences() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<string name=\"title\">@string/alias</string><string name=\"alias\">@string/text</string>"
        + "<string name=\"text\">Text</string>",
      "values-fr/s.xml": "<string name=\"text\">Texte</string>",
      "values-fr-rCA/s.xml": "<string name=\"text\">Texte CA</string>",
      "values-fr-rCH/s.xml": "<string name=\"other\">x</string>",
      "values-de/s.xml": "<string name=\"alias\">Eigener</string><string name=\"text\">Text de</string>",
      "values-it/s.xml": "<string name=\"title\">Titolo</string><string name=\"text\">Testo</string>",
      "values-ja/s.xml": "<plurals name=\"title\"><item quantity=\"other\">p</item></plurals>"
        + "<string name=\"text\">テ</string>",
    ])
    func title(_ locale: String) -> String? {
      resources.lookUp("title", preferring: [locale], developmentLanguage: nil).entry?.text
    }
    #expect(
      ["en", "fr", "fr-CA", "fr-CH", "de", "it", "ja"].map(title)
        == ["Text", "Texte", "Texte CA", "Texte", "Eigener", "Titolo", "テ"])
    let french = try #require(resources.table("fr")?["title"])
    #expect(french.isInherited)
    #expect(french.file.hasSuffix("values-fr/s.xml"))
    #expect(resources.table("it")?["title"]?.isInherited == false)
    #expect(resources.table("ja")?.resources(named: "title").count == 2)
    #expect(resources.table("fr-CH")?["title"] == nil)
    #expect(resources.table("default")?["title"]?.reference == "alias")
    #expect(resources.problems == [])
  }

  /// They are typed values, for which `getString` gives the number of a reference, or nothing.
  @Test func nullAndEmptyAreNoTexts() throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"n\">@null</string><string name=\"e\"> @empty </string>"
        + "<string name=\"t\"></string><string-array name=\"a\"><item>@null</item></string-array>"
    ])
    let table = try #require(resources.table("default"))
    #expect(["n", "e", "t", "a"].map { table[$0]?.absence } == [.null, .empty, nil, nil])
    #expect(table["n"]?.text == "")
    func outcome(_ key: String) -> SlotOutcome {
      let lookup = resources.lookUp(key, preferring: ["en"], developmentLanguage: nil)
      return AndroidDevice(language: nil).outcome(key: key, lookup: lookup, args: ["x"])
    }
    #expect(outcome("n") == .text("@0"))
    guard case .crash("android.content.res.Resources$NotFoundException", _) = outcome("e") else {
      Issue.record("@empty is \(outcome("e"))")
      return
    }
  }

  /// With more references than an app has, the languages inherit nothing rather than fill the memory.
  @Test func inheritanceIsBounded() throws {
    let names = (0..<300).map { "k\($0)" }
    let aliases = names.map { "<string name=\"\($0)\">@string/text</string>" }.joined()
    let resources = try readAndroid(["values/s.xml": "<string name=\"text\">Text</string>" + aliases])
    let source = try #require(resources.table("default"))
    let text = StringEntry(key: "text", value: .string("T"), file: "x", line: nil)
    func inherited(by count: Int) -> Int {
      let others = (0..<count).map { index in
        StringTable(
          name: "language\(index)", locale: nil, entries: [ExactText("text"): text])
      }
      return InheritedStrings.adding(to: [source] + others).dropFirst().map { $0.entries.count - 1 }.reduce(
        0, +)
    }
    #expect(inherited(by: 2) == 600)
    #expect(inherited(by: 2_000) == 0)
  }

  /// Phones take each form's text in their own language.
  @Test func languagesInheritPluralsOfReferences() throws {
    func string(_ name: String, _ text: String) -> String { "<string name=\"\(name)\">\(text)</string>" }
    let plural = """
      <plurals name="p"><item quantity="one">@string/p1</item><item quantity="few">some</item>
      <item quantity="other">@string/alias</item></plurals>
      """
    let resources = try readAndroid([
      "values/s.xml": plural + string("p1", "one") + string("p2", "%d") + string("alias", "@string/p2"),
      "values-fr/s.xml": string("p1", "un"), "values-fr-rCA/s.xml": string("p2", "%d au Canada"),
      "values-de/s.xml": string("x", "x"),
      "values-pl/s.xml": string("p2", "%d po polsku") + string("p", "p"),
      "values-ro/s.xml": "<plurals name=\"p\"><item quantity=\"other\">r</item></plurals>"
        + string("p1", "o"),
    ])
    func forms(_ table: String) -> [String]? {
      for entry in resources.table(table)?.resources(named: "p") ?? [] {
        if case .plural(let forms) = entry.value { return forms.map(\.text) }
      }
      return nil
    }
    #expect(forms("default") == ["one", "some", "%d"])
    #expect(forms("fr") == ["un", "some", "%d"])
    #expect(forms("fr-CA") == ["un", "some", "%d au Canada"])
    #expect(forms("de") == nil)
    #expect(forms("pl") == ["one", "some", "%d po polsku"])
    #expect(resources.table("pl")?["p"]?.text == "p")
    #expect(forms("ro") == ["r"])
    let french = resources.table("fr")?["p"]
    #expect(french?.isInherited == true)
    #expect(french?.file == "\(resources.folder)/values-fr/s.xml")
    #expect(resources.lookUp("p", preferring: ["fr"], developmentLanguage: nil).entry == nil)
  }

  @Test func reportsCycles() throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"a\">@string/b</string><string name=\"b\">@string/a</string>"
    ])
    #expect(resources.texts("default") == ["a": "@string/b", "b": "@string/a"])
    #expect(resources.problems.map(\.kind) == [.unparsable, .unparsable])
    #expect(resources.problems.map(\.key) == ["a", "b"])
  }

  @Test func followsNoMoreReferencesThanPhonesDo() throws {
    let chain = (0..<30).map { "<string name=\"k\($0)\">@string/k\($0 + 1)</string>" }.joined()
    let resources = try readAndroid(["values/s.xml": chain + "<string name=\"k30\">end</string>"])
    let texts = resources.texts("default")
    #expect(texts["k10"] == "end")
    #expect(texts["k9"] == "@string/k10")
    #expect(resources.problems.count == 10)
  }

  @Test func reportsTargetsThatAreMissingOrNotStrings() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<string name=\"a\">@string/p</string><plurals name=\"p\"><item quantity=\"other\">x</item></plurals>",
      "values-fr/s.xml": "<string name=\"f\">x</string>",
      "values-de/s.xml": "<string name=\"d\">@string/f</string>",
    ])
    #expect(resources.problems.map(\.kind) == [.remark, .remark])
    #expect(resources.problems.map(\.table) == ["de", "default"])
    #expect(resources.texts("de")["d"] == "@string/f")
  }

  @Test func readsWhatTheShrinkerKeeps() throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": "<resources/>",
      "raw/keep.xml":
        "<resources xmlns:tools=\"http://schemas.android.com/tools\" tools:keep=\"@string/push_*, @layout/x,@string/b \"/>",
      "raw-fr/more.xml":
        "<resources xmlns:t=\"http://schemas.android.com/tools\" t:keep=\"@com.x:string/c\" t:discard=\"@string/d\"/>",
      "raw/data.xml": "<other>", "raw/sound.ogg": "",
    ])
    #expect(resources.keptNames?.map(\.pattern) == ["push_*", "b", "c"])
    #expect(resources.problems == [])
  }

  @Test(arguments: ["<resources/>", "<resources keep=\"@string/a\"/>"])
  func keepsNothingWithoutAKeepAttribute(document: String) throws {
    let resources = try readAndroid(documents: ["values/s.xml": "<resources/>", "raw/keep.xml": document])
    #expect(resources.keptNames == nil)
  }

  @Test func aKeepAttributeWithoutStringsKeepsNoString() throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": "<resources/>",
      "raw/keep.xml":
        "<resources xmlns:tools=\"http://schemas.android.com/tools\" tools:keep=\"@layout/x\"/>",
    ])
    #expect(resources.keptNames == [])
  }

  /// The text is in a library or in the system, or it is no string: only phones know what they show.
  @Test func textsThatTheResourcesDoNotHaveAreUnknown() throws {
    let resources = try readAndroid([
      "values/s.xml": """
      <string name="library">@string/lib_title</string><string name="system">@android:string/ok</string>
      <string name="color">@color/red</string><string name="loop">@string/loop</string>
      <string name="alias">@string/system</string><string name="attribute">?attr/x</string>
      <string name="own">@string/text</string><string name="text">Text</string>
      <string name="literal">\\@string/lib_title</string>
      <plurals name="plural"><item quantity="one">a</item><item quantity="other">@string/lib</item></plurals>
      """,
      "values-fr/s.xml": "<string name=\"system\">Oui</string>",
    ])
    let table = try #require(resources.table("default"))
    let unknown = ["library", "system", "color", "loop", "alias", "attribute", "plural"]
    #expect(table.entries.values.filter(\.isUnresolved).map(\.key).sorted() == unknown.sorted())
    func outcome(_ key: String, _ locale: String = "en") -> SlotOutcome {
      let lookup = resources.lookUp(key, preferring: [locale], developmentLanguage: nil)
      return AndroidDevice(language: nil).outcome(key: key, lookup: lookup, args: [])
    }
    for key in unknown.dropLast() {
      guard case .unknownText = outcome(key) else {
        Issue.record("\(key) is \(outcome(key))")
        continue
      }
    }
    #expect(outcome("alias", "fr") == .text("Oui"))
    #expect(outcome("own") == .text("Text"))
    #expect(outcome("literal") == .text("@string/lib_title"))
  }
}
