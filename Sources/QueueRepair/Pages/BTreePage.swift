/// One page of a b-tree (SQLite, "Database File Format", §1.6), as far as it can be read.
struct BTreePage {
  enum Kind: UInt8 {
    case interiorIndex = 0x02
    case interiorTable = 0x05
    case leafIndex = 0x0A
    case leafTable = 0x0D

    var isTable: Bool { self == .interiorTable || self == .leafTable }
    var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
  }

  struct Cell {
    let bytes: Range<Int>
    /// The page of the keys before this one's; nil in a leaf.
    let child: Int?
    /// 0 in an index.
    let row: Int64
    let payloadBytes: Int
    /// The part of the payload in this page; the rest is in the chain of pages that begins with `overflow`.
    let local: Range<Int>
    let overflow: Int?
  }

  /// The largest record that SQLite can store (sqlite.org/limits.html).
  private static let payloadBytesMax: Int64 = 1_000_000_000

  let kind: Kind
  /// Those that can be read.
  private(set) var cells: [Cell] = []
  /// The page of the last keys; nil in a leaf.
  let rightmost: Int?
  /// What is wrong with its form first; nil for nothing.
  private(set) var problem: String?

  /// Nil for bytes that are no page of a b-tree. If what the page says that it is cannot be, but another kind
  /// of page in a table or in an index can, it is read as that.
  init?(_ bytes: [UInt8], number: Int, isTable: Bool = true) {
    guard bytes.count >= 512 else { return nil }
    let kind = Kind(rawValue: bytes[number == 1 ? 100 : 0])
    let own = kind.map { BTreePage(bytes, number: number, as: $0) }
    if let own, own.problem == nil {
      self = own
      return
    }
    let kinds: [Kind] = isTable ? [.leafTable, .interiorTable] : [.leafIndex, .interiorIndex]
    let others = kinds.filter { $0 != kind }.lazy.map { BTreePage(bytes, number: number, as: $0) }
    guard var best = others.first(where: { $0.problem == nil && !$0.cells.isEmpty }) ?? own else {
      return nil
    }
    best.problem = best.problem ?? "its kind is wrong"
    self = best
  }

  /// The first page of a database begins with the database's header.
  private init(_ bytes: [UInt8], number: Int, as kind: Kind) {
    let start = number == 1 ? 100 : 0
    self.kind = kind
    let pointers = start + (kind.isInterior ? 12 : 8)
    rightmost = kind.isInterior ? bytes.number32(at: start + 8) : nil
    let count = bytes.number16(at: start + 3)
    let end = pointers + 2 * count
    guard end <= bytes.count else {
      problem = "it has more cells than a page can have"
      return
    }
    var taken: [Range<Int>] = []
    for index in 0..<count {
      let offset = bytes.number16(at: pointers + 2 * index)
      guard offset >= end, let cell = Self.cell(in: bytes, at: offset, kind) else {
        problem = problem ?? "one of its cells cannot be read"
        continue
      }
      cells.append(cell)
      taken.append(cell.bytes)
    }
    let content = bytes.number16(at: start + 5)
    let first = content == 0 ? 65_536 : content
    if problem == nil {
      problem = Self.problem(of: bytes, header: start, cells: taken, content: max(first, 0), pointersEnd: end)
    }
  }

  /// The cell at a place; nil if none can be there.
  static func cell(in bytes: [UInt8], at start: Int, _ kind: Kind) -> Cell? {
    var offset = start
    guard start >= 0, start + 4 <= bytes.count else { return nil }
    var child: Int?
    if kind.isInterior {
      child = bytes.number32(at: offset)
      offset += 4
    }
    var payload: Int64 = 0
    if kind != .interiorTable {
      guard let count = bytes.varint(at: &offset, before: bytes.count), 0...payloadBytesMax ~= count else {
        return nil
      }
      payload = count
    }
    var row: Int64 = 0
    if kind.isTable {
      guard let key = bytes.varint(at: &offset, before: bytes.count) else { return nil }
      row = key
    }
    let local = localBytes(of: Int(payload), pageBytes: bytes.count, kind)
    let isLocal = local == Int(payload)
    let end = offset + local + (isLocal ? 0 : 4)
    guard end <= bytes.count else { return nil }
    return Cell(
      bytes: start..<max(end, start + 4), child: child, row: row, payloadBytes: Int(payload),
      local: offset..<(offset + local), overflow: isLocal ? nil : bytes.number32(at: offset + local))
  }

  /// How much of a payload is in the page of its cell.
  private static func localBytes(of payload: Int, pageBytes: Int, _ kind: Kind) -> Int {
    let max = kind == .leafTable ? pageBytes - 35 : (pageBytes - 12) * 64 / 255 - 23
    if payload <= max { return payload }
    let min = (pageBytes - 12) * 32 / 255 - 23
    let wanted = min + (payload - min) % (pageBytes - 4)
    return wanted <= max ? wanted : min
  }

  /// Whether cells and free blocks share no byte, and the header counts the fragments between them.
  private static func problem(
    of bytes: [UInt8], header: Int, cells: [Range<Int>], content: Int, pointersEnd: Int
  ) -> String? {
    var taken = cells
    var block = bytes.number16(at: header + 1)
    var last = 0
    while block != 0 {
      let size = bytes.number16(at: block + 2)
      guard block > last, size >= 4, block + size <= bytes.count else { return "its free blocks are wrong" }
      taken.append(block..<(block + size))
      last = block
      block = bytes.number16(at: block)
    }
    taken.sort { $0.lowerBound < $1.lowerBound }
    var (end, fragments) = (content, 0)
    guard content >= pointersEnd else { return "its cells begin before its header ends" }
    for range in taken {
      guard range.lowerBound >= end else { return "two of its cells or free blocks overlap" }
      fragments += range.lowerBound - end
      end = range.upperBound
    }
    fragments += bytes.count - min(end, bytes.count)
    let isCounted = taken.isEmpty || fragments == Int(bytes[header + 7])
    return isCounted ? nil : "its free space is not what its header says"
  }
}
