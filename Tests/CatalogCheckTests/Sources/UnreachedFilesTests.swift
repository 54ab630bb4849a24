import AppStrings
import Catalog
import FCMMessage
import TestSupport
import Testing

@testable import CatalogCheck

/// How files get into a target, by what makes the project.
@Suite struct UnreachedFilesTests {
  private func help(
    _ files: [String: String], root: String = "ios", _ buildFile: String = "project.pbxproj"
  ) throws
    -> String
  {
    let folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(text, to: name) }
    var project = StringResources.Project()
    project.root = "\(folder.path)/\(root)"
    project.buildFiles = ["\(project.root)/\(buildFile)"]
    let files = try #require(
      UnreachedFiles(["\(project.root)/App/fr.lproj/Localizable.strings"], in: project))
    return files.help.replacing("\(folder.path)/", with: "")
  }

  private static let xcode =
    "In Xcode, choose File > Add Files, select the .lproj folders and the app's target."

  @Test func aProjectOfXcodeNeedsAClick() throws {
    #expect(try help(["ios/x": "", "app.json": "{\"name\": \"App\"}"]) == Self.xcode)
  }

  @Test func aSpecificationOfXcodeGenNeedsALine() throws {
    #expect(
      try help(["ios/Podfile": ""], "project.yml")
        == "Add `- App` under sources: of the target in ios/project.yml, and run `xcodegen generate`.")
  }

  @Test func aPodfileCanHaveAPodOfThem() throws {
    #expect(
      try help(["ios/Podfile": ""]) == Self.xcode
        + " Or add `pod 'PushStrings', :path => 'PushStrings'` to ios/Podfile, for a pod that has the .lproj folders "
        + "as its resources: see \"CocoaPods\" in docs/sources.md.")
  }

  @Test(arguments: [("app.json", "{\"expo\": {}}"), ("app.config.js", "module.exports = {};")])
  func aProjectThatExpoMakesNeedsAPlugin(name: String, text: String) throws {
    #expect(
      try help(["ios/x": "", name: text]) == Self.xcode
        + " If `npx expo prebuild` makes the project, name a config plugin that adds them under plugins in \(name): "
        + "see \"Expo\" in docs/sources.md.")
  }

  /// Writing again would change nothing.
  @Test func aTextThatIsWrittenOutsideTheTargetNeedsNoOtherWrite() throws {
    let app = try SourceApp(
      SourceApp.native.merging([
        "ios/project.yml": "targets:\n  App: {type: application, platform: iOS, sources: [App/en.lproj]}\n",
        "ios/App/en.lproj/Localizable.strings": "\"APP\" = \"App\";\n",
      ]) { $1 }, templates: "  t: {params: {sender: {type: string}}, body: {key: hello, args: [sender]}}",
      resources: "android: res, ios: ios, ")
    func drift() throws -> [Finding] {
      let loaded = try app.load()
      return Check(loaded.catalog, against: loaded.resources).report().findings.filter {
        $0.rule == .nativeDrift && $0.platform == .ios
      }
    }
    #expect(try drift().map(\.help) == ["Run `dragoman strings --write`, and release the app."])
    try app.report().write()
    let file = "\(app.path)/ios/App/pl.lproj/Localizable.strings"
    #expect(try app.report().changedFiles == [])
    #expect(
      try drift().map { "\($0.locale ?? "") \($0.message) \($0.help)" } == [
        "pl The app's target does not have \(file), so phones do not find the text. Add `- App` under sources: of the "
          + "target in \(app.path)/ios/project.yml, and run `xcodegen generate`."
      ])
    try app.folder.write(
      "targets:\n  App: {type: application, platform: iOS, sources: [App]}\n", to: "ios/project.yml")
    #expect(try drift().isEmpty)
  }

  @Test func nothingIsSaidOfATargetThatHasAll() {
    #expect(UnreachedFiles([], in: StringResources.Project()) == nil)
  }
}
