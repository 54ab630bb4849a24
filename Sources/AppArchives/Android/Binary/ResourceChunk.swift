/// A chunk of Android's binary formats: type, header size and size, then its content (AOSP ResourceTypes.h,
/// ResChunk_header).
struct ResourceChunk: Sendable {
  let type: Int
  let headerSize: Int
  let start: Int
  let end: Int

  /// The chunk that begins at `start` and ends by `limit`; nil if there is none.
  init?(_ bytes: LittleEndianBytes, at start: Int, limit: Int) {
    guard let type = bytes.u16(start), let headerSize = bytes.u16(start + 2), let size = bytes.u32(start + 4),
      headerSize >= 8, size >= headerSize, start <= limit, size <= limit - start, limit <= bytes.count
    else { return nil }
    (self.type, self.headerSize, self.start, end) = (type, headerSize, start, start + size)
  }

  /// The chunks in the content, in order. Unknown types are included; a damaged one ends the list.
  ///
  /// They are read one by one, because a file can have millions.
  func children(_ bytes: LittleEndianBytes) -> some Sequence<ResourceChunk> {
    sequence(state: start + headerSize) { [end] position in
      guard let chunk = ResourceChunk(bytes, at: position, limit: end) else { return nil }
      position = chunk.end
      return chunk
    }
  }

  /// Where the content has no valid chunk although there is room for one; nil if all are valid. Android then
  /// rejects the whole file (AOSP ChunkIterator.cpp).
  func damage(_ bytes: LittleEndianBytes) -> Int? {
    let place = children(bytes).reduce(start + headerSize) { max($0, $1.end) }
    return end - place < Self.headerBytes ? nil : place
  }

  private static let headerBytes = 8

  static let stringPool = 0x0001
  static let table = 0x0002
  static let xml = 0x0003
  static let startElement = 0x0102
  static let resourceMap = 0x0180
  static let package = 0x0200
  static let typeValues = 0x0201
}
