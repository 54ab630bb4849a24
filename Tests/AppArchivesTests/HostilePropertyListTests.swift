import AppStrings
import FCMMessage
import Foundation
import JSON
import Testing

@testable import AppArchives

/// iOS apps whose property lists are small as files and would be huge in memory, one by one or together.
@Suite struct HostilePropertyListTests {
  /// A binary property list of `count` keys that all have one text of `textBytes` bytes.
  private static func list(_ count: Int, textBytes: Int, prefix: String = "K") -> [UInt8] {
    var objects: [[UInt8]] = []
    func string(_ text: [UInt8]) -> [UInt8] { [0x5F, 0x12] + bigEndian(text.count, 4) + text }
    let keys = (0..<count).map { bigEndian($0 + 1, 4) }.flatMap(\.self)
    let values = [[UInt8]](repeating: bigEndian(count + 1, 4), count: count).flatMap(\.self)
    objects.append([0xDF, 0x12] + bigEndian(count, 4) + keys + values)
    for index in 0..<count { objects.append(string(Array("\(prefix)\(index)".utf8))) }
    objects.append(string([UInt8](repeating: UInt8(ascii: "t"), count: textBytes)))
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += bigEndian(bytes.count, 4)
      bytes += object
    }
    let table = bytes.count
    return bytes + offsets + [UInt8](repeating: 0, count: 6) + [4, 4] + bigEndian(objects.count, 8)
      + bigEndian(0, 8) + bigEndian(table, 8)
  }

  private static func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The strings of an IPA with these tables of languages, or why they are not read.
  private func read(
    _ tables: [String: [UInt8]], keys: Set<String>? = nil, limits: ArchiveLimits = .init()
  ) throws -> Result<StringResources, ArchiveError> {
    var zip = ZipWriter()
    for (name, content) in tables.sorted(by: { $0.key < $1.key }) {
      zip.files.append(.init(name: "Payload/T.app/\(name)", content: content, isDeflated: true))
    }
    let archive = try ZipArchive(ByteSource(zip.bytes), limits: limits)
    return Result { () throws(ArchiveError) in
      let reader = AppleAppReader(
        path: "x.ipa", limits: limits, keys: keys.map { Set($0.map { ExactText($0) }) })
      guard let read = try reader.read(archive) else { throw .unsupported("no app") }
      return read
    }
  }

  private func reason(_ result: Result<StringResources, ArchiveError>) -> String? {
    guard case .failure(let error) = result else { return nil }
    #expect(error.code == .tooLarge)
    return error.reason
  }

  private func languages(_ count: Int, _ content: [UInt8]) -> [String: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: (0..<count).map { ("l\($0).lproj/Localizable.strings", content) })
  }

  @Test func readsTheListOfThisTest() throws {
    let read = try read(languages(2, Self.list(3, textBytes: 5))).get()
    #expect(read.tables.map(\.name) == ["l0", "l1"])
    #expect(read.table("l1")?["K2"]?.text == "ttttt")
    #expect(read.table("l1")?.entries.count == 3)
  }

  @Test func boundsTheTextsOfAllListsTogether() throws {
    var limits = ArchiveLimits()
    limits.textBytesMax = 40_000
    #expect(try reason(read(languages(3, Self.list(10, textBytes: 1_000)), limits: limits)) == nil)
    let refused = try reason(read(languages(4, Self.list(10, textBytes: 1_000)), limits: limits))
    #expect(refused?.contains("40000 bytes of text") == true)
  }

  @Test func boundsTheStringsOfAllListsTogether() throws {
    var limits = ArchiveLimits()
    limits.valuesMax = 35
    #expect(try reason(read(languages(3, Self.list(10, textBytes: 1)), limits: limits)) == nil)
    #expect(
      try reason(read(languages(4, Self.list(10, textBytes: 1)), limits: limits))?.contains(
        "more than 35 strings")
        == true)
  }

  /// What is not needed is not kept, but it takes time.
  @Test func boundsWhatIsReadForNothing() throws {
    var limits = ArchiveLimits()
    (limits.valuesMax, limits.listValuesMax) = (35, 200)
    let many = languages(9, Self.list(10, textBytes: 1))
    #expect(try reason(read(many, keys: ["K1"], limits: limits)) == nil)
    #expect(
      try reason(read(languages(10, Self.list(10, textBytes: 1)), keys: ["K1"], limits: limits))?
        .contains("more than 200 values") == true)
    (limits.listValuesMax, limits.listTextBytesMax) = (10_000, 9 * 10 * 1_000)
    let long = Self.list(10, textBytes: 1_000)
    #expect(try reason(read(languages(8, long), keys: ["K1"], limits: limits)) == nil)
    #expect(try reason(read(languages(9, long), keys: ["K1"], limits: limits)) != nil)
  }

  @Test func boundsTheKeysOutOfReach() throws {
    var limits = ArchiveLimits()
    limits.valuesMax = 35
    var tables = languages(1, Self.list(10, textBytes: 1))
    for index in 0..<3 {
      tables["en.lproj/Other\(index).strings"] = Self.list(10, textBytes: 1, prefix: "O\(index)")
    }
    #expect(try reason(read(tables, limits: limits)) != nil)
    tables["en.lproj/Other2.strings"] = nil
    #expect(try reason(read(tables, limits: limits)) == nil)
  }

  @Test func boundsTheNumberOfTables() throws {
    var limits = ArchiveLimits()
    limits.bundleFilesMax = 3
    #expect(try reason(read(languages(3, []), limits: limits)) == nil)
    #expect(try reason(read(languages(4, []), limits: limits)) == "The app has more than 3 string tables.")
  }

  /// A folder has no archive that bounds what is read.
  @Test func boundsTheFilesOfAFolder() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "T-\(UUID().uuidString).app").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let list = Self.list(10, textBytes: 1_000)
    for (name, content) in languages(3, list) {
      let file = URL(filePath: "\(path)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content).write(to: file)
    }
    try Data(AppleAppTests.list(["CFBundleIdentifier": "x"])).write(to: URL(filePath: "\(path)/Info.plist"))
    var limits = ArchiveLimits()
    limits.totalBytesMax = 4 * list.count
    #expect(StringResources.read(.ios, from: path, keys: nil, limits: limits).tables.count == 3)
    limits.totalBytesMax = 2 * list.count
    let refused = StringResources.read(.ios, from: path, keys: nil, limits: limits)
    #expect(refused.problems.map(\.kind) == [.noResources])
  }

  /// Without a bound over all files, a hundred and fifty lists of 30 kB would become 600 MB.
  @Test func manySmallListsTakeLittleMemory() throws {
    var limits = ArchiveLimits()
    limits.textBytesMax = 16 << 20
    let list = Self.list(1_000, textBytes: 4_000)
    let before = Self.peakBytes()
    #expect(try reason(read(languages(150, list), limits: limits)) != nil)
    #expect(Self.peakBytes() - before < 1 << 28)
  }

  /// The largest resident size so far.
  private static func peakBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Int(line.filter(\.isNumber)) ?? 0) << 10
  }
}
