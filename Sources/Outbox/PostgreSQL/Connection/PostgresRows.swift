import CPostgres
internal import Clock

/// What a statement answered, in the binary format.
final class PostgresRows {
  private let result: OpaquePointer
  let count: Int
  /// Rows that an INSERT, UPDATE or DELETE changed.
  let changed: Int

  /// Takes the result over.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
    changed = Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  deinit { PQclear(result) }

  var isEmpty: Bool { count == 0 }

  /// Each row, in order.
  var rows: some Sequence<Row> { (0..<count).lazy.map { Row(rows: self, index: Int32($0)) } }

  var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

  /// One row of it.
  struct Row {
    fileprivate let rows: PostgresRows
    fileprivate let index: Int32

    func isNull(_ column: Int32) -> Bool { PQgetisnull(rows.result, index, column) == 1 }

    /// Of a bigint; 0 for NULL.
    func integer(_ column: Int32) -> Int64 {
      let bytes = raw(column)
      return bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : 0
    }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Of a bytea; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }

    /// Of a bytea or a text; nil for NULL.
    func text(_ column: Int32) -> String? {
      isNull(column) ? nil : String(decoding: raw(column), as: UTF8.self)
    }

    /// Of a uuid; nil for NULL.
    func uuid(_ column: Int32) -> UUIDv7? { UUIDv7(bytes: raw(column)) }

    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    /// libpq keeps the bytes for as long as the result lives, and `rows` holds that.
    private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
      let count = Int(PQgetlength(rows.result, index, column))
      return UnsafeRawBufferPointer(start: PQgetvalue(rows.result, index, column), count: count)
    }
  }
}
