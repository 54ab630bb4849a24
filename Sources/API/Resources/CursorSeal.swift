/// Turns the places of lists into texts for callers, and back. A place counts what all clients have, so a
/// client that could read it could tell from two of them how much the others send.
///
/// The key comes from the hashes of all clients' keys: gateways with the same clients take each other's
/// cursors, and no client can make or read one. A cursor counts for one client only.
struct CursorSeal: Sendable {
  enum List: String {
    case notifications, feedback
  }

  private let key: [UInt8]

  private static let tagBytes = 8

  init(keyHashes: [[UInt8]]) {
    let sorted = keyHashes.sorted { $0.lexicographicallyPrecedes($1) }
    key = sha256(Array("dragoman cursor\n".utf8) + sorted.joined())
  }

  /// 32 hexadecimal digits: the tag of the place, and the place under a mask that the tag selects (RFC 5297's
  /// construction, whose tag is also the nonce).
  func text(_ place: Int64, in list: List, for client: String?) -> String {
    let row = Self.bytes(UInt64(bitPattern: place))
    let tag = digest("\(list.rawValue) tag", client, row)
    let masked = zip(row, digest("\(list.rawValue) mask", client, tag)).map { $0 ^ $1 }
    return (tag + masked).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Nil for a text that was not made for this list and this client.
  func place(_ text: String, in list: List, for client: String?) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count == 4 * Self.tagBytes else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    let tag = Array(bytes.prefix(Self.tagBytes))
    let row = zip(bytes.dropFirst(Self.tagBytes), digest("\(list.rawValue) mask", client, tag)).map {
      $0 ^ $1
    }
    guard digest("\(list.rawValue) tag", client, row) == tag else { return nil }
    let number = Int64(bitPattern: row.reduce(0) { $0 << 8 | UInt64($1) })
    return number > 0 ? number : nil
  }

  private func digest(_ purpose: String, _ client: String?, _ bytes: [UInt8]) -> [UInt8] {
    // The hash of the name has a fixed length, so that no two inputs have the same bytes.
    let owner = client.map { sha256(Array($0.utf8)) } ?? []
    return Array(sha256(key + Array("\(purpose)\n".utf8) + bytes + owner).prefix(Self.tagBytes))
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }

  /// The value of a lower-case hexadecimal digit.
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
