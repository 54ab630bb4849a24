import JSON
import Outbox

/// The header of a database (SQLite, "Database File Format", §1.3).
struct DatabaseHeader {
  static let bytesMax = 100
  private static let magic = Array("SQLite format 3\0".utf8)
  /// What a queue's header has in these places, whatever is in the queue. No bytes at the end of a page are
  /// reserved.
  private static let constants: [(offset: Int, bytes: [UInt8])] = [
    (20, [0, 64, 32, 32]), (44, [0, 0, 0, 4]), (52, [0, 0, 0, 0, 0, 0, 0, 1]), (64, [0, 0, 0, 0]),
    (72, Array(repeating: 0, count: 20)),
  ]

  let bytes: [UInt8]

  var isSQLite: Bool { bytes.count >= Self.bytesMax && bytes.starts(with: Self.magic) }

  /// Nil if it has none that SQLite allows.
  var pageBytes: Int? {
    let size = bytes.number16(at: 16) == 1 ? 65_536 : bytes.number16(at: 16)
    return Self.isPageSize(size) ? size : nil
  }

  /// Nil where it may be that of an earlier change.
  var pageCount: Int? {
    bytes.number32(at: 24) == bytes.number32(at: 92) ? bytes.number32(at: 28) : nil
  }

  var firstFreePage: Int { bytes.number32(at: 32) }
  var freePageCount: Int { bytes.number32(at: 36) }
  var version: Int64 { signed(60) }
  var application: Int64 { signed(68) }

  /// Whether it is that of a queue of a later version.
  var isNewer: Bool {
    isSQLite && application == SQLiteSchema.applicationID && version > Int64(QueueSchema.version)
  }

  private func signed(_ offset: Int) -> Int64 { Int64(Int32(truncatingIfNeeded: bytes.number32(at: offset))) }

  /// What is wrong with it, other than its numbers; nil for nothing.
  var problem: String? {
    guard isSQLite else { return "the database's header is not SQLite's" }
    guard pageBytes != nil else { return "the database's header has no page size" }
    let areKnown = bytes[18...19].allSatisfy { 1...2 ~= $0 }
    let isConstant = Self.constants.allSatisfy { bytes[$0.offset...].starts(with: $0.bytes) }
    return areKnown && isConstant ? nil : "the database's header has a value that no queue has"
  }

  static func isPageSize(_ size: Int) -> Bool { 512...65_536 ~= size && size & (size - 1) == 0 }
}

/// Why a page cannot be read.
struct PageError: Error {
  let page: Int
  let reason: String
  /// Whether the system could not read it; otherwise, there is no such page.
  var isUnread = false
}

/// The pages of a database as its last transaction left them: in the log, otherwise in the file.
struct DatabasePages {
  /// More than that is refused, since each page costs a byte of memory. 256 GiB at the usual page size.
  static let countMax = 1 << 28

  let file: any StoredBytes
  let log: WriteAheadLog?
  let pageBytes: Int
  let count: Int
  /// Whether the last page in the file is cut off.
  let isTorn: Bool

  /// Throws if even the header cannot be read, and the log does not know the page size.
  init(file: any StoredBytes, log bytes: (any StoredBytes)?) {
    let start = (try? file.read(DatabaseHeader.bytesMax, at: 0)) ?? []
    let header = DatabaseHeader(bytes: start)
    let fallback = header.pageBytes ?? SQLiteSchema.pageBytes
    self.file = file
    log = bytes.map { WriteAheadLog($0, pageBytes: fallback, isSound: Self.isSound) }
    pageBytes = log?.frames.isEmpty == false ? log?.pageBytes ?? fallback : fallback
    let inFile = file.count / pageBytes + (file.count % pageBytes == 0 ? 0 : 1)
    count = min(log?.pageCount ?? inFile, Self.countMax)
    isTorn = log?.pageCount == nil && file.count % pageBytes != 0
  }

  /// Whether a page has only records whose checksums fit.
  private static func isSound(_ bytes: [UInt8]) -> Bool {
    guard let node = BTreePage(bytes, number: 0), node.kind == .leafTable, node.problem == nil else {
      return false
    }
    return !node.cells.isEmpty
      && node.cells.allSatisfy { cell in
        guard let types = Record.serialTypes(in: bytes, cell.local, payloadBytes: cell.payloadBytes),
          cell.overflow == nil, let values = Record.values(of: Array(bytes[cell.local]), types)
        else { return false }
        return NotificationRecord(row: cell.row, values: values).problem == nil
          || DeliveryRecord(row: cell.row, values: values).problem == nil
      }
  }

  /// The page that SQLite never uses, since it locks bytes in it (§1.6).
  var lockPage: Int { 0x4000_0000 / pageBytes + 1 }

  /// The newest version of a page, of `pageBytes` bytes.
  func read(_ page: Int) throws(PageError) -> [UInt8] {
    guard 1...max(1, count) ~= page, page != lockPage else {
      throw PageError(page: page, reason: "there is no such page")
    }
    let bytes: [UInt8]
    do throws(FileReadError) {
      if let log, let frame = log.frames[page] {
        bytes = try log.page(in: frame)
      } else {
        bytes = try file.read(pageBytes, at: (page - 1) * pageBytes)
      }
    } catch {
      throw PageError(page: page, reason: error.reason, isUnread: true)
    }
    guard bytes.count == pageBytes else {
      throw PageError(page: page, reason: "the file ends before it does")
    }
    return bytes
  }

  /// What leaves of tables may have been before frames that could not be verified.
  var olderVersions: [(page: Int, bytes: [UInt8])] {
    guard let log else { return [] }
    let unverified = log.frames.values.filter { !$0.isVerified }.map(\.page).sorted()
    return unverified.flatMap { page in
      let older = log.older.filter { $0.page == page }.reversed().compactMap { try? log.page(in: $0) }
      let inFile = (try? file.read(pageBytes, at: (page - 1) * pageBytes)) ?? []
      return (older + [inFile]).filter { $0.count == pageBytes }.map { (page, $0) }
    }
  }

  /// The values of the record in a cell; nil if it does not have so many columns.
  func record(
    in cell: BTreePage.Cell, of bytes: [UInt8], columns: Int
  ) throws(PageError) -> [StoredValue]? {
    guard let types = Record.serialTypes(in: bytes, cell.local, payloadBytes: cell.payloadBytes),
      types.count == columns, cell.payloadBytes <= count * pageBytes
    else { return nil }
    var payload = Array(bytes[cell.local])
    var next = cell.overflow ?? 0
    while payload.count < cell.payloadBytes {
      let page = try read(next)
      payload += page[4..<min(page.count, 4 + cell.payloadBytes - payload.count)]
      next = page.number32(at: 0)
    }
    return Record.values(of: payload, types)
  }
}
