internal import CZlib

/// Inflates an entry of a ZIP file (RFC 1951).
enum Inflater {
  /// The bytes that `source` inflates to, which must be exactly `count`. No more than that is ever written.
  static func inflate(_ source: ByteSource, count: Int) throws(ArchiveError) -> [UInt8] {
    var stream = z_stream()
    guard dragoman_inflate_begin(&stream) == Z_OK else {
      throw .tooLarge("There is no memory to inflate it.")
    }
    defer { inflateEnd(&stream) }
    // zlib accepts no null pointer, not even for zero bytes.
    var output = [UInt8](repeating: 0, count: max(count, 1))
    var produced = 0
    var position = 0
    while true {
      let end = min(position + pieceBytes, source.count)
      guard position < end else { throw .malformed("An entry's compressed data ends too early.") }
      var piece = try source.read(position..<end)
      position = end
      let status = run(&stream, &piece, &output, count: count, &produced)
      if status == Z_STREAM_END { break }
      guard status == Z_OK else {
        throw .malformed("An entry cannot be inflated, or is larger than declared.")
      }
    }
    guard produced == count else { throw .malformed("An entry is smaller than declared.") }
    if output.count > count { output.removeLast(output.count - count) }
    return output
  }

  private static let pieceBytes = 256 << 10

  /// Inflates one piece. `Z_OK` means that it is used up.
  private static func run(
    _ stream: inout z_stream, _ piece: inout [UInt8], _ output: inout [UInt8], count: Int,
    _ produced: inout Int
  ) -> Int32 {
    piece.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        guard let base = output.baseAddress else { return Z_BUF_ERROR }
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        var status = Z_OK
        while status == Z_OK, stream.avail_in > 0 {
          stream.next_out = base + produced
          stream.avail_out = UInt32(count - produced)
          status = CZlib.inflate(&stream, Z_NO_FLUSH)
          produced = count - Int(stream.avail_out)
        }
        return status
      }
    }
  }
}
