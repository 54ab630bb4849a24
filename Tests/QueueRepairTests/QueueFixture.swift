import Clock
import FCMMessage
import Foundation
import JSON
import Outbox
import SQL
import Telemetry
import TestSupport

@testable import QueueRepair

let start = Timestamp(milliseconds: 1_800_000_000_000)

/// The files of a queue as a gateway has left them, and what SQLite reads from them.
struct QueueFixture: Sendable {
  let database: [UInt8]
  let log: [UInt8]
  let rows: StoredRows

  /// A queue of two apps with deliveries in all states. With `isClosed`, its log is in the database.
  static func make(
    isClosed: Bool, notifications: Int = 60, pageBytes: Int = 1_024
  ) async throws -> QueueFixture {
    let folder = try TemporaryFolder()
    // A database that is removed while it is open confuses SQLite about the next one with its inode.
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/queue.db"
    if pageBytes != 1_024 {
      let connection = try SQLiteConnection(path: path)
      try connection.execute("PRAGMA page_size = \(pageBytes); CREATE TABLE t (x); DROP TABLE t")
    }
    // Some of it is in the database before the rest is in the log.
    for round in 0..<2 {
      let store = try DurableOutboxStore(path: path, log: .silent, clock: { start })
      try await fill(store, round: round, count: notifications / 2)
      if round == 1, !isClosed {
        try copy(path, to: path + ".copy")
        await store.close()
      } else {
        await store.close()
        if round == 1 { try copy(path, to: path + ".copy") }
      }
    }
    let log = FileManager.default.contents(atPath: path + ".copy-wal") ?? Data()
    return QueueFixture(
      database: [UInt8](try Data(contentsOf: URL(filePath: path + ".copy"))), log: [UInt8](log),
      rows: try StoredRows(path + ".copy"))
  }

  private static func copy(_ path: String, to copy: String) throws {
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    if FileManager.default.fileExists(atPath: path + "-wal") {
      try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
    }
  }

  static func fill(_ store: DurableOutboxStore, round: Int, count: Int) async throws {
    for index in 0..<count {
      let new = notification(round * count + index)
      let record = IdempotencyRecord(
        key: IdempotencyKey(client: "orders", key: "key-\(round)-\(index)"), fingerprint: [1, 2, 3],
        answer: StoredAnswer(
          status: 202, headers: [.init(name: "Location", value: "/v1")],
          body: [UInt8](repeating: 7, count: 90)),
        expiresAt: start.adding(milliseconds: 86_400_000))
      try await store.enqueue([new], index % 3 == 0 ? record : nil)
    }
    store.logOutcomes([.failed])
    for (index, claim) in try await store.claim("default", limit: 40).enumerated()
    where claim.departure.leave() {
      let error = DeliveryError(code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: nil)
      switch index % 4 {
      case 0: try await store.settle(.sent(claim, at: start, messageName: "projects/p/messages/\(index)"))
      case 1: try await store.settle(.failed(claim, at: start, error: error, dead: .registration))
      case 2:
        try await store.settle(
          .retry(claim, at: start, dueAt: start.adding(milliseconds: 60_000), error: error))
      default: break
      }
    }
  }

  private static func notification(_ index: Int) -> NewNotification {
    let isActivity = index % 10 == 9
    // Some do not fit into a page.
    let text = String(repeating: "é\(index) ", count: index % 7 == 0 ? 500 : 10)
    let sendAt = index % 5 == 4 ? start.adding(milliseconds: 3_600_000) : nil
    let targets = (0..<(isActivity ? 1 : 1 + index % 6)).map {
      Target.token("token-\(index)-\($0)-\(String(repeating: "x", count: 120))")
    }
    return NewNotification(
      id: NotificationID(UUIDv7()), app: index % 4 == 3 ? "other" : "default", template: "new_message",
      client: index % 2 == 0 ? "orders" : nil, createdAt: start, sendAt: sendAt,
      expiresAt: (sendAt ?? start).adding(milliseconds: 86_400_000),
      priority: index % 3 == 0 ? .high : .normal,
      message: SealedMessage(bytes: Array("\"data\":{\"text\":\"\(text)\"}".utf8), placeholders: []),
      deliveries: targets.map { (DeliveryID(UUIDv7()), $0) },
      activity: isActivity ? NewActivity(token: "activity-\(index)", event: .update) : nil)
  }
}

/// The rows of a queue's tables, as SQLite reads them.
struct StoredRows: Equatable, Sendable {
  /// By table and row; each value is its columns as one text.
  var tables: [String: [Int64: String]] = [:]
  /// What a checksum covers, and what must fit it.
  static let columns = [
    "dragoman_apps": "id, hex(name)",
    "dragoman_notifications":
      "row, hex(id), app, hex(template), hex(client), created_at, priority, ttl, checksum, hex(message)",
    "dragoman_deliveries":
      "row, app, priority, state, expires_at, checksum, hex(id), target_kind, hex(target), hex(activity)",
    "dragoman_idempotency": """
    CAST(replace(substr(CAST(key AS TEXT), 5), '-', '00') AS INTEGER), hex(owner), hex(key), hex(fingerprint),
      expires_at, status, hex(headers), hex(body)
    """,
    "dragoman_feedback": "id, app, target_kind, hex(target), hex(code), hex(notification), at, hex(activity)",
    "dragoman_outcomes": "id, delivery, state, attempts, hex(code), at",
  ]

  init(_ path: String) throws {
    let connection = try SQLiteConnection(path: path)
    for (table, columns) in Self.columns {
      let count = try connection.prepare("SELECT \(columns) FROM \(table)").columnCount
      for row in try connection.run("SELECT \(columns) FROM \(table)").rows {
        tables[table, default: [:]][row.integer(0)] =
          (1..<count).map { row.text($0) ?? "NULL" }.joined(separator: "|")
      }
    }
  }

  /// The deliveries that are to be sent.
  var waiting: Set<Int64> {
    Set(
      (tables["dragoman_deliveries"] ?? [:]).filter { Int($0.value.split(separator: "|")[2]) ?? 9 < 3 }.keys)
  }

  /// The rows that another one lacks, or has otherwise.
  func missing(from other: StoredRows, _ table: String) -> [Int64] {
    (tables[table] ?? [:]).filter { other.tables[table]?[$0.key] != $0.value }.map(\.key).sorted()
  }
}

/// Bytes in memory, some of which the system "cannot read".
final class MemoryBytes: StoredBytes {
  let bytes: [UInt8]
  let unreadable: Range<Int>

  init(_ bytes: [UInt8], unreadable: Range<Int> = 0..<0) {
    self.bytes = bytes
    self.unreadable = unreadable
  }

  var count: Int { bytes.count }

  func read(_ count: Int, at offset: Int) throws(FileReadError) -> [UInt8] {
    guard offset >= 0, offset < bytes.count else { return [] }
    let end = min(bytes.count, offset + count)
    if unreadable.overlaps(offset..<end) { throw FileReadError(code: .system(EIO)) }
    return Array(bytes[offset..<end])
  }
}

extension QueueFixture {
  func queue(database: [UInt8]? = nil, log: [UInt8]? = nil) throws -> DamagedQueue {
    let log = log ?? self.log
    return try DamagedQueue(
      path: "/nowhere/queue.db", file: MemoryBytes(database ?? self.database),
      log: log.isEmpty ? nil : MemoryBytes(log))
  }
}

extension DurableOutboxStore {
  func enqueue(_ new: [NewNotification], _ record: IdempotencyRecord?) async throws {
    _ = try await withCheckedContinuation { continuation in
      enqueue(new, idempotency: record) { continuation.resume(returning: $0) }
    }.get()
  }

  func claim(_ app: String, limit: Int, now: Timestamp = start) async throws -> [ClaimedDelivery] {
    try await withCheckedContinuation { continuation in
      claim(app: app, limit: limit, normalMin: 0, now: now) { continuation.resume(returning: $0) }
    }.get().deliveries
  }

  func settle(_ settlement: Settlement) async throws {
    _ = try await withCheckedContinuation { continuation in
      settle([settlement], waitMilliseconds: 0) { continuation.resume(returning: $0) }
    }.get()
  }
}
