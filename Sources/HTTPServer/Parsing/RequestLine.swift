/// A request line, checked (RFC 9112 §3).
struct RequestLine: Sendable {
  let method: String
  let target: String
  /// The authority of an absolute-form target.
  let authority: String?
  let minorVersion: Int

  static let methodTooLong = HTTPProtocolError(.notImplemented, "The method is not known.")
  private static let malformed = HTTPProtocolError(.badRequest, "The request line is malformed.")
  private static let badTarget = HTTPProtocolError(.badRequest, "The request target is malformed.")

  init(_ line: ArraySlice<UInt8>, methodBytesMax: Int) throws(HTTPProtocolError) {
    guard let methodEnd = line.firstIndex(of: ASCII.space) else { throw Self.malformed }
    let methodBytes = line[..<methodEnd]
    guard !methodBytes.isEmpty, methodBytes.allSatisfy(ASCII.isTokenByte) else { throw Self.malformed }
    guard methodBytes.count <= methodBytesMax else { throw Self.methodTooLong }
    let rest = line[(methodEnd + 1)...]
    guard let targetEnd = rest.firstIndex(of: ASCII.space) else { throw Self.malformed }
    minorVersion = try Self.minorVersion(rest[(targetEnd + 1)...])
    method = String(decoding: methodBytes, as: UTF8.self)

    let targetBytes = rest[..<targetEnd]
    guard let first = targetBytes.first, RequestTarget.isValid(targetBytes) else { throw Self.badTarget }
    if method == "CONNECT" {
      throw HTTPProtocolError(.notImplemented, "CONNECT is not supported.")
    } else if first == UInt8(ascii: "/") {
      authority = nil
    } else if targetBytes.elementsEqual(CollectionOfOne(UInt8(ascii: "*"))) {
      guard method == "OPTIONS" else { throw Self.badTarget }
      authority = nil
    } else {
      guard let bytes = RequestTarget.authority(ofAbsolute: targetBytes) else { throw Self.badTarget }
      authority = String(decoding: bytes, as: UTF8.self)
    }
    target = String(decoding: targetBytes, as: UTF8.self)
    guard RequestTarget.hasTextPath(targetBytes) else { throw Self.badTarget }
  }

  private static func minorVersion(_ version: ArraySlice<UInt8>) throws(HTTPProtocolError) -> Int {
    let start = version.startIndex
    guard version.count == 8, version.starts(with: "HTTP/".utf8), ASCII.isDigit(version[start + 5]),
      version[start + 6] == UInt8(ascii: "."), ASCII.isDigit(version[start + 7])
    else { throw malformed }
    guard version[start + 5] == UInt8(ascii: "1") else {
      throw HTTPProtocolError(.versionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are spoken here.")
    }
    return version[start + 7] == UInt8(ascii: "0") ? 0 : 1
  }
}

/// The syntax of request targets and authorities (RFC 3986, RFC 9112 §3.2).
enum RequestTarget {
  /// Whether all bytes may stand in a URI without fragment and each `%` has its two digits.
  static func isValid(_ target: ArraySlice<UInt8>) -> Bool {
    var index = target.startIndex
    while index < target.endIndex {
      let byte = target[index]
      if byte == UInt8(ascii: "%") {
        guard target.endIndex - index > 2, ASCII.hexValue(target[index + 1]) != nil,
          ASCII.hexValue(target[index + 2]) != nil
        else { return false }
        index += 3
      } else {
        guard isTargetByte(byte) else { return false }
        index += 1
      }
    }
    return true
  }

  /// Whether the path, its escapes decoded once, is UTF-8 text without control characters: what it is for
  /// every honest client, but not for one that tries `%00`, `%0d%0a` or overlong forms.
  static func hasTextPath(_ target: ArraySlice<UInt8>) -> Bool {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    guard path.contains(UInt8(ascii: "%")) else { return true }
    guard let text = HTTPRequestHead.percentDecoded(String(decoding: path, as: UTF8.self)) else {
      return false
    }
    return text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// The authority of `http://authority/path`; nil when that is not what the target is.
  static func authority(ofAbsolute target: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let rest: ArraySlice<UInt8>
    if ASCII.equalsIgnoringCase(target.prefix(7), lowercase: "http://") {
      rest = target.dropFirst(7)
    } else if ASCII.equalsIgnoringCase(target.prefix(8), lowercase: "https://") {
      rest = target.dropFirst(8)
    } else {
      return nil
    }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    return !authority.isEmpty && isHost(authority) ? authority : nil
  }

  /// Whether `host` is a name or address with an optional port (RFC 3986 §3.2.2); no user information, no
  /// list.
  static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
    var rest = host
    if rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end - rest.startIndex > 2 else { return false }
      guard SocketAddress.isIPv6(rest[(rest.startIndex + 1)..<end]) else { return false }
      rest = rest[(end + 1)...]
    } else {
      let name = rest.prefix { $0 != UInt8(ascii: ":") }
      guard isValid(name), name.allSatisfy(isHostByte) else { return false }
      rest = rest[name.endIndex...]
      // An http URI without a host is invalid, and so is a request for one (RFC 9110 §4.2.1).
      guard !name.isEmpty else { return false }
    }
    guard let colon = rest.first else { return true }
    guard colon == UInt8(ascii: ":"), rest.count <= 6, rest.dropFirst().allSatisfy(ASCII.isDigit) else {
      return false
    }
    return rest.dropFirst().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65_535
  }

  /// A byte of a `reg-name`, except for the comma, which would make it a list.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    // One bit for each of the characters from 0x00 and from 0x40: letters, digits and !$%&'()*+-.;=_~
    let bits: UInt64 = byte < 0x40 ? 0x2BFF_6FF2_0000_0000 : 0x47FF_FFFE_87FF_FFFE
    return byte < 0x80 && bits >> (byte & 0x3F) & 1 == 1
  }

  private static func isTargetByte(_ byte: UInt8) -> Bool {
    // One bit for each of the characters from 0x00 and from 0x40: letters, digits and !$&'()*+,-./:;=?@[]_~
    let bits: UInt64 = byte < 0x40 ? 0xAFFF_FFD2_0000_0000 : 0x47FF_FFFE_AFFF_FFFF
    return byte < 0x80 && bits >> (byte & 0x3F) & 1 == 1
  }
}
