internal import Clock
internal import Outbox

/// A settlement that is not on disk yet, with what its events report.
struct PendingSettlement: Sendable {
  let app: Int
  let delivery: DeliveryReference
  let countedSince: Timestamp
  let settlement: Settlement
}

/// Settlements on their way to disk, one batch at a time. Those that arrive meanwhile join the next batch,
/// and a batch that the store refuses is submitted again until the store accepts it.
struct SettlementQueue {
  private let batchMax: Int
  private var backoff: Backoff
  private var waiting: [PendingSettlement] = []
  private var batch: [PendingSettlement] = []
  private var isAsked = false
  private var retryAtTicks = Int64.min

  init(configuration: DeliveryConfiguration) {
    batchMax = max(1, configuration.settleBatchMax)
    backoff = Backoff(from: configuration.storeRetryMin, to: configuration.storeRetryMax)
  }

  var count: Int { waiting.count + batch.count }

  /// Whether the store accepted the last batch that it answered.
  var storeWorks: Bool { backoff.failures == 0 }

  mutating func append(contentsOf unsettled: [PendingSettlement]) { waiting.append(contentsOf: unsettled) }

  /// The batch to submit now, if any.
  mutating func next(now: Moment) -> [Settlement]? {
    guard !isAsked, count > 0, now.ticks >= retryAtTicks else { return nil }
    let room = batchMax - batch.count
    if room > 0, !waiting.isEmpty {
      batch.append(contentsOf: waiting.prefix(room))
      waiting.removeFirst(min(room, waiting.count))
    }
    isAsked = true
    return batch.map(\.settlement)
  }

  /// The store accepted the batch; its settlements, and whether the store had refused before.
  mutating func taken() -> (settled: [PendingSettlement], isRecovered: Bool) {
    let isRecovered = !storeWorks
    isAsked = false
    backoff.reset()
    retryAtTicks = .min
    defer { batch = [] }
    return (batch, isRecovered)
  }

  /// The store refused the batch, which is kept.
  mutating func refused(now: Moment) {
    isAsked = false
    retryAtTicks = now.ticks + backoff.fail()
  }

  /// Skips the wait after a failure once.
  mutating func retryNow() { retryAtTicks = .min }

  /// When the next batch is due; nil while one is being written or nothing waits.
  var wakeTicks: Int64? { isAsked || count == 0 ? nil : retryAtTicks }
}
