import AppStrings
import FCMMessage
import Foundation
import JSON
import Testing

@testable import AppArchives

/// Built iOS apps: IPAs, `.app` folders and archives.
@Suite struct AppleAppTests {
  static func list(_ values: [String: Any]) throws -> [UInt8] {
    Array(try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
  }

  private static let inFramework = "in Kit.framework: Kit.framework is a framework"

  static func files() throws -> [String: [UInt8]] {
    [
      "Info.plist": try list([
        "CFBundleIdentifier": "org.example.app", "CFBundleShortVersionString": "7.0", "CFBundleVersion": "12",
        "CFBundleDevelopmentRegion": "en", "CFBundleDisplayName": "Shop",
      ]),
      "en.lproj/Localizable.strings": try list(["TITLE": "Welcome 🎉", "BODY": "%@ wrote"]),
      "en.lproj/Localizable.stringsdict": try list([
        "COUNT": [
          "NSStringLocalizedFormatKey": "%#@n@",
          "n": [
            "NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "NSStringFormatValueTypeKey": "d",
            "one": "%d message", "other": "%d messages",
          ],
        ]
      ]),
      "de.lproj/Localizable.strings": Array("\"TITLE\" = \"Willkommen\";".utf8),
      "fr.lproj/Localizable.strings": [],
      "de.lproj/InfoPlist.strings": Array("CFBundleDisplayName = Laden;".utf8),
      "PlugIns/Service.appex/en.lproj/Localizable.strings": try list(["IN_EXTENSION": "x"]),
      "PlugIns/Service.appex/fr.lproj/InfoPlist.strings": try list(["CFBundleDisplayName": "Service"]),
      "Frameworks/Kit.framework/en.lproj/Kit.strings": try list(["IN_FRAMEWORK": "x"]),
      "en.lproj/Push.strings": try list(["IN_TABLE": "x"]),
    ]
  }

  private func expectStrings(_ resources: StringResources) {
    #expect(resources.tables.map(\.name) == ["de", "en", "fr"])
    #expect(resources.table("en")?["TITLE"]?.text == "Welcome 🎉")
    #expect(resources.table("en")?["COUNT"]?.formatKey == "%#@n@")
    #expect(resources.table("de")?["TITLE"]?.text == "Willkommen")
    #expect(resources.table("fr")?.entries.isEmpty == true)
    #expect(resources.outOfReach[ExactText("IN_EXTENSION")]?.table == "Localizable")
    #expect(resources.outOfReach[ExactText("IN_FRAMEWORK")]?.table == "Kit")
    #expect(resources.outOfReach[ExactText("IN_FRAMEWORK")]?.place?.clause == Self.inFramework)
    #expect(resources.outOfReach[ExactText("IN_TABLE")]?.place == nil)
    #expect(resources.elsewhere.map(\.owner) == ["Service.appex"])
    #expect(resources.elsewhere.first?.reason == "Service.appex is an app extension")
    #expect(
      resources.elsewhere.first?.path.hasSuffix("PlugIns/Service.appex/en.lproj/Localizable.strings") == true)
    #expect(resources.shipped?.version == "7.0")
    #expect(resources.shipped?.package == "org.example.app")
    #expect(resources.shipped?.developmentLanguage == "en")
    #expect(resources.appName == AppName("Shop", localized: [ExactText("de"): "Laden"]))
    #expect(resources.problems.filter { $0.kind != .remark } == [])
  }

  private func folder(_ files: [String: [UInt8]]) throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "built-\(UUID().uuidString)").path
    for (name, bytes) in files {
      let file = URL(fileURLWithPath: path).appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    return path
  }

  @Test func readsAnIPA() throws {
    var writer = ZipWriter()
    for (name, bytes) in try Self.files().sorted(by: { $0.key < $1.key }) {
      writer.files.append(.init(name: "Payload/T.app/\(name)", content: bytes, isDeflated: true))
    }
    let path = try folder(["any.name": writer.bytes])
    defer { try? FileManager.default.removeItem(atPath: path) }
    expectStrings(StringResources.read(.ios, from: "\(path)/any.name"))
    let some = StringResources.read(.ios, from: "\(path)/any.name", keys: ["TITLE"])
    #expect(some.table("en")?["TITLE"]?.text == "Welcome 🎉")
    #expect(some.table("en")?["BODY"] == nil)
    let other = StringResources.read(.android, from: "\(path)/any.name")
    #expect(other.problems.first?.message.contains("no Android app") == true)
  }

  @Test func readsAnAppFolder() throws {
    let path = try folder(Self.files())
    defer { try? FileManager.default.removeItem(atPath: path) }
    expectStrings(StringResources.read(.ios, from: path))
    expectStrings(StringResources.read(.ios, from: path + "/"))
  }

  @Test(arguments: [true, false]) func readsAnArchive(namesItsApp: Bool) throws {
    var files: [String: [UInt8]] = [:]
    for (name, bytes) in try Self.files() { files["Products/Applications/T.app/\(name)"] = bytes }
    let properties: [String: Any] =
      namesItsApp ? ["ApplicationProperties": ["ApplicationPath": "Applications/T.app"]] : [:]
    files["Info.plist"] = try Self.list(properties)
    let path = try folder(files)
    defer { try? FileManager.default.removeItem(atPath: path) }
    expectStrings(StringResources.read(.ios, from: path))
  }

  /// With another app or without any.
  @Test(arguments: [true, false]) func refusesAnArchiveWithoutTheAppThatItNames(hasOther: Bool) throws {
    var files = [
      "Info.plist": try Self.list(["ApplicationProperties": ["ApplicationPath": "Applications/Z.app"]])
    ]
    if hasOther {
      for (name, bytes) in try Self.files() { files["Products/Applications/T.app/\(name)"] = bytes }
    }
    let path = try folder(files)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let resources = StringResources.read(.ios, from: path)
    #expect(resources.problems.map(\.kind) == [.noResources])
    #expect(
      resources.problems.first?.message.hasPrefix(
        "The archive names Applications/Z.app, which it does not hold.")
        == true)
  }

  /// An archive is one file, so the message says which of its files is meant.
  @Test func problemsNameTheFileInTheArchive() throws {
    var writer = ZipWriter()
    let old = "\"TITLE\" = \"a\";\n\"TITLE\" = \"b\";"
    let files: [(String, [UInt8])] = [
      ("Base.lproj/Localizable.strings", Array("\"TITLE\" = \"b\";".utf8)),
      ("de.lproj/Localizable.strings", Array(old.utf8)),
      ("en.lproj/Localizable.stringsdict", try Self.list(["NUM": 1])),
      ("fr.lproj/Localizable.strings", Array(try Self.list(["TITLE": "x"]).prefix(30))),
      ("en-rGB.lproj/Localizable.strings", Array("\"TITLE\" = \"c\";".utf8)),
    ]
    for (name, bytes) in files {
      writer.files.append(.init(name: "Payload/T.app/\(name)", content: bytes, isDeflated: true))
    }
    let path = try folder(["any.ipa": writer.bytes])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let problems = StringResources.read(.ios, from: "\(path)/any.ipa").problems.filter { $0.kind != .remark }
    #expect(problems.allSatisfy { $0.file == "\(path)/any.ipa" })
    for name in ["de.lproj/Localizable.strings", "en.lproj/Localizable.stringsdict"] {
      #expect(problems.contains { $0.message.hasPrefix("\(name): ") }, "\(name)")
    }
    #expect(
      problems.contains {
        $0.message
          == "fr.lproj/Localizable.strings: the binary property list is damaged or too large; iOS shows raw keys for "
          + "the whole file"
      })
    #expect(problems.contains { $0.message.hasPrefix("en-rGB.lproj: ") })
  }

  /// A table in no language's folder is the only one that phones find.
  @Test func aTableInTheRootHidesTheOthers() throws {
    var files = try Self.files()
    files["Localizable.strings"] = try Self.list(["TITLE": "Hi"])
    let path = try folder(files)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let resources = StringResources.read(.ios, from: path)
    #expect(resources.problems.filter { $0.kind != .remark }.map(\.kind) == [.globalTable])
    for language in ["de", "en", "ja"] {
      let phone = DeviceStrings(resources, preferring: [language], developmentLanguage: nil)
      #expect(phone.lookUp("TITLE").entry?.text == "Hi")
      #expect(phone.lookUp("BODY").entry == nil)
    }
  }

  /// A phone chooses among all of them, and finds no Italian or Japanese table.
  @Test(arguments: [true, false]) func readsTheLanguagesWithoutATable(isFolder: Bool) throws {
    var files = try Self.files()
    files["Info.plist"] = try Self.list([
      "CFBundleDevelopmentRegion": "en", "CFBundleLocalizations": ["ja", "de", "", 3],
    ])
    files["it.lproj/InfoPlist.strings"] = []
    var place = "Payload/T.app/"
    var writer = ZipWriter()
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      writer.files.append(.init(name: place + name, content: bytes, isDeflated: true))
    }
    if !isFolder { (files, place) = (["app.ipa": writer.bytes], "app.ipa") }
    let path = try folder(files)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let resources = StringResources.read(.ios, from: isFolder ? path : "\(path)/\(place)")
    #expect(resources.otherLocalizations == ["it", "ja"])
    for languages in [["it", "de"], ["ja", "de"]] {
      let phone = DeviceStrings(resources, preferring: languages, developmentLanguage: nil)
      #expect(phone.resolvedLocale == "en")
    }
    #expect(DeviceStrings(resources, preferring: ["de"], developmentLanguage: nil).resolvedLocale == "de")
  }

  @Test func aSourceFolderWithAnInfoPlistIsNoApp() throws {
    let path = try folder([
      "Info.plist": Array(
        "<plist><dict><key>CFBundleIdentifier</key><string>$(ID)</string></dict></plist>".utf8),
      "Resources/en.lproj/Localizable.strings": Array("\"K\" = \"x\";".utf8),
    ])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let resources = StringResources.read(.ios, from: path)
    #expect(resources.table("en")?["K"]?.text == "x")
    #expect(resources.shipped == nil)
  }

  @Test func reportsAnAppWithoutItsTable() throws {
    let path = try folder(["Info.plist": try Self.list(["CFBundleIdentifier": "x"])])
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(StringResources.read(.ios, from: path).problems.map(\.kind) == [.suspicious])
  }
}
