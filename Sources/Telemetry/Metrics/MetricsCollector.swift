internal import Clock
internal import Dispatch
internal import Synchronization

/// A family whose values are collected at each scrape.
package struct CollectedFamily: ScrapedFamily {
  package enum Kind: Sendable {
    case gauge, counter

    var metric: MetricDescription.Kind { self == .gauge ? .gauge : .counter }
  }

  package let description: MetricDescription
  let combinationsMax: Int

  func samples() -> [MetricSample] { [] }
}

/// The values that collectors contribute to one scrape.
package struct MetricsCollection: Sendable {
  private var values: [String: [LabelValues: Double]] = [:]

  /// Sets the value for these label values, in the order in which the labels were declared.
  package mutating func set(_ family: CollectedFamily, _ labels: String..., to value: Double) {
    let description = family.description
    assert(
      labels.count == description.labels.count,
      "\(description.name): the number of values differs from the number of labels")
    values[description.name, default: [:]][LabelValues(labels, count: description.labels.count)] = value
  }

  mutating func merge(_ other: MetricsCollection) {
    values.merge(other.values) { $0.merging($1) { _, new in new } }
  }

  /// The family's values, ordered by label values. Those beyond its bound are omitted and counted, because a
  /// gauge cannot have a meaningful value for `other`.
  func samples(of family: CollectedFamily, overflows: CounterFamily) -> [MetricSample] {
    let sorted = (values[family.description.name] ?? [:]).sorted { $0.key < $1.key }
    let excess = sorted.count - family.combinationsMax
    if excess > 0 { overflows.with(family.description.name).add(excess) }
    return sorted.prefix(family.combinationsMax)
      .map { MetricSample(labels: $0.key.texts, reading: .number($0.value)) }
  }
}

/// Runs one collector for concurrent scrapes, one run at a time, and bounds how long they wait.
final class MetricsCollector: Sendable {
  private struct State {
    var isRunning = false
    var lastWaiter: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<MetricsCollection?, Never>] = [:]
  }

  private let timeout: Duration
  private let body: @Sendable (inout MetricsCollection) async -> Void
  private let state = Mutex(State())

  init(timeout: Duration, _ body: @escaping @Sendable (inout MetricsCollection) async -> Void) {
    self.timeout = timeout
    self.body = body
  }

  /// The collector's values; nil if they do not arrive in time. Concurrent scrapes share one run.
  func collect() async -> MetricsCollection? {
    await withCheckedContinuation { continuation in
      let (waiter, mustRun) = state.withLock { state in
        state.lastWaiter += 1
        state.waiting[state.lastWaiter] = continuation
        defer { state.isRunning = true }
        return (state.lastWaiter, !state.isRunning)
      }
      if mustRun { Task { await run() } }
      let milliseconds = Int(saturating: timeout / .milliseconds(1))
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
        self?.state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: nil)
      }
    }
  }

  private func run() async {
    var collection = MetricsCollection()
    await body(&collection)
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      state.isRunning = false
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(returning: collection) }
  }
}
