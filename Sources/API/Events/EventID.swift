internal import Clock
internal import JSON

/// The id of a server-sent event: the feed that it is from, and its number there.
struct EventID: Sendable, Equatable, CustomStringConvertible {
  let feed: String
  let number: Int
  /// Whether the stream ended with it.
  var isLast = false

  private static let end = "end"

  init(feed: String, number: Int, isLast: Bool = false) {
    self.feed = feed
    self.number = number
    self.isLast = isLast
  }

  /// Reads a `Last-Event-ID`; nil for a text that no gateway sent.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 && parts[2].utf8.elementsEqual(Self.end.utf8),
      (1...32).contains(parts[0].utf8.count), let number = Int(parts[1]), number >= 0
    else { return nil }
    self.init(feed: String(parts[0]), number: number, isLast: parts.count == 3)
  }

  var description: String { "\(feed)-\(number)" + (isLast ? "-\(Self.end)" : "") }
}

/// Numbers the events of one feed. Each feed has its own, so that a number says nothing about what others do;
/// and no id occurs twice, also after a restart.
struct EventNumbers: Sendable {
  /// Identifies the feed.
  let feed = String(UUIDv7().low, radix: 36)
  private(set) var last = 0

  /// The next number, from 1 on.
  mutating func next() -> Int {
    last += 1
    return last
  }

  func id(_ number: Int, isLast: Bool = false) -> EventID {
    EventID(feed: feed, number: number, isLast: isLast)
  }

  /// The number in an id of this feed; nil for any other id.
  func number(in id: EventID?) -> Int? { id.flatMap { $0.feed.hasSameBytes(as: feed) ? $0.number : nil } }
}
