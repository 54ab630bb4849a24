/// Makes another server's error messages safe to store, show and log: short, one line, and without what they
/// quote of the message or its target.
package enum ServerMessage {
  static let bytesMax = 500
  /// Longer runs of a registration token's characters count as a token: FCM uses no word of that length.
  private static let tokenBytesMin = 40

  /// FCM's message without the values that it echoes.
  ///
  /// Only the first line is kept, because a parse error quotes the request on the next ones. Of
  /// `Invalid value at 'message.data[0].value' (TYPE_STRING), "text"` only the part before the value is kept.
  /// `registration` is a token or installation id that the result must not hold.
  package static func redacted(_ text: String, without registration: String? = nil) -> String {
    let text = registration.map { replacing($0, in: text) } ?? text
    var line = text.utf8.prefix { $0 != 0x0A && $0 != 0x0D }
    if let end = endBeforeEchoedValue(in: line) { line = line[..<end] }
    return cut(withoutTokens(line))
  }

  /// The fewest letters and digits in a row by which a part of a secret is known.
  private static let partMin = 8

  /// The text without what it quotes of `secrets`, in whatever pieces: eight letters or digits that follow
  /// one another in a secret, whatever stands between them.
  package static func removing(_ secrets: [String], from text: String) -> String {
    var parts: Set<[UInt8]> = []
    for secret in secrets {
      let bytes = secret.utf8.filter(isAlphanumeric)
      for start in bytes.indices.dropLast(partMin - 1) {
        parts.insert(Array(bytes[start..<(start + partMin)]))
      }
    }
    guard !parts.isEmpty else { return text }
    let bytes = Array(text.utf8)
    let places = bytes.indices.filter { isAlphanumeric(bytes[$0]) }
    var isSecret = [Bool](repeating: false, count: bytes.count)
    for start in places.indices.dropLast(partMin - 1) {
      let part = places[start..<(start + partMin)]
      guard let first = part.first, let last = part.last, parts.contains(part.map { bytes[$0] }) else {
        continue
      }
      for place in first...last { isSecret[place] = true }
    }
    var output: [UInt8] = []
    for place in bytes.indices {
      if !isSecret[place] {
        output.append(bytes[place])
      } else if place == 0 || !isSecret[place - 1] {
        output.append(contentsOf: "…".utf8)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  private static func replacing(_ registration: String, in text: String) -> String {
    let needle = Array(registration.utf8)
    let bytes = Array(text.utf8)
    guard !needle.isEmpty, !bytes.ranges(of: needle).isEmpty else { return text }
    return String(decoding: bytes.replacing(needle, with: Array("…".utf8)), as: UTF8.self)
  }

  /// The index behind the `)` of an `Invalid value at 'FIELD' (TYPE), VALUE`.
  private static func endBeforeEchoedValue(in line: String.UTF8View.SubSequence) -> String.Index? {
    let bytes = Array(line)
    guard let start = firstIndex(of: "Invalid value at '", in: bytes) else { return nil }
    let field = start + "Invalid value at '".utf8.count
    guard let typeStart = firstIndex(of: "' (", in: bytes, from: field),
      let close = bytes[typeStart...].firstIndex(of: UInt8(ascii: ")"))
    else { return line.index(line.startIndex, offsetBy: field - 2) }
    return line.index(line.startIndex, offsetBy: close + 1)
  }

  private static func firstIndex(of needle: StaticString, in bytes: [UInt8], from start: Int = 0) -> Int? {
    needle.withUTF8Buffer { needle in
      guard bytes.count >= start + needle.count else { return nil }
      return (start...(bytes.count - needle.count)).first {
        bytes[$0..<($0 + needle.count)].elementsEqual(needle)
      }
    }
  }

  private static func withoutTokens(_ line: String.UTF8View.SubSequence) -> [UInt8] {
    var output: [UInt8] = []
    var run: [UInt8] = []
    for byte in line {
      if isTokenByte(byte) {
        run.append(byte)
      } else {
        output.append(contentsOf: run.count >= tokenBytesMin ? Array("…".utf8) : run)
        run.removeAll(keepingCapacity: true)
        output.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
      }
    }
    output.append(contentsOf: run.count >= tokenBytesMin ? Array("…".utf8) : run)
    return output
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"),
      UInt8(ascii: "+"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// At most `bytesMax` bytes of a text that is safe.
  package static func cut(_ text: String) -> String { cut(Array(text.utf8)) }

  /// At most `bytesMax` bytes, cut between characters' code points.
  private static func cut(_ bytes: [UInt8]) -> String {
    var end = min(bytes.count, bytesMax)
    if end < bytes.count { while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 } }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
