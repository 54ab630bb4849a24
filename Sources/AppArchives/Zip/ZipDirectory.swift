internal import JSON

/// The central directory of a ZIP file, checked as Android checks it (libziparchive zip_archive.cc).
struct ZipDirectory {
  private(set) var entries: [ZipArchive.Entry] = []
  private(set) var indices: [ExactText: Int] = [:]

  /// Where the directory lies, from the record at the end of the file.
  private struct Place {
    var entryCount: Int
    var size: Int
    var offset: Int
  }

  init(_ source: ByteSource, limits: ArchiveLimits, budget: ReadBudget) throws(ArchiveError) {
    let place = try Self.place(source)
    guard place.entryCount <= limits.entriesMax, place.size <= limits.directoryBytesMax else {
      throw .tooLarge(
        "The file has more than \(limits.entriesMax) entries, or a directory of more than "
          + "\(limits.directoryBytesMax) bytes.")
    }
    try budget.take(place.size)
    let directory = LittleEndianBytes(try source.read(place.offset..<place.offset + place.size))
    if place.entryCount > 0 {
      let first = LittleEndianBytes(try source.read(0..<min(4, source.count)))
      guard first.u32(0) == 0x0403_4B50 else {
        throw .malformed("The file does not begin with an entry; Android refuses it.")
      }
    }
    // Each entry takes 46 bytes, so the count cannot be believed before that.
    entries.reserveCapacity(min(place.entryCount, place.size / 46))
    indices.reserveCapacity(min(place.entryCount, place.size / 46))
    var position = 0
    for _ in 0..<place.entryCount {
      guard let (entry, next) = Self.entry(directory, at: position) else {
        throw .malformed("The file's directory is damaged.")
      }
      guard indices.updateValue(entries.count, forKey: ExactText(entry.name)) == nil else {
        throw .malformed("The file has two entries named \(entry.name.shortForMessage); Android refuses it.")
      }
      entries.append(entry)
      position = next
    }
    try refuseOverlaps(before: place.offset)
  }

  /// Two entries over the same bytes are how small files unpack to large ones.
  private func refuseOverlaps(before end: Int) throws(ArchiveError) {
    var free = 0
    for entry in entries.sorted(by: { $0.offset < $1.offset }) {
      let (size, overflow) = entry.compressedCount.addingReportingOverflow(30 + entry.name.utf8.count)
      guard entry.offset >= free, !overflow, size <= end - entry.offset else {
        throw .malformed("The entry \(entry.name.shortForMessage) overlaps another one.")
      }
      free = entry.offset + size
    }
  }

  /// The record at the end of the file, followed by nothing but its comment.
  private static func place(_ source: ByteSource) throws(ArchiveError) -> Place {
    let tailCount = min(source.count, 22 + 0xFFFF)
    let tailStart = source.count - tailCount
    let tail = LittleEndianBytes(try source.read(tailStart..<source.count))
    var position = tailCount - 22
    while position >= 0, tail.u32(position) != 0x0605_4B50 { position -= 1 }
    guard position >= 0, let entryCount = tail.u16(position + 10), let size = tail.u32(position + 12),
      let offset = tail.u32(position + 16), let commentCount = tail.u16(position + 20)
    else { throw .malformed("The file is not a ZIP file, or its end is missing.") }
    guard position + 22 + commentCount == tailCount else {
      throw .malformed("Bytes follow the end of the ZIP file; Android refuses it.")
    }
    var place = Place(entryCount: entryCount, size: size, offset: offset)
    var end = tailStart + position
    if entryCount == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF {
      (place, end) = try zip64Place(source, before: end) ?? (place, end)
    }
    guard place.offset <= end, place.size <= end - place.offset else {
      throw .malformed("The file's directory lies outside the file.")
    }
    return place
  }

  /// The larger record that a zip64 file has before the one at its end; nil if there is none.
  private static func zip64Place(
    _ source: ByteSource, before end: Int
  ) throws(ArchiveError) -> (Place, end: Int)? {
    guard end >= 20 else { return nil }
    let locator = LittleEndianBytes(try source.read(end - 20..<end))
    guard locator.u32(0) == 0x0706_4B50 else { return nil }
    guard let start = locator.u64(8), start <= end - 20, end - 20 - start >= 56 else {
      throw .malformed("The file's zip64 record lies outside the file.")
    }
    let record = LittleEndianBytes(try source.read(start..<start + 56))
    guard record.u32(0) == 0x0606_4B50, let entryCount = record.u64(32), let size = record.u64(40),
      let offset = record.u64(48)
    else { throw .malformed("The file's zip64 record is damaged.") }
    return (Place(entryCount: entryCount, size: size, offset: offset), start)
  }

  private static func entry(
    _ directory: LittleEndianBytes, at start: Int
  ) -> (entry: ZipArchive.Entry, next: Int)? {
    guard directory.u32(start) == 0x0201_4B50, let flags = directory.u16(start + 8),
      let method = directory.u16(start + 10), let checksum = directory.u32(start + 16),
      let compressed = directory.u32(start + 20), let size = directory.u32(start + 24),
      let nameCount = directory.u16(start + 28), let extraCount = directory.u16(start + 30),
      let commentCount = directory.u16(start + 32), let offset = directory.u32(start + 42)
    else { return nil }
    let nameEnd = start + 46 + nameCount
    let extraEnd = nameEnd + extraCount
    let next = extraEnd + commentCount
    guard next <= directory.count else { return nil }
    let written = directory.bytes[start + 46..<nameEnd]
    guard !written.contains(0), let name = String(validating: written, as: UTF8.self) else { return nil }
    var wide = [size, compressed, offset]
    guard widen(&wide, directory, nameEnd..<extraEnd) else { return nil }
    let entry = ZipArchive.Entry(
      name: name, flags: flags, method: method, checksum: checksum, compressedCount: wide[1], count: wide[0],
      offset: wide[2])
    return (entry, next)
  }

  /// Replaces sizes and offset by those of the zip64 extra field (tag 1), in its order, where they do not
  /// fit.
  private static func widen(_ numbers: inout [Int], _ bytes: LittleEndianBytes, _ extra: Range<Int>) -> Bool {
    guard numbers.contains(0xFFFF_FFFF) else { return true }
    var position = extra.lowerBound
    while position + 4 <= extra.upperBound, let tag = bytes.u16(position), let count = bytes.u16(position + 2)
    {
      let end = position + 4 + count
      guard end <= extra.upperBound else { return false }
      if tag == 1 {
        var field = position + 4
        for index in numbers.indices where numbers[index] == 0xFFFF_FFFF {
          guard field + 8 <= end, let number = bytes.u64(field) else { return false }
          numbers[index] = number
          field += 8
        }
        return true
      }
      position = end
    }
    return true
  }
}
