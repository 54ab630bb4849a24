import JSON
import TestSupport
import Testing

@testable import AppStrings

/// Which tables of an Xcode project are in the main bundle of its application.
@Suite struct XcodeProjectTests {
  private static let project = "ios/App.xcodeproj/project.pbxproj"

  /// An application, a framework beside it, an extension and a Swift package.
  private static func fixture() throws -> ProjectFixture {
    let xcode = XcodeFixture(targets: [
      .init(
        name: "App",
        resources: [
          "Localizable.strings: App/en.lproj/Localizable.strings App/de.lproj/Localizable.strings",
          "Main.storyboard: App/Base.lproj/Main.storyboard App/fr.lproj/Main.strings",
        ], settings: ["INFOPLIST_FILE": "$(SRCROOT)/App/Info.plist", "SDKROOT": "iphoneos"]),
      .init(
        name: "Core", type: "framework", product: "Core.framework",
        resources: ["Localizable.strings: Core/en.lproj/Localizable.strings"]),
      .init(
        name: "Share", type: "app-extension", product: "Share.appex",
        resources: ["Share/Localizable.xcstrings"]),
    ])
    return try ProjectFixture([
      project: xcode.text,
      "ios/App/en.lproj/Localizable.strings": "\"TITLE\" = \"Hi\";",
      "ios/App/de.lproj/Localizable.strings": "\"TITLE\" = \"Hallo\";",
      "ios/App/fr.lproj/Main.strings": "\"x\" = \"y\";",
      "ios/App/Info.plist":
        "<plist version=\"1.0\"><dict><key>CFBundleLocalizations</key><array><string>es</string></array></dict></plist>",
      "ios/Core/en.lproj/Localizable.strings": "\"CORE\" = \"Core\"; \"TITLE\" = \"no\";",
      "ios/Share/Localizable.xcstrings": """
      {"sourceLanguage": "en", "version": "1.0", "strings": {"SHARE": {"localizations": {"en": {"stringUnit":
        {"state": "translated", "value": "Share"}}}}}}
      """,
      "ios/Kit/Package.swift": "// swift-tools-version:5.9",
      "ios/Kit/Sources/Texts/Resources/en.lproj/Localizable.strings": "\"KIT\" = \"Kit\";",
      "ios/Stray/en.lproj/Localizable.strings": "\"STRAY\" = \"Stray\";",
    ])
  }

  @Test(arguments: ["ios", "ios/App.xcodeproj", "ios/App.xcodeproj/"])
  func readsTheMainBundleOfTheApplication(_ path: String) throws {
    let fixture = try Self.fixture()
    let resources = fixture.ios(path)
    #expect(resources.texts("en") == ["TITLE": "Hi"])
    #expect(resources.texts("de") == ["TITLE": "Hallo"])
    #expect(resources.tables.count == 2)
    #expect(resources.table("en")?["TITLE"]?.owner == "App")
    #expect(resources.otherLocalizations == ["Base", "es", "fr"])
    #expect(resources.sourceLanguage == "en")
    #expect(resources.problems.isEmpty)
  }

  @Test func namesTheBundlesOfAllOtherTables() throws {
    let fixture = try Self.fixture()
    let resources = fixture.ios("ios")
    let elsewhere = resources.elsewhere
    #expect(
      elsewhere.map { "\(fixture.relative($0.path)) \($0.owner ?? "-")" }.sorted() == [
        "ios/Core/en.lproj/Localizable.strings Core.framework",
        "ios/Kit/Sources/Texts/Resources/en.lproj/Localizable.strings Kit_Texts",
        "ios/Share/Localizable.xcstrings Share.appex",
        "ios/Stray/en.lproj/Localizable.strings -",
      ])
    #expect(
      resources.outOfReach.keys.map(\.text).sorted() == ["CORE", "KIT", "SHARE", "STRAY", "TITLE", "x"])
    #expect(resources.outOfReach[ExactText("KIT")]?.place?.reason.contains("Swift package") == true)
    #expect(resources.outOfReach[ExactText("STRAY")]?.place?.reason == "no target of the project packs it")
  }

  /// Of several tables with a key, one that some bundle has tells more than one that nothing packs.
  @Test func namesTheBundleThatHasAKeyRatherThanAStrayFile() throws {
    let fixture = try Self.fixture()
    try fixture.folder.write("\"CORE\" = \"old\";", to: "ios/A/en.lproj/Localizable.strings")
    try fixture.folder.write("\"STRAY\" = \"own\";", to: "ios/App/fr.lproj/Main.strings")
    let resources = fixture.ios("ios")
    #expect(resources.outOfReach[ExactText("CORE")]?.place?.owner == "Core.framework")
    #expect(resources.outOfReach[ExactText("STRAY")]?.table == "Main")
  }

  /// A folder of Xcode 16 belongs to a target whole, except for what is listed.
  @Test func readsSynchronizedFolders() throws {
    let xcode = XcodeFixture(
      targets: [
        .init(name: "App", folders: ["App", "Shared"]),
        .init(name: "Widget", type: "app-extension", product: "Widget.appex", folders: ["Widget"]),
      ],
      exceptions: [
        .init(
          folder: "App", target: "App", paths: ["Info.plist", "Old", "/Localized: Mac/Localizable.strings"]),
        .init(folder: "Widget", target: "App", paths: ["/Localized: Texts/Localizable.strings"]),
        .init(folder: "Shared", target: "App", paths: ["Localizable.xcstrings"]),
      ])
    let fixture = try ProjectFixture([
      "App.xcodeproj/project.pbxproj": xcode.text,
      "App/Texts/en.lproj/Localizable.strings": "\"A\" = \"a\";",
      "App/Texts/nl.lproj/InfoPlist.strings": "\"CFBundleName\" = \"a\";",
      "App/Mac/en.lproj/Localizable.strings": "\"MAC\" = \"m\";",
      "App/Old/en.lproj/Localizable.strings": "\"OLD\" = \"o\";",
      "Widget/Texts/en.lproj/Localizable.strings": "\"W\" = \"w\";",
      "Widget/More/en.lproj/Localizable.strings": "\"MORE\" = \"w\";",
      "Shared/Localizable.xcstrings":
        "{\"sourceLanguage\": \"en\", \"version\": \"1.0\", \"strings\": {\"S\": {}}}",
    ])
    let resources = fixture.ios()
    #expect(resources.texts("en") == ["A": "a", "W": "w"])
    #expect(resources.otherLocalizations == ["nl"])
    #expect(resources.outOfReach[ExactText("MAC")]?.place?.owner == nil)
    #expect(resources.outOfReach[ExactText("MORE")]?.place?.owner == "Widget.appex")
  }

  @Test func anApplicationWithoutTablesHasNone() throws {
    let xcode = XcodeFixture(targets: [.init(name: "App")])
    let resources = try ProjectFixture([
      "App.xcodeproj/project.pbxproj": xcode.text,
      "Kit/Package.swift": "", "Kit/Sources/Kit/en.lproj/Localizable.strings": "\"K\" = \"k\";",
    ]).ios()
    #expect(resources.tables.isEmpty)
    #expect(!resources.isUnreadable)
    #expect(resources.problems.map(\.kind) == [.remark])
    #expect(resources.outOfReach[ExactText("K")]?.place?.owner == "Kit_Kit")
  }

  @Test func severalApplicationsNeedAChoiceIfTheirTablesDiffer() throws {
    let files = [
      "A/en.lproj/Localizable.strings": "\"A\" = \"a\";", "B/en.lproj/Localizable.strings": "\"B\" = \"b\";",
    ]
    func fixture(_ second: String) throws -> ProjectFixture {
      let xcode = XcodeFixture(targets: [
        .init(name: "A", resources: ["A/en.lproj/Localizable.strings"]),
        .init(name: "B", resources: ["\(second)/en.lproj/Localizable.strings"]),
        .init(name: "Mac", resources: ["B/en.lproj/Localizable.strings"], settings: ["SDKROOT": "macosx"]),
        .init(name: "Clip", type: "application.on-demand-install-capable"),
      ])
      return try ProjectFixture(files.merging(["X.xcodeproj/project.pbxproj": xcode.text]) { $1 })
    }
    let problem = try #require(try fixture("B").ios().problems.first)
    #expect(problem.kind == .noResources)
    #expect(problem.message.contains("several iOS applications: A, B. Choose one"))
    #expect(try fixture("B").ios(target: "B").texts("en") == ["B": "b"])
    #expect(try fixture("A").ios().texts("en") == ["A": "a"])
    let unknown = try #require(try fixture("A").ios(target: "C").problems.first?.message)
    #expect(unknown.contains("no iOS application target C. Its application targets: A, B"))
  }

  @Test func readsFilesBesideTheProjectAndMissesNone() throws {
    let xcode = XcodeFixture(targets: [
      .init(
        name: "App",
        resources: [
          "Localizable.strings: ../texts/en.lproj/Localizable.strings gone/de.lproj/Localizable.strings"
        ])
    ])
    let fixture = try ProjectFixture([
      Self.project: xcode.text, "texts/en.lproj/Localizable.strings": "\"A\" = \"a\";",
    ])
    let resources = fixture.ios("ios")
    #expect(resources.texts("en") == ["A": "a"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
    #expect(resources.problems.first?.message.contains("does not exist") == true)
    #expect(resources.problems.first?.table == "de")
  }

  /// Macs do not tell the cases of names apart.
  @Test func findsFilesWhoseNamesDifferInCase() throws {
    let xcode = XcodeFixture(targets: [
      .init(name: "App", resources: ["Localizable.strings: App/ff-NG.lproj/Localizable.strings"])
    ])
    let resources = try ProjectFixture([
      "App.xcodeproj/project.pbxproj": xcode.text, "App/ff-ng.lproj/Localizable.strings": "\"A\" = \"a\";",
    ]).ios()
    #expect(resources.texts("ff-ng") == ["A": "a"])
    #expect(resources.problems.isEmpty)
  }

  @Test func followsNoLinkOutOfTheProject() throws {
    let outside = try ProjectFixture(["en.lproj/Localizable.strings": "\"STOLEN\" = \"s\";"])
    let xcode = XcodeFixture(targets: [.init(name: "App", folders: ["App"])])
    let fixture = try ProjectFixture([
      "App.xcodeproj/project.pbxproj": xcode.text, "App/de.lproj/Localizable.strings": "\"A\" = \"a\";",
    ])
    try fixture.link("App/More", to: outside.path(""))
    let resources = fixture.ios()
    #expect(resources.tables.map(\.name) == ["de"])
    #expect(resources.outOfReach.isEmpty)
    #expect(resources.problems.contains { $0.message.contains("leads out of the project") })
  }

  @Test func aProjectThatCannotBeReadIsAnError() throws {
    for text in [
      "", "{", "{objects = {}; rootObject = X;}", "<plist/>", "{objects = ( ); rootObject = ( );}",
    ] {
      let resources = try ProjectFixture(["App.xcodeproj/project.pbxproj": text]).ios()
      #expect(resources.problems.map(\.kind) == [.noResources])
    }
  }

  @Test func aGroupThatHoldsItselfEnds() throws {
    let text = """
      {objects = {
        P = {isa = PBXProject; mainGroup = G; targets = (T);};
        G = {isa = PBXGroup; children = (G, V); path = a; sourceTree = "<group>";};
        V = {isa = PBXVariantGroup; children = (V, G); sourceTree = "<group>";};
        B = {isa = PBXBuildFile; fileRef = V;}; R = {isa = PBXResourcesBuildPhase; files = (B, B, X);};
        T = {isa = PBXNativeTarget; name = App; productType = "com.apple.product-type.application"; buildPhases = (R);};
      }; rootObject = P;}
      """
    #expect(try ProjectFixture(["App.xcodeproj/project.pbxproj": text]).ios().tables.isEmpty)
  }
}
