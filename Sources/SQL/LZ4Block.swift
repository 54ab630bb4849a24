internal import CLZ4

/// LZ4 blocks with a dictionary, as databases hold what is most of a row.
package enum LZ4Block {
  /// Returns how many bytes it has written; 0 if they do not fit.
  package static func compress(
    _ bytes: [UInt8], into output: Slice<UnsafeMutableRawBufferPointer>, dictionary: [UInt8]
  ) -> Int {
    let output = UnsafeMutableRawBufferPointer(rebasing: output)
    return withUnsafeTemporaryAllocation(of: LZ4_stream_t.self, capacity: 1) { stream in
      bytes.withUnsafeBytes { source in
        dictionary.withUnsafeBytes { dictionary in
          LZ4_initStream(stream.baseAddress, MemoryLayout<LZ4_stream_t>.size)
          LZ4_loadDict(
            stream.baseAddress, dictionary.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(dictionary.count))
          return Int(
            LZ4_compress_fast_continue(
              stream.baseAddress, source.baseAddress?.assumingMemoryBound(to: CChar.self),
              output.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(source.count),
              Int32(output.count), 1))
        }
      }
    }
  }

  /// The bytes of a block; nil unless there are `byteCount` of them.
  package static func decompress(
    _ block: ArraySlice<UInt8>, byteCount: Int, dictionary: [UInt8]
  ) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      count = block.withUnsafeBytes { source in
        dictionary.withUnsafeBytes { dictionary in
          let written = LZ4_decompress_safe_usingDict(
            source.baseAddress?.assumingMemoryBound(to: CChar.self),
            UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self),
            Int32(source.count), Int32(byteCount),
            dictionary.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(dictionary.count))
          return max(0, Int(written))
        }
      }
    }
    return bytes.count == byteCount ? bytes : nil
  }
}
