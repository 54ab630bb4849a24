internal import Glibc

/// Rules for the URLs that requests go to: `http` or `https`, a host, no blanks, no user name, query or
/// fragment.
package enum EndpointURL {
  /// What is wrong with `url`, as the end of a sentence that begins with the field's name; nil when it is
  /// valid.
  ///
  /// `mayHoldQuery` is for complete URLs, to which no path is added.
  package static func problem(_ url: String, mayHoldQuery: Bool = false) -> String? {
    let bytes = Array(url.utf8)
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "holds blanks or characters beyond ASCII"
    }
    guard let rest = afterScheme(bytes) else { return "does not begin with https:// or http://" }
    let authority = Self.authority(rest)
    if authority.contains(UInt8(ascii: "@")) { return "holds a user name" }
    if let problem = authorityProblem(authority) { return problem }
    if (rest.contains(UInt8(ascii: "?")) && !mayHoldQuery) || rest.contains(UInt8(ascii: "#")) {
      return mayHoldQuery ? "holds a fragment" : "holds a query or fragment"
    }
    return nil
  }

  /// What is wrong with an authority without a user name: a host name, an IPv4 address or an IPv6 address in
  /// brackets, with a port or without (RFC 3986 §3.2).
  package static func authorityProblem(_ authority: ArraySlice<UInt8>) -> String? {
    let host: ArraySlice<UInt8>
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else {
        return "holds a malformed IPv6 address"
      }
      host = authority[...end]
      guard isIPv6(host.dropFirst().dropLast()) else { return "holds a malformed IPv6 address" }
    } else {
      host = authority.prefix { $0 != UInt8(ascii: ":") }
      if host.isEmpty { return "has no host" }
      guard isHostName(host) else { return "holds a malformed host name" }
    }
    let port = authority.dropFirst(host.count)
    if port.isEmpty { return nil }
    let number = UInt16(String(decoding: port.dropFirst(), as: UTF8.self))
    let isPort =
      port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(isDigit) && (number ?? 0) > 0
    return isPort ? nil : "holds a malformed port"
  }

  /// RFC 1123 §2.1, with underscores, which some internal names have.
  private static func isHostName(_ host: ArraySlice<UInt8>) -> Bool {
    let labels = (host.last == UInt8(ascii: ".") ? host.dropLast() : host)
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return host.count <= 254 && labels.allSatisfy { (1...63).contains($0.count) && $0.allSatisfy(isNameByte) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }

  private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    // Guard: the struct has room for the address, and the pointer does not leave the call.
    var address = in6_addr()
    return inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1
  }

  /// What is wrong with sending keys or tokens to `url`, which is otherwise valid: they go only over TLS or
  /// to this machine.
  package static func problemForSecrets(_ url: String) -> String? {
    if isTLS(url) { return nil }
    guard let rest = afterScheme(Array(url.utf8)), isLoopback(authority(rest)) else {
      return "does not begin with https:// (http:// is for this machine's own addresses alone)"
    }
    return nil
  }

  /// The host of a valid URL, an IPv6 address without its brackets; nil if there is none.
  package static func hostName(_ url: String) -> String? {
    let authority = Array(authorityAndPath(url).authority.utf8)
    let isBracketed = authority.first == UInt8(ascii: "[")
    let host =
      isBracketed
      ? authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
      : authority.prefix { $0 != UInt8(ascii: ":") }
    return host.isEmpty ? nil : String(decoding: host, as: UTF8.self)
  }

  /// The port of a valid URL.
  static func port(_ url: String) -> Int {
    let authority = Array(authorityAndPath(url).authority.utf8)
    let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? -1
    guard let colon = authority.lastIndex(of: UInt8(ascii: ":")), colon > bracket else {
      return isTLS(url) ? 443 : 80
    }
    return Int(String(decoding: authority[(colon + 1)...], as: UTF8.self)) ?? 0
  }

  /// The authority of a valid URL, and its path with the query.
  static func authorityAndPath(_ url: String) -> (authority: String, path: String) {
    let rest = afterScheme(Array(url.utf8)) ?? []
    let authority = Self.authority(rest)
    let path = String(decoding: rest.dropFirst(authority.count), as: UTF8.self)
    return (
      String(decoding: authority, as: UTF8.self), path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    )
  }

  private static func authority(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
  }

  /// `localhost`, `127.0.0.0/8` and `::1`, as they are usually written.
  private static func isLoopback(_ authority: ArraySlice<UInt8>) -> Bool {
    if authority.first == UInt8(ascii: "[") { return authority.starts(with: "[::1]".utf8) }
    let host = authority.prefix { $0 != UInt8(ascii: ":") }
    if host.map({ $0 | 0x20 }).elementsEqual("localhost".utf8) { return true }
    let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].elementsEqual("127".utf8) else { return false }
    return parts.allSatisfy { UInt8(String(decoding: $0, as: UTF8.self)) != nil }
  }

  package static func isTLS(_ url: String) -> Bool {
    url.utf8.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.elementsEqual("https://".utf8)
  }

  /// `base` without trailing slashes.
  package static func withoutTrailingSlashes(_ base: String) -> String {
    var bytes = Array(base.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One path segment, percent-encoded (RFC 3986 §2.1) except unreserved characters and the colon of
  /// `example.com:project`.
  package static func pathSegment(_ text: String) -> String {
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
