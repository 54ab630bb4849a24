import Synchronization

/// A gateway's lease, across its connections.
///
/// Guard: the store's writing queue alone uses the variables.
final class PostgresLease: @unchecked Sendable {
  /// The lease as other threads see it: its number, and until when no other gateway can have its claims.
  private struct Validity: Sendable {
    var lease: Int64 = 0
    var end = ContinuousClock.now
  }

  /// The number under which the gateway claims; 0 before the first lease.
  var number: Int64 = 0
  /// The number of the last transaction.
  private(set) var batch: Int64 = 0
  /// When the last renewal that succeeded was sent, on a clock that counts the time in which the machine or
  /// process sleeps.
  private(set) var renewedAt = ContinuousClock.now
  private let validity = Mutex(Validity())
  private let duration: Duration

  init(milliseconds: Int64) { duration = .milliseconds(milliseconds) }

  func nextBatch() -> Int64 {
    batch += 1
    return batch
  }

  /// Notes that a renewal has succeeded, which was sent at `began`.
  func renewed(at began: ContinuousClock.Instant) {
    renewedAt = began
    validity.withLock { $0 = Validity(lease: number, end: began + duration) }
  }

  /// Whether a claim under a lease is surely still this gateway's. Called on any thread.
  func holds(_ lease: Int64) -> Bool {
    validity.withLock { lease == $0.lease && .now < $0.end }
  }
}
