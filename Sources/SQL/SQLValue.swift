package import Clock

/// A statement's parameter. Texts are stored as bytes: PostgreSQL's own text type cannot hold a zero byte,
/// and both databases compare bytes without a collation.
package enum SQLValue {
  case integer(Int64?)
  case bytes([UInt8]?)
  case text(String?)
  case uuid(UUIDv7)
  case integers([Int64?])
  /// Arrays for statements of PostgreSQL alone.
  case blobs([[UInt8]?])
  case texts([String?])
  case uuids([UUIDv7])

  package static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }
}

extension SQLValue {
  /// The columns of rows, as arrays. Those of a column are of one case, which is none of an array.
  package static func columns(of rows: [[SQLValue]]) -> [SQLValue] {
    guard let first = rows.first else { return [] }
    return first.indices.map { column in
      switch first[column] {
      case .integer:
        .integers(rows.map { row in if case .integer(let number) = row[column] { number } else { nil } })
      case .text: .texts(rows.map { row in if case .text(let text) = row[column] { text } else { nil } })
      case .uuid:
        .uuids(rows.compactMap { row in if case .uuid(let id) = row[column] { id } else { nil } })
      case .bytes, .integers, .blobs, .texts, .uuids:
        .blobs(rows.map { row in if case .bytes(let bytes) = row[column] { bytes } else { nil } })
      }
    }
  }
}

/// What differs in the SQL of the statements that both databases run.
package enum SQLDialect {
  case sqlite, postgres

  /// The elements of an array parameter of integers, as the right side of IN.
  package func elements(_ parameter: String) -> String {
    switch self {
    case .sqlite: "(SELECT value FROM json_each(\(parameter)))"
    case .postgres: "(SELECT unnest(\(parameter)::bigint[]))"
    }
  }

  /// After a SELECT: locks its rows, where other connections write too.
  package var forUpdate: String { self == .sqlite ? "" : "FOR UPDATE" }

  /// The same for the rows of one table of a join.
  package func forUpdate(of table: String) -> String { self == .sqlite ? "" : "FOR UPDATE OF \(table)" }

  /// The same for the rows that no other transaction has locked.
  package var forUpdateSkipLocked: String { self == .sqlite ? "" : "FOR UPDATE SKIP LOCKED" }

  /// Whether each claim is in the database, and not only in the memory of the process that made it.
  package var storesClaims: Bool { self == .postgres }
}

/// A connection to either database. Confined to its owner: one thread at a time.
package protocol SQLConnection: AnyObject {
  var dialect: SQLDialect { get }

  /// Runs one statement, which is compiled once for the connection. Parameters are `$1`, `$2`, …
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult
}

extension SQLConnection {
  @discardableResult
  package func run(_ sql: String) throws(DatabaseError) -> SQLResult { try run(sql, []) }
}

/// Rows by number, and their columns by position.
package protocol SQLRowSource: AnyObject {
  func isNull(_ row: Int, _ column: Int) -> Bool
  /// 0 for NULL.
  func integer(_ row: Int, _ column: Int) -> Int64
  /// Empty for NULL.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]
  /// Nil for NULL.
  func text(_ row: Int, _ column: Int) -> String?
  /// Nil if the column does not hold 16 bytes.
  func uuid(_ row: Int, _ column: Int) -> UUIDv7?
}

/// The result of a statement.
package struct SQLResult {
  package let source: any SQLRowSource
  package let count: Int
  /// Rows that an INSERT, UPDATE or DELETE changed.
  package let changed: Int

  package var isEmpty: Bool { count == 0 }

  package var rows: some RandomAccessCollection<SQLRow> {
    (0..<count).lazy.map { [source] in SQLRow(source: source, index: $0) }
  }

  package var first: SQLRow? { count > 0 ? SQLRow(source: source, index: 0) : nil }

  /// The integer in the first column of the first row; nil if there is no row.
  package var value: Int64? { first?.integer(0) }
}

/// One row.
package struct SQLRow {
  package let source: any SQLRowSource
  package let index: Int

  package func isNull(_ column: Int) -> Bool { source.isNull(index, column) }
  package func integer(_ column: Int) -> Int64 { source.integer(index, column) }
  package func bytes(_ column: Int) -> [UInt8] { source.bytes(index, column) }
  package func text(_ column: Int) -> String? { source.text(index, column) }
  package func uuid(_ column: Int) -> UUIDv7? { source.uuid(index, column) }
  package func time(_ column: Int) -> Timestamp { Timestamp(milliseconds: integer(column)) }
  package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
  package func optionalTime(_ column: Int) -> Timestamp? { isNull(column) ? nil : time(column) }
}
