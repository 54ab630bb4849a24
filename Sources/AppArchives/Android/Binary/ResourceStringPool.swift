/// A pool of strings in one of Android's binary formats, in UTF-8 or UTF-16 (AOSP ResStringPool).
struct ResourceStringPool: Sendable {
  let count: Int
  private let bytes: LittleEndianBytes
  private let isUTF8: Bool
  private let offsets: Int
  private let strings: Int
  private let end: Int

  init?(_ bytes: LittleEndianBytes, _ chunk: ResourceChunk) {
    guard chunk.type == ResourceChunk.stringPool, chunk.headerSize >= 28,
      let count = bytes.u32(chunk.start + 8), let flags = bytes.u32(chunk.start + 16),
      let stringsStart = bytes.u32(chunk.start + 20)
    else { return nil }
    offsets = chunk.start + chunk.headerSize
    strings = chunk.start + stringsStart
    end = chunk.end
    guard count <= (end - offsets) / 4, stringsStart <= end - chunk.start else { return nil }
    (self.bytes, self.count) = (bytes, count)
    isUTF8 = flags & 0x100 != 0
  }

  /// The text without its styles; nil if the pool has none at this index. A lone surrogate becomes U+FFFD.
  subscript(index: Int) -> String? {
    guard let range = content(index) else { return nil }
    if isUTF8 { return Self.text(utf8: bytes.bytes[range]) }
    return String(
      decoding: stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
        UInt16(bytes.bytes[$0]) | UInt16(bytes.bytes[$0 + 1]) << 8
      }, as: UTF16.self)
  }

  /// A text that names something; nil if it has more than 1,024 bytes in the file, which no such name has.
  /// Whatever is decoded for each element of a file must be short, because a text of 32 KiB can be named
  /// any number of times.
  func name(_ index: Int) -> String? { byteCount(index) <= 1024 ? self[index] : nil }

  /// The size of a text in the file, which bounds its size in memory.
  func byteCount(_ index: Int) -> Int { content(index)?.count ?? 0 }

  private func content(_ index: Int) -> Range<Int>? {
    guard index >= 0, index < count, let offset = bytes.u32(offsets + 4 * index) else { return nil }
    var position = strings + offset
    let length: Int
    if isUTF8 {
      // The length in UTF-16 units comes first, and is of no use here.
      guard length8(&position) != nil, let bytes = length8(&position) else { return nil }
      length = bytes
    } else {
      guard let units = length16(&position) else { return nil }
      length = 2 * units
    }
    guard position <= end, length <= end - position else { return nil }
    return position..<position + length
  }

  /// One byte, or two if the first has its highest bit set.
  private func length8(_ position: inout Int) -> Int? {
    guard let first = bytes.u8(position) else { return nil }
    position += 1
    guard first & 0x80 != 0 else { return first }
    guard let second = bytes.u8(position) else { return nil }
    position += 1
    return (first & 0x7F) << 8 | second
  }

  /// One unit, or two if the first has its highest bit set.
  private func length16(_ position: inout Int) -> Int? {
    guard let first = bytes.u16(position) else { return nil }
    position += 2
    guard first & 0x8000 != 0 else { return first }
    guard let second = bytes.u16(position) else { return nil }
    position += 2
    return (first & 0x7FFF) << 16 | second
  }

  /// aapt2 writes a character beyond U+FFFF as two surrogates of three bytes each (CESU-8); others write four
  /// bytes.
  static func text(utf8 bytes: ArraySlice<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let rest = bytes[index...]
      if rest.count >= 3, bytes[index] & 0xF0 == 0xE0, bytes[index + 1] & 0xC0 == 0x80,
        bytes[index + 2] & 0xC0 == 0x80
      {
        units.append(
          UInt16(bytes[index] & 0xF) << 12 | UInt16(bytes[index + 1] & 0x3F) << 6
            | UInt16(bytes[index + 2] & 0x3F))
        index += 3
        continue
      }
      let length = bytes[index] < 0x80 ? 1 : bytes[index] < 0xE0 ? 2 : 4
      units += String(decoding: rest.prefix(length), as: UTF8.self).utf16
      index += min(length, rest.count)
    }
    return String(decoding: units, as: UTF16.self)
  }
}
