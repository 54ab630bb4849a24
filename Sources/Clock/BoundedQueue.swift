package import Dispatch
internal import Synchronization

/// A serial queue with a bound.
package final class BoundedQueue: Sendable {
  package let queue: DispatchQueue
  private let callsMax: Int
  private let calls = Atomic<Int>(0)

  package init(label: String, callsMax: Int) {
    queue = DispatchQueue(label: label)
    self.callsMax = callsMax
  }

  /// Runs `body` after the earlier calls. False when too many wait already.
  package func run(_ body: @escaping @Sendable () -> Void) -> Bool {
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
