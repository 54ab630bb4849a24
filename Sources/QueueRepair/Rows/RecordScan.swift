/// Reads the records of a database, and passes on those that can be verified.
struct RecordScan {
  let pages: DatabasePages
  let map: PageMap
  private(set) var contents = QueueContents()
  /// Takes over a record that was verified.
  let keep: (QueueTable, Int64, [StoredValue]) throws(QueueRepairError) -> Void

  /// The tables in the order in which their records depend on each other.
  private static let tables: [QueueTable] = [
    .apps, .intakes, .notifications, .deliveries, .idempotency, .feedback, .outcomes, .marks, .counts, .probe,
  ]

  init(
    _ pages: DatabasePages, _ map: PageMap,
    keep: @escaping (QueueTable, Int64, [StoredValue]) throws(QueueRepairError) -> Void
  ) {
    self.pages = pages
    self.map = map
    self.keep = keep
    for damage in (pages.log?.damage ?? []) + map.damage { contents.report(damage) }
  }

  mutating func report(_ damage: QueueDamage) { contents.report(damage) }

  /// Reads all tables; returns what `QueueContents.finish` does.
  mutating func run() throws(QueueRepairError) -> [(row: Int64, deliveries: Int64)] {
    for table in Self.tables {
      for leaf in map.leaves[table] ?? [] {
        // It was readable before; if it is no longer, nothing of it counts.
        guard let bytes = try? pages.read(leaf.page) else { continue }
        let cells = BTreePage(bytes, number: leaf.page).map { $0.kind == .leafTable ? $0.cells : [] } ?? []
        try take(cells, of: table, bytes, leaf.page, isFound: false)
        if leaf.isDamaged { try search(bytes, leaf.page, for: table) }
      }
      if table == .apps { try takeAppsOfIndex() }
      for page in map.otherPages(of: table) {
        guard let bytes = try? pages.read(page) else { continue }
        let node = BTreePage(bytes, number: page)
        if let node, node.kind == .leafTable { try take(node.cells, of: table, bytes, page, isFound: true) }
        if node?.problem != nil || node == nil { try search(bytes, page, for: table) }
      }
      guard table.hasChecksums else { continue }
      for (page, bytes) in pages.olderVersions {
        guard let node = BTreePage(bytes, number: page), node.kind == .leafTable else { continue }
        try take(node.cells, of: table, bytes, page, isFound: true)
      }
    }
    return contents.finish()
  }

  private mutating func take(
    _ cells: [BTreePage.Cell], of table: QueueTable, _ bytes: [UInt8], _ page: Int, isFound: Bool
  ) throws(QueueRepairError) {
    var place = QueueDamage("", frame: pages.log?.frames[page]?.number, page: page)
    for cell in cells {
      let values: [StoredValue]
      do throws(PageError) {
        values = try pages.record(in: cell, of: bytes, columns: table.columnCount) ?? []
      } catch {
        if !isFound { contents.miss(table, row: cell.row, error, at: place) }
        continue
      }
      place.row = cell.row
      if contents.take(table, row: cell.row, values, at: place, isFound: isFound) {
        try keep(table, cell.row, values)
      }
    }
  }

  /// Looks for records with checksums anywhere in a page. A page may have earlier versions of a record in its
  /// free space; the latest counts.
  private mutating func search(_ bytes: [UInt8], _ page: Int, for table: QueueTable) throws(QueueRepairError)
  {
    guard table.hasChecksums else { return }
    var latest: [Int64: (cell: BTreePage.Cell, at: Int64)] = [:]
    for offset in 8..<max(8, bytes.count - 4) {
      guard let cell = BTreePage.cell(in: bytes, at: offset, .leafTable),
        let values = (try? pages.record(in: cell, of: bytes, columns: table.columnCount)) ?? nil
      else { continue }
      let delivery = DeliveryRecord(row: cell.row, values: values)
      let isVerified =
        table == .deliveries
        ? delivery.problem == nil : NotificationRecord(row: cell.row, values: values).problem == nil
      let at = table == .deliveries ? delivery.updatedAt : 0
      guard isVerified, latest[cell.row].map({ $0.at <= at }) ?? true else { continue }
      latest[cell.row] = (cell, at)
    }
    try take(latest.values.map(\.cell), of: table, bytes, page, isFound: true)
  }

  /// Compares the apps with the index of their names, and takes from it those that the table has lost.
  private mutating func takeAppsOfIndex() throws(QueueRepairError) {
    for page in map.appsIndexPages {
      guard let bytes = try? pages.read(page), let node = BTreePage(bytes, number: page, isTable: false)
      else { continue }
      for cell in node.cells {
        guard let values = (try? pages.record(in: cell, of: bytes, columns: 2)) ?? nil,
          let name = values.bytes(0), case .integer(let app) = values[1]
        else { continue }
        contents.appsInIndex[app] = name
        if contents.apps[app] == nil {
          _ = contents.take(.apps, row: app, [.null, .bytes(name)], at: QueueDamage(""), isFound: true)
        } else if contents.apps[app] != name {
          contents.report(
            QueueDamage(
              "its name differs from that in its index", page: page, table: .apps, row: app, isLoss: true))
        }
      }
    }
  }
}
