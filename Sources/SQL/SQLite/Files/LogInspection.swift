import Foundation

/// Looks for damage in a write-ahead log that SQLite would mistake for the log's end.
///
/// SQLite stops at the first frame with a wrong checksum, because a crash may have torn the last transaction,
/// and silently loses what follows. With `synchronous=FULL` a transaction is written only after the previous
/// one is on disk, so that a crash tears at most one: two whole transactions after a wrong frame show that it
/// was damaged later. Each frame's checksum continues that of the frame before (SQLite, "WAL-mode File
/// Format").
package struct LogInspection {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24
  private static let framesAtOnce = 256

  private let descriptor: Int32
  private let bytes: Int
  private let isBigEndian: Bool
  private let pageBytes: Int
  private var salts: UInt64?
  private var sums: LogChecksum

  /// Where the first wrong frame begins, if transactions follow it; nil for a log that a crash may have left.
  /// `pageBytes` is the page size if neither the log nor the database tells it.
  package static func damage(inLogOf database: String, pageBytes: Int) -> Int? {
    let descriptor = open(database + "-wal", O_RDONLY | O_CLOEXEC)
    // SQLite itself reports best what is wrong with an unreadable log.
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var inspection = LogInspection(descriptor, database: database, pageBytes: pageBytes)
    return inspection?.firstDamage()
  }

  private init?(_ descriptor: Int32, database: String, pageBytes fallback: Int) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > Self.headerBytes else { return nil }
    self.descriptor = descriptor
    bytes = Int(status.st_size)
    let header = Self.read(Self.headerBytes, at: 0, of: descriptor)
    guard header.count == Self.headerBytes else { return nil }
    let magic = Self.word(header, 0)
    isBigEndian = magic & 1 == 1
    sums = LogChecksum()
    sums.add(header[..<24], isBigEndian: isBigEndian)
    let isWhole = magic & ~1 == 0x377F_0682 && sums.isStored(in: header, at: 24)
    salts = isWhole ? Self.salts(header, 16) : nil
    pageBytes = isWhole ? Int(Self.word(header, 8)) : Self.pageBytes(of: database) ?? fallback
    guard pageBytes >= 512, pageBytes <= 65_536 else { return nil }
  }

  private mutating func firstDamage() -> Int? {
    let frameBytes = Self.frameHeaderBytes + pageBytes
    var firstWrong = salts == nil ? 0 : nil
    var commits = 0
    var offset = Self.headerBytes
    while offset + frameBytes <= bytes {
      let chunk = Self.read(frameBytes * Self.framesAtOnce, at: offset, of: descriptor)
      guard chunk.count >= frameBytes else { break }
      var start = 0
      while start + frameBytes <= chunk.count {
        let frame = chunk[start..<start + frameBytes]
        let follows = take(frame)
        if !follows {
          if firstWrong == nil { firstWrong = offset + start }
          commits = 0
        }
        if let firstWrong {
          // The frames of an earlier log that this one has not yet overwritten.
          if Self.salts(frame, 8) != salts { commits = 0 } else if Self.word(frame, 4) != 0 { commits += 1 }
          if commits >= 2 { return firstWrong }
        }
        start += frameBytes
      }
      offset += start
    }
    return nil
  }

  /// Whether the frame continues the previous one; either way the next one is checked against this one's
  /// checksum.
  private mutating func take(_ frame: ArraySlice<UInt8>) -> Bool {
    if salts == nil { salts = Self.salts(frame, 8) }
    sums.add(frame.prefix(8), isBigEndian: isBigEndian)
    sums.add(frame.dropFirst(Self.frameHeaderBytes), isBigEndian: isBigEndian)
    let follows =
      Self.salts(frame, 8) == salts && Self.word(frame, 0) != 0 && sums.isStored(in: frame, at: 16)
    if !follows { sums = LogChecksum(storedIn: frame, at: 16) }
    return follows
  }

  /// The page size in the database's own header (SQLite, "Database File Format", 1.3.2).
  private static func pageBytes(of database: String) -> Int? {
    let descriptor = open(database, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let size = read(2, at: 16, of: descriptor).reduce(0) { $0 << 8 | Int($1) }
    return size == 1 ? 65_536 : size >= 512 && size & (size - 1) == 0 ? size : nil
  }

  private static func read(_ count: Int, at offset: Int, of descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, offset + filled)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }

  private static func word(_ bytes: some Collection<UInt8>, _ place: Int) -> UInt32 {
    bytes.dropFirst(place).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func salts(_ bytes: some Collection<UInt8>, _ place: Int) -> UInt64 {
    UInt64(word(bytes, place)) << 32 | UInt64(word(bytes, place + 4))
  }
}
