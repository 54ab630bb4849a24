internal import Synchronization

/// All metrics of a process: families are declared here, and scrapes read them.
package final class MetricsRegistry: Sendable {
  private struct Contents {
    var families: [String: any ScrapedFamily] = [:]
    var collectors: [MetricsCollector] = []
  }

  /// The default of a family's maximum number of combinations of label values.
  package static let combinationsMax = 1_000

  private let contents = Mutex(Contents())
  private let overflows: CounterFamily
  private let lateCollections: Counter

  package init() {
    overflows = MetricFamily(
      MetricDescription(
        "dragoman_metrics_label_overflows_total", .counter,
        help: "Look-ups of a metric whose label values were replaced by other, because it had too many.",
        unit: nil, labels: ["metric"]),
      settings: (), combinationsMax: Self.combinationsMax, overflows: Counter(()))
    lateCollections = Counter(())
    let lateDescription = MetricDescription(
      "dragoman_metrics_collections_late_total", .counter,
      help: "Scrapes without the metrics of a collector that did not answer in time.",
      unit: nil, labels: [])
    add(overflows)
    add(SingleFamily(description: lateDescription, series: lateCollections))
  }

  /// Declares a counter without labels.
  package func counter(_ name: String, help: String, unit: MetricDescription.Unit? = nil) -> Counter {
    single(MetricDescription(name, .counter, help: help, unit: unit, labels: []), Counter(()))
  }

  /// Declares a counter with labels.
  package func counter(
    _ name: String, help: String, unit: MetricDescription.Unit? = nil, labels: [String],
    combinationsMax: Int = combinationsMax
  ) -> CounterFamily {
    family(MetricDescription(name, .counter, help: help, unit: unit, labels: labels), (), combinationsMax)
  }

  /// Declares a gauge without labels.
  package func gauge(_ name: String, help: String, unit: MetricDescription.Unit? = nil) -> Gauge {
    single(MetricDescription(name, .gauge, help: help, unit: unit, labels: []), Gauge(()))
  }

  /// Declares a gauge with labels.
  package func gauge(
    _ name: String, help: String, unit: MetricDescription.Unit? = nil, labels: [String],
    combinationsMax: Int = combinationsMax
  ) -> GaugeFamily {
    family(MetricDescription(name, .gauge, help: help, unit: unit, labels: labels), (), combinationsMax)
  }

  /// Declares a gauge whose value `read` returns at each scrape. `read` must not block; nil omits the gauge.
  package func gauge(
    _ name: String, help: String, unit: MetricDescription.Unit? = nil, read: @escaping @Sendable () -> Double?
  ) {
    let description = MetricDescription(name, .gauge, help: help, unit: unit, labels: [])
    add(ComputedFamily(description: description, read: { read().map(MetricReading.number) }))
  }

  /// Declares a counter whose value `read` returns at each scrape. `read` must not block.
  package func counter(
    _ name: String, help: String, unit: MetricDescription.Unit? = nil, read: @escaping @Sendable () -> UInt64
  ) {
    let description = MetricDescription(name, .counter, help: help, unit: unit, labels: [])
    add(ComputedFamily(description: description, read: { .integer(read()) }))
  }

  /// Declares a histogram without labels.
  package func histogram(
    _ name: String, help: String, unit: MetricDescription.Unit? = nil, buckets: Histogram.Buckets
  ) -> Histogram {
    single(MetricDescription(name, .histogram, help: help, unit: unit, labels: []), Histogram(buckets))
  }

  /// Declares a histogram with labels.
  package func histogram(
    _ name: String, help: String, unit: MetricDescription.Unit? = nil, labels: [String],
    buckets: Histogram.Buckets, combinationsMax: Int = combinationsMax
  ) -> HistogramFamily {
    let description = MetricDescription(name, .histogram, help: help, unit: unit, labels: labels)
    return family(description, buckets, combinationsMax)
  }

  /// Declares an info: one series with the constant value 1, whose labels carry the information.
  package func info(_ name: String, help: String, labels: KeyValuePairs<String, String>) {
    let description = MetricDescription(name, .info, help: help, unit: nil, labels: labels.map(\.key))
    add(
      FixedFamily(description: description, sample: .init(labels: labels.map(\.value), reading: .integer(1))))
  }

  /// Declares a family whose values collectors set at each scrape.
  package func collected(
    _ name: String, _ kind: CollectedFamily.Kind = .gauge, help: String, unit: MetricDescription.Unit? = nil,
    labels: [String] = [], combinationsMax: Int = combinationsMax
  ) -> CollectedFamily {
    let family = CollectedFamily(
      description: MetricDescription(name, kind.metric, help: help, unit: unit, labels: labels),
      combinationsMax: combinationsMax)
    add(family)
    return family
  }

  /// Adds a collector, which sets the values of collected families at each scrape. If it does not end within
  /// `timeout`, the scrape omits its values, and it is not started again before it ends.
  package func collect(
    timeout: Duration = .seconds(2), _ body: @escaping @Sendable (inout MetricsCollection) async -> Void
  ) {
    let collector = MetricsCollector(timeout: timeout, body)
    contents.withLock { $0.collectors.append(collector) }
  }

  /// All declarations, ordered by name.
  package var descriptions: [MetricDescription] {
    contents.withLock { Array($0.families.values) }.map(\.description).sorted { $0.name < $1.name }
  }

  /// The current values of all metrics, as text.
  package func scrape(as format: ExpositionFormat) async -> [UInt8] {
    let (families, collectors) = contents.withLock { (Array($0.families.values), $0.collectors) }
    var collection = MetricsCollection()
    await withTaskGroup(of: MetricsCollection?.self) { group in
      for collector in collectors { group.addTask { await collector.collect() } }
      for await collected in group {
        if let collected { collection.merge(collected) } else { lateCollections.add() }
      }
    }
    var writer = ExpositionWriter(format: format)
    for family in families.sorted(by: { $0.description.name < $1.description.name }) {
      let samples =
        (family as? CollectedFamily).map { collection.samples(of: $0, overflows: overflows) }
        ?? family.samples()
      writer.append(family.description, samples)
    }
    return writer.finish()
  }

  private func single<Series: MetricSeries>(_ description: MetricDescription, _ series: Series) -> Series {
    add(SingleFamily(description: description, series: series))
    return series
  }

  private func family<Series: MetricSeries>(
    _ description: MetricDescription, _ settings: Series.Settings, _ combinationsMax: Int
  ) -> MetricFamily<Series> {
    let family = MetricFamily<Series>(
      description, settings: settings, combinationsMax: combinationsMax,
      overflows: overflows.with(description.name))
    add(family)
    return family
  }

  /// Traps on a duplicate name; declarations are constants in code, never input.
  private func add(_ family: some ScrapedFamily) {
    let name = family.description.name
    let isNew = contents.withLock { $0.families.updateValue(family, forKey: name) == nil }
    precondition(isNew, "\(name) is declared twice")
  }
}

private struct SingleFamily<Series: MetricSeries>: ScrapedFamily {
  let description: MetricDescription
  let series: Series
  func samples() -> [MetricSample] { [MetricSample(labels: [], reading: series.reading)] }
}

private struct ComputedFamily: ScrapedFamily {
  let description: MetricDescription
  let read: @Sendable () -> MetricReading?
  func samples() -> [MetricSample] { read().map { [MetricSample(labels: [], reading: $0)] } ?? [] }
}

private struct FixedFamily: ScrapedFamily {
  let description: MetricDescription
  let sample: MetricSample
  func samples() -> [MetricSample] { [sample] }
}
