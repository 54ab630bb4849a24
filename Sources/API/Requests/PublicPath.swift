internal import HTTPServer
internal import JSON

/// The path below which callers reach the gateway, behind a proxy that may strip it or pass it on.
package struct PublicPath: Sendable {
  /// `/push`; "" for the root.
  let path: String
  /// Whether a proxy says the path in `X-Forwarded-Prefix`.
  let trustsForwarded: Bool

  package static let root = PublicPath("", trustsForwarded: false)

  package init(_ path: String, trustsForwarded: Bool) {
    self.path = path
    self.trustsForwarded = trustsForwarded
  }

  private static let bytesMax = 200

  /// The path as it is used, without a slash at its end; nil for a text that is none: a link below it must
  /// lead to this host.
  package static func normalized(_ text: String) -> String? {
    let path = text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    guard !path.isEmpty else { return text.isEmpty ? nil : "" }
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard path.utf8.count <= bytesMax, segments.first?.isEmpty == true,
      segments.dropFirst().allSatisfy({ isName($0) })
    else { return nil }
    return path
  }

  /// RFC 3986 §2.3's unreserved characters, but no dots alone.
  private static func isName(_ segment: Substring.UTF8View) -> Bool {
    let marks = "-._~".utf8
    return segment.contains { $0 != UInt8(ascii: ".") }
      && segment.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: marks.contains(byte)
        }
      }
  }

  /// The path for the caller of a request.
  func prefix(for head: HTTPRequestHead) -> String {
    guard trustsForwarded, let forwarded = head.headers["X-Forwarded-Prefix"] else { return path }
    return Self.normalized(forwarded) ?? path
  }

  /// The request without `prefix`, if it begins with it and is not a path of the API as it is.
  static func strip(_ prefix: String, from head: HTTPRequestHead) -> HTTPRequestHead {
    guard !prefix.isEmpty, head.path.utf8.starts(with: "\(prefix)/".utf8), APIRoute.atPath(of: head) == nil
    else { return head }
    return HTTPRequestHead(head, path: String(head.path.dropFirst(prefix.count)))
  }
}
