import FCMMessage
import TestSupport
import Testing

@testable import CatalogCheck

/// Where a project has its strings.
@Suite struct ProjectSearchTests {
  private static let strings = "<resources><string name=\"k\">x</string></resources>"

  private static func project() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    // The library has more strings than the app.
    try folder.write(strings + String(repeating: "\n", count: 100), to: "lib/src/main/res/values/strings.xml")
    try folder.write("plugins { id 'com.android.library' }", to: "lib/build.gradle")
    try folder.write(strings, to: "app/src/main/res/values/strings.xml")
    try folder.write("plugins { id(\"com.android.application\") }", to: "app/build.gradle.kts")
    try folder.write(
      "<resources><color name=\"c\">#fff</color></resources>", to: "ui/src/main/res/values/c.xml")
    try folder.write(strings, to: "app/build/merged/res/values/strings.xml")
    try folder.write(strings, to: "app/src/androidTest/res/values/strings.xml")
    try folder.write("\"K\" = \"x\";", to: "ios/App/en.lproj/Localizable.strings")
    try folder.write("\"K\" = \"y\";", to: "ios/App/de.lproj/Localizable.strings")
    try folder.write("\"K\" = \"x\";", to: "ios/Share/en.lproj/Localizable.strings")
    try folder.write("\"K\" = \"x\";", to: "ios/Pods/Kit/en.lproj/Localizable.strings")
    try folder.write("\"K\" = \"x\";", to: "ios/Other/en.lproj/InfoPlist.strings")
    return folder
  }

  @Test func findsTheAppsOwnStringsFirst() throws {
    let folder = try Self.project()
    let search = ProjectSearch(folder.path)
    #expect(
      search.folders(.android).map { $0.dropFirst(folder.path.count + 1) } == [
        "app/src/main/res", "lib/src/main/res",
      ])
    #expect(search.folders(.ios).map { $0.dropFirst(folder.path.count + 1) } == ["ios/App", "ios/Share"])
  }

  /// The layout of apps with one module for all strings: the application itself has only untranslated ones.
  @Test func translatedStringsComeBeforeTheApplications() throws {
    let folder = try Self.project()
    try folder.write(Self.strings, to: "app/src/main/res/values-night/strings.xml")
    try folder.write("<resources/>", to: "app/src/main/res/values-fr/colors.xml")
    try folder.write(Self.strings, to: "lib/src/main/res/values-fr/strings.xml")
    func found() -> [Substring] {
      ProjectSearch(folder.path).folders(.android).map { $0.dropFirst(folder.path.count + 1) }
    }
    #expect(found() == ["lib/src/main/res", "app/src/main/res"])
    try folder.write(Self.strings, to: "app/src/main/res/values-b+sr+Latn/strings.xml")
    #expect(found() == ["app/src/main/res", "lib/src/main/res"])
  }

  @Test func searchesNoFurtherThanItsBounds() throws {
    let folder = try Self.project()
    let near = ProjectSearch(folder.path, limits: .init(depthMax: 2))
    #expect(near.folders(.android) == [])
    #expect(near.folders(.ios).count == 2)
    #expect(ProjectSearch(folder.path, limits: .init(foldersMax: 1)).folders(.ios) == [])
    #expect(ProjectSearch("\(folder.path)/nowhere").folders(.ios) == [])
  }
}
