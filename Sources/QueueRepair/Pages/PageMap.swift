import Outbox

/// Which pages of a database have which records, found by following its b-trees, and what is wrong with their
/// form.
struct PageMap {
  struct Leaf {
    let page: Int
    /// Whether its form is wrong, so that it may have more cells than can be read.
    let isDamaged: Bool
  }

  /// A table or index; `table` is nil unless it is one of the queue's tables.
  private struct Tree {
    let name: String
    let isTable: Bool
    let table: QueueTable?
  }

  private enum Use: UInt8 { case none, used, free }

  /// As in SQLite (btreeInt.h, BTCURSOR_MAX_DEPTH).
  private static let depthMax = 20
  private static let appsIndex = "sqlite_autoindex_dragoman_apps_1"

  let pages: DatabasePages
  private(set) var damage: [QueueDamage] = []
  private(set) var leaves: [QueueTable: [Leaf]] = [:]
  /// The pages of the index of the apps' names, which are in no other place but the table.
  private(set) var appsIndexPages: [Int] = []
  /// Whether each statement of the schema is one of this version's.
  private(set) var isSchemaKnown = false
  /// Tables some of whose records may be in pages that they do not lead to.
  private(set) var incomplete: Set<QueueTable> = []
  private var uses: [Use]

  /// Follows everything. `header` is that of the newest first page.
  init(_ pages: DatabasePages, header: DatabaseHeader?) {
    self.pages = pages
    uses = Array(repeating: .none, count: max(1, pages.count) + 1)
    walk(
      1, Tree(name: QueueTable.schema.name, isTable: true, table: .schema), Int64.min...Int64.max, depth: 0)
    if incomplete.contains(.schema) { findLostSchema() }
    followSchema()
    // Otherwise there is no telling which pages are free.
    guard let header, walkFreePages(header) else { return }
    for page in all where uses[page] == .none && page != pages.lockPage {
      report(page, nil, "nothing leads to it")
      incomplete = Set(QueueTable.allCases)
    }
  }

  private var all: ClosedRange<Int> { 1...max(1, pages.count) }

  /// The pages in which records of a table may be, although it does not lead there.
  func otherPages(of table: QueueTable) -> [Int] {
    guard incomplete.contains(table) else { return [] }
    let own = Set((leaves[table] ?? []).map(\.page))
    return all.filter { uses[$0] != .free && !own.contains($0) && $0 != pages.lockPage }
  }

  private mutating func report(
    _ page: Int, _ tree: Tree?, _ problem: String, isLoss: Bool = false, isUnread: Bool = false
  ) {
    let other = tree.flatMap { $0.table == nil ? "\($0.name): \(problem)" : nil }
    damage.append(
      QueueDamage(
        other ?? problem, frame: pages.log?.frames[page]?.number, page: page, table: tree?.table,
        isLoss: isLoss,
        isUnread: isUnread))
    if let table = tree?.table { incomplete.insert(table) }
  }

  // MARK: - B-trees

  /// Follows a b-tree whose rows are in a range.
  private mutating func walk(_ page: Int, _ tree: Tree, _ range: ClosedRange<Int64>, depth: Int) {
    let isLoss = tree.table?.losesSilently ?? false
    guard let bytes = take(page, tree, isLoss: isLoss) else { return }
    guard depth < Self.depthMax, let node = BTreePage(bytes, number: page, isTable: tree.isTable),
      node.kind.isTable == tree.isTable
    else {
      report(page, tree, "it is not a page of this table or index", isLoss: isLoss)
      if let table = tree.table { leaves[table, default: []].append(Leaf(page: page, isDamaged: true)) }
      return
    }
    let before = damage.count
    if let problem = node.problem { report(page, tree, problem, isLoss: isLoss && !node.kind.isInterior) }
    for cell in node.cells where cell.overflow != nil { followChain(of: cell, in: page, tree) }
    if tree.name == Self.appsIndex { appsIndexPages.append(page) }
    if node.kind.isInterior {
      descend(node, page, tree, range, depth)
    } else if tree.isTable {
      checkOrder(node.cells, page, tree, range, isLoss: isLoss)
    } else {
      checkRecords(of: node, bytes, page, tree)
    }
    guard node.kind == .leafTable, let table = tree.table else { return }
    leaves[table, default: []].append(Leaf(page: page, isDamaged: damage.count > before))
  }

  private mutating func descend(
    _ node: BTreePage, _ page: Int, _ tree: Tree, _ range: ClosedRange<Int64>, _ depth: Int
  ) {
    if !tree.isTable {
      for child in node.cells.map(\.child) + [node.rightmost] {
        walk(child ?? 0, tree, range, depth: depth + 1)
      }
      return
    }
    checkOrder(node.cells, page, tree, range, isLoss: false)
    var low = range.lowerBound
    for cell in node.cells {
      let isInOrder = low <= cell.row && cell.row < range.upperBound
      walk(cell.child ?? 0, tree, isInOrder ? low...cell.row : range, depth: depth + 1)
      if isInOrder { low = cell.row + 1 }
    }
    walk(node.rightmost ?? 0, tree, low...range.upperBound, depth: depth + 1)
  }

  private mutating func checkOrder(
    _ cells: [BTreePage.Cell], _ page: Int, _ tree: Tree, _ range: ClosedRange<Int64>, isLoss: Bool
  ) {
    let isAscending = zip(cells, cells.dropFirst()).allSatisfy { $0.row < $1.row }
    guard !isAscending || !cells.allSatisfy({ range.contains($0.row) }) else { return }
    report(page, tree, "its rows are not in order", isLoss: isLoss)
  }

  private mutating func checkRecords(of node: BTreePage, _ bytes: [UInt8], _ page: Int, _ tree: Tree) {
    let areWhole = node.cells.allSatisfy { cell in
      cell.overflow != nil
        || Record.serialTypes(in: bytes, cell.local, payloadBytes: cell.payloadBytes) != nil
    }
    if !areWhole { report(page, tree, "one of its records cannot be read") }
  }

  /// Follows the pages in which the rest of a record is.
  private mutating func followChain(of cell: BTreePage.Cell, in page: Int, _ tree: Tree) {
    var (next, left) = (cell.overflow ?? 0, cell.payloadBytes - cell.local.count)
    while left > 0 {
      guard let bytes = take(next, tree, isLoss: false) else { return }
      left -= pages.pageBytes - 4
      next = bytes.number32(at: 0)
    }
    if next != 0 { report(page, tree, "a record of it has more pages than it needs") }
  }

  // MARK: - The schema and the free pages

  /// Looks for the schema's pages where those that lead to them are lost.
  private mutating func findLostSchema() {
    for page in all where uses[page] == .none {
      guard let bytes = try? pages.read(page), let node = BTreePage(bytes, number: page),
        node.kind == .leafTable
      else { continue }
      guard node.cells.contains(where: { entry($0, bytes)?.sql != nil }) else { continue }
      uses[page] = .used
      leaves[.schema, default: []].append(Leaf(page: page, isDamaged: false))
    }
  }

  /// An entry of the schema.
  private struct Entry {
    let tree: Tree
    let root: Int
    let sql: String?

    init?(_ values: [StoredValue]) {
      guard QueueTable.schema.fits(values), let name = values.text(1) else { return nil }
      tree = Tree(name: name, isTable: values.text(0) == "table", table: QueueTable(name: name))
      root = Int(clamping: values.integer(3))
      sql = values.text(4)
    }

    /// Whether this version made it.
    var isOwn: Bool {
      guard let sql else { return tree.name.hasPrefix("sqlite_autoindex_dragoman_") }
      return SQLiteSchema.tables.contains(sql) && sql.contains(" \(tree.name) ")
    }

    /// Whether it is the result of an ANALYZE, or what an operator has added.
    var isForeign: Bool {
      sql.map { !$0.contains("dragoman_") || !tree.name.hasPrefix("dragoman_") } ?? false
    }
  }

  private func entry(_ cell: BTreePage.Cell, _ bytes: [UInt8]) -> Entry? {
    (try? pages.record(in: cell, of: bytes, columns: QueueTable.schema.columnCount)).flatMap {
      $0.flatMap(Entry.init)
    }
  }

  private mutating func followSchema() {
    var (entries, own): ([Entry], Int) = ([], 0)
    for leaf in leaves[.schema] ?? [] {
      guard let bytes = try? pages.read(leaf.page), let node = BTreePage(bytes, number: leaf.page) else {
        continue
      }
      for cell in node.cells {
        let entry = entry(cell, bytes)
        if let entry { entries.append(entry) }
        if entry?.isOwn == true, entry?.sql != nil { own += 1 }
        guard let entry, entry.isOwn || entry.isForeign else {
          report(
            leaf.page, Tree(name: "", isTable: true, table: .schema), "it has an entry that no version made")
          continue
        }
      }
    }
    isSchemaKnown = own == SQLiteSchema.tables.ranges(of: "CREATE ").count
    for entry in entries where entry.root != 0 {
      walk(entry.root, entry.tree, Int64.min...Int64.max, depth: 0)
    }
    for table in QueueTable.allCases
    where table != .schema && !entries.contains(where: { $0.tree.table == table }) {
      incomplete.insert(table)
      damage.append(QueueDamage("the schema does not lead to it", table: table, isLoss: table.losesSilently))
    }
  }

  /// Follows the list of free pages (SQLite, "Database File Format", §1.5); returns whether it is whole.
  private mutating func walkFreePages(_ header: DatabaseHeader) -> Bool {
    var (trunk, found) = (header.firstFreePage, 0)
    while trunk != 0 {
      guard let bytes = take(trunk, nil, isLoss: false, as: .free) else { return false }
      found += 1
      let count = bytes.number32(at: 4)
      guard count <= pages.pageBytes / 4 - 2 else {
        report(trunk, nil, "it lists more free pages than it can have")
        return false
      }
      for index in 0..<count {
        guard mark(bytes.number32(at: 8 + 4 * index), nil, isLoss: false, as: .free) else { return false }
        found += 1
      }
      trunk = bytes.number32(at: 0)
    }
    if found != header.freePageCount {
      report(1, nil, "it says that \(header.freePageCount) pages are free; \(found) are")
    }
    return found == header.freePageCount
  }

  /// Marks a page as used, once, and reads it; nil after a report.
  private mutating func take(_ page: Int, _ tree: Tree?, isLoss: Bool, as use: Use = .used) -> [UInt8]? {
    guard mark(page, tree, isLoss: isLoss, as: use) else { return nil }
    do throws(PageError) { return try pages.read(page) } catch {
      report(page, tree, error.reason, isLoss: isLoss, isUnread: error.isUnread)
      return nil
    }
  }

  private mutating func mark(_ page: Int, _ tree: Tree?, isLoss: Bool, as use: Use) -> Bool {
    guard all ~= page, page != pages.lockPage, uses[page] == .none else {
      let isUsed = all ~= page && page != pages.lockPage
      report(page, tree, isUsed ? "it is used twice" : "there is no such page", isLoss: isLoss)
      return false
    }
    uses[page] = use
    return true
  }
}
