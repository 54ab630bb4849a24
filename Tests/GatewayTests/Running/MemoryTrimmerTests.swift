import Glibc
import Testing

@testable import Gateway

@Suite struct MemoryTrimmerTests {
  @Test func onlyMuchIsWorthTheWork() {
    let limit = MemoryTrimmer.excessBytesMax
    #expect(!MemoryTrimmer.hasExcess(residentBytes: nil, usedBytes: 0))
    #expect(!MemoryTrimmer.hasExcess(residentBytes: limit, usedBytes: 0))
    #expect(MemoryTrimmer.hasExcess(residentBytes: limit + 1, usedBytes: 0))
    #expect(!MemoryTrimmer.hasExcess(residentBytes: 2 * limit, usedBytes: limit))
    #expect(!MemoryTrimmer.hasExcess(residentBytes: 0, usedBytes: limit))
  }

  /// Memory below a block in use stays with the process until it is trimmed.
  @Test func givesFreedMemoryBack() throws {
    let blockBytes = 4096
    let blocks = (0..<32_768).compactMap { _ in malloc(blockBytes) }
    for block in blocks { memset(block, 1, blockBytes) }
    let full = try #require(MemoryTrimmer.residentBytes())
    // Every hundredth block stays in use.
    for (index, block) in blocks.enumerated() where index % 100 != 0 { free(block) }
    MemoryTrimmer.trim()
    let trimmed = try #require(MemoryTrimmer.residentBytes())
    #expect(full - trimmed > 100 << 20)
    for (index, block) in blocks.enumerated() where index % 100 == 0 { free(block) }
  }
}
