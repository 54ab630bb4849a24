import Foundation
import TestSupport
import Testing

@testable import JSON

@Suite struct RegularFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func code(_ path: String, bytesMax: Int = 8) throws -> FileReadError.Code {
    try #require(throws: FileReadError.self) { try RegularFile.read(path, bytesMax: bytesMax) }.code
  }

  @Test func readsAFileUpToTheLimit() throws {
    try folder.write("12345678", to: "file")
    #expect(try RegularFile.read("\(folder.path)/file", bytesMax: 8) == Array("12345678".utf8))
    #expect(try code("\(folder.path)/file", bytesMax: 7) == .tooLarge(bytesMax: 7))
    try folder.write("", to: "empty")
    #expect(try RegularFile.read("\(folder.path)/empty", bytesMax: 0) == [])
  }

  /// The kernel gives 0 for the size of such a file.
  @Test func readsAFileWhoseSizeIsUnknown() throws {
    #expect(try RegularFile.read("/proc/self/status", bytesMax: 65_536).starts(with: "Name:".utf8))
    #expect(try code("/proc/self/status") == .tooLarge(bytesMax: 8))
  }

  /// Five gigabytes that take no space on the disk.
  @Test func refusesAHugeFileUnread() throws {
    try folder.write("", to: "huge")
    #expect(truncate("\(folder.path)/huge", 5 << 30) == 0)
    #expect(try code("\(folder.path)/huge", bytesMax: 16 << 20) == .tooLarge(bytesMax: 16 << 20))
  }

  @Test func refusesWhatIsNoFile() throws {
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    #expect(try code("\(folder.path)/pipe") == .notAFile)
    #expect(try code("/dev/zero") == .notAFile)
    #expect(try code(folder.path) == .folder)
    #expect(try code("\(folder.path)/none") == .system(ENOENT))
  }
}
