internal import Clock
internal import Synchronization

/// The id of a server-sent event: the gateway process that sent it, and its number there.
struct EventID: Sendable, Equatable, CustomStringConvertible {
  let process: String
  let number: Int
  /// Whether the stream ended with it.
  var isLast = false

  private static let end = "end"

  init(process: String, number: Int, isLast: Bool = false) {
    self.process = process
    self.number = number
    self.isLast = isLast
  }

  /// Reads a `Last-Event-ID`; nil for a text that no gateway sent.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 && parts[2].utf8.elementsEqual(Self.end.utf8),
      (1...32).contains(parts[0].utf8.count), let number = Int(parts[1]), number >= 0
    else { return nil }
    self.init(process: String(parts[0]), number: number, isLast: parts.count == 3)
  }

  var description: String { "\(process)-\(number)" + (isLast ? "-\(Self.end)" : "") }
}

/// Numbers the events of this process. No id occurs twice, also after a restart.
final class EventNumbers: Sendable {
  /// Identifies the process.
  let process: String
  private let last = Atomic<Int>(0)

  init(process: String = String(UUIDv7().low, radix: 36)) { self.process = process }

  /// The next number.
  func next() -> Int { last.add(1, ordering: .relaxed).newValue }

  func id(_ number: Int, isLast: Bool = false) -> EventID {
    EventID(process: process, number: number, isLast: isLast)
  }

  /// The number in an id of this process; nil for any other id.
  func number(in id: EventID?) -> Int? { id.flatMap { $0.process == process ? $0.number : nil } }
}
