internal import CLZ4

/// LZ4 blocks with a dictionary, as databases hold what is most of a row.
// Guard: `bytes` and `stream` are written in `init` only, and live as long as the dictionary.
package final class LZ4Dictionary: @unchecked Sendable {
  private let bytes: UnsafeMutableBufferPointer<CChar>
  /// A stream that has read the dictionary, of which each block gets a copy: to read it takes longer than to
  /// compress most messages.
  private let stream = UnsafeMutablePointer<LZ4_stream_t>.allocate(capacity: 1)

  package init(_ text: some Collection<UInt8>) {
    bytes = .allocate(capacity: text.count)
    _ = bytes.initialize(fromContentsOf: text.lazy.map { CChar(bitPattern: $0) })
    LZ4_initStream(stream, MemoryLayout<LZ4_stream_t>.size)
    LZ4_loadDict(stream, bytes.baseAddress, Int32(bytes.count))
  }

  deinit {
    bytes.deallocate()
    stream.deallocate()
  }

  /// Returns how many bytes it has written; 0 if they do not fit.
  package func compress(_ source: [UInt8], into output: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    let output = UnsafeMutableRawBufferPointer(rebasing: output)
    return withUnsafeTemporaryAllocation(of: LZ4_stream_t.self, capacity: 1) { copy in
      source.withUnsafeBytes { source in
        copy.baseAddress?.initialize(from: stream, count: 1)
        return Int(
          LZ4_compress_fast_continue(
            copy.baseAddress, source.baseAddress?.assumingMemoryBound(to: CChar.self),
            output.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(source.count),
            Int32(output.count), 1))
      }
    }
  }

  /// The bytes of a block; nil unless there are `byteCount` of them.
  package func decompress(_ block: ArraySlice<UInt8>, byteCount: Int) -> [UInt8]? {
    let result = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      count = block.withUnsafeBytes { source in
        let written = LZ4_decompress_safe_usingDict(
          source.baseAddress?.assumingMemoryBound(to: CChar.self),
          UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self),
          Int32(source.count), Int32(byteCount), bytes.baseAddress, Int32(bytes.count))
        return max(0, Int(written))
      }
    }
    return result.count == byteCount ? result : nil
  }
}
