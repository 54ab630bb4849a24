import CJemalloc
import Foundation
import Testing

@testable import Gateway

@Suite struct MemoryAllocatorTests {
  @Test func jemallocServesTheWholeProgram() throws {
    #expect(try allocated { malloc(1 << 20) } >= 1 << 20)
    // What a C library allocates.
    let text = String(repeating: "a", count: 1 << 20)
    #expect(
      try text.withCString { text in try allocated { UnsafeMutableRawPointer(strdup(text)) } } > 1 << 20)
  }

  @Test func hasItsSettings() throws {
    #expect(try value("opt.narenas", UInt32(0)) == 2)
    #expect(try value("opt.tcache_nslots_small_max", UInt32(0)) == 80)
    #expect(try value("opt.tcache_max", 0) == 4096)
    #expect(try value("opt.dirty_decay_ms", 0) == 3000)
    #expect(try value("opt.max_background_threads", 0) == 1)
  }

  /// Also what lies below and above blocks that stay in use.
  @Test func givesFreedMemoryBackWhileTheProgramIsIdle() throws {
    #expect(MemoryAllocator.startGivingBack())
    let blockBytes = 4096
    let blocks = (0..<32_768).compactMap { _ in malloc(blockBytes) }
    for block in blocks { memset(block, 1, blockBytes) }
    let full = try residentBytes()
    for (index, block) in blocks.enumerated() where index % 100 != 0 { free(block) }
    defer { for (index, block) in blocks.enumerated() where index % 100 == 0 { free(block) } }
    let deadline = ContinuousClock.now + .seconds(90)
    var givenBack = 0
    while givenBack < 100 << 20, ContinuousClock.now < deadline { givenBack = try full - residentBytes() }
    #expect(givenBack >= 100 << 20)
  }

  /// The bytes that this thread allocates in `work`.
  private func allocated(_ work: () -> UnsafeMutableRawPointer?) throws -> UInt64 {
    let before = try value("thread.allocated", UInt64(0))
    let memory = work()
    defer { free(memory) }
    return try value("thread.allocated", UInt64(0)) - before
  }

  private func value<Value: BitwiseCopyable>(_ name: String, _ empty: Value) throws -> Value {
    var value = empty
    var size = MemoryLayout<Value>.size
    try #require(mallctl(name, &value, &size, nil, 0) == 0)
    return value
  }

  private func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(pages.dropFirst().first.flatMap { Int($0) }) * Int(getpagesize())
  }
}
