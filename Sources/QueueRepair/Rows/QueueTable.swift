/// The tables of a queue, and what their records look like.
package enum QueueTable: String, CaseIterable, Sendable {
  case schema, apps, intakes, notifications, deliveries, idempotency, feedback, outcomes, marks, counts, probe

  package var name: String { self == .schema ? "sqlite_schema" : "dragoman_\(rawValue)" }

  init?(name: String) {
    guard name.hasPrefix("dragoman_"), let table = Self(rawValue: String(name.dropFirst(9))), table != .schema
    else {
      return nil
    }
    self = table
  }

  /// Its columns in order: `n` for NULL, which stands for the row's number, `i` for an integer, `b` for
  /// bytes, `t` for a text, `e` for either; in upper case where NULL is not allowed.
  private var columns: StaticString {
    switch self {
    case .schema: "TTTIt"
    case .apps: "nB"
    case .intakes: "nI"
    case .notifications: "nBIbbIIIIIbB"
    case .deliveries: "nIIIIiIIiIIBIBbbibbbiie"
    case .idempotency: "BBBIIBB"
    case .feedback: "nIIBBBIbbb"
    case .outcomes: "nIIIbI"
    case .marks: "TI"
    case .counts: "IIII"
    case .probe: "I"
    }
  }

  var columnCount: Int { columns.utf8CodeUnitCount }

  func isInteger(_ column: Int) -> Bool {
    columns.withUTF8Buffer { $0.indices.contains(column) && $0[column] & 0x5F == UInt8(ascii: "I") }
  }

  /// Whether its records have checksums.
  var hasChecksums: Bool { self == .notifications || self == .deliveries }

  /// Whether nothing else shows that a record is missing. What a notification says shows that of its
  /// deliveries, they that of the notification, and an index that of an app; the others are made anew.
  var losesSilently: Bool { [.idempotency, .feedback, .outcomes, .marks].contains(self) }

  /// Whether a record can be one of this table.
  func fits(_ values: [StoredValue]) -> Bool {
    guard values.count == columnCount else { return false }
    return columns.withUTF8Buffer { columns in
      zip(columns, values).allSatisfy { column, value in
        switch (column, value) {
        case (UInt8(ascii: "n"), .null), (UInt8(ascii: "i"), .null), (UInt8(ascii: "b"), .null),
          (UInt8(ascii: "t"), .null), (UInt8(ascii: "e"), .null), (UInt8(ascii: "e"), .text),
          (UInt8(ascii: "e"), .bytes), (UInt8(ascii: "i"), .integer), (UInt8(ascii: "I"), .integer),
          (UInt8(ascii: "b"), .bytes), (UInt8(ascii: "B"), .bytes), (UInt8(ascii: "t"), .text),
          (UInt8(ascii: "T"), .text):
          true
        default: false
        }
      }
    }
  }
}

/// Reading columns of records that fit their table.
extension [StoredValue] {
  func integer(_ column: Int) -> Int64 {
    if indices.contains(column), case .integer(let number) = self[column] { number } else { 0 }
  }

  func isNull(_ column: Int) -> Bool { !indices.contains(column) || self[column] == .null }

  /// Nil for NULL.
  func bytes(_ column: Int) -> [UInt8]? {
    guard indices.contains(column) else { return nil }
    return switch self[column] {
    case .bytes(let bytes), .text(let bytes): bytes
    case .null, .integer: nil
    }
  }

  /// Nil for NULL.
  func text(_ column: Int) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }
}
