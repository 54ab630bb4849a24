internal import Clock
internal import Outbox

/// An outcome that is not on disk yet.
struct Unsettled: Sendable {
  let app: Int
  let delivery: DeliveryReference
  let countedSince: Timestamp
  let record: OutcomeRecord
}

/// The outcomes on their way to disk: one batch at a time, what comes meanwhile goes with the next, and a batch
/// that the store did not take is offered again until it does.
struct SettlementQueue {
  private let batchMax: Int
  private var backoff: Backoff
  private var waiting: [Unsettled] = []
  private var batch: [Unsettled] = []
  private var isAsked = false
  private var retryAtTicks = Int64.min

  init(configuration: DeliveryConfiguration) {
    batchMax = max(1, configuration.settleBatchMax)
    backoff = Backoff(from: configuration.storeRetryMin, to: configuration.storeRetryMax)
  }

  var count: Int { waiting.count + batch.count }

  /// Whether the store took the last batch, as far as is known.
  var storeWorks: Bool { backoff.failures == 0 }

  mutating func append(contentsOf unsettled: [Unsettled]) { waiting.append(contentsOf: unsettled) }

  /// The batch to offer now, if any.
  mutating func next(now: Moment) -> [OutcomeRecord]? {
    guard !isAsked, count > 0, now.ticks >= retryAtTicks else { return nil }
    let room = batchMax - batch.count
    if room > 0, !waiting.isEmpty {
      batch.append(contentsOf: waiting.prefix(room))
      waiting.removeFirst(min(room, waiting.count))
    }
    isAsked = true
    return batch.map(\.record)
  }

  /// The store took the batch: what was in it, and whether it had refused before.
  mutating func taken() -> (settled: [Unsettled], isRecovered: Bool) {
    let isRecovered = !storeWorks
    isAsked = false
    backoff.reset()
    retryAtTicks = .min
    defer { batch = [] }
    return (batch, isRecovered)
  }

  /// The store refused the batch; all of it is kept.
  mutating func refused(now: Moment) {
    isAsked = false
    retryAtTicks = now.ticks + backoff.fail()
  }

  /// Leaves out the wait after a failure, once.
  mutating func hurry() { retryAtTicks = .min }

  /// When the next offer is due; nil while one is out or nothing waits.
  var wakeTicks: Int64? { isAsked || count == 0 ? nil : retryAtTicks }
}
