import AppStrings
import Catalog
import FCMMessage
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// What `check` says about apps that are projects.
@Suite struct ProjectCheckTests {
  private static let gradle: [String: String] = [
    "settings.gradle": "include ':app', ':push', ':unused'",
    "app/build.gradle": """
    apply plugin: 'com.android.application'
    android { productFlavors { free { }; pro { } } }
    dependencies { implementation project(':push') }
    """,
    "push/build.gradle": "apply plugin: 'com.android.library'",
    "unused/build.gradle": "apply plugin: 'com.android.library'",
    "app/src/main/res/values/strings.xml": "<resources><string name=\"title\">Hi</string></resources>",
    "app/src/main/res/raw/keep.xml":
      "<resources xmlns:tools=\"http://schemas.android.com/tools\" tools:keep=\"@string/*\"/>",
    "app/src/pro/res/values/strings.xml":
      "<resources><string name=\"title\">Pro %1$d</string><string name=\"gold\">Gold</string></resources>",
    "push/src/main/res/values/strings.xml": "<resources><string name=\"body\">Hi %1$s</string></resources>",
    "unused/src/main/res/values/strings.xml": "<resources><string name=\"lost\">Lost</string></resources>",
  ]

  private static func check(
    _ files: [String: String], _ resources: String, _ slots: String
  ) throws -> (report: CheckReport, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    for (path, text) in files { try folder.write(text, to: path) }
    try folder.write(
      """
      version: 1
      resources: {\(resources), development_language: en}
      templates:
        t:
          params: {name: {type: string, max_length: 20}}
          \(slots)
          fallback: {title: News, body: News}
      """, to: "catalog.yaml")
    let app = try AppCatalog.examine(file: "\(folder.path)/catalog.yaml")
    return (Check(app.catalog, against: app.resources).report(), folder)
  }

  private static func rules(_ report: CheckReport) -> [String] {
    report.findings.filter { $0.severity != .note }.map { "\($0.rule.rawValue) \($0.key ?? "")" }.sorted()
  }

  private static func verdicts(_ report: CheckReport) -> [Verdict: [String]] {
    report.verdicts?.templates.first?.row[.android] ?? [:]
  }

  @Test(arguments: [
    "android: .", "android: {project: .}", "android: {project: ., module: app}", "android: app/src/main/res",
  ])
  func aKeyOfALibraryIsTheApps(_ resources: String) throws {
    let (report, _) = try Self.check(Self.gradle, resources, "body: {android: body, args: [name]}")
    #expect(Self.rules(report) == [])
  }

  @Test func aFaultOfAFlavorNamesIt() throws {
    let (report, folder) = try Self.check(Self.gradle, "android: .", "title: {android: title, args: [name]}")
    let finding = try #require(report.findings.first { $0.rule == .stringFormatMatches })
    #expect(finding.severity == .error)
    #expect(finding.verdict == .crash)
    #expect(finding.message.hasSuffix("Only the flavor pro has this text."))
    #expect(Self.verdicts(report) == [.crash: ["en"]])
    #expect(finding.file == "\(folder.path)/app/src/pro/res/values/strings.xml")
    let (one, _) = try Self.check(
      Self.gradle, "android: {project: ., variant: freeRelease}", "title: {android: title, args: [name]}")
    #expect(!one.findings.contains { $0.rule == .stringFormatMatches })
    #expect(Self.verdicts(one) == [:])
  }

  /// A preview shows the text of one flavor, but its verdict is that of all readers.
  @Test func aPreviewHasTheVerdictOfAllFlavors() throws {
    let (report, folder) = try Self.check(
      Self.gradle, "android: .", "title: {android: title, args: [name]}")
    let app = try AppCatalog.examine(file: "\(folder.path)/catalog.yaml")
    let template = try #require(app.catalog.template("t"))
    let preview = try TemplatePreview(
      of: template, args: JSON.Object([("name", "Bob")]), PreviewQuestion(),
      texts: RecipientTexts(app.resources, support: nil), findings: report.findings(of: "t"))
    let android = try #require(preview.previews.first { $0.platform == .android })
    #expect(android.slots.first?.outcome == .text("Hi"))
    #expect(android.verdict == .crash)
    #expect(android.findings.contains { $0.rule == .stringFormatMatches && $0.verdict == .crash })
  }

  /// Nobody gets the text of a flavor where the gateway writes that of another.
  @Test func aTextOfTheGatewayIsThatOfOneFlavor() throws {
    let (report, _) = try Self.check(
      Self.gradle, "android: .", "title: {android: title, args: [name]}\n    render: gateway")
    #expect(Self.verdicts(report) == [:])
    let finding = try #require(report.findings.first { $0.rule == .stringFormatMatches })
    #expect(finding.severity == .warning)
    #expect(finding.verdict == nil)
  }

  @Test func aTranslationThatAFlavorLacksNamesIt() throws {
    let (report, _) = try Self.check(
      Self.gradle.merging([
        "app/src/main/res/values-de/strings.xml": "<resources><string name=\"other\">x</string></resources>",
        "app/src/free/res/values-de/strings.xml":
          "<resources><string name=\"title\">Hallo</string></resources>",
        "app/src/pro/res/values/strings.xml": "<resources><string name=\"gold\">Gold</string></resources>",
      ]) { $1 }, "android: .", "title: {android: title}")
    let finding = try #require(report.findings.first { $0.rule == .missingTranslation })
    #expect(finding.locale == "de")
    #expect(finding.verdict == .otherLanguage)
    #expect(finding.message.hasPrefix("The language lacks the key in the flavor pro, so its users see"))
    #expect(Self.verdicts(report) == [.otherLanguage: ["de"]])
  }

  @Test func aFlavorNeedsADefaultOfItsOwn() throws {
    let (report, _) = try Self.check(
      Self.gradle.merging([
        "app/src/free/res/values/strings.xml": "<resources><string name=\"own\">Free</string></resources>",
        "app/src/pro/res/values-fr/strings.xml": "<resources><string name=\"own\">Pro</string></resources>",
      ]) { $1 }, "android: .", "title: {android: own}")
    let finding = try #require(report.findings.first { $0.rule == .missingDefaultKey })
    #expect(finding.verdict == .dropped)
    #expect(finding.message.hasPrefix("In the flavor pro, values/ lacks the key"))
    #expect(Self.verdicts(report) == [.dropped: ["en", "fr"]])
  }

  @Test func aKeyThatOnlySomeFlavorsHaveIsMissing() throws {
    let (report, _) = try Self.check(Self.gradle, "android: .", "title: {android: gold}")
    let finding = try #require(report.findings.first { $0.rule == .missingKey })
    #expect(finding.severity == .error)
    #expect(
      finding.message.contains("Only pro of the app's flavors has this key: in free, Android drops the line"))
    #expect(finding.verdict == .dropped)
    #expect(Self.verdicts(report) == [.dropped: ["en"]])
    let (one, _) = try Self.check(
      Self.gradle, "android: {project: ., variant: pro}", "title: {android: gold}")
    #expect(!one.findings.contains { $0.rule == .missingKey })
  }

  @Test func aKeyOfAnotherModuleIsInTheWrongBundle() throws {
    let (report, folder) = try Self.check(Self.gradle, "android: .", "title: {android: lost}")
    let finding = try #require(report.findings.first { $0.rule == .wrongBundle })
    #expect(finding.message.contains("only in unused: app does not depend on unused"))
    #expect(finding.file == "\(folder.path)/unused/src/main/res/values/strings.xml")
    #expect(!report.findings.contains { $0.rule == .missingKey })
  }

  @Test func aKeyOfAFrameworkIsInTheWrongBundle() throws {
    let (report, _) = try Self.check(
      [
        "App/Info.plist": "<plist version=\"1.0\"><dict/></plist>",
        "App/en.lproj/Localizable.strings": "\"A\" = \"a\";",
        "Core/Info.plist":
          "<plist version=\"1.0\"><dict><key>CFBundlePackageType</key><string>FMWK</string></dict></plist>",
        "Core/en.lproj/Localizable.strings": "\"C\" = \"c\";",
        "Kit/Package.swift": "", "Kit/Sources/Kit/en.lproj/Localizable.strings": "\"K\" = \"k\";",
      ], "ios: .", "title: {ios: C}\n    body: {ios: K}")
    #expect(
      report.findings.filter { $0.rule == .wrongBundle }.map { $0.key ?? "" }.sorted() == ["C", "K"])
    #expect(report.findings.contains { $0.message.contains("Core is a framework") })
    #expect(report.findings.contains { $0.message.contains("Kit is a Swift package") })
  }

  /// The earlier folder wins.
  @Test func foldersCanBeListed() throws {
    let files = [
      "a/values/strings.xml": "<resources><string name=\"title\">A</string></resources>",
      "b/values/strings.xml":
        "<resources><string name=\"title\">B %d</string><string name=\"body\">B %1$s</string></resources>",
      "a/raw/keep.xml": Self.gradle["app/src/main/res/raw/keep.xml"] ?? "",
      "x/en.lproj/Localizable.strings": "\"T\" = \"x\";",
      "y/en.lproj/Localizable.strings": "\"T\" = \"%d\"; \"B\" = \"%1$@\";",
    ]
    let (report, _) = try Self.check(
      files, "android: [a, b], ios: [x, y]",
      "title: {android: title, ios: T}\n    body: {android: body, ios: B, args: [name]}")
    #expect(Self.rules(report) == [])
  }

  @Test func sayingWhereStringsAreInsteadOfAWrongPath() throws {
    for (path, what) in [
      ("app/src/main/ress", "which does not exist. Name "), ("app/src/main/res/values", "Name "),
      ("app/src/main/res/raw", "Name "),
    ] {
      let folder = try TemporaryFolder()
      for (path, text) in Self.gradle { try folder.write(text, to: path) }
      try folder.write("version: 1\nresources:\n  android: \(path)\ntemplates: {}\n", to: "catalog.yaml")
      let app = try AppCatalog.examine(file: "\(folder.path)/catalog.yaml")
      let problem = try #require(app.misplaced(.android))
      #expect(problem.hasPrefix("\(folder.path)/catalog.yaml:3: resources.android"))
      #expect(problem.contains(what))
      #expect(problem.contains("\(folder.path)/app/src/main/res"))
    }
  }

  /// The library is a file that another build makes, so nobody can tell whether it has the key.
  @Test func aKeyOfALibraryThatIsNotBuiltYetIsNoError() throws {
    var files = Self.gradle
    files["app/build.gradle"]? += "\ndependencies { implementation files('libs/engine.aar') }"
    let (report, _) = try Self.check(files, "android: .", "title: {android: absent}")
    let finding = try #require(report.findings.first { $0.rule == .missingKey })
    #expect(finding.severity == .warning)
    #expect(finding.message.contains("unless libs/engine.aar has it"))
    files["app/libs/engine.aar"] = "PK"
    let (built, _) = try Self.check(files, "android: .", "title: {android: absent}")
    #expect(built.findings.first { $0.rule == .missingKey }?.severity == .error)
  }

  @Test func noPhoneLooksIntoComposeResources() throws {
    let folder = try TemporaryFolder()
    try folder.write("<resources/>", to: "shared/composeResources/values/strings.xml")
    try folder.write(
      "version: 1\nresources: {android: shared/composeResources}\ntemplates: {}\n", to: "catalog.yaml")
    let app = try AppCatalog.examine(file: "\(folder.path)/catalog.yaml")
    #expect(app.misplaced(.android)?.contains("no phone looks") == true)
    #expect(app.misplaced(.ios) == nil)
  }
}
