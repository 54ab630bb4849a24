internal import CZlib

/// Compresses content as gzip (RFC 1952).
enum Gzip {
  /// The compressed bytes; nil if there is no memory for them.
  static func compress(_ content: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard let count = UInt32(exactly: content.count), dragoman_gzip_begin(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let bound = Int(clamping: deflateBound(&stream, UInt(count)))
    let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, written in
      content.withUnsafeBufferPointer { input in
        // zlib only reads the input.
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = count
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(clamping: bound)
        written = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(clamping: stream.total_out) : 0
      }
    }
    return compressed.isEmpty ? nil : compressed
  }
}
