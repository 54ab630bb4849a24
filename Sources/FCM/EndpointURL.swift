/// What a base address must be to be asked: `http` or `https`, a host, no blanks, no user, query or fragment.
package enum EndpointURL {
  /// What is wrong with `url`, as the end of a sentence that begins with the field's name; nil when it is fine.
  package static func problem(_ url: String) -> String? {
    let bytes = Array(url.utf8)
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "holds blanks or characters beyond ASCII"
    }
    guard let rest = afterScheme(bytes) else { return "does not begin with https:// or http://" }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    guard let first = authority.first, first != UInt8(ascii: ":") else { return "has no host" }
    if authority.contains(UInt8(ascii: "@")) { return "holds a user name" }
    if rest.contains(UInt8(ascii: "?")) || rest.contains(UInt8(ascii: "#")) {
      return "holds a query or fragment"
    }
    return nil
  }

  static func isTLS(_ url: String) -> Bool {
    url.utf8.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.elementsEqual("https://".utf8)
  }

  /// `base` without slashes at its end.
  static func withoutTrailingSlashes(_ base: String) -> String {
    var bytes = Array(base.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One path segment, percent-encoded (RFC 3986 §2.1) but for unreserved characters and the colon of
  /// `example.com:project`.
  static func pathSegment(_ text: String) -> String {
    var output: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
        UInt8(ascii: ":"), UInt8(ascii: "."):
        output.append(byte)
      default: output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func afterScheme(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
    let lowered = bytes.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if lowered.elementsEqual("https://".utf8) { return bytes[8...] }
    return lowered.starts(with: "http://".utf8) ? bytes[7...] : nil
  }
}
