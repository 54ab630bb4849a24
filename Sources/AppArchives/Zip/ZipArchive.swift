internal import JSON
internal import Synchronization

/// A ZIP file (APPNOTE.TXT 6.3), read by its central directory under the rules of Android's own reader
/// (system/libziparchive): what a phone would refuse is refused here.
struct ZipArchive: Sendable {
  /// A file in the archive, as the directory describes it.
  struct Entry: Sendable {
    let name: String
    let flags: Int
    let method: Int
    let checksum: Int
    let compressedCount: Int
    let count: Int
    let offset: Int
  }

  let entries: [Entry]
  private let source: ByteSource
  private let indices: [ExactText: Int]
  private let budget: ReadBudget
  private let limits: ArchiveLimits

  init(_ source: ByteSource, limits: ArchiveLimits, budget: ReadBudget? = nil) throws(ArchiveError) {
    self.source = source
    self.limits = limits
    self.budget = budget ?? ReadBudget(bytesMax: limits.totalBytesMax)
    let directory = try ZipDirectory(source, limits: limits, budget: self.budget)
    entries = directory.entries
    indices = directory.indices
  }

  /// The entry of exactly this name.
  subscript(name: String) -> Entry? { indices[ExactText(name)].map { entries[$0] } }

  /// The content of an entry.
  func read(_ entry: Entry) throws(ArchiveError) -> [UInt8] {
    try check(entry.count, of: entry)
    try budget.take(entry.count)
    let data = try data(of: entry)
    return entry.method == 0 ? try data.read(0..<data.count) : try Inflater.inflate(data, count: entry.count)
  }

  /// The ZIP file in an entry. A stored one is read in place, a compressed one is inflated into memory.
  func archive(in entry: Entry) throws(ArchiveError) -> ZipArchive {
    let content = entry.method == 0 ? try data(of: entry) : ByteSource(try read(entry))
    return try ZipArchive(content, limits: limits, budget: budget)
  }

  private func check(_ count: Int, of entry: Entry) throws(ArchiveError) {
    guard count <= limits.entryBytesMax else {
      throw .tooLarge("\(entry.name.shortForMessage) is larger than \(limits.entryBytesMax) bytes.")
    }
  }

  /// The data of an entry as stored, after its own header was compared with the directory.
  private func data(of entry: Entry) throws(ArchiveError) -> ByteSource {
    let name = entry.name.shortForMessage
    let fixed = LittleEndianBytes(try source.read(entry.offset..<entry.offset + 30))
    guard fixed.u32(0) == 0x0403_4B50, let flags = fixed.u16(6), let nameCount = fixed.u16(26),
      let extraCount = fixed.u16(28)
    else { throw .malformed("\(name) has no header where the directory says.") }
    let nameStart = entry.offset + 30
    let written = try source.read(nameStart..<nameStart + nameCount)
    guard written.elementsEqual(entry.name.utf8) else {
      throw .malformed("The directory and the header of \(name) have different names.")
    }
    // Bit 3: the sizes stand behind the data instead.
    if flags & 8 == 0 {
      let sizes = (fixed.u32(14), fixed.u32(18), fixed.u32(22))
      let isZip64 = sizes.1 == 0xFFFF_FFFF || sizes.2 == 0xFFFF_FFFF
      guard isZip64 || sizes == (entry.checksum, entry.compressedCount, entry.count) else {
        throw .malformed("The directory and the header of \(name) have different sizes.")
      }
    }
    guard entry.method == 0 || entry.method == 8 else {
      throw .unsupported("\(name) is compressed by method \(entry.method), which Android does not know.")
    }
    guard entry.method == 8 || entry.count == entry.compressedCount else {
      throw .malformed("\(name) is stored, but its two sizes differ.")
    }
    let start = nameStart + nameCount + extraCount
    guard let data = source.slice(start..<start + entry.compressedCount) else {
      throw .malformed("The data of \(name) ends outside the file.")
    }
    return data
  }
}

/// What may still be read of one file. One entry can be read many times, and a file can contain others.
final class ReadBudget: Sendable {
  private let left: Mutex<Int>
  private let bytesMax: Int

  init(bytesMax: Int) {
    self.bytesMax = bytesMax
    left = Mutex(bytesMax)
  }

  func take(_ count: Int) throws(ArchiveError) {
    let isEnough = left.withLock { left in
      left -= min(count, left + 1)
      return left >= 0
    }
    guard isEnough else { throw .tooLarge("The strings of the file take more than \(bytesMax) bytes.") }
  }
}

extension String {
  /// At most 80 characters, for a message.
  var shortForMessage: String {
    let scalars = unicodeScalars.prefix(81)
    return scalars.count <= 80 ? self : String(String.UnicodeScalarView(scalars.prefix(80))) + "…"
  }
}
