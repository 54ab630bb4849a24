internal import Clock

/// A parameter in PostgreSQL's binary format.
extension SQLValue {
  /// Object identifiers of element types (PostgreSQL's pg_type.dat).
  private enum ElementType: Int32 {
    case bytea = 17
    case int8 = 20
    case uuid = 2950
  }

  /// Appends the value; false for NULL, which has no bytes.
  package func encode(into buffer: inout [UInt8]) -> Bool {
    switch self {
    case .integer(nil), .bytes(nil), .text(nil): return false
    case .integer(let value?): buffer.appendBigEndian(value)
    case .bytes(let bytes?): buffer += bytes
    case .text(let text?): buffer += text.utf8
    case .uuid(let uuid): buffer.append(uuid)
    case .integers(let values):
      buffer.appendArray(of: ElementType.int8.rawValue, values) { buffer, value in
        guard let value else { return buffer.appendBigEndian(Int32(-1)) }
        buffer.appendBigEndian(Int32(8))
        buffer.appendBigEndian(value)
      }
    case .blobs(let values):
      buffer.appendArray(of: ElementType.bytea.rawValue, values) { buffer, value in
        guard let value else { return buffer.appendBigEndian(Int32(-1)) }
        buffer.appendBigEndian(Int32(truncatingIfNeeded: value.count))
        buffer += value
      }
    case .texts(let values):
      buffer.appendArray(of: ElementType.bytea.rawValue, values) { buffer, value in
        guard let value else { return buffer.appendBigEndian(Int32(-1)) }
        buffer.appendBigEndian(Int32(truncatingIfNeeded: value.utf8.count))
        buffer += value.utf8
      }
    case .uuids(let values):
      buffer.appendArray(of: ElementType.uuid.rawValue, values) { buffer, value in
        buffer.appendBigEndian(Int32(16))
        buffer.append(value)
      }
    }
    return true
  }
}

extension [UInt8] {
  fileprivate mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ uuid: UUIDv7) {
    appendBigEndian(uuid.high)
    appendBigEndian(uuid.low)
  }

  /// One dimension, its lower bound 1 (PostgreSQL's array_send).
  fileprivate mutating func appendArray<Item>(
    of type: Int32, _ elements: [Item], _ encode: (inout [UInt8], Item) -> Void
  ) {
    appendBigEndian(Int32(elements.isEmpty ? 0 : 1))
    appendBigEndian(Int32(1))
    appendBigEndian(type)
    guard !elements.isEmpty else { return }
    appendBigEndian(Int32(truncatingIfNeeded: elements.count))
    appendBigEndian(Int32(1))
    for element in elements { encode(&self, element) }
  }
}
