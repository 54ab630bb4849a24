internal import Clock
internal import Outbox

/// Settlements on their way to disk, one batch at a time. Those that arrive meanwhile join the next batch,
/// and a batch that the store refuses is submitted again until the store accepts it.
struct SettlementQueue {
  /// A settlement that is not on disk yet, and the app's index.
  struct Entry {
    let app: Int
    let settlement: Settlement
  }

  /// What to do about the outcomes that are not on disk yet.
  enum Step: Equatable {
    /// Submit a batch, which may wait in the store for another write for so long.
    case submit([Settlement], waitMilliseconds: Int)
    /// Have the store write the batch that waits there.
    case hurry
  }

  private let batchMax: Int
  private let waitMilliseconds: Int
  /// From so many outcomes on, none waits for another write.
  private var companyMin: Int
  private var backoff: Backoff
  private var waiting: [Entry] = []
  private var batch: [Entry] = []
  private var isAsked = false
  /// Whether the batch may be waiting in the store for another write.
  private var mayWait = false
  private var retryAtTicks = Int64.min

  init(configuration: DeliveryConfiguration) {
    batchMax = max(1, configuration.settleBatchMax)
    waitMilliseconds = Int(clamping: max(0, configuration.settleWaitMax.wholeMilliseconds))
    companyMin = max(1, configuration.settleCompanyMin)
    backoff = Backoff(from: configuration.storeRetryMin, to: configuration.storeRetryMax)
  }

  var count: Int { waiting.count + batch.count }

  /// The apps of the batch that the store has.
  var apps: some Sequence<Int> { batch.lazy.map(\.app) }

  /// Whether the store refused the last batch that it answered.
  var isRefused: Bool { backoff.failures > 0 }

  /// Whether what is sent now can be recorded, as far as is known.
  var storeWorks: Bool { !isRefused || count == 0 }

  /// Takes note of how many deliveries an app may hold at once: where these are few, waiting outcomes would
  /// keep it from claiming more.
  mutating func limit(inFlightMax: Int, configuration: DeliveryConfiguration) {
    companyMin = max(1, min(configuration.settleCompanyMin, inFlightMax / 4))
  }

  mutating func append(contentsOf entries: [Entry]) { waiting.append(contentsOf: entries) }

  /// What to do now, if anything. Outcomes of which one is due again, or any when the engine `isStopping`, do
  /// not wait for other writes.
  mutating func next(isStopping: Bool, now: Moment) -> Step? {
    if isAsked {
      guard mayWait, isStopping || count >= companyMin || waiting.contains(where: \.settlement.waitsAgain)
      else {
        return nil
      }
      mayWait = false
      return .hurry
    }
    guard count > 0, now.ticks >= retryAtTicks else { return nil }
    let room = batchMax - batch.count
    if room > 0, !waiting.isEmpty {
      batch.append(contentsOf: waiting.prefix(room))
      waiting.removeFirst(min(room, waiting.count))
    }
    isAsked = true
    mayWait =
      waitMilliseconds > 0 && !isStopping && !isRefused && batch.count < companyMin
      && !batch.contains(where: \.settlement.waitsAgain)
    return .submit(batch.map(\.settlement), waitMilliseconds: mayWait ? waitMilliseconds : 0)
  }

  /// Takes back what is not on disk yet of an app whose claims are over. The store may still answer about it.
  mutating func removeAll(of app: Int) -> [Settlement] {
    let removed = (batch + waiting).filter { $0.app == app }.map(\.settlement)
    batch.removeAll { $0.app == app }
    waiting.removeAll { $0.app == app }
    return removed
  }

  /// The store accepted the batch; its settlements, and whether the store had refused before.
  mutating func taken() -> (settled: [Entry], isRecovered: Bool) {
    let isRecovered = isRefused
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
