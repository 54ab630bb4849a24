internal import Catalog
internal import Clock
internal import FCMMessage
internal import Outbox

extension QueryReader {
  /// Reads what `GET /v1/notifications` searches for: a target, an error code, a span of time.
  mutating func readSearch(into filter: inout NotificationFilter) {
    let kinds: [(name: String, make: (String) -> Target)] = [
      ("token", { .token($0) }), ("fid", { .fid($0) }), ("topic", { .topic($0) }),
      ("condition", { .condition($0) }),
    ]
    for kind in kinds {
      guard let value = text(kind.name) else { continue }
      if filter.target != nil {
        report(kind.name, .invalid, "Only one of token, fid, topic and condition may be used.")
      }
      filter.target = kind.make(value)
    }
    filter.errorCode = text("error")
    if let code = filter.errorCode, !Self.isCode(code) {
      report("error", .invalid, "An error code in upper case is expected, such as UNREGISTERED.")
    }
    filter.since = time("since")
    filter.until = time("until")
  }

  /// Codes are upper-case words; FCM may add some.
  private static func isCode(_ text: String) -> Bool {
    text.utf8.count <= 64
      && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }

  private mutating func time(_ name: String) -> Timestamp? {
    guard let text = text(name) else { return nil }
    guard let time = Timestamp(rfc3339: text) else {
      report(name, .invalid, "A time in RFC 3339 form is expected, such as 2026-11-21T12:00:00Z.")
      return nil
    }
    return time
  }
}
