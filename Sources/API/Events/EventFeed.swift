internal import HTTPServer
internal import Synchronization

/// Where the events of a stream come from.
protocol EventFeed: AnyObject, Sendable {
  /// How long a stream is silent before it shows that it is alive.
  var idleInterval: Duration { get }

  /// The number that an event has here; nil for an event of another feed.
  func number(of event: EventID?) -> Int?

  /// A stream begins; `waker` is woken whenever there may be more to read. Returns what `leave` takes.
  func join(_ waker: HTTPBodyWaker) -> Int
  func leave(_ number: Int)

  /// What follows after `place`, which is nil at the beginning of a stream.
  func read(after place: Int?) -> EventReading
}

/// A part of a feed.
struct EventReading: Sendable {
  enum Rest: Sendable { case more, nothingYet, ended }

  var frames: EventFrames
  /// Where to continue.
  var place: Int?
  let rest: Rest
}

/// The streams that wait for the events of a feed.
struct EventReaders: Sendable {
  private var wakers: [Int: HTTPBodyWaker] = [:]
  private var last = 0
  private var lastLeft = ContinuousClock.now

  var isEmpty: Bool { wakers.isEmpty }
  var all: [HTTPBodyWaker] { Array(wakers.values) }

  mutating func add(_ waker: HTTPBodyWaker) -> Int {
    last += 1
    wakers[last] = waker
    return last
  }

  mutating func remove(_ number: Int) {
    wakers[number] = nil
    lastLeft = .now
  }

  /// Whether there has been none for `span`.
  func areGone(for span: Duration) -> Bool { wakers.isEmpty && ContinuousClock.now - lastLeft > span }
}
