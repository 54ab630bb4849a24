internal import AppStrings

/// The kinds of resources that hold texts.
enum TextResourceKind: String, Sendable, CaseIterable {
  case string, plurals, array
}

/// The values of one type in one configuration (AOSP ResourceTypes.h, ResTable_type), in any of the encodings
/// that aapt2 writes: dense, sparse, with 16-bit offsets, and with compact entries.
struct ResourceTypeValues: Sendable {
  /// An entry's place in the file, and its index, the low half of its resource id.
  struct Place {
    let index: Int
    let offset: Int
  }

  let typeID: Int
  let kind: TextResourceKind
  let configuration: AndroidAppConfiguration
  let isSparse: Bool
  private let hasShortOffsets: Bool
  private let count: Int
  private let indexStart: Int
  private let entriesStart: Int
  private let end: Int

  init?(_ bytes: LittleEndianBytes, _ chunk: ResourceChunk, typeIDOffset: Int, kind: TextResourceKind) {
    guard chunk.headerSize >= 36, let id = bytes.u8(chunk.start + 8), id > 0,
      let flags = bytes.u8(chunk.start + 9), let count = bytes.u32(chunk.start + 12), count <= 0xFFFF,
      let entriesStart = bytes.u32(chunk.start + 16), entriesStart <= chunk.end - chunk.start,
      let configuration = AndroidAppConfiguration(
        bytes, at: chunk.start + 20, limit: chunk.start + chunk.headerSize)
    else { return nil }
    typeID = id + typeIDOffset
    self.kind = kind
    self.configuration = configuration
    isSparse = flags & 1 != 0
    hasShortOffsets = flags & 2 != 0
    self.count = count
    indexStart = chunk.start + chunk.headerSize
    self.entriesStart = chunk.start + entriesStart
    end = chunk.end
    let indexSize = count * (hasShortOffsets && !isSparse ? 2 : 4)
    guard indexStart + indexSize <= self.entriesStart else { return nil }
  }

  /// The number of resource ids, with or without a value here.
  var capacity: Int { count }

  /// The place at a position of the index; nil where the entry has no value in this configuration.
  func place(_ bytes: LittleEndianBytes, at position: Int) -> Place? {
    guard position >= 0, position < count else { return nil }
    let index: Int
    let offset: Int
    if isSparse {
      guard let entry = bytes.u16(indexStart + 4 * position),
        let quarter = bytes.u16(indexStart + 4 * position + 2)
      else { return nil }
      (index, offset) = (entry, 4 * quarter)
    } else if hasShortOffsets {
      guard let quarter = bytes.u16(indexStart + 2 * position), quarter != 0xFFFF else { return nil }
      (index, offset) = (position, 4 * quarter)
    } else {
      guard let full = bytes.u32(indexStart + 4 * position), full != 0xFFFF_FFFF else { return nil }
      (index, offset) = (position, full)
    }
    let (place, overflow) = entriesStart.addingReportingOverflow(offset)
    // The shortest entry, a compact one, has 8 bytes.
    guard !overflow, offset % 4 == 0, place <= end - 8 else { return nil }
    return Place(index: index, offset: place)
  }

  /// The place of the entry with a resource id's low half.
  func place(_ bytes: LittleEndianBytes, ofIndex index: Int) -> Place? {
    guard isSparse else { return place(bytes, at: index) }
    for position in 0..<count {
      if let place = place(bytes, at: position), place.index == index { return place }
    }
    return nil
  }

  /// Whether the bytes of an entry are inside.
  func contains(_ range: Range<Int>) -> Bool { range.lowerBound >= entriesStart && range.upperBound <= end }
}
