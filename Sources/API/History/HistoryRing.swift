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
  /// The number of the interval that the last sample began.
  private var lastInterval: Int64

  init(intervalSeconds: Int, samplesMax: Int, appsMax: Int = .max, now: Timestamp) {
    (self.intervalSeconds, self.samplesMax, self.appsMax) = (intervalSeconds, samplesMax, appsMax)
    lastInterval = 0
    lastInterval = interval(of: now)
  }

  /// The number of the interval that contains a time, which is the same for all gateways.
  func interval(of time: Timestamp) -> Int64 { time.milliseconds / (Int64(max(1, intervalSeconds)) * 1000) }

  /// When the interval began that is this many before the one of a time.
  func start(ofIntervalsBefore time: Timestamp, _ count: Int) -> Timestamp {
    Timestamp(milliseconds: (interval(of: time) - Int64(count)) * Int64(max(1, intervalSeconds)) * 1000)
  }

  /// Whether an interval has ended since the last sample.
  func isDue(at time: Timestamp) -> Bool { interval(of: time) != lastInterval }

  mutating func add(
    _ counts: [ExactText: OutboxCounts], _ now: [ExactText: AppTotals], at time: Timestamp,
    _ elapsed: ContinuousClock.Instant
  ) {
    let apps = Set(counts.keys).union(now.keys).compactMap { app in
      AppSample(
        app, counts[app] ?? OutboxCounts(), now[app] ?? AppTotals(), since: totals[app] ?? AppTotals(),
        now: time)
    }
    append(Sample(at: time, seconds: (elapsed - lastAt) / .seconds(1), apps: busiest(apps)))
    (totals, lastAt, lastInterval) = (now, elapsed, interval(of: time))
  }

  private func busiest(_ apps: [AppSample]) -> [AppSample] {
    apps.count > appsMax ? Array(apps.sorted { $0.activity > $1.activity }.prefix(appsMax)) : apps
  }

  /// Adds a sample of before the gateway started.
  mutating func append(_ sample: Sample) {
    if samples.count >= samplesMax { samples.removeFirst(samples.count - samplesMax + 1) }
    samples.append(sample)
  }

  /// Puts what all gateways did in intervals in place of what was known of these and later ones.
  mutating func replace(with shared: [Sample]) {
    guard let first = shared.map({ interval(of: $0.at) }).min() else { return }
    samples = samples.filter { interval(of: $0.at) < first }
    for ofInterval in Dictionary(grouping: shared, by: { interval(of: $0.at) }).sorted(by: { $0.key < $1.key }
    ) {
      guard let latest = ofInterval.value.max(by: { $0.at < $1.at }) else { continue }
      let apps = Dictionary(grouping: ofInterval.value.sorted { $0.at < $1.at }.flatMap(\.apps), by: \.app)
      append(
        Sample(
          at: latest.at, seconds: ofInterval.value.map(\.seconds).max() ?? 0,
          apps: busiest(apps.values.compactMap(AppSample.init(together:)))))
    }
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
