import FCMMessage
import TestSupport
import Testing

@testable import AppStrings

/// What the build of an Android app refuses, and what a folder says about its strings.
@Suite struct AndroidBuildTests {
  private func read(_ files: [String: String]) throws -> StringResources {
    let folder = try TemporaryFolder()
    for (name, body) in files { try folder.write("<resources\(body)</resources>", to: "res/\(name)") }
    return StringResources.read(.android, folder: "\(folder.path)/res")
  }

  private func kinds(_ resources: StringResources) -> [ResourceProblem.Kind] {
    resources.problems.map(\.kind)
  }

  @Test(arguments: [
    ("default", "a keyword of Java"), ("1push", "begins with a digit"), ("42", "begins with a digit"),
    ("push new", "has a space"), ("push-new", "\"-\" is not allowed"), ("a:b", "\":\" is not allowed"),
    ("push$x", "\"$\" is not allowed"), ("a/b", "\"/\" is not allowed"), (".a", "\".\" is not allowed"),
    ("_", "a keyword"),
  ])
  func namesThatTheBuildRefuses(name: String, reason: String) throws {
    let resources = try read(["values/strings.xml": "><string name=\"\(name)\">x</string>"])
    #expect(kinds(resources) == [.invalidName])
    #expect(resources.problems.first?.message.contains(reason) == true)
    #expect(resources.problems.first?.key == name)
  }

  @Test(arguments: ["Push_Ok", "push.ok", "ключ", "_a", "a1", "defaults", "Default"])
  func namesThatTheBuildAccepts(name: String) throws {
    #expect(kinds(try read(["values/strings.xml": "><string name=\"\(name)\">x</string>"])).isEmpty)
  }

  @Test func aNameInTwoFilesOfOneFolderFailsTheBuild() throws {
    let text = "><string name=\"k\">x</string>"
    #expect(kinds(try read(["values/a.xml": text, "values/b.xml": text])) == [.duplicateResource])
    #expect(kinds(try read(["values/a.xml": text + text.dropFirst()])) == [.duplicateResource])
    #expect(kinds(try read(["values/a.xml": text, "values-de/b.xml": text])).isEmpty)
    #expect(kinds(try read(["values/a.xml": text, "values-land/b.xml": text])).isEmpty)
    let plural = "><plurals name=\"k\"><item quantity=\"other\">x</item></plurals>"
    #expect(kinds(try read(["values/a.xml": text, "values/b.xml": plural])).isEmpty)
    let products =
      "><string name=\"k\" product=\"tablet\">x</string><string name=\"k\" product=\"default\">x</string>"
    #expect(kinds(try read(["values/a.xml": products])).isEmpty)
  }

  @Test func theRootSaysThatNothingIsTranslated() throws {
    let file =
      " translatable=\"false\"><string name=\"a\">x</string><string name=\"b\" translatable=\"true\">y</string>"
    let table = try read(["values/keys.xml": file]).table("default")
    #expect(table?["a"]?.isTranslatable == false)
    #expect(table?["b"]?.isTranslatable == true)
  }

  @Test(arguments: [
    ("values-cmn", "zh"), ("values-arb", "ar"), ("values-zsm", "ms"), ("values-ekk", "et"),
    ("values-lvs", "lv"),
    ("values-sh", "sr-Latn"), ("values-prs", "fa-AF"), ("values-deu", "de"), ("values-ger", "de"),
    ("values-mo", "ro"),
  ])
  func codesThatOthersReplaced(folder: String, language: String) throws {
    let resources = try read([
      "values/a.xml": "><string name=\"k\">x</string>", "\(folder)/a.xml": "><string name=\"k\">x</string>",
    ])
    #expect(kinds(resources) == [.unreachable])
    #expect(resources.problems.first?.message.contains("\"\(language)\"") == true)
  }

  @Test(arguments: [
    "values-tl", "values-fil", "values-zh", "values-yue", "values-nb", "values-sr", "values-tlh",
  ])
  func codesThatPhonesHave(folder: String) throws {
    let text = "><string name=\"k\">x</string>"
    #expect(kinds(try read(["values/a.xml": text, "\(folder)/a.xml": text])).isEmpty)
  }

  @Test func noPhoneHasAnUndeterminedLanguage() throws {
    let text = "><string name=\"k\">x</string>"
    #expect(kinds(try read(["values/a.xml": text, "values-und/a.xml": text])) == [.unreachable])
  }

  @Test func englishUnderSerbianIsNotSerbianInLatinLetters() throws {
    let english = "><string name=\"k\">You have new messages</string>"
    #expect(kinds(try read(["values/a.xml": english, "values-sr/a.xml": english])).isEmpty)
    let latin = "><string name=\"k\">Imate nove poruke</string>"
    let resources = try read(["values/a.xml": english, "values-sr/a.xml": latin])
    #expect(kinds(resources) == [.unreachable])
    #expect(resources.problems.first?.message.contains("Latin letters") == true)
  }

  @Test func aMergeConflictIsCalledOne() throws {
    let file = """
      >
      <string name="a">x</string>
      <<<<<<< HEAD
      <string name="k">x</string>
      =======
      <string name="k">y</string>
      >>>>>>> other

      """
    let problem = try #require(try read(["values/a.xml": file]).problems.first)
    #expect(problem.kind == .unparsable)
    #expect(problem.line == 3)
    #expect(problem.message.contains("merge conflict"))
  }
}
