import AppStrings
import FCMMessage
import Foundation
import JSON
import Testing

@testable import AppArchives

/// Apps that aapt2 built of `Fixtures/res` (Tests/oracles/android_apps.py), compared with that folder.
@Suite struct AndroidAppTests {
  static let fixtures = Bundle.module.resourcePath.map { "\($0)/Fixtures" } ?? ""
  static let source = StringResources.read(.android, from: "\(fixtures)/res")

  static func app(_ name: String, keys: Set<String>? = nil) -> StringResources {
    StringResources.read(.android, from: "\(fixtures)/apps/\(name)", keys: keys)
  }

  /// Every entry as text, without files and lines.
  private static func entries(_ resources: StringResources) -> [String: StringEntry.Value] {
    var entries: [String: StringEntry.Value] = [:]
    for table in resources.tables {
      for key in table.entries.keys {
        for entry in table.resources(named: key.text) {
          entries["\(table.name) \(AndroidResourceKind(entry)) \(key.text)"] = entry.value
        }
      }
    }
    return entries
  }

  private enum AndroidResourceKind {
    case string, plural, array

    init(_ entry: StringEntry) {
      switch entry.value {
      case .string: self = .string
      case .plural: self = .plural
      case .array: self = .array
      }
    }
  }

  @Test(arguments: ["dense.apk", "sparse.apk", "compact.apk", "utf16.apk", "app.aab", "split.apks"])
  func hasTheStringsOfItsSource(name: String) {
    var wanted = Self.entries(Self.source)
    // aapt2 link removes what has no default value; aapt, which makes UTF-16 pools, does not.
    if name != "utf16.apk" { wanted["fr string only_french"] = nil }
    // Forms have no order of their own.
    let app = Self.app(name)
    let read = Self.entries(app)
    #expect(Set(read.keys) == Set(wanted.keys))
    for (entry, value) in wanted { #expect(sorted(read[entry]) == sorted(value), "\(entry)") }
    #expect(app.shipped?.version == "4.1.0")
    #expect(app.shipped?.package == "org.example.app")
    #expect(app.shipped?.hasObfuscatedNames == false)
    #expect(app.appName == AppName("app"))
    #expect(app.problems.filter { $0.kind != .remark } == [])
  }

  private func sorted(_ value: StringEntry.Value?) -> StringEntry.Value? {
    guard case .plural(let forms)? = value else { return value }
    return .plural(forms.sorted { $0.category < $1.category })
  }

  @Test(arguments: ["dense.apk", "sparse.apk", "compact.apk", "app.aab", "split.apks"])
  func readsOnlyTheKeysThatAreNeeded(name: String) {
    let app = Self.app(name, keys: ["alias_of_alias", "absent"])
    #expect(app.tables.map(\.name) == Self.app(name).tables.map(\.name))
    let table = app.tables.first
    #expect(table?["alias_of_alias"]?.text == "New message")
    // The German text of `alias` refers to `args`, so that is read too.
    #expect(table?["cdata"] == nil)
    #expect(app.shipped?.version == "4.1.0")
  }

  /// `values/` has `@string/alias`, and German has an alias of its own.
  @Test(arguments: ["dense.apk", "sparse.apk", "compact.apk", "app.aab", "split.apks"])
  func languagesInheritTheTextsOfReferences(name: String) throws {
    let german = try #require(Self.source.table("default")?["args"]?.text)
    for keys in [nil, Set(["alias_of_alias"])] {
      let app = Self.app(name, keys: keys)
      func text(_ locale: String) -> String? {
        app.lookUp("alias_of_alias", preferring: [locale], developmentLanguage: nil).entry?.text
      }
      #expect([text("en"), text("de"), text("fr")] == ["New message", german, "Nouveau message"])
    }
  }

  /// Phones follow 20 references. Each hop that a few keys need is read by itself.
  @Test func aChainOfReferencesOfAnyLengthIsReadInBoundedTime() throws {
    func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
      var count = content.count
      var length: [UInt8] = []
      while count > 0x7F {
        length.append(UInt8(truncatingIfNeeded: count) | 0x80)
        count >>= 7
      }
      return [UInt8(number << 3 | 2)] + length + [UInt8(count)] + content
    }
    func name(_ index: Int) -> String { "key_\(100_000 + index)" }
    let count = 20_000
    var type = field(2, Array("string".utf8))
    for index in 0..<count {
      let reference = field(1, field(3, Array("string/\(name(index + 1))".utf8)))
      type += field(3, field(2, Array(name(index).utf8)) + field(6, field(2, field(4, reference))))
    }
    let path = "\(Self.fixtures)/apps/app.aab"
    let archive = try ZipArchive(ByteSource(file: path), limits: .init())
    let manifest = try archive.read(#require(archive["base/manifest/AndroidManifest.xml"]))
    let table = field(2, field(2, Array("org.example.app".utf8)) + field(3, type))
    let zip = ZipWriter(["AndroidManifest.xml": manifest, "resources.pb": table])
    var limits = ArchiveLimits()
    // Reading it once for each hop would take hours.
    limits.referenceHopsMax = 3
    let reader = AndroidAppReader(path: "x", limits: limits, keys: [ExactText(name(0))])
    let app = try #require(try reader.read(ZipArchive(ByteSource(zip.bytes), limits: limits)))
    #expect(app.tables.first?.entries.count == 4)
  }

  /// bundletool writes each feature module beside the base.
  @Test func findsTheKeysOfFeatureModules() throws {
    let dense = try Array(Data(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/apps/dense.apk")))
    let archive = try ZipArchive(ByteSource(dense), limits: .init())
    let manifest = try archive.read(#require(archive["AndroidManifest.xml"]))
    var table = try archive.read(#require(archive["resources.arsc"]))
    let package = "org.example.app".utf16.flatMap { littleEndian(Int($0), 2) }
    let place = try #require(table.indices.first { table[$0...].starts(with: package) })
    table[place] = UInt8(ascii: "a")
    // A key that the base lacks.
    let key = try #require(table.indices.first { table[$0...].starts(with: "cdata".utf8) })
    table[key] = UInt8(ascii: "f")
    let feature = ZipWriter(["AndroidManifest.xml": manifest, "resources.arsc": table]).bytes
    let apks = ZipWriter(["splits/base-master.apk": dense, "splits/chat-master.apk": feature]).bytes
    let app = try #require(
      try AndroidAppReader(path: "x.apks", limits: .init(), keys: nil)
        .read(ZipArchive(ByteSource(apks), limits: .init())))
    #expect(app.tables.first?["cdata"] != nil)
    #expect(app.tables.first?["fdata"] == nil)
    #expect(app.outOfReach[ExactText("fdata")]?.table == "arg.example.app")
    #expect(
      app.outOfReach[ExactText("fdata")]?.place?.clause
        == "in arg.example.app: the application's id is org.example.app, the only package in which phones look"
    )
    #expect(app.elsewhere.map(\.owner) == ["arg.example.app"])
  }

  /// As aapt2 writes `@null`, `@empty` and a reference, in an APK and in a bundle.
  @Test func nullAndEmptyAreNoTexts() {
    let values = [(1, 0), (0, 1), (1, 0x7F01_0000), (3, 0)].map { ResourceValue(type: $0.0, data: $0.1) }
    #expect(values.map(\.absence) == [.null, .empty, nil, nil])
    let items: [[UInt8]] = [
      [0x0A, 0], [0x3A, 2, 0x12, 0], [0x0A, 3, 0x1A, 1, 0x61], [0x12, 3, 0x0A, 1, 0x61],
    ]
    let absences = items.map { item in
      let message = ProtobufMessage([0x22, UInt8(item.count)] + item)
      return BundleValue(message, budget: TextBudget(.init())).absence
    }
    #expect(absences == [.null, .empty, nil, nil])
  }

  /// A bundle names what it refers to: a string of the app, one of the system, or another type of resource.
  @Test(arguments: [
    ("string/ok", "ok"), ("org.example.app:string/ok", "ok"), ("android:string/ok", nil), ("color/ok", nil),
  ])
  func onlyTheAppsStringsAreReferredToByName(reference: String, name: String?) throws {
    let count = UInt8(reference.utf8.count)
    let item = [0x0A, count + 2, 0x1A, count] + Array(reference.utf8)
    let message = ProtobufMessage([0x22, UInt8(item.count)] + item)
    let read = try #require(BundleValue(message, budget: TextBudget(.init())).value(.string))
    #expect(read.value == .string("@\(reference)"))
    #expect(read.references.map(\.name) == [name])
  }

  @Test(arguments: ["dense.apk", "sparse.apk", "compact.apk", "utf16.apk", "app.aab", "split.apks"])
  func keepsTheTextsForSomePhones(name: String) {
    let alternatives = Self.app(name, keys: ["plain"]).tables.first?.alternatives(of: "plain")
    #expect(alternatives?.map(\.text) == ["New message, wide"])
    #expect(alternatives?.map(\.qualifiers) == ["land"])
  }

  @Test func aStringForSomePhonesIsNoDefault() {
    let lookup = Self.app("dense.apk").lookUp("wide", preferring: ["en"], developmentLanguage: nil)
    #expect(lookup == .elsewhere(tables: ["default"]))
  }

  @Test func keepsTheLocalesOfItsFolders() {
    let names = Self.app("dense.apk").tables.map(\.name)
    #expect(names == ["default", "de", "de-1901", "es-419", "fil", "fr", "he", "pt-BR", "sr-Latn"])
  }

  @Test func recognizesObfuscatedNames() {
    let app = Self.app("collapsed.apk", keys: ["plain"])
    #expect(app.tables.first?["plain"] == nil)
    #expect(app.shipped?.hasObfuscatedNames == true)
    #expect(app.shipped?.renamedTexts[ExactText("New message")] == ObfuscatedName.collapsed)
  }

  @Test func aNameWithoutValuesIsMissing() {
    let app = Self.app("shrunk.aab")
    #expect(app.tables.allSatisfy { $0["plain"] == nil })
    #expect(app.tables.first?["args"] != nil)
  }

  @Test func refusesASplitAlone() throws {
    let apks = try Array(Data(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/apps/split.apks")))
    let archive = try ZipArchive(ByteSource(apks), limits: .init())
    let part = try archive.archive(in: #require(archive["splits/base-fr.apk"]))
    let error = #expect(throws: ArchiveError.self) {
      try AndroidAppReader(path: "x.apk", limits: .init(), keys: nil).read(part)
    }
    #expect(error?.reason.contains("split of an app (config.fr)") == true)
  }

  @Test func saysWhatAFileIsNot() throws {
    #expect(Self.app("absent.apk").problems.map(\.kind) == [.noResources])
    let android = StringResources.read(.ios, from: "\(Self.fixtures)/apps/dense.apk")
    #expect(android.problems.first?.message.contains("no iOS app") == true)
    let text = StringResources.read(.android, from: "\(Self.fixtures)/res/values/strings.xml")
    #expect(text.problems.first?.message.contains("neither an app nor the JSON") == true)
    let device = StringResources.read(.android, from: "/dev/null")
    #expect(device.problems.map(\.kind) == [.noResources])
    #expect(device.problems.first?.message.contains("a pipe or a device") == true)
  }

  @Test func anAppWithStringsInAnotherPackageHasNone() throws {
    // The manifest's package is in a UTF-16 pool.
    var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/apps/dense.apk")))
    let archive = try ZipArchive(ByteSource(bytes), limits: .init())
    var manifest = try archive.read(#require(archive["AndroidManifest.xml"]))
    let table = try archive.read(#require(archive["resources.arsc"]))
    let name = "org.example.app".utf16.flatMap { littleEndian(Int($0), 2) }
    let place = try #require(manifest.indices.first { manifest[$0...].starts(with: name) })
    manifest[place] = UInt8(ascii: "a")
    bytes = ZipWriter(["AndroidManifest.xml": manifest, "resources.arsc": table]).bytes
    let app = try #require(
      try AndroidAppReader(path: "x.apk", limits: .init(), keys: nil)
        .read(ZipArchive(ByteSource(bytes), limits: .init())))
    #expect(app.tables.allSatisfy { $0.entries.isEmpty })
    #expect(app.problems.map(\.kind) == [.suspicious])
    #expect(app.outOfReach[ExactText("plain")]?.table == "org.example.app")
  }

  /// Android rejects the whole table, so the strings before the damage are none either.
  @Test func aDamagedChunkIsNamed() throws {
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/apps/dense.apk")))
    let archive = try ZipArchive(ByteSource(bytes), limits: .init())
    let manifest = try archive.read(#require(archive["AndroidManifest.xml"]))
    var table = try archive.read(#require(archive["resources.arsc"]))
    let content = LittleEndianBytes(table)
    let root = try #require(ResourceChunk(content, at: 0, limit: table.count))
    let package = try #require(root.children(content).first { $0.type == ResourceChunk.package })
    let last = try #require(Array(package.children(content)).last)
    table[last.start + 2] = 0
    let zip = ZipWriter(["AndroidManifest.xml": manifest, "resources.arsc": table]).bytes
    let damaged = try ZipArchive(ByteSource(zip), limits: .init())
    let error = #expect(throws: ArchiveError.self) {
      _ = try AndroidAppReader(path: "x", limits: .init(), keys: nil).read(damaged)
    }
    #expect(error?.reason.contains("no valid chunk at byte \(last.start)") == true)
  }

  /// Every prefix and many single changes: no crash, and nothing that hangs.
  @Test(arguments: ["dense.apk", "sparse.apk", "compact.apk", "utf16.apk"])
  func neverCrashesOnDamage(name: String) throws {
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/apps/\(name)")))
    let archive = try ZipArchive(ByteSource(bytes), limits: .init())
    let manifest = try archive.read(#require(archive["AndroidManifest.xml"]))
    let table = try archive.read(#require(archive["resources.arsc"]))
    func read(_ table: [UInt8], _ manifest: [UInt8]) {
      let zip = ZipWriter(["AndroidManifest.xml": manifest, "resources.arsc": table]).bytes
      guard let archive = try? ZipArchive(ByteSource(zip), limits: .init()) else { return }
      _ = try? AndroidAppReader(path: "x", limits: .init(), keys: nil).read(archive)
    }
    for length in stride(from: 0, to: table.count, by: 61) { read(Array(table.prefix(length)), manifest) }
    for index in stride(from: 0, to: table.count, by: 17) {
      var damaged = table
      damaged[index] = ~damaged[index]
      read(damaged, manifest)
    }
    for index in stride(from: 0, to: manifest.count, by: 11) {
      var damaged = manifest
      damaged[index] = ~damaged[index]
      read(table, damaged)
    }
  }

  @Test func boundsTexts() {
    var limits = ArchiveLimits()
    limits.valuesMax = 20
    let path = "\(Self.fixtures)/apps/dense.apk"
    let app = StringResources.read(.android, from: path, keys: nil, limits: limits)
    #expect(app.problems.first?.message.contains("more than 20 texts") == true)
    limits = ArchiveLimits()
    limits.configurationsMax = 3
    let many = StringResources.read(.android, from: path, keys: nil, limits: limits)
    #expect(many.problems.first?.message.contains("more than 3 configurations") == true)
  }

  /// The attribute of a text becomes one of a reference (AOSP ResourceTypes.h, Res_value).
  @Test func isCalledByTheStringThatItsManifestNames() throws {
    let archive = try ZipArchive(ByteSource(file: "\(Self.fixtures)/apps/dense.apk"), limits: ArchiveLimits())
    let table = try ResourceTable(archive.read(#require(archive["resources.arsc"])), limits: ArchiveLimits())
    let package = try #require(table.packages.first)
    let type = try #require(package.values.first { $0.kind == .string }?.typeID)
    let id = package.id << 24 | type << 16
    let key = try #require(ReferenceNames([(table, package)], countMax: 100)[id])

    var manifest = try archive.read(#require(archive["AndroidManifest.xml"]))
    let bytes = LittleEndianBytes(manifest)
    let map = try #require(manifest.indices.first { bytes.u32($0) == AndroidManifest.labelID })
    let first = try #require((0..<map).last { bytes.u32($0) == 0x0008_0180 })
    let name = (map - first - 8) / 4
    let value =
      try #require(
        manifest.indices.first { bytes.u32($0) == name && bytes.u32($0 + 8) == 0x0300_0008 && $0 > map }) + 11
    manifest.replaceSubrange(value..<value + 5, with: [1] + (0..<4).map { UInt8(id >> (8 * $0) & 0xFF) })
    #expect(AndroidManifest(binary: manifest)?.label == .reference(id))

    let app = ZipWriter([
      "AndroidManifest.xml": manifest,
      "resources.arsc": try archive.read(#require(archive["resources.arsc"])),
    ])
    let reader = AndroidAppReader(path: "app.apk", limits: ArchiveLimits(), keys: [ExactText("absent")])
    let built = try reader.read(ZipArchive(ByteSource(app.bytes), limits: ArchiveLimits()))
    let wanted = try #require(AppName(string: key, in: Self.source.tables))
    #expect(built?.appName == wanted)
  }
}
