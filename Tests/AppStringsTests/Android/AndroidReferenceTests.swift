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
}
