internal import Clock
internal import Dispatch
internal import JSON
internal import Outbox
internal import Synchronization
internal import Telemetry

/// What the queue and each app did: in the last 15 minutes in detail, and in the last days coarsely, so that
/// charts can begin before somebody looks.
///
/// Reads the queue's counts and the metrics every ten seconds, which costs nothing per message. Bounded: each
/// ring by its samples, and each sample holds only the apps that had something to do.
final class QueueHistory: Sendable {
  private struct State: Sendable {
    /// The finest first, which takes every sample.
    var rings = [
      HistoryRing(intervalSeconds: 10, samplesMax: 15 * 60 / 10),
      HistoryRing(intervalSeconds: 300, samplesMax: 2 * 86_400 / 300, appsMax: appsMax),
      HistoryRing(intervalSeconds: 3_600, samplesMax: 14 * 24, appsMax: appsMax),
    ]
    /// Keeps the coarse samples over a restart.
    var file: HistoryFile?
    var isReading = false
  }

  /// The apps of a coarse sample, so that what is on disk stays small.
  static let appsMax = 32
  static let intervals = State().rings.map(\.intervalSeconds)

  private let store: any OutboxStore
  private let metrics: DragomanMetrics
  private let queue = DispatchQueue(label: "dragoman.history", qos: .utility)
  private let state = Mutex(State())

  init(store: any OutboxStore, metrics: DragomanMetrics) { (self.store, self.metrics) = (store, metrics) }

  /// Takes a sample every ten seconds until the last reference is gone. Without a file, the past begins now.
  func start(keptIn file: HistoryFile?) {
    use(file)
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
    let totals = AppTotals.all(in: metrics)
    let kept: (file: HistoryFile, rings: [HistoryRing])? = state.withLock { state in
      state.isReading = false
      guard case .success(let counts) = result else { return nil }
      let due = state.rings.indices.filter { $0 == 0 || state.rings[$0].isDue(elapsed) }
      for index in due { state.rings[index].add(counts, totals, at: store.now, elapsed) }
      guard due.count > 1, let file = state.file else { return nil }
      return (file, Array(state.rings.dropFirst()))
    }
    if let kept { queue.async { kept.file.write(kept.rings) } }
  }

  /// Waits until the file has what was taken before.
  func finishWriting() { queue.sync {} }

  /// The samples of an app at an interval, oldest first.
  func json(of app: String, every intervalSeconds: Int = intervals[0]) -> JSON {
    let ring = state.withLock { $0.rings.first { $0.intervalSeconds == intervalSeconds } }
    return [
      "app": .string(app), "now": .string(store.now.rfc3339), "interval_seconds": JSON(intervalSeconds),
      "samples": ring?.json(of: app) ?? [],
    ]
  }
}
