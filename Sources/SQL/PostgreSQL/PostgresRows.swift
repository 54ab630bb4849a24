import CPostgres
package import Clock

/// The result of a statement, in the binary format.
package final class PostgresRows: SQLRowSource {
  private let result: OpaquePointer
  package let count: Int
  /// Rows that an INSERT, UPDATE or DELETE changed.
  package let changed: Int

  /// Takes ownership of the result.
  package init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
    changed = Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  deinit { PQclear(result) }

  package var sqlResult: SQLResult { SQLResult(source: self, count: count, changed: changed) }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  /// Of a bigint.
  package func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = raw(row, column)
    return bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : 0
  }

  package func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(raw(row, column)) }

  package func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : String(decoding: raw(row, column), as: UTF8.self)
  }

  package func uuid(_ row: Int, _ column: Int) -> UUIDv7? { UUIDv7(bytes: raw(row, column)) }

  /// libpq keeps the bytes as long as the result lives.
  private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let count = Int(PQgetlength(result, Int32(row), Int32(column)))
    return UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: count)
  }
}
