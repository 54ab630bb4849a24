internal import Clock
internal import Dispatch
internal import JSON
internal import Outbox
internal import SendingLimits
internal import Synchronization
internal import Telemetry

/// What the queue and each app did: in the last 15 minutes in detail, and in the last days coarsely, so that
/// charts can begin before somebody looks.
///
/// Reads the queue's counts and the metrics every ten seconds, which costs nothing per message. Bounded: each
/// ring by its samples, and each sample holds only the apps that had something to do. The coarse samples
/// outlast the process: in a file, or in the database that gateways share, where they have what all of them
/// did.
final class QueueHistory: Sendable {
  private struct State: Sendable {
    /// The finest first, which takes every sample.
    var rings: [HistoryRing]
    /// Keeps the coarse samples over a restart, where no database does.
    var file: HistoryFile?
    var isReading = false
    /// The rings whose newest samples other gateways may not have kept yet.
    var incomplete: [HistoryRing] = []
  }

  /// The apps of a coarse sample, so that what is on disk stays small.
  static let appsMax = 32
  private static let samplesMax = [10: 15 * 60 / 10, 300: 2 * 86_400 / 300, 3_600: 14 * 24]
  static let intervals = samplesMax.keys.sorted()

  private let store: any OutboxStore
  private let metrics: DragomanMetrics
  private let queue = DispatchQueue(label: "dragoman.history", qos: .utility)
  private let clock: @Sendable () -> Timestamp
  private let state: Mutex<State>

  /// `clock` is the store's, unless given.
  init(store: any OutboxStore, metrics: DragomanMetrics, clock: (@Sendable () -> Timestamp)? = nil) {
    (self.store, self.metrics) = (store, metrics)
    let clock = clock ?? { store.now }
    self.clock = clock
    let now = clock()
    let rings = Self.samplesMax.sorted { $0.key < $1.key }.map { seconds, count in
      let isFinest = seconds == Self.intervals.first
      return HistoryRing(
        intervalSeconds: seconds, samplesMax: count, appsMax: isFinest ? .max : Self.appsMax, now: now)
    }
    state = Mutex(State(rings: rings))
  }

  /// Takes a sample every ten seconds until the last reference is gone. Earlier ones come from the database
  /// that gateways share, or from the file; without either, the past begins now.
  func start(keptIn file: HistoryFile?) {
    use(file)
    readShared()
    goOn()
  }

  /// Begins with the coarse samples in the file, and keeps them there.
  func use(_ file: HistoryFile?) {
    let kept = file?.read() ?? []
    state.withLock { state in
      state.file = file
      for (seconds, samples) in kept {
        guard let index = state.rings.firstIndex(where: { $0.intervalSeconds == seconds }) else { continue }
        for sample in samples { state.rings[index].append(sample) }
      }
    }
  }

  private func goOn() {
    queue.asyncAfter(deadline: .now() + .seconds(Self.intervals[0])) { [weak self] in
      guard let self else { return }
      take()
      goOn()
    }
  }

  /// Takes a sample, unless one is being taken. A queue that cannot be read leaves a gap.
  func take(_ elapsed: ContinuousClock.Instant = .now) {
    let begins = state.withLock { state in
      defer { state.isReading = true }
      return !state.isReading
    }
    guard begins else { return }
    store.counts { [weak self] result in self?.add(result, elapsed) }
  }

  private func add(
    _ result: Result<[ExactText: OutboxCounts], OutboxError>, _ elapsed: ContinuousClock.Instant
  ) {
    let (totals, now) = (AppTotals.all(in: metrics), clock())
    let before = state.withLock { $0.incomplete }
    let after: State? = state.withLock { state in
      state.isReading = false
      guard case .success(let counts) = result else { return nil }
      let due = state.rings.indices.filter { $0 == 0 || state.rings[$0].isDue(at: now) }
      for index in due { state.rings[index].add(counts, totals, at: now, elapsed) }
      state.incomplete = due.dropFirst().map { state.rings[$0] }
      return state
    }
    guard let after else { return }
    if let file = after.file, !after.incomplete.isEmpty {
      queue.async { file.write(Array(after.rings.dropFirst())) }
    }
    for ring in after.incomplete { exchange(ring.samples.last, of: ring, intervals: 2, now: now) }
    for ring in before { exchange(nil, of: ring, intervals: 2, now: now) }
  }

  /// Begins with the coarse samples in the database that gateways share.
  func readShared() {
    let (rings, now) = (state.withLock { $0.rings.dropFirst() }, clock())
    for ring in rings { exchange(nil, of: ring, intervals: ring.samplesMax, now: now) }
  }

  /// Keeps a sample in the database that gateways share, if there is one, and takes over what all of them did
  /// in the last `intervals`.
  private func exchange(
    _ sample: HistoryRing.Sample?, of ring: HistoryRing, intervals: Int, now: Timestamp
  ) {
    let question = HistoryQuestion(
      intervalSeconds: ring.intervalSeconds, oldest: ring.start(ofIntervalsBefore: now, ring.samplesMax),
      since: ring.start(ofIntervalsBefore: now, intervals))
    let own = sample.map { sample in
      HistorySample(at: sample.at, content: String(decoding: sample.kept.serialized, as: UTF8.self))
    }
    store.sharedLimits?.exchange(own, question) { [weak self] kept in
      guard let self, let kept else { return }
      queue.async { self.take(over: kept, every: ring.intervalSeconds) }
    }
  }

  private func take(over kept: [HistorySample], every intervalSeconds: Int) {
    let samples = kept.compactMap { each in
      (try? JSON.parse(Array(each.content.utf8))).flatMap(HistoryRing.Sample.init)
    }
    state.withLock { state in
      for index in state.rings.indices where state.rings[index].intervalSeconds == intervalSeconds {
        state.rings[index].replace(with: samples)
      }
    }
  }

  /// Waits until the file has what was taken before.
  func finishWriting() { queue.sync {} }

  /// The samples of an app at an interval, oldest first.
  func json(of app: String, every intervalSeconds: Int = intervals[0]) -> JSON {
    let ring = state.withLock { $0.rings.first { $0.intervalSeconds == intervalSeconds } }
    return [
      "app": .string(app), "now": .string(clock().rfc3339), "interval_seconds": JSON(intervalSeconds),
      "samples": ring?.json(of: app) ?? [],
    ]
  }
}
