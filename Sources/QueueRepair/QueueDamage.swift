package import Clock
package import JSON

/// One finding: where it is, as far as that is known, and what is wrong there.
package struct QueueDamage: Sendable, Equatable {
  package enum RecordID: Sendable, Equatable {
    case notification(UUIDv7)
    case delivery(UUIDv7)
  }

  package var page: Int?
  /// The frame of the log, from 1 on.
  package var frame: Int?
  package var table: QueueTable?
  package var row: Int64?
  package var id: RecordID?
  package var problem: String
  /// Whether the system could not read it, which says nothing about what is there.
  package var isUnread = false
  /// Whether records are lost that are not found to be missing otherwise.
  var isLoss = false

  init(
    _ problem: String, frame: Int? = nil, page: Int? = nil, table: QueueTable? = nil, row: Int64? = nil,
    id: RecordID? = nil, isLoss: Bool = false, isUnread: Bool = false
  ) {
    self.page = page
    self.frame = frame
    self.table = table
    self.row = row
    self.id = id
    self.problem = problem
    self.isLoss = isLoss
    self.isUnread = isUnread
  }

  /// One line, such as `page 7, dragoman_deliveries, row 4096, delivery 01a1…: its checksum does not fit`.
  package var description: String {
    var place: [String] = []
    if let frame { place.append("log frame \(frame)") }
    if let page { place.append("page \(page)") }
    if let table { place.append(table.name) }
    if let row { place.append("row \(row)") }
    switch id {
    case .notification(let id): place.append("notification \(id)")
    case .delivery(let id): place.append("delivery \(id)")
    case nil: break
    }
    let text = place.isEmpty ? problem : "\(place.joined(separator: ", ")): \(problem)"
    return isUnread ? "could not read \(text)" : text
  }

  package var json: JSON {
    var object = JSON.Object()
    if let page { object["page"] = JSON(page) }
    if let frame { object["log_frame"] = JSON(frame) }
    if let table { object["table"] = .string(table.name) }
    if let row { object["row"] = JSON(row) }
    switch id {
    case .notification(let id): object["notification"] = .string(id.description)
    case .delivery(let id): object["delivery"] = .string(id.description)
    case nil: break
    }
    object["problem"] = .string(problem)
    if isUnread { object["unread"] = true }
    return .object(object)
  }
}

/// Findings up to a number that fits into memory and a terminal's history, and how many there were.
package struct DamageList: Sendable {
  package static let listedMax = 10_000

  package private(set) var listed: [QueueDamage] = []
  package private(set) var count = 0

  package var more: Int { count - listed.count }

  mutating func add(_ damage: QueueDamage) {
    count += 1
    if listed.count < Self.listedMax { listed.append(damage) }
  }
}
