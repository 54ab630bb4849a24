/// A request's head as received, checked for syntax and framing.
///
/// A class, because it is passed on many times: a copy of a structure would count references of each part.
package final class HTTPRequestHead: Sendable {
  /// Case-sensitive (RFC 9110 §9.1).
  package let method: String
  /// The request target as received; visible ASCII.
  package let target: String
  /// The target's path, still percent-encoded: `/v1/notifications`, or `*`.
  package let path: String
  /// The text after the `?`, still percent-encoded; nil without one.
  package let query: String?
  /// 0 or 1; a higher 1.x is treated as 1.1.
  package let minorVersion: Int
  package let headers: HTTPHeaders
  /// The client's `address:port`, or `unix`.
  package let peer: String
  /// The subject of the client's certificate in RFC 4514 form, which one of the server's client authorities
  /// has signed; nil without one.
  package let clientSubject: String?

  /// Accepts a target in origin form, absolute form or `*`.
  package init(
    method: String, target: String, minorVersion: Int = 1, headers: HTTPHeaders = [:], peer: String = "",
    clientSubject: String? = nil
  ) {
    self.method = method
    self.target = target
    self.minorVersion = minorVersion
    self.headers = headers
    self.peer = peer
    self.clientSubject = clientSubject
    (path, query) = Self.split(target)
  }

  /// The same request for another path.
  package init(_ head: HTTPRequestHead, path: String) {
    method = head.method
    target = head.target
    self.path = path
    query = head.query
    minorVersion = head.minorVersion
    headers = head.headers
    peer = head.peer
    clientSubject = head.clientSubject
  }

  private static func split(_ target: String) -> (path: String, query: String?) {
    let isPath = target.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.first == UInt8(ascii: "/") && !bytes.contains(UInt8(ascii: "?"))
    }
    if isPath == true { return (target, nil) }
    var rest = target[...]
    if rest.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://") {
      let afterScheme = target[scheme.upperBound...]
      let end = afterScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      rest = afterScheme[(end ?? afterScheme.endIndex)...]
    }
    guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      if rest.startIndex == target.startIndex { return (target, nil) }
      return (rest.isEmpty ? "/" : String(rest), nil)
    }
    let path = rest[..<mark]
    return (path.isEmpty ? "/" : String(path), String(rest[rest.utf8.index(after: mark)...]))
  }

  /// The query's `name=value` pairs in order, percent-decoded once; empty without a query, nil when
  /// malformed.
  package func queryItems() -> [(name: String, value: String)]? {
    guard let query else { return [] }
    var items: [(name: String, value: String)] = []
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let rawName = parts.first, let name = Self.decoded(rawName, plusIsSpace: true),
        let value = Self.decoded(parts.dropFirst().first ?? Substring().utf8, plusIsSpace: true)
      else { return nil }
      items.append((name, value))
    }
    return items
  }

  /// `text` with its `%XX` decoded, once; nil for a bad escape or when the result is not UTF-8.
  package static func percentDecoded(_ text: some StringProtocol) -> String? {
    decoded(text.utf8, plusIsSpace: false)
  }

  private static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = iterator.next().flatMap(ASCII.hexValue),
          let low = iterator.next().flatMap(ASCII.hexValue)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? ASCII.space : byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// A whole request: its head and its body without transfer coding.
package struct HTTPRequest: Sendable {
  package let head: HTTPRequestHead
  package let body: [UInt8]

  package init(head: HTTPRequestHead, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }
}
