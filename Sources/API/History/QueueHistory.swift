internal import Clock
internal import Dispatch
internal import JSON
internal import Outbox
internal import Synchronization
internal import Telemetry

/// What the queue and each app did in the last 15 minutes, so that charts can begin before somebody looks.
///
/// Reads the queue's counts and the metrics every ten seconds, which costs nothing per message. Bounded: by
/// `samplesMax`, and each sample holds only the apps that had something to do.
final class QueueHistory: Sendable {
  /// All apps at one time.
  private struct Sample: Sendable {
    let at: Timestamp
    /// How long before the last one was taken.
    let seconds: Double
    let apps: [AppSample]
  }

  private struct State: Sendable {
    /// In the order of time.
    var samples: [Sample] = []
    /// The metrics of the last sample.
    var totals: [ExactText: AppTotals] = [:]
    var lastAt = ContinuousClock.now
    var isReading = false
  }

  static let intervalSeconds = 10
  static let samplesMax = 15 * 60 / intervalSeconds

  private let store: any OutboxStore
  private let metrics: DragomanMetrics
  private let queue = DispatchQueue(label: "dragoman.history", qos: .utility)
  private let state = Mutex(State())

  init(store: any OutboxStore, metrics: DragomanMetrics) {
    (self.store, self.metrics) = (store, metrics)
  }

  /// Takes a sample every `intervalSeconds` until the last reference is gone.
  func start() {
    queue.asyncAfter(deadline: .now() + .seconds(Self.intervalSeconds)) { [weak self] in
      guard let self else { return }
      take()
      start()
    }
  }

  /// Takes a sample, unless one is being taken. A queue that cannot be read leaves a gap.
  func take() {
    let begins = state.withLock { state in
      defer { state.isReading = true }
      return !state.isReading
    }
    guard begins else { return }
    store.counts { [weak self] result in self?.add(result) }
  }

  private func add(_ result: Result<[ExactText: OutboxCounts], OutboxError>) {
    let totals = AppTotals.all(in: metrics)
    state.withLock { state in
      state.isReading = false
      guard case .success(let counts) = result else { return }
      let now = store.now
      let elapsed = ContinuousClock.now
      let apps = Set(counts.keys).union(totals.keys).compactMap { app in
        AppSample(
          app, counts[app] ?? OutboxCounts(), totals[app] ?? AppTotals(),
          since: state.totals[app] ?? AppTotals(),
          now: now)
      }
      if state.samples.count == Self.samplesMax { state.samples.removeFirst() }
      state.samples.append(Sample(at: now, seconds: (elapsed - state.lastAt) / .seconds(1), apps: apps))
      (state.totals, state.lastAt) = (totals, elapsed)
    }
  }

  /// The samples of an app, oldest first.
  func json(of app: String) -> JSON {
    let samples = state.withLock(\.samples).map { sample -> JSON in
      let own = sample.apps.first { $0.app == ExactText(app) } ?? AppSample(idle: ExactText(app))
      return own.json(at: sample.at, seconds: sample.seconds)
    }
    return [
      "app": .string(app), "now": .string(store.now.rfc3339),
      "interval_seconds": JSON(Self.intervalSeconds), "samples": .array(samples),
    ]
  }
}
