/// The names by which callers without keys may address a server.
///
/// A web page can point its own name at this machine (DNS rebinding), and a browser then sends the page's
/// requests here, with that name as `Host`. Nobody can take over literal addresses and the names of this
/// machine in this way.
package struct HostPolicy: Sendable {
  private let names: [String]
  private let allowsAll: Bool

  /// `names` are allowed besides `localhost` and addresses, in any case; `*` allows all.
  package init(allowing names: [String] = []) {
    self.names = names
    allowsAll = names.contains("*")
  }

  /// Whether `text` can be a name of a policy: a host name without scheme, port and path, or `*`.
  package static func isName(_ text: String) -> Bool {
    text == "*"
      || (1...253).contains(text.utf8.count)
        && text.utf8.allSatisfy {
          ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            || $0 == UInt8(ascii: "_")
        }
  }

  /// Whether the request may name its host so. A request without `Host` does not come from a browser, and
  /// none of a browser reaches a unix-domain socket.
  package func allows(_ head: HTTPRequestHead) -> Bool {
    guard let field = head.headers.firstValue(lowercase: "host") else { return true }
    let host = Self.withoutPort(field)
    return Self.isAddress(host) || Self.isLoopbackName(host) || allowsAll
      || names.contains { ASCII.equalsIgnoringCase(host, $0) } || head.peer == "unix"
  }

  /// The name or address of a `Host` field, without the final dot of a full name.
  private static func withoutPort(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var host = field
    // The colons of an IPv6 address are in brackets, so that no port follows the last one.
    if let colon = host.lastIndex(of: UInt8(ascii: ":")), host[colon...].dropFirst().allSatisfy(ASCII.isDigit)
    {
      host = host[..<colon]
    }
    return host.last == UInt8(ascii: ".") ? host.dropLast() : host
  }

  /// `localhost` and the names below it, which resolve to loopback only (RFC 6761 §6.3).
  private static func isLoopbackName(_ host: ArraySlice<UInt8>) -> Bool {
    guard host.count >= 9, ASCII.equalsIgnoringCase(host.suffix(9), lowercase: "localhost") else {
      return false
    }
    return host.count == 9 || host.dropLast(9).last == UInt8(ascii: ".")
  }

  private static func isAddress(_ host: ArraySlice<UInt8>) -> Bool {
    if host.first == UInt8(ascii: "[") {
      return host.last == UInt8(ascii: "]") && SocketAddress.isIPv6(host.dropFirst().dropLast())
    }
    return isIPv4(host)
  }

  /// Four decimal numbers up to 255. Browsers spell every other form of an IPv4 address so (WHATWG URL
  /// §4.10).
  private static func isIPv4(_ host: ArraySlice<UInt8>) -> Bool {
    var parts = 1
    var digits = 0
    var number = 0
    for byte in host {
      if ASCII.isDigit(byte) {
        digits += 1
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
        guard digits <= 3, number <= 255 else { return false }
      } else {
        guard byte == UInt8(ascii: "."), digits > 0, parts < 4 else { return false }
        (parts, digits, number) = (parts + 1, 0, 0)
      }
    }
    return parts == 4 && digits > 0
  }
}
