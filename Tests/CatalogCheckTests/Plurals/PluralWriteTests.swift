import AppStrings
import Catalog
import TestSupport
import Foundation
import JSON
import Testing

@testable import CatalogCheck

/// What `dragoman plurals --write` does to files.
@Suite struct PluralWriteTests {
  private static let android = PluralApp.android([
    ("one", "It's \\\"one\\\""), ("other", "%1$d &lt;b> <b>from</b> %2$s"),
  ])
  .replacing("It's", with: "It\\'s")
  private static let stringsDict = PluralApp.stringsDict([
    ("one", "\"One\"\n\\ %2$@"), ("other", "%d from %@"),
  ])
  private static let files = [
    "res/values/strings.xml": android, "res/values-fr/b.xml": android,
    "app/en.lproj/Localizable.stringsdict": stringsDict, "app/en.lproj/Localizable.strings": "\"A\" = \"b\";",
    "app/fr.lproj/Localizable.stringsdict": stringsDict,
  ]

  @Test func aSecondRunChangesNothing() throws {
    let app = try PluralApp(Self.files)
    let before = app.contents()
    let report = try app.report()
    #expect(report.changedFiles.count == 4)
    try report.write()
    let after = app.contents()
    #expect(
      Set(after.keys).subtracting(before.keys) == [
        "res/values/dragoman_plurals.xml", "res/values-fr/dragoman_plurals.xml",
        "app/fr.lproj/Localizable.strings",
      ])
    for (name, bytes) in before where name != "app/en.lproj/Localizable.strings" {
      #expect(after[name] == bytes)
    }
    #expect(
      app.text("app/en.lproj/Localizable.strings")?.hasPrefix("\"A\" = \"b\";\n\n/* Begin: generated") == true
    )
    let second = try app.report()
    #expect(second.changedFiles == [])
    #expect(second.entries.allSatisfy { $0.state == .same })
    #expect(!second.isIncomplete)
    try second.write()
    #expect(app.contents() == after)
  }

  /// A plural of a library is the app's, and its texts stand beside it.
  @Test func textsStandInTheModuleOfTheirPlural() throws {
    let app = try PluralApp(
      [
        "settings.gradle": "include ':app', ':push'",
        "app/build.gradle":
          "apply plugin: 'com.android.application'\ndependencies { implementation project(':push') }",
        "push/build.gradle": "apply plugin: 'com.android.library'",
        "app/src/main/res/values/strings.xml": "<resources><string name=\"a\">a</string></resources>",
        "push/src/main/res/values/strings.xml": Self.android,
        "push/src/main/res/values-fr/strings.xml": Self.android,
      ], body: "{android: messages, args: [count, sender], plural: count}",
      top: "resources: {android: ., development_language: en}")
    let before = Set(app.contents().keys)
    try app.report().write()
    #expect(
      Set(app.contents().keys).subtracting(before) == [
        "push/src/main/res/values/dragoman_plurals.xml", "push/src/main/res/values-fr/dragoman_plurals.xml",
      ])
    #expect(try app.report().changedFiles == [])
  }

  /// XcodeGen's target names its folders one by one.
  @Test func newFilesThatTheTargetLacksAreNamed() throws {
    let project = "targets:\n  App: {type: application, platform: iOS, sources: [\(Self.targetFolders)]}\n"
    let app = try PluralApp(
      [
        "project.yml": project, "A/fr.lproj/InfoPlist.strings": "\"A\" = \"b\";",
        "A/en.lproj/Localizable.strings": "\"A\" = \"b\";",
        "A/en.lproj/Localizable.stringsdict": Self.stringsDict,
        "A/fr.lproj/Localizable.stringsdict": Self.stringsDict,
      ], body: "{ios: MESSAGES, args: [count, sender], plural: count}",
      top: "resources: {ios: ., development_language: en}")
    let report = try app.report()
    try report.write()
    #expect(report.changedFiles.count == 2)
    let unreached = try #require(report.unreachedFiles())
    #expect(unreached.paths == ["\(app.path)/A/fr.lproj/Localizable.strings"])
    #expect(
      unreached.help
        == "Add `- A` under sources: of the target in \(app.path)/project.yml, and run `xcodegen generate`.")
  }

  private static let targetFolders =
    "A/en.lproj, A/fr.lproj/Localizable.stringsdict, A/fr.lproj/InfoPlist.strings"

  @Test func textsOfRemovedPluralsAreRemoved() throws {
    let app = try PluralApp(Self.files)
    try app.report().write()
    try app.folder?.write("<resources><string name=\"x\">x</string></resources>", to: "res/values-fr/b.xml")
    try FileManager.default.removeItem(atPath: "\(app.path)/app/fr.lproj/Localizable.stringsdict")
    try app.report().write()
    #expect(app.text("res/values-fr/dragoman_plurals.xml")?.contains("<string") == false)
    #expect(app.text("app/fr.lproj/Localizable.strings")?.contains("MESSAGES") == false)
    #expect(try app.report().changedFiles == [])
  }

  /// A file with a fault may lack plurals only until it is corrected.
  @Test func filesOfALanguageThatCannotBeReadStayAsTheyAre() throws {
    let app = try PluralApp(Self.files)
    try app.report().write()
    try app.folder?.write("<resources><string name=\"x\">x</strin", to: "res/values-fr/b.xml")
    try app.folder?.write("<plist><dict><key>", to: "app/fr.lproj/Localizable.stringsdict")
    let before = app.contents()
    let report = try app.report()
    try report.write()
    #expect(app.contents() == before)
  }

  @Test func textsWrittenByHandStay() throws {
    var files = Self.files
    files["res/values/strings.xml"] = PluralApp.android(
      [("other", "%d")],
      more: #"<string name="messages_n0">none</string><string name="messages_n1">%1$s</string>"#)
    files["app/en.lproj/Localizable.strings"] = #""MESSAGES_n2" = "by hand";"#
    let app = try PluralApp(files)
    let report = try app.report()
    #expect(report.isIncomplete)
    #expect(
      report.findings.map { "\($0.locale ?? "") \($0.key ?? "") \($0.line ?? 0)" } == [
        "default messages_n0 6", "en MESSAGES_n2 1",
      ])
    try report.write()
    #expect(app.text("res/values/strings.xml") == files["res/values/strings.xml"])
    let written = app.text("res/values/dragoman_plurals.xml") ?? ""
    #expect(
      written.contains("messages_n2") && !written.contains("messages_n0")
        && !written.contains("messages_n1\""))
    #expect(
      app.text("app/en.lproj/Localizable.strings")?.contains("\"MESSAGES_n2\" = \"%1$@ from %2$@\"") == false)
    #expect(try app.report().changedFiles == [])
  }

  @Test func aFileThatCannotBeWrittenLeavesAllAsItWas() throws {
    let app = try PluralApp(Self.files)
    try FileManager.default.createDirectory(
      atPath: "\(app.path)/app/fr.lproj/Localizable.strings", withIntermediateDirectories: false)
    let before = app.contents()
    let report = try app.report()
    // A folder in the place of a file keeps the files of both platforms as they are.
    #expect(report.isIncomplete)
    #expect(throws: GeneratedTextError.self) { try report.write() }
    var replacements = FileReplacements()
    try replacements.add("\(app.path)/res/values/strings.xml", [1], within: "\(app.path)/res")
    #expect(throws: GeneratedTextError.self) {
      try replacements.add("\(app.path)/app/fr.lproj/Localizable.strings", [1], within: "\(app.path)/app")
    }
    #expect(throws: GeneratedTextError.self) {
      try replacements.add("\(app.path)/res/values/strings.xml/x.xml", [1], within: "\(app.path)/res")
    }
    #expect(app.contents() == before)
  }

  @Test func aReplacementThatFailsRestoresThoseBeforeIt() throws {
    let app = try PluralApp(Self.files)
    let before = app.contents()
    var replacements = FileReplacements()
    try replacements.add("\(app.path)/res/values/strings.xml", [1], within: app.path)
    try replacements.add("\(app.path)/res/values/new.xml", [2], within: app.path)
    try replacements.add("\(app.path)/res/values-fr/b.xml", [3], within: app.path)
    #expect(replacements.count == 3)
    // A folder takes the last file's place after it was checked.
    try FileManager.default.removeItem(atPath: "\(app.path)/res/values-fr/b.xml")
    try FileManager.default.createDirectory(
      atPath: "\(app.path)/res/values-fr/b.xml", withIntermediateDirectories: false)
    #expect(throws: GeneratedTextError.self) { try replacements.commit() }
    var expected = before
    expected["res/values-fr/b.xml"] = nil
    #expect(app.contents() == expected)
  }

  @Test func noLinkLeadsOutOfTheFolder() throws {
    let app = try PluralApp(Self.files)
    let manager = FileManager.default
    try manager.createDirectory(atPath: "\(app.path)/outside", withIntermediateDirectories: false)
    try manager.moveItem(atPath: "\(app.path)/res/values-fr", toPath: "\(app.path)/outside/values-fr")
    try manager.createSymbolicLink(
      atPath: "\(app.path)/res/values-fr", withDestinationPath: "\(app.path)/outside/values-fr")
    let before = app.contents()
    #expect(throws: GeneratedTextError.self) { try app.report().write() }
    #expect(app.contents() == before)
    // A link within the folder is followed, and stays a link.
    try manager.removeItem(atPath: "\(app.path)/res/values-fr")
    try manager.moveItem(atPath: "\(app.path)/outside/values-fr", toPath: "\(app.path)/res/french")
    try manager.createSymbolicLink(atPath: "\(app.path)/res/values-fr", withDestinationPath: "french")
    try app.report().write()
    #expect(app.text("res/french/dragoman_plurals.xml")?.contains("messages_n0") == true)
    #expect(try app.report().changedFiles == [])
  }

  @Test func aBuiltAppIsNotWritten() throws {
    let info = "<plist><dict><key>CFBundleShortVersionString</key><string>7.0</string></dict></plist>"
    let app = try PluralApp(
      ["T.app/Info.plist": info, "T.app/en.lproj/Localizable.stringsdict": Self.stringsDict],
      top: "resources: {ios: T.app, development_language: en}")
    let before = app.contents()
    let report = try app.report()
    #expect(Set(report.entries.map(\.file)) == ["\(app.path)/T.app"])
    #expect(report.findings.map(\.rule) == [.pluralUnreadable])
    #expect(report.findings.first?.file == "\(app.path)/T.app")
    #expect(report.findings.first?.message.contains("cannot be written into a built app") == true)
    try report.write()
    #expect(app.contents() == before)
  }

  @Test func aFileKeepsItsMode() throws {
    let app = try PluralApp(Self.files)
    let file = "\(app.path)/app/en.lproj/Localizable.strings"
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    try app.report().write()
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o640)
  }

  @Test func reportsAreForMachinesAndPeople() throws {
    let app = try PluralApp(Self.files)
    let report = try app.report()
    let json = report.json
    #expect(
      json["classes"]?.array?[2] == [
        "smallest": 2, "examples": [2, 3, 4, 5, 6], "categories": ["en": "other", "fr": "other"],
      ])
    #expect(
      json["entries"]?.array?.first == [
        "platform": "android", "locale": "default", "key": "messages_n0", "text": "%1$s <b> from %2$s",
        "file": .string("\(app.path)/res/values/dragoman_plurals.xml"), "state": "missing",
      ])
    #expect(json["entries"]?.array?.count == 16)
    let text = report.text(TerminalStyle(hasColours: false))
    #expect(
      text.contains("  _n1        1                                              one: en, fr\n"), "\(text)")
    #expect(text.hasSuffix("16 texts: 16 missing, 0 differ, 0 same."))
  }

  @Test func withoutALanguageThereIsNoReport() throws {
    let app = try PluralApp([:], body: "{android: k}", top: "defaults: {}")
    #expect(throws: PluralReportError.self) { try app.report() }
    let listed = try PluralApp([:], body: "{android: k}", top: "plurals: {languages: [en, pl]}")
    #expect(try listed.report().classes.map(\.smallest) == [0, 1, 2, 5])
  }
}
