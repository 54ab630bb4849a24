import CSQLite
package import Clock

/// A compiled statement, which it frees when it is released. Confined like its connection.
package final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  /// The index of each parameter `$1`, `$2`, …: SQLite numbers them as they appear.
  private let indices: [Int32]

  package init(handle: OpaquePointer, connection: OpaquePointer) {
    self.handle = handle
    self.connection = connection
    let count = sqlite3_bind_parameter_count(handle)
    var indices = Array(repeating: Int32(0), count: Int(count))
    for index in 0..<count {
      guard let name = sqlite3_bind_parameter_name(handle, index + 1),
        let number = Int(String(cString: name).dropFirst()), indices.indices.contains(number - 1)
      else { continue }
      indices[number - 1] = index + 1
    }
    self.indices = indices
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether it changes nothing.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// The parameter with a number, from 1 on.
  private func index(_ number: Int) -> Int32 {
    indices.indices.contains(number - 1) ? indices[number - 1] : 0
  }

  package func bind(_ number: Int, _ value: Int64?) throws(DatabaseError) {
    let code =
      if let value { sqlite3_bind_int64(handle, index(number), value) } else {
        sqlite3_bind_null(handle, index(number))
      }
    try SQLiteConnection.check(code, connection)
  }

  package func bind(_ number: Int, _ text: String?) throws(DatabaseError) {
    guard let text else { return try bind(number, Int64?.none) }
    // Nearly all text is in one piece, which needs no copy whose references would be counted.
    let code = text.utf8.withContiguousStorageIfAvailable { bytes in
      dragoman_sqlite_bind_blob(handle, index(number), bytes.baseAddress, Int32(clamping: bytes.count))
    }
    guard let code else { return try bind(number, Array(text.utf8)) }
    try SQLiteConnection.check(code, connection)
  }

  package func bind(_ number: Int, _ bytes: [UInt8]?) throws(DatabaseError) {
    guard let bytes else { return try bind(number, Int64?.none) }
    let code = bytes.withUnsafeBytes { buffer in
      dragoman_sqlite_bind_blob(handle, index(number), buffer.baseAddress, Int32(clamping: buffer.count))
    }
    try SQLiteConnection.check(code, connection)
  }

  package func bind(_ number: Int, _ id: UUIDv7) throws(DatabaseError) {
    let code = withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes in
      dragoman_sqlite_bind_blob(handle, index(number), bytes.baseAddress, Int32(bytes.count))
    }
    try SQLiteConnection.check(code, connection)
  }

  /// Binds SQL's own text, which only names in the schema are.
  package func bind(text number: Int, _ text: String) throws(DatabaseError) {
    var text = text
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        dragoman_sqlite_bind_text(handle, index(number), text.baseAddress, Int32(clamping: text.count))
      }
    }
    try SQLiteConnection.check(code, connection)
  }

  /// Rows that the last INSERT, UPDATE or DELETE of the connection changed.
  package var changedRows: Int { Int(sqlite3_changes(connection)) }

  /// Binds the parameters from `$1` on, or from the one after the first `count` on.
  package func bind(_ values: [SQLValue], after count: Int = 0) throws(DatabaseError) {
    for (offset, value) in values.enumerated() {
      let place = count + offset
      guard indices.indices.contains(place), indices[place] > 0 else { continue }
      switch value {
      case .integer(let number): try bind(place + 1, number)
      case .bytes(let bytes): try bind(place + 1, bytes)
      case .text(let text): try bind(place + 1, text)
      case .uuid(let id): try bind(place + 1, id)
      case .integers(let numbers): try bindArray(place + 1, numbers)
      case .blobs, .texts, .uuids: throw DatabaseError(message: "an array that SQLite cannot bind")
      }
    }
  }

  /// As JSON text, for `json_each`.
  private func bindArray(_ number: Int, _ values: [Int64?]) throws(DatabaseError) {
    var json = "["
    for (place, value) in values.enumerated() {
      if place > 0 { json += "," }
      json += value.map(String.init) ?? "null"
    }
    json += "]"
    try bind(text: number, json)
  }

  /// Runs a statement that has no rows, and makes it ready to run again.
  package func run() throws(DatabaseError) {
    let code = sqlite3_step(handle)
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return
    }
    let error = DatabaseError(code: code, of: connection)
    sqlite3_reset(handle)
    throw error
  }

  /// Steps to the next row; false after the last one. A caller that stops earlier calls `reset`.
  package func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return false
    }
    let error = DatabaseError(code: code, of: connection)
    sqlite3_reset(handle)
    throw error
  }

  package func reset() { sqlite3_reset(handle) }

  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  package func isInteger(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER
  }

  package func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

  package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  package func text(_ column: Int) -> String? {
    guard !isNull(column) else { return nil }
    guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func blob(_ column: Int) -> [UInt8] {
    guard let blob = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return Array(UnsafeRawBufferPointer(start: blob, count: count))
  }

  /// Nil if the column does not hold 16 bytes.
  package func uuid(_ column: Int) -> UUIDv7? {
    guard let blob = sqlite3_column_blob(handle, Int32(column)),
      sqlite3_column_bytes(handle, Int32(column)) == 16
    else { return nil }
    return UUIDv7(
      high: UInt64(bigEndian: blob.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: blob.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}

/// The row at which the statement stands.
extension SQLiteStatement: SQLRowSource {
  package var row: SQLRow { SQLRow(source: self, index: 0) }

  package func isNull(_ row: Int, _ column: Int) -> Bool { isNull(column) }
  package func integer(_ row: Int, _ column: Int) -> Int64 { integer(column) }
  package func bytes(_ row: Int, _ column: Int) -> [UInt8] { blob(column) }
  package func text(_ row: Int, _ column: Int) -> String? { text(column) }
  package func uuid(_ row: Int, _ column: Int) -> UUIDv7? { uuid(column) }
}

/// All rows of a statement, read at once.
package final class SQLiteRows: SQLRowSource {
  private enum Value {
    case null
    case integer(Int64)
    case bytes([UInt8])
  }

  private let columns: Int
  private var values: [Value] = []

  package var count: Int { columns == 0 ? 0 : values.count / columns }

  /// Runs the statement to its end.
  package init(_ statement: SQLiteStatement) throws(DatabaseError) {
    columns = statement.columnCount
    while try statement.step() {
      for column in 0..<columns {
        if statement.isInteger(column) {
          values.append(.integer(statement.integer(column)))
        } else {
          values.append(statement.isNull(column) ? .null : .bytes(statement.blob(column)))
        }
      }
    }
  }

  private func value(_ row: Int, _ column: Int) -> Value {
    let place = row * columns + column
    return values.indices.contains(place) ? values[place] : .null
  }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    if case .null = value(row, column) { true } else { false }
  }

  package func integer(_ row: Int, _ column: Int) -> Int64 {
    if case .integer(let number) = value(row, column) { number } else { 0 }
  }

  package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    if case .bytes(let bytes) = value(row, column) { bytes } else { [] }
  }

  package func text(_ row: Int, _ column: Int) -> String? {
    switch value(row, column) {
    case .null: nil
    case .integer(let number): String(number)
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }

  package func uuid(_ row: Int, _ column: Int) -> UUIDv7? { UUIDv7(bytes: bytes(row, column)) }
}
