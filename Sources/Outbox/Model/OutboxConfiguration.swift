/// The limits of a store.
package struct OutboxConfiguration: Sendable {
  /// Deliveries that are not final; an enqueue that would pass it is refused as `full`.
  package var depthMax = 1_000_000
  /// Deliveries that one app holds ready in memory, for each priority. More wait on disk only.
  package var windowMax = 10_000
  /// Deliveries held ready in memory, all apps together. Beyond it each app keeps `windowMin` for each priority.
  package var windowTotalMax = 20_000
  package var windowMin = 256
  /// Deliveries written in one transaction.
  package var commitDeliveriesMax = 5_000
  /// Deliveries that may wait for the writer; beyond it an enqueue is refused as `unavailable`.
  package var pendingDeliveriesMax = 200_000
  /// A database of up to so many bytes is checked page by page at start.
  package var checkedBytesMax = 64 * 1024 * 1024

  /// What ended is kept for so long, feedback events too; then the store removes it by itself.
  package var retentionMilliseconds: Int64 = 72 * 3_600_000
  /// Deliveries removed, or looked at for their expiry, in one transaction of the store's own work.
  package var stepDeliveriesMax = 500
  /// How often the store looks for work of its own.
  package var maintenanceIntervalMilliseconds = 30_000
  /// A first delivery that has been due for so long, and is not claimed, makes the store look for expired ones.
  package var stuckMilliseconds: Int64 = 60_000
  /// Pages of the write-ahead log from which on it is moved into the database.
  package var logPagesMax = 4_000

  /// For stores that several gateways share: what one has claimed comes back so long after it was last heard of.
  package var leaseMilliseconds: Int64 = 30_000
  /// For stores that several gateways share: how often each looks what the others have accepted or left behind.
  package var watchIntervalMilliseconds = 1_000
  /// How often a transaction is run before a deadlock, or the like, is a failure.
  package var transactionTriesMax = 5
  /// For so long the callers of a transaction wait to hear whether it was kept, where the connection was lost in its
  /// very COMMIT.
  package var uncertainCommitMilliseconds = 30_000
  /// Between two tries to connect, at the least and at the most.
  package var reconnectMillisecondsMin = 100
  package var reconnectMillisecondsMax = 5_000

  package init() {}
}
