/// A value of a record. Text and bytes differ, as in SQLite.
enum StoredValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case bytes([UInt8])
  case text([UInt8])
}

/// The format of records (SQLite, "Database File Format", §2.1).
enum Record {
  private static let columnsMax = 64

  /// The serial types of a record that begins in a part of a page; nil if its header does not end there, or
  /// if it does not have this many bytes in all.
  static func serialTypes(in bytes: [UInt8], _ part: Range<Int>, payloadBytes: Int) -> [Int64]? {
    var offset = part.lowerBound
    guard let length = bytes.varint(at: &offset, before: part.upperBound), length >= 1,
      length <= part.count
    else { return nil }
    let end = part.lowerBound + Int(length)
    var (types, total): ([Int64], Int) = ([], Int(length))
    while offset < end {
      guard types.count < columnsMax, let type = bytes.varint(at: &offset, before: end),
        let count = byteCount(of: type), count <= payloadBytes
      else { return nil }
      types.append(type)
      total += count
    }
    return total == payloadBytes ? types : nil
  }

  /// The values of a whole record with these serial types.
  static func values(of payload: [UInt8], _ types: [Int64]) -> [StoredValue]? {
    var offset = payload.count - types.reduce(0) { $0 + (byteCount(of: $1) ?? 0) }
    var values: [StoredValue] = []
    for type in types {
      guard let count = byteCount(of: type), offset >= 0, offset + count <= payload.count else { return nil }
      let part = payload[offset..<offset + count]
      offset += count
      switch type {
      case 0: values.append(.null)
      case 8, 9: values.append(.integer(type - 8))
      case 1...6:
        // The first byte has the sign.
        let start: Int64 = part.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
        values.append(.integer(part.reduce(start) { $0 << 8 | Int64($1) }))
      case 7: return nil
      default: values.append(type & 1 == 0 ? .bytes(Array(part)) : .text(Array(part)))
      }
    }
    return values
  }

  /// Nil for the reserved types, and for more than a page number can address.
  private static func byteCount(of type: Int64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 12...2_000_000_013: Int(type - 12) / 2
    default: nil
    }
  }
}
