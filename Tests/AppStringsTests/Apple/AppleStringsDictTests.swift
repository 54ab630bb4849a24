import Testing

@testable import AppStrings

@Suite struct AppleStringsDictTests {
  private func resources(_ entries: String, strings: String = "Z=1;") throws -> StringResources {
    try AppleAppFolder([
      "en.lproj/Localizable.stringsdict": StringsDictText.file(entries),
      "en.lproj/Localizable.strings": strings,
    ]).read()
  }

  @Test func readsAPlural() throws {
    let variable = StringsDictText.variable("count", [("one", "%d file"), ("other", "%d files")])
    let resources = try resources(
      "<key>N</key><dict>\(StringsDictText.format("%#@count@"))\(variable)</dict>")
    let entry = try #require(resources.table("en")?["N"])
    #expect(
      entry.value
        == .plural([.init(category: "one", text: "%d file"), .init(category: "other", text: "%d files")]))
    #expect(entry.formatKey == "%#@count@")
    #expect(entry.line == 4)
    #expect(resources.problems == [])
    #expect(resources.text("en", "Z") == "1")
  }

  @Test func takesPrecedenceOverTheSameKeyInStrings() throws {
    let resources = try resources("<key>A</key><string>dict</string>", strings: "A=plain;B=2;")
    #expect(resources.text("en", "A") == "dict")
    #expect(resources.text("en", "B") == "2")
    #expect(resources.problems == [])
  }

  @Test func usesTheFormsOfTheFirstVariable() throws {
    let variables =
      StringsDictText.variable("b", [("other", "B")]) + StringsDictText.variable("a", [("other", "A")])
    let resources = try resources(
      "<key>N</key><dict>\(variables)\(StringsDictText.format("%1$#@a@ in %2$#@b@"))</dict>")
    #expect(resources.table("en")?["N"]?.value == .plural([.init(category: "other", text: "A")]))
    #expect(resources.problems == [])
  }

  @Test func reportsAMissingOther() throws {
    let variable = StringsDictText.variable("n", [("one", "x")])
    let resources = try resources("\n<key>N</key><dict>\(StringsDictText.format("%#@n@"))\(variable)</dict>")
    #expect(resources.problems.map(\.kind) == [.suspicious])
    #expect(resources.problems.first?.line == 5)
    #expect(resources.problems.first?.key == "N")
    #expect(resources.problems.first?.message.contains("\"other\"") == true)
    #expect(resources.table("en")?["N"]?.value == .plural([.init(category: "one", text: "x")]))
  }

  @Test func reportsAMissingFormat() throws {
    let resources = try resources(
      "<key>N</key><dict>\(StringsDictText.variable("n", [("other", "x")]))</dict>", strings: "N=plain;")
    #expect(resources.problems.map(\.kind) == [.suspicious])
    #expect(resources.problems.first?.message.contains("NSStringLocalizedFormatKey") == true)
    #expect(resources.table("en")?["N"]?.formatKey == nil)
    #expect(resources.text("en", "N") == nil)
  }

  @Test func reportsUndefinedVariablesAndMissingRules() throws {
    let rule = "<key>m</key><dict><key>other</key><string>x</string></dict>"
    let resources = try resources("<key>N</key><dict>\(StringsDictText.format("%#@n@ %#@m@"))\(rule)</dict>")
    #expect(resources.problems.count == 2)
    #expect(resources.problems.first?.message.contains("\"n\", which is not defined") == true)
    #expect(resources.problems.last?.message.contains("NSStringPluralRuleType") == true)
  }

  @Test func readsWidths() throws {
    let widths =
      "<key>NSStringVariableWidthRuleType</key><dict><key>20</key><string>Hi</string><key>50</key><string>Hello</string></dict>"
    let entry = try #require(try resources("<key>W</key><dict>\(widths)</dict>").table("en")?["W"])
    #expect(
      entry.value == .plural([.init(category: "20", text: "Hi"), .init(category: "50", text: "Hello")]))
    #expect(entry.formatKey == "Hello")
  }

  @Test func readsDeviceVariationsAndTheirContents() throws {
    let nested = StringsDictText.format("%#@n@") + StringsDictText.variable("n", [("other", "%d")])
    let devices =
      "<key>NSStringDeviceSpecificRuleType</key><dict><key>mac</key><string>Click</string><key>iphone</key><dict>\(nested)</dict></dict>"
    let resources = try resources("<key>D</key><dict>\(devices)</dict>")
    #expect(resources.problems == [])
    let entry = try #require(resources.table("en")?["D"])
    #expect(
      entry.value
        == .plural([.init(category: "mac", text: "Click"), .init(category: "iphone.other", text: "%d")]))
    #expect(entry.formatKey == "%#@n@")
  }

  @Test func reportsWhenNoDeviceIsAnIPhone() throws {
    let devices = "<key>NSStringDeviceSpecificRuleType</key><dict><key>mac</key><string>Click</string></dict>"
    let resources = try resources("<key>D</key><dict>\(devices)</dict>")
    #expect(resources.problems.map(\.kind) == [.suspicious])
    #expect(resources.table("en")?["D"]?.formatKey == nil)
  }

  @Test func invalidFileDoesNotAffectTheOtherOfItsLanguage() throws {
    let resources = try AppleAppFolder([
      "en.lproj/Localizable.stringsdict": "<plist><dict><key>A</key>", "en.lproj/Localizable.strings": "A=1;",
    ]).read()
    #expect(resources.text("en", "A") == "1")
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func reportsDuplicates() throws {
    let resources = try resources("<key>A</key><string>1</string>\n<key>A</key><string>2</string>")
    #expect(resources.text("en", "A") == "2")
    #expect(resources.problems.map(\.kind) == [.duplicateKey])
    #expect(resources.problems.map(\.line) == [5])
  }

  @Test(arguments: [
    ("%#@a@", ["a"]), ("%1$#@a@ %2$#@b c@!", ["a", "b c"]), ("%%#@a@", []), ("%d %@ %#@a", []), ("%", []),
    ("%1$", []), ("%%%#@x@", ["x"]),
    ("%12%#@x@", ["x"]), ("", []),
  ])
  func findsTheVariablesOfAFormat(format: String, names: [String]) {
    #expect(AppleVariations.variables(in: format) == names)
  }
}
