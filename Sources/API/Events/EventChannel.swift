internal import HTTPServer
internal import JSON
internal import Synchronization

/// What the callers with the same rights may see of what happens: each event is written once for all of their
/// streams.
final class EventChannel: EventFeed {
  private struct State: Sendable {
    var numbers = EventNumbers()
    var ring = EventRing(capacity: EventChannel.eventsMax, floor: 0)
    var readers = EventReaders()
    /// The last situation of the queue, as these callers see it.
    var queue: [UInt8]?
    /// Something has happened since the readers were woken.
    var hasNews = false
  }

  /// Events of all notifications that are kept.
  static let eventsMax = 4_096
  private static let eventsPerReadMax = 64

  /// Any of the callers.
  let principal: Principal
  /// A client takes a stream that is silent for longer than three of these for dead.
  let idleInterval = Duration.seconds(1)
  private let onJoin: @Sendable () -> Void
  private let state: Mutex<State>

  /// `onJoin` is called whenever a stream begins.
  init(for principal: Principal, queue: QueueSituation?, onJoin: @escaping @Sendable () -> Void) {
    self.principal = principal
    self.onJoin = onJoin
    state = Mutex(State(queue: queue?.json(for: principal).serialized))
  }

  var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

  /// Whether no stream has read it for `span`.
  func isUnused(for span: Duration) -> Bool { state.withLock { $0.readers.areGone(for: span) } }

  // MARK: Streams

  func number(of event: EventID?) -> Int? { state.withLock { $0.numbers.number(in: event) } }

  func join(_ waker: HTTPBodyWaker) -> Int {
    defer { onJoin() }
    return state.withLock { $0.readers.add(waker) }
  }

  func leave(_ number: Int) { state.withLock { $0.readers.remove(number) } }

  func read(after place: Int?) -> EventReading {
    state.withLock { state in
      var frames = EventFrames()
      guard let place, let entries = state.ring.events(after: place, limit: Self.eventsPerReadMax) else {
        // The caller cannot have all that happened since; what it shows may be old.
        if place != nil { Self.append("gap", Array("{}".utf8), to: &frames, &state.numbers) }
        if let queue = state.queue { Self.append("queue", queue, to: &frames, &state.numbers) }
        return EventReading(frames: frames, place: state.numbers.last, rest: .more)
      }
      for entry in entries { frames.append(raw: entry.frame) }
      guard let last = entries.last else {
        return EventReading(frames: frames, place: place, rest: .nothingYet)
      }
      return EventReading(frames: frames, place: last.number, rest: .more)
    }
  }

  private static func append(
    _ name: StaticString, _ data: [UInt8], to frames: inout EventFrames, _ numbers: inout EventNumbers
  ) {
    let number = numbers.next()
    frames.append(numbers.id(number), name, data: data)
  }

  // MARK: What happens

  func append(_ name: StaticString, _ data: [UInt8]) { state.withLock { append(name, data, &$0) } }

  func append(_ situation: QueueSituation) {
    let data = situation.json(for: principal).serialized
    state.withLock { state in
      state.queue = data
      append("queue", data, &state)
    }
  }

  private func append(_ name: StaticString, _ data: [UInt8], _ state: inout State) {
    let number = state.numbers.next()
    state.ring.append(EventFrames.one(state.numbers.id(number), name, data: data), number: number)
    state.hasNews = true
  }

  /// Wakes the streams if something has happened.
  func wakeReaders() {
    let wakers = state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews ? state.readers.all : []
    }
    for waker in wakers { waker.wake() }
  }
}

extension Principal {
  /// Whether it sees the same notifications as another caller, of every client and app.
  func seesSame(as other: Principal) -> Bool {
    seesAllClients == other.seesAllClients && may(.raw) == other.may(.raw)
      && (seesAllClients || client.map(ExactText.init) == other.client.map(ExactText.init))
      && apps?.map(ExactText.init) == other.apps?.map(ExactText.init)
      && templates?.map(ExactText.init) == other.templates?.map(ExactText.init)
  }
}
