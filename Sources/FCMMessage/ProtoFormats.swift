internal import Clock

/// A `google.protobuf.Duration` in protocol buffers' JSON form: `3s`, `3.000000001s`, `-1.5s`.
package struct ProtoDuration: Sendable, Equatable {
  package let isNegative: Bool
  package let seconds: Int64
  package let nanoseconds: Int32

  /// Nil unless `text` is digits, up to nine decimals and an `s`, within ±315,576,000,000 seconds.
  package init?(_ text: String) {
    guard text.utf8.last == UInt8(ascii: "s") else { return nil }
    var digits = text.utf8.dropLast()[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count <= 2, let seconds = decimal(whole, digitsMax: 12) else {
      return nil
    }
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      guard let fraction = decimal(parts[1], digitsMax: 9) else { return nil }
      nanoseconds = (parts[1].count..<9).reduce(fraction) { value, _ in value * 10 }
    }
    guard seconds <= 315_576_000_000 else { return nil }
    self.isNegative = isNegative && (seconds > 0 || nanoseconds > 0)
    self.seconds = seconds
    self.nanoseconds = Int32(nanoseconds)
  }
}

/// Whether `text` is an RFC 3339 date and time that `google.protobuf.Timestamp` accepts: years 1 to 9999, up
/// to nine decimals, `Z` or an offset.
func isProtoTimestamp(_ text: String) -> Bool {
  var rest = Array(text.utf8)[...]
  func number(_ count: Int, _ range: ClosedRange<Int64>) -> Int64? {
    guard rest.count >= count, let value = decimal(rest.prefix(count), digitsMax: count) else { return nil }
    rest = rest.dropFirst(count)
    return range.contains(value) ? value : nil
  }
  func take(_ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest = rest.dropFirst()
    return true
  }
  guard let year = number(4, 1...9999), take("-"), let month = number(2, 1...12), take("-"),
    let day = number(2, 1...31), CalendarDate(year: Int(year), month: Int(month), day: Int(day)) != nil,
    take("T"),
    number(2, 0...23) != nil, take(":"), number(2, 0...59) != nil, take(":"), number(2, 0...59) != nil
  else { return false }
  if take(".") {
    let fraction = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...9).contains(fraction.count) else { return false }
    rest = rest.dropFirst(fraction.count)
  }
  if take("Z") { return rest.isEmpty }
  guard take("+") || take("-"), number(2, 0...23) != nil, take(":"), number(2, 0...59) != nil else {
    return false
  }
  return rest.isEmpty
}

/// The value of 1 to `digitsMax` decimal digits; nil for any other text.
func decimal(_ digits: some Collection<UInt8>, digitsMax: Int) -> Int64? {
  guard !digits.isEmpty, digits.count <= min(digitsMax, 18) else { return nil }
  var value: Int64 = 0
  for digit in digits {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
    value = value * 10 + Int64(digit - UInt8(ascii: "0"))
  }
  return value
}
