internal import HTTPServer
internal import Synchronization

/// The body of an answer that is a stream of events: reads a feed as fast as the caller reads the stream.
final class EventStream: HTTPBodySource {
  private enum Stage: Sendable {
    /// Then `open`, or nothing, if the client is gone before.
    case created
    /// Then `over`.
    case open(HTTPBodyWaker, number: Int)
    case over
  }

  private struct State: Sendable {
    var stage = Stage.created
    var place: Int?
    var hasBegun = false
    /// What was read last is the feed's end.
    var isComplete = false
    var isStopping = false
  }

  private let feed: any EventFeed
  private let permit: StreamPermit
  private let mayGoOn: @Sendable () -> Bool
  private let state: Mutex<State>

  /// `place` is the number of the last event that the caller has; nil for none. The stream ends once
  /// `mayGoOn` returns false.
  init(
    _ feed: any EventFeed, from place: Int?, permit: StreamPermit, mayGoOn: @escaping @Sendable () -> Bool
  ) {
    self.feed = feed
    self.permit = permit
    self.mayGoOn = mayGoOn
    state = Mutex(State(place: place))
  }

  var idleInterval: Duration { feed.idleInterval }
  var idleBytes: [UInt8] { EventFrames.idle }

  func begin(_ waker: HTTPBodyWaker) {
    let number = feed.join(waker)
    state.withLock { $0.stage = .open(waker, number: number) }
  }

  func next() -> HTTPBodyPart {
    guard mayGoOn(), !state.withLock(\.isComplete) else { return .ended }
    let (place, isFirst) = state.withLock { state in
      defer { state.hasBegun = true }
      return (state.place, !state.hasBegun)
    }
    var reading = feed.read(after: place)
    let waker = state.withLock { state -> HTTPBodyWaker? in
      state.place = reading.place
      if case .ended = reading.rest { state.isComplete = true }
      if case .open(let waker, _) = state.stage { return waker } else { return nil }
    }
    if isFirst {
      var frames = EventFrames()
      frames.append(raw: EventFrames.retry)
      frames.append(raw: reading.frames.bytes)
      reading.frames = frames
    }
    if !reading.frames.isEmpty {
      // An empty part would tell nothing, so the end is told by the next call.
      return .bytes(reading.frames.bytes)
    }
    switch reading.rest {
    case .ended: return .ended
    case .more:
      // In another turn of the event loop.
      waker?.wake()
      return .waits
    case .nothingYet: return state.withLock(\.isStopping) ? .ended : .waits
    }
  }

  func serverStops() {
    let waker = state.withLock { state -> HTTPBodyWaker? in
      state.isStopping = true
      if case .open(let waker, _) = state.stage { return waker } else { return nil }
    }
    waker?.wake()
  }

  func end() {
    let number = state.withLock { state -> Int? in
      defer { state.stage = .over }
      if case .open(_, let number) = state.stage { return number } else { return nil }
    }
    if let number { feed.leave(number) }
    permit.release()
  }
}
