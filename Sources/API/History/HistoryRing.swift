internal import Clock
internal import JSON
internal import Outbox
internal import Telemetry

/// What all apps did in equal spans of time; when it is full, new samples replace the oldest.
struct HistoryRing: Sendable {
  /// All apps at one time.
  struct Sample: Sendable {
    let at: Timestamp
    /// How long before the last one was taken.
    let seconds: Double
    let apps: [AppSample]
  }

  let intervalSeconds: Int
  let samplesMax: Int
  /// The busiest apps of a sample; others are left out.
  let appsMax: Int
  /// In the order of time.
  private(set) var samples: [Sample] = []
  /// The metrics of the last sample.
  private var totals: [ExactText: AppTotals] = [:]
  private var lastAt = ContinuousClock.now

  init(intervalSeconds: Int, samplesMax: Int, appsMax: Int = .max) {
    (self.intervalSeconds, self.samplesMax, self.appsMax) = (intervalSeconds, samplesMax, appsMax)
  }

  /// Whether the next sample is due. One that comes a moment early is no reason to wait for another one.
  func isDue(_ elapsed: ContinuousClock.Instant) -> Bool {
    elapsed - lastAt >= .seconds(intervalSeconds) * 0.95
  }

  mutating func add(
    _ counts: [ExactText: OutboxCounts], _ now: [ExactText: AppTotals], at time: Timestamp,
    _ elapsed: ContinuousClock.Instant
  ) {
    var apps = Set(counts.keys).union(now.keys).compactMap { app in
      AppSample(
        app, counts[app] ?? OutboxCounts(), now[app] ?? AppTotals(), since: totals[app] ?? AppTotals(),
        now: time)
    }
    if apps.count > appsMax { apps = Array(apps.sorted { $0.activity > $1.activity }.prefix(appsMax)) }
    append(Sample(at: time, seconds: (elapsed - lastAt) / .seconds(1), apps: apps))
    (totals, lastAt) = (now, elapsed)
  }

  /// Adds a sample of before the gateway started.
  mutating func append(_ sample: Sample) {
    if samples.count >= samplesMax { samples.removeFirst(samples.count - samplesMax + 1) }
    samples.append(sample)
  }

  /// The samples of an app, oldest first.
  func json(of app: String) -> JSON {
    .array(
      samples.map { sample in
        let own = sample.apps.first { $0.app == ExactText(app) } ?? AppSample(idle: ExactText(app))
        return own.json(at: sample.at, seconds: sample.seconds)
      })
  }
}
