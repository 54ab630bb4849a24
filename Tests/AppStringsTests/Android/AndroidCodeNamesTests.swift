@testable import AppStrings
import Testing

/// The search for strings that an app's code names.
@Suite struct AndroidCodeNamesTests {
  private func names(
    _ files: [String: String], res: String, limits: AndroidCodeNames.Limits = .init()
  ) throws
    -> AndroidCodeNames
  {
    let fixture = try AndroidFixture(files.mapValues { Array($0.utf8) })
    return withExtendedLifetime(fixture) {
      AndroidCodeNames(besideResources: "\(fixture.folder)/\(res)", limits: limits)
    }
  }

  private static let project = [
    "settings.gradle.kts": "", "app/src/main/res/values/s.xml": "",
    "app/src/main/res/layout/l.xml": "@string/in_xml",
    "app/src/main/kotlin/A.kt": "val a = R.string.in_kotlin; b(com.x.R.string.with_dot)",
    "lib/src/main/java/B.java": "getString(R.string.in_java)", "app/build/C.kt": "R.string.in_build",
    "app/src/test/D.kt": "R.string.in_test", "lib/src/main/res/values/t.xml": "@string/in_values",
    "app/src/main/E.txt": "R.string.in_text",
  ]

  @Test(arguments: ["in_kotlin", "in_java", "in_xml", "with.dot"])
  func findsNamesInTheWholeProject(key: String) throws {
    #expect(try names(Self.project, res: "app/src/main/res").contains(key))
  }

  @Test(arguments: ["in_build", "in_test", "in_values", "in_text", "in", "in_kotlin2"])
  func passesOverWhatIsNotShippedCode(key: String) throws {
    #expect(try !names(Self.project, res: "app/src/main/res").contains(key))
  }

  @Test func searchesTheSourceSetWhereThereIsNoProject() throws {
    var files = ["main/res/values/s.xml": "", "main/A.kt": "R.string.a", "B.kt": "R.string.b"]
    #expect(try !names(files, res: "main/res").contains("a"))
    files["main/AndroidManifest.xml"] = "<manifest/>"
    let found = try names(files, res: "main/res")
    #expect(found.contains("a"))
    #expect(!found.contains("b"))
  }

  @Test func endsAtItsLimits() throws {
    var limits = AndroidCodeNames.Limits()
    limits.filesMax = 0
    #expect(try !names(Self.project, res: "app/src/main/res", limits: limits).contains("in_kotlin"))
    limits = .init()
    limits.depthMax = 2
    #expect(try !names(Self.project, res: "app/src/main/res", limits: limits).contains("in_kotlin"))
    limits = .init()
    limits.fileBytesMax = 10
    #expect(try !names(Self.project, res: "app/src/main/res", limits: limits).contains("in_kotlin"))
    limits = .init()
    limits.foldersMax = 1
    #expect(try !names(Self.project, res: "app/src/main/res", limits: limits).contains("in_kotlin"))
    limits = .init()
    limits.totalBytesMax = 0
    #expect(try !names(Self.project, res: "app/src/main/res", limits: limits).contains("in_kotlin"))
  }
}
