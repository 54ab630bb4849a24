/// The limits of a store.
package struct OutboxConfiguration: Sendable {
  /// Deliveries that are not final; an enqueue that would exceed it is refused as `full`.
  package var depthMax = 1_000_000
  /// Deliveries of one client that are not final, anonymous callers being one client; an enqueue that would
  /// exceed it is refused as `clientFull`.
  package var clientDepthMax = Int.max
  /// Deliveries of one app, and of all apps together, that are accepted as claimed and held in memory until
  /// the sender takes them; the others wait on disk only.
  package var readyMax = 10_000
  package var readyTotalMax = 20_000
  /// Deliveries written in one transaction.
  package var commitDeliveriesMax = 5_000
  /// An enqueue of several notifications with more deliveries than this is written in parts of about this
  /// size, between which others write.
  package var partDeliveriesMax = 1_000
  /// Deliveries that may wait for the writer; beyond it an enqueue is refused as `unavailable`.
  package var pendingDeliveriesMax = 200_000
  /// The largest database, in bytes, that is checked page by page at start.
  package var checkedBytesMax = 64 * 1024 * 1024

  /// How long a caller waits for its answer; then it is told that nothing was kept, or that the outcome is
  /// unknown.
  package var writeTimeoutMilliseconds = 5_000
  /// How long outcomes that may wait gather before they share the transaction of an intake: the deliveries of
  /// several are often in the same page, which is then written once.
  package var gatheringMilliseconds = 25
  /// How many deliveries gather at most: the callers of the intake wait for what comes along.
  package var gatheredDeliveriesMax = 8
  /// Look-ups of one record, and lists, that may wait for their turn; beyond it they are refused as
  /// `unavailable`.
  package var lookupsMax = 10_000
  package var listsMax = 500
  /// How long ended deliveries and feedback events are kept before maintenance removes them.
  package var retentionMilliseconds: Int64 = 72 * 3_600_000
  /// Deliveries removed, or checked for their expiry, in one step of maintenance.
  package var stepDeliveriesMax = 500
  /// The interval between two rounds of maintenance.
  package var maintenanceIntervalMilliseconds = 30_000
  /// How long an app's first delivery may be due and unclaimed before maintenance looks for expired ones.
  package var stuckMilliseconds: Int64 = 60_000
  /// The length of SQLite's write-ahead log from which it is moved into the database: a quarter of the
  /// database's own, between these limits.
  package var logBytesMin = 8 << 20
  package var logBytesMax = 16 << 20
  /// How often the place of the database's file and the space on its volume are verified.
  package var inspectionIntervalMilliseconds = 1_000
  /// The same for a SQLite queue that nobody writes, and about whose health nobody asks.
  package var restingIntervalMilliseconds = 10_000

  /// For shared stores: how long after a gateway's last sign of life its claims are released.
  package var leaseMilliseconds: Int64 = 30_000
  /// For shared stores: how often a gateway checks what the others have accepted or left behind.
  package var watchIntervalMilliseconds = 1_000
  /// How long a delivery that was accepted as claimed waits for the sender to take it before it is released.
  package var prefetchMilliseconds = 2_000
  /// How often a transaction is tried before a deadlock, or the like, is an error.
  package var transactionTriesMax = 5
  /// How long callers wait for the outcome of a transaction whose connection was lost during COMMIT.
  package var uncertainCommitMilliseconds = 30_000
  /// The shortest and the longest wait between two attempts to connect.
  package var reconnectMillisecondsMin = 100
  package var reconnectMillisecondsMax = 1_000

  /// Whether a client's share is less than the whole depth.
  var sharesDepth: Bool { clientDepthMax < depthMax }

  package init() {}
}
