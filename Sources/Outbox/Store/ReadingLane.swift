import Dispatch
import Synchronization

/// A queue for reads of one kind, with a bound. Each kind has its own, and its own connection, so that
/// what is slow delays neither writes nor quick look-ups.
final class ReadingLane: Sendable {
  enum Kind: Sendable {
    /// Reads of one record: idempotency keys, single notifications.
    case lookup
    /// Reads of many: lists and the feedback log.
    case list
  }

  let kind: Kind
  let queue: DispatchQueue
  private let callsMax: Int
  private let calls = Atomic<Int>(0)

  init(_ kind: Kind, callsMax: Int) {
    self.kind = kind
    queue = DispatchQueue(label: "dragoman.outbox.\(kind)")
    self.callsMax = callsMax
  }

  /// Runs `body` after the earlier reads. False when too many wait already.
  func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard calls.add(1, ordering: .relaxed).newValue <= callsMax else {
      calls.subtract(1, ordering: .relaxed)
      return false
    }
    queue.async { [self] in
      body()
      calls.subtract(1, ordering: .relaxed)
    }
    return true
  }
}

extension OutboxError {
  /// The error of a read behind which too many others wait.
  static let tooManyReads = OutboxError(
    code: .unavailable, description: "too many reads of the queue wait for their turn; try again later")
}
