import AppStrings
import FCMMessage
import JSON
import Testing

/// Strings that only some phones use in place of those for all: `values-v31`, `values-sw600dp`.
@Suite struct AndroidAlternativeTests {
  private func string(_ text: String, name: String = "k") -> String {
    "<string name=\"\(name)\">\(text)</string>"
  }

  private func alternatives(_ resources: StringResources, _ table: String, _ key: String = "k") -> [String] {
    (resources.table(table)?.alternatives(of: key) ?? []).map { "\($0.qualifiers ?? "") \($0.text ?? "")" }
  }

  @Test func areKeptBesideTheStringForAllPhones() throws {
    let resources = try readAndroid([
      "values/s.xml": string("all"), "values-v26/s.xml": string("26"),
      "values-sw600dp-v13/s.xml": string("tablet"),
      "values-mcc310-fr-land-night-v31/s.xml": string("nuit"), "values-fr/s.xml": string("tous"),
      "values-v23/s.xml": string("23"),
    ])
    #expect(resources.texts("default") == ["k": "23"])
    #expect(alternatives(resources, "default") == ["v26 26", "sw600dp tablet"])
    #expect(alternatives(resources, "fr") == ["mcc310-land-night-v31 nuit"])
    let tablet = resources.table("default")?.alternatives(of: "k").last
    #expect(tablet?.file == "\(resources.folder)/values-sw600dp-v13/s.xml")
    #expect(tablet?.line == 1)
    #expect(tablet?.isConditional == true)
  }

  @Test func areKeptWhereNoStringIsForAllPhones() throws {
    let resources = try readAndroid([
      "values/s.xml": "", "values-land/s.xml": string("wide"), "values-sw600dp/s.xml": string("tablet"),
    ])
    #expect(resources.table("default")?["k"]?.qualifiers == "land")
    #expect(alternatives(resources, "default") == ["sw600dp tablet"])
  }

  /// Phones with `iw` use the folder of that name.
  @Test func haveDifferentQualifiers() throws {
    let resources = try readAndroid([
      "values/s.xml": string("all"), "values-iw-land/s.xml": string("iw"),
      "values-he-land/s.xml": string("he"),
      "values-iw/s.xml": string("both"),
    ])
    #expect(alternatives(resources, "he") == ["land iw"])
  }

  @Test func arePluralsOnlyUnderTheNameOfAString() throws {
    let plural = "<plurals name=\"k\"><item quantity=\"other\">p</item></plurals>"
    let resources = try readAndroid([
      "values/s.xml": string("all") + plural, "values-land/s.xml": plural, "values-v31/s.xml": string("31"),
    ])
    #expect(alternatives(resources, "default") == ["v31 31"])
  }

  @Test func areLimitedInNumber() throws {
    var files = ["values/s.xml": string("all")]
    for width in 100..<150 { files["values-w\(width)dp/s.xml"] = string("\(width)") }
    let resources = try readAndroid(files)
    #expect(alternatives(resources, "default").count == StringTable.alternativesMax)
  }

  @Test func haveTheTextsOfTheirReferences() throws {
    let resources = try readAndroid([
      "values/s.xml": string("@string/x") + string("X", name: "x") + string("Y", name: "y"),
      "values-v31/s.xml": string("@string/y") + string("@android:string/ok", name: "x"),
      "values-fr/s.xml": string("X fr", name: "x"), "values-fr-v26/s.xml": string("X 26 fr", name: "x"),
    ])
    #expect(alternatives(resources, "default") == ["v31 Y", "v31 @android:string/ok"])
    #expect(resources.table("default")?.alternatives(of: "x").first?.isUnresolved == true)
    // French has the string through the reference in values/.
    #expect(alternatives(resources, "fr") == ["v26 X 26 fr"])
  }

  /// Nearly all phones have Android 8; those with Android 13 are fewer.
  @Test(arguments: [
    (["v26"], "v26"), (["v24", "v31", "v28"], "v31"), (["v33"], "all"), (["land"], "all"),
    (["land-v26"], "all"),
    (["v33", "v26"], "v26"),
  ])
  func aPreviewShowsTheOneThatMostPhonesUse(qualifiers: [String], shown: String) throws {
    var files = ["values/s.xml": string("all")]
    for folder in qualifiers { files["values-\(folder)/s.xml"] = string(folder) }
    let resources = try readAndroid(files)
    let lookup = resources.lookUp("k", preferring: ["en"], developmentLanguage: nil)
    #expect(lookup.entry?.text == shown)
  }
}
