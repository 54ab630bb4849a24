internal import Synchronization

/// One step of a body of unknown length.
package enum HTTPBodyPart: Sendable, Equatable {
  /// More of the body; not empty.
  case bytes([UInt8])
  /// There is nothing at the moment; the source wakes its connection when there is.
  case waits
  /// The body is complete.
  case ended
  /// The body cannot be completed: the connection closes, so that the client notices.
  case aborted
}

/// Supplies a body of unknown length over time, such as server-sent events.
///
/// The connection asks for a part only when it has room, so a client that reads slowly slows its source down
/// and costs no memory; one that reads nothing loses its connection after `writeTimeout`. All calls come from
/// the event loop of the connection and must not block. A body costs no thread.
package protocol HTTPBodySource: AnyObject, Sendable {
  /// How long the body is silent before the connection sends `idleBytes`, which show both sides that the
  /// other one is still there.
  var idleInterval: Duration { get }
  var idleBytes: [UInt8] { get }

  /// The answer's head is on its way. From now on, `waker` makes the connection ask for the next part.
  func begin(_ waker: HTTPBodyWaker)
  /// The next part, of a few KiB at most where that is possible.
  func next() -> HTTPBodyPart
  /// The server stops: what the source still has to say is taken during the grace period.
  func serverStops()
  /// The connection takes nothing more. Called once after `begin`, also after the last part.
  func end()
}

/// Makes a connection ask its source for the next part; any thread.
package final class HTTPBodyWaker: Sendable {
  private let onWake: @Sendable () -> Void
  private let isAwaited = Atomic<Bool>(false)

  package init(onWake: @escaping @Sendable () -> Void) { self.onWake = onWake }

  /// Further calls have no effect until the connection has asked.
  package func wake() {
    guard !isAwaited.exchange(true, ordering: .acquiringAndReleasing) else { return }
    onWake()
  }

  /// The connection is about to ask.
  package func answered() { isAwaited.store(false, ordering: .releasing) }
}
