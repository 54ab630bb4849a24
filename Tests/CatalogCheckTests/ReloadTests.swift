import AppStrings
import FCMMessage
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// What a reload reads of an app's strings.
@Suite struct ReloadTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      version: 1
      resources: {android: res, ios: App, development_language: en}
      releases: {android: [{version: 1.0, resources: old.json}]}
      templates:
        t: {body: {android: k, ios: K}, fallback: {body: News}}
      """, to: "catalog.yaml")
    try folder.write("<resources><string name=\"k\">News</string></resources>", to: "res/values/s.xml")
    try folder.write("<resources><string name=\"k\">Neues</string></resources>", to: "res/values-de/s.xml")
    try folder.write("\"K\" = \"News\";", to: "App/en.lproj/Localizable.strings")
    var snapshot = ""
    StringResources.read(.android, folder: "\(folder.path)/res").json(StringSelection()) { snapshot += $0 }
    try folder.write(snapshot, to: "old.json")
    try folder.settle()
  }

  /// The entries of all keys, in the order of platforms and languages.
  private func entries() throws -> [StringEntry] {
    let app = try AppCatalog.load(file: "\(folder.path)/catalog.yaml")
    let releases = AppReleases(of: app.catalog)[.android].map(\.resources)
    return ([app.resources?.android, app.resources?.ios].compactMap(\.self) + releases)
      .flatMap { $0.tables.flatMap { $0.entries.values } }
  }

  @Test func parsesNothingThatIsUnchanged() throws {
    let (first, second) = (try entries(), try entries())
    #expect(first.count == 5)
    #expect(zip(first, second).map { $0.isIdentical(to: $1) } == [true, true, true, true, true])
  }

  @Test func parsesTheFileThatChanged() throws {
    let before = try entries()
    try folder.write("<resources><string name=\"k\">Neue</string></resources>", to: "res/values-de/s.xml")
    let after = try entries()
    #expect(zip(before, after).map { $0.isIdentical(to: $1) } == [true, false, true, true, true])
    #expect(after[1].text == "Neue")
  }
}
