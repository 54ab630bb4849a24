internal import Synchronization

/// Ends attempts to connect whose result nobody needs any more.
final class ConnectCancellation: Sendable {
  private let isSet = Atomic<Bool>(false)

  func cancel() { isSet.store(true, ordering: .relaxed) }
  var isCancelled: Bool { isSet.load(ordering: .relaxed) }
}
