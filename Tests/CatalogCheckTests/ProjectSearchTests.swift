import AppStrings
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

  /// Of several projects, the one with the most strings that is no sample.
  @Test func findsTheApplicationsOfProjects() throws {
    let folder = try TemporaryFolder()
    let many = Self.strings + String(repeating: "\n", count: 500)
    for (name, text) in [("android", Self.strings), ("Samples/one", many), ("other", "")] {
      try folder.write("include ':app', ':lib'", to: "\(name)/settings.gradle")
      try folder.write("apply plugin: 'com.android.application'", to: "\(name)/app/build.gradle")
      try folder.write(text, to: "\(name)/app/src/main/res/values/strings.xml")
    }
    let found = ProjectSearch(folder.path).applications(.android)
    #expect(found.map(\.location.path) == ["android", "other", "Samples/one"].map { "\(folder.path)/\($0)" })
    #expect(found.map { $0.bytes > 0 } == [true, false, true])
    #expect(found.first?.name == ":app of \(folder.path)/android")
    #expect(ProjectSearch(folder.path).applications(.ios).isEmpty)
  }

  /// A module of one flavor reaches the app, whatever its debug build has, and another application is none of
  /// its modules.
  @Test func saysIntoWhatPhonesDoNotLook() throws {
    let folder = try TemporaryFolder()
    try folder.write("include ':app', ':push', ':unused', ':wear'", to: "settings.gradle")
    try folder.write("apply plugin: 'com.android.application'", to: "wear/build.gradle")
    try folder.write(
      """
      apply plugin: 'com.android.application'
      android { productFlavors { free { }; pro { } } }
      dependencies { proImplementation project(':push') }
      """, to: "app/build.gradle")
    for module in ["push", "unused"] {
      try folder.write("apply plugin: 'com.android.library'", to: "\(module)/build.gradle")
    }
    for path in ["app/src/main", "push/src/main", "push/src/debug", "unused/src/main", "wear/src/main"] {
      try folder.write(Self.strings, to: "\(path)/res/values/strings.xml")
    }
    #expect(
      ProjectSearch(folder.path).applications(.android).map(\.others) == [["unused"], ["push", "unused"]])
  }

  /// A package is a bundle of its own, and a manifest names what the application has.
  @Test func readsWhatATuistManifestNames() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      let project = Project(targets: [
        .target(name: "Texts", product: .framework, resources: ["Texts/**"]),
        .target(name: "App", product: .app, resources: ["App/Localizable/**/*.strings", "Texts/**/*.json"]),
        .target(name: "Tests", product: .unitTests, resources: ["Tests/**"]),
      ])
      """, to: "Project.swift")
    try folder.write("\"K\" = \"x\";", to: "App/Localizable/en.lproj/Localizable.strings")
    try folder.write("\"K\" = \"much longer\";", to: "Texts/en.lproj/Localizable.strings")
    try folder.write("\"K\" = \"the longest of all\";", to: "Kit/Sources/en.lproj/Localizable.strings")
    try folder.write("", to: "Kit/Package.swift")
    let search = ProjectSearch(folder.path)
    #expect(
      search.folders(.ios) == ["\(folder.path)/App/Localizable", "\(folder.path)/Texts"])
    #expect(search.notes.contains { $0.hasPrefix("\(folder.path)/Kit: the texts of Swift packages") })
    #expect(search.notes.contains { $0.contains("Project.swift: a Tuist manifest is a program") })
  }

  @Test func saysWhichTextsPhonesCannotReach() throws {
    let folder = try TemporaryFolder()
    try folder.write("{}", to: "lib/l10n/app_en.arb")
    try folder.write("{\"dependencies\": {\"react-native\": \"1\"}}", to: "rn/package.json")
    try folder.write("{}", to: "rn/src/locales/en.json")
    try folder.write("{}", to: "web/locales/en.json")
    try folder.write("{\"expo\": {\"locales\": {}}}", to: "expo/app.json")
    try folder.write("<resources/>", to: "shared/src/commonMain/composeResources/values/strings.xml")
    try folder.write("<resources/>", to: "shared/src/commonMain/moko-resources/base/strings.xml")
    try folder.write("", to: "po/de.po")
    try folder.write("", to: "linux/tool/locale/de.po")
    let notes = ProjectSearch(folder.path).notes.map {
      $0.dropFirst(folder.path.count + 1).prefix { $0 != ":" }
    }
    #expect(
      notes == [
        "lib/l10n", "expo/app.json", "rn/src/locales/{locale}.json", "shared/src/commonMain/composeResources",
        "po/{locale}.po", "shared/src/commonMain/moko-resources",
      ])
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
