internal import Dispatch
internal import Synchronization

/// Keeps what a reload has replaced until no request has it any more, and then frees it on a thread of its
/// own. Millions of strings take long to free, and the request that is the last to have them would hold up
/// the connections of its event loop.
final class RetiredSnapshot: Sendable {
  private static let queue = DispatchQueue(label: "dragoman.retired", qos: .background)
  private static let pause = DispatchTimeInterval.milliseconds(100)
  /// A stream of events has its snapshot for as long as it is open. The others are asked about for a minute.
  private static let looksMax = 600

  private struct State {
    var snapshot: APIState.Snapshot?
    var looks = 0
  }

  private let state: Mutex<State>

  init(_ snapshot: APIState.Snapshot) { state = Mutex(State(snapshot: snapshot)) }

  func freeSoon() {
    Self.queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
      let isOver = state.withLock { state in
        state.looks += 1
        guard isKnownUniquelyReferenced(&state.snapshot) || state.looks >= Self.looksMax else { return false }
        state.snapshot = nil
        return true
      }
      if !isOver { freeSoon() }
    }
  }
}
