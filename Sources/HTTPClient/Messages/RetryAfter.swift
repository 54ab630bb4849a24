internal import Clock

/// Reads the value of a `Retry-After` header (RFC 9110 §10.2.3): seconds, or a date in any of the three forms
/// of §5.6.7.
package enum RetryAfter {
  /// Four weeks, FCM's longest ttl: a message that must wait longer has expired by then.
  package static let secondsMax = 2_419_200

  /// The seconds that a response asks to wait, as `seconds(_:now:)`. A date counts from the response's own
  /// `Date`, if it has one, so that it does not matter whether the peer's clock agrees with this one's.
  package static func seconds(in response: TransportResponse, now: Int64) -> Int? {
    guard let value = response.fields.retryAfter else { return nil }
    let sent = response.fields.date.flatMap { HTTPDate.secondsSince1970(trimmed($0), now: now) }
    return seconds(value, now: sent ?? now)
  }

  /// Seconds from `now` (UNIX seconds), never fewer than the peer asked for up to `secondsMax`; 0 for a date
  /// in the past; nil for anything else.
  package static func seconds(_ value: String, now: Int64) -> Int? {
    let text = trimmed(value)
    if let first = text.first, isDigit(first) {
      guard text.allSatisfy(isDigit) else { return nil }
      return Int(String(decoding: text, as: UTF8.self)).map { min($0, secondsMax) } ?? secondsMax
    }
    guard let date = HTTPDate.secondsSince1970(text, now: now) else { return nil }
    return Int(min(max(date - now, 0), Int64(secondsMax)))
  }

  private static func trimmed(_ value: String) -> ArraySlice<UInt8> {
    var bytes = Array(value.utf8)[...]
    while let last = bytes.last, last == 0x20 || last == 0x09 || last == 0x0D || last == 0x0A {
      bytes.removeLast()
    }
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    return bytes
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
