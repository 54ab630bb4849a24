/// A message in protobuf's encoding (protobuf.dev, "Encoding"), read field by field. A damaged field ends it.
struct ProtobufMessage: Sequence, IteratorProtocol, Sendable {
  struct Field {
    let number: Int
    let value: Value
  }

  enum Value {
    case integer(UInt64)
    /// A text, bytes or a message.
    case bytes(Range<Int>)
    /// A number of fixed size, which none of the messages here needs.
    case fixed
  }

  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  /// Whether a field was damaged.
  private(set) var isDamaged = false

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    (position, end) = (range.lowerBound, Swift.min(range.upperBound, bytes.count))
  }

  init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// The message in a field.
  func message(_ range: Range<Int>) -> ProtobufMessage { ProtobufMessage(bytes, range) }

  /// The text in a field; invalid UTF-8 becomes U+FFFD.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The bytes of a field.
  func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

  /// The message in the last field with a number; nil if there is none.
  func message(numbered number: Int) -> ProtobufMessage? {
    var found: ProtobufMessage?
    for field in self {
      if field.number == number, case .bytes(let range) = field.value { found = message(range) }
    }
    return found
  }

  mutating func next() -> Field? {
    guard position < end, !isDamaged else { return nil }
    guard let tag = varint(), let number = Int(exactly: tag >> 3), number > 0 else { return damage() }
    switch tag & 7 {
    case 0:
      guard let value = varint() else { return damage() }
      return Field(number: number, value: .integer(value))
    case 1: return skip(8, number)
    case 2:
      guard let long = varint(), let count = Int(exactly: long), count <= end - position else {
        return damage()
      }
      position += count
      return Field(number: number, value: .bytes(position - count..<position))
    case 5: return skip(4, number)
    default: return damage()
    }
  }

  private mutating func damage() -> Field? {
    isDamaged = true
    return nil
  }

  private mutating func skip(_ count: Int, _ number: Int) -> Field? {
    guard count <= end - position else { return damage() }
    position += count
    return Field(number: number, value: .fixed)
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard position < end else { return nil }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
