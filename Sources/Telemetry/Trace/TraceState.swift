/// Vendor data of a trace: the `tracestate` field (W3C Trace Context, level 2, §3.3). It is forwarded
/// unchanged and never extended.
package struct TraceState: Sendable, Hashable, CustomStringConvertible {
  private static let membersMax = 32
  /// The maximum size that is forwarded, in bytes; the specification requires at least 512.
  private static let bytesMax = 4_096
  /// Members longer than this are dropped first (§3.3.1.5).
  private static let shortMemberBytesMax = 128

  /// The field's value.
  package let description: String

  /// Joins the fields in their order. Nil if there is no member, or if nothing may be forwarded, because a
  /// member is malformed, a key occurs twice or there are more than 32 members.
  package init?(_ values: [String]) {
    var members: [ArraySlice<UInt8>] = []
    var keys: Set<[UInt8]> = []
    for value in values {
      for part in Array(value.utf8).split(separator: UInt8(ascii: ",")) {
        let member = part.trimmingOWS
        if member.isEmpty { continue }
        guard let key = Self.key(of: member), keys.insert(Array(key)).inserted else { return nil }
        members.append(member)
        guard members.count <= Self.membersMax else { return nil }
      }
    }
    Self.shorten(&members)
    guard !members.isEmpty else { return nil }
    description = members.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
  }

  /// Drops complete members until the rest fits: first the long ones, then the last ones.
  private static func shorten(_ members: inout [ArraySlice<UInt8>]) {
    var length = members.reduce(0) { $0 + $1.count + 1 } - 1
    while length > bytesMax {
      let index = members.lastIndex { $0.count > shortMemberBytesMax } ?? members.count - 1
      length -= members[index].count + 1
      members.remove(at: index)
    }
  }

  /// The member's key; nil if the member is malformed.
  private static func key(of member: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let key = member[..<equals]
    let value = member[(equals + 1)...]
    guard isKey(key), (1...256).contains(value.count) else { return nil }
    let isValue = value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    return isValue ? key : nil
  }

  private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
    let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard let first = parts[0].first, parts.allSatisfy({ $0.allSatisfy(isKeyCharacter) }) else {
      return false
    }
    switch parts.count {
    case 1: return isLetter(first) && key.count <= 256
    case 2:
      guard let system = parts[1].first, isLetter(system) else { return false }
      return (isLetter(first) || isDigit(first)) && parts[0].count <= 241 && parts[1].count <= 14
    default: return false
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
  private static func isKeyCharacter(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "_-*/".utf8.contains(byte)
  }
}
