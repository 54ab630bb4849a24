import AppStrings
import FCMMessage
import Foundation
import JSON
import Testing

@testable import AppArchives

/// Resource tables that are small as files and would be huge in memory.
@Suite struct HostileTableTests {
  /// A chunk of a resource table: type, what follows the sizes in its header, then its content.
  private func chunk(_ type: Int, _ header: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let headerSize = 8 + header.count
    return littleEndian(type, 2) + littleEndian(headerSize, 2) + littleEndian(headerSize + content.count, 4)
      + header + content
  }

  /// A UTF-8 pool in which `count` strings are the same text.
  private func pool(_ text: String, count: Int = 1) -> [UInt8] {
    let bytes = Array(text.utf8)
    let length: [UInt8] =
      bytes.count < 0x80
      ? [UInt8(bytes.count)] : [UInt8(0x80 | bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)]
    let header =
      littleEndian(count, 4) + littleEndian(0, 4) + littleEndian(0x100, 4) + littleEndian(28 + 4 * count, 4)
      + littleEndian(0, 4)
    return chunk(0x0001, header, [UInt8](repeating: 0, count: 4 * count) + length + length + bytes + [0])
  }

  /// A table with one package, whose chunks after the pools are `values`.
  private func table(types: [UInt8], keys: [UInt8], values: [UInt8]) -> [UInt8] {
    let name = "a.b".utf16.flatMap { littleEndian(Int($0), 2) }
    let padding = [UInt8](repeating: 0, count: 256 - name.count)
    let offsets =
      littleEndian(284, 4) + littleEndian(0, 4) + littleEndian(284 + types.count, 4) + littleEndian(0, 4)
    let package = chunk(0x0200, littleEndian(0x7F, 4) + name + padding + offsets, types + keys + values)
    return chunk(0x0002, littleEndian(1, 4), pool("text") + package)
  }

  /// The values of the type `string` in one configuration: one entry with the first key and text.
  private var values: [UInt8] {
    let configuration = littleEndian(16, 4) + [UInt8](repeating: 0, count: 12)
    let entry = [8, 0, 0, 0] + littleEndian(0, 4) + [8, 0, 0, 3] + littleEndian(0, 4)
    let header: [UInt8] = [1, 0, 0, 0] + littleEndian(1, 4) + littleEndian(40, 4) + configuration
    return chunk(0x0201, header, littleEndian(0, 4) + entry)
  }

  /// The manifest's package is another one, so that only the table matters.
  private func read(_ table: [UInt8]) throws -> ArchiveError? {
    let path = "\(AndroidAppTests.fixtures)/apps/dense.apk"
    let archive = try ZipArchive(ByteSource(file: path), limits: .init())
    let manifest = try archive.read(#require(archive["AndroidManifest.xml"]))
    var zip = ZipWriter()
    zip.files = [
      .init(name: "AndroidManifest.xml", content: manifest),
      .init(name: "resources.arsc", content: table, isDeflated: true),
    ]
    do throws(ArchiveError) {
      let archive = try ZipArchive(ByteSource(zip.bytes), limits: .init())
      _ = try AndroidAppReader(path: "x.apk", limits: .init(), keys: nil).read(archive)
      return nil
    } catch {
      return error
    }
  }

  /// The process may grow by less than this while it refuses a file; other tests may run at the same time.
  /// Without a bound it would be tens of gigabytes.
  private func expectBoundedMemory(_ body: () throws -> Void) rethrows {
    let before = Self.peakBytes()
    try body()
    #expect(Self.peakBytes() - before < 1 << 30)
  }

  /// The largest resident size so far.
  private static func peakBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Int(line.filter(\.isNumber)) ?? 0) << 10
  }

  @Test func anOrdinaryTableIsRead() throws {
    #expect(try read(table(types: pool("string"), keys: pool("key"), values: values)) == nil)
  }

  @Test func refusesAMillionConfigurations() throws {
    let all = [[UInt8]](repeating: values, count: 1_000_000).flatMap(\.self)
    let table = table(types: pool("string"), keys: pool("key"), values: all)
    try expectBoundedMemory {
      let error = try #require(try read(table))
      #expect(error.code == .tooLarge)
      #expect(error.reason.contains("more than 20000 configurations"))
    }
  }

  @Test func refusesNamesThatAreOneLongTextEachTime() throws {
    let keys = pool(String(repeating: "k", count: 30_000), count: 1_000_000)
    let table = table(types: pool("string"), keys: keys, values: values)
    try expectBoundedMemory {
      let error = try #require(try read(table))
      #expect(error.code == .tooLarge)
      #expect(error.reason.contains("names of resources"))
    }
  }

  /// Each chunk names its type, so a long name would be decoded for each.
  @Test func readsTheNamesOfTypesOnce() throws {
    let unknown = chunk(0x0201, [1, 0, 0, 0], [])
    let all = [[UInt8]](repeating: unknown, count: 1_000_000).flatMap(\.self)
    let types = pool(String(repeating: "t", count: 30_000), count: 300)
    try expectBoundedMemory {
      let error = try read(table(types: types, keys: pool("key"), values: all))
      #expect(error == nil)
    }
  }
}
