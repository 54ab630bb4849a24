import Testing

@testable import AppArchives

/// ZIP files, read as Android reads them.
@Suite struct ZipArchiveTests {
  private func open(_ writer: ZipWriter, limits: ArchiveLimits = .init()) throws -> ZipArchive {
    try ZipArchive(ByteSource(writer.bytes), limits: limits)
  }

  private func reason(_ writer: ZipWriter, limits: ArchiveLimits = .init()) -> String? {
    do {
      let archive = try open(writer, limits: limits)
      for entry in archive.entries { _ = try archive.read(entry) }
      return nil
    } catch {
      return (error as? ArchiveError)?.reason
    }
  }

  private let text = Array(String(repeating: "Dragoman ", count: 500).utf8)

  @Test func readsStoredAndDeflatedEntries() throws {
    var writer = ZipWriter([
      .init(name: "a", content: text), .init(name: "b/c", content: text, isDeflated: true),
      .init(name: "empty", content: [], isDeflated: true), .init(name: "é", content: [1]),
    ])
    writer.comment = [UInt8](repeating: 0x20, count: 0xFFFF)
    let archive = try open(writer)
    #expect(try archive.read(#require(archive["a"])) == text)
    #expect(try archive.read(#require(archive["b/c"])) == text)
    #expect(try archive.read(#require(archive["empty"])) == [])
    #expect(try archive.read(#require(archive["é"])) == [1])
    #expect(archive["B/C"] == nil)
    #expect(archive["e\u{301}"] == nil)
  }

  @Test func ignoresTheEncryptionBit() throws {
    let archive = try open(ZipWriter([.init(name: "a", content: text, flags: 1)]))
    #expect(try archive.read(#require(archive["a"])) == text)
  }

  @Test func readsAnArchiveInAnEntry() throws {
    let inner = ZipWriter(["x": [7]]).bytes
    for isDeflated in [false, true] {
      let archive = try open(ZipWriter([.init(name: "i.apk", content: inner, isDeflated: isDeflated)]))
      let nested = try archive.archive(in: #require(archive["i.apk"]))
      #expect(try nested.read(#require(nested["x"])) == [7])
    }
  }

  @Test func refusesWhatAndroidRefuses() {
    var writer = ZipWriter(["a": text])
    writer.after = [0]
    #expect(reason(writer)?.contains("follow the end") == true)
    writer = ZipWriter(["a": text])
    writer.before = [0, 0, 0, 0]
    #expect(reason(writer)?.contains("does not begin") == true)
    writer = ZipWriter([.init(name: "a", content: text), .init(name: "a", content: text)])
    #expect(reason(writer)?.contains("two entries") == true)
    #expect(reason(ZipWriter([.init(name: "a", content: text, localName: "b")]))?.contains("names") == true)
    #expect(reason(ZipWriter([.init(name: "a\0b", content: text)]))?.contains("damaged") == true)
    #expect(reason(ZipWriter([.init(name: "a", content: text, method: 12)]))?.contains("method 12") == true)
    #expect(reason(ZipWriter([])) == nil)
  }

  @Test func refusesOverlappingEntries() {
    let files = [ZipWriter.File(name: "a", content: text), .init(name: "b", content: text, offset: 10)]
    #expect(reason(ZipWriter(files))?.contains("overlaps") == true)
  }

  @Test(arguments: [1, 100, 4_499, 4_501, 1 << 20])
  func refusesAWrongSize(declared: Int) {
    let file = ZipWriter.File(name: "a", content: text, isDeflated: true, declaredCount: declared)
    #expect(reason(ZipWriter([file])) != nil)
  }

  @Test func bounds() {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var limits = ArchiveLimits()
    limits.entryBytesMax = 1 << 19
    let bomb = ZipWriter([.init(name: "a", content: zeros, isDeflated: true)])
    #expect(reason(bomb, limits: limits)?.contains("larger than 524288 bytes") == true)
    limits = ArchiveLimits()
    limits.totalBytesMax = 3 << 19
    let two = ZipWriter(["a", "b"].map { .init(name: $0, content: zeros, isDeflated: true) })
    #expect(reason(two, limits: limits)?.contains("take more than") == true)
    limits = ArchiveLimits()
    limits.entriesMax = 1
    #expect(reason(two, limits: limits)?.contains("more than 1 entries") == true)
  }

  @Test func neverCrashesOnDamage() throws {
    let whole = ZipWriter(["a": text, "b": [1, 2, 3]]).bytes
    for length in stride(from: 0, to: whole.count, by: 7) {
      #expect(throws: ArchiveError.self) {
        try ZipArchive(ByteSource(Array(whole.prefix(length))), limits: .init())
      }
    }
    for index in whole.indices.suffix(200) {
      var bytes = whole
      bytes[index] ^= 0xFF
      guard let archive = try? ZipArchive(ByteSource(bytes), limits: .init()) else { continue }
      for entry in archive.entries { _ = try? archive.read(entry) }
    }
  }
}
