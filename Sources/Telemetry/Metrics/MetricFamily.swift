internal import JSON
internal import Synchronization

/// One time series: the metric of one combination of label values.
package protocol MetricSeries: AnyObject, Sendable {
  associatedtype Settings: Sendable
  init(_ settings: Settings)
  var reading: MetricReading { get }
}

/// A series' value at one time.
package enum MetricReading: Sendable, Equatable {
  case integer(UInt64)
  case number(Double)
  case histogram(HistogramReading)
}

package typealias CounterFamily = MetricFamily<Counter>
package typealias GaugeFamily = MetricFamily<Gauge>
package typealias HistogramFamily = MetricFamily<Histogram>

/// A metric with labels and a bounded number of combinations of their values.
///
/// The first `combinationsMax` combinations are kept as given. After that, a value that is new for its label
/// becomes `other`, so that known values remain distinguishable. Once as many of those combinations exist
/// again, every label becomes `other`. Each such look-up is counted in
/// `dragoman_metrics_label_overflows_total`.
package final class MetricFamily<Series: MetricSeries>: Sendable {
  private struct Contents {
    var series: [LabelValues: Series] = [:]
    /// The values of each label before the family was full.
    var seen: [Set<ExactText>]
  }

  package let description: MetricDescription
  private let settings: Series.Settings
  private let combinationsMax: Int
  private let overflows: Counter
  private let contents: Mutex<Contents>

  init(
    _ description: MetricDescription, settings: Series.Settings, combinationsMax: Int, overflows: Counter
  ) {
    self.description = description
    self.settings = settings
    self.combinationsMax = combinationsMax
    self.overflows = overflows
    contents = Mutex(Contents(seen: description.labels.map { _ in [] }))
  }

  /// The series of these label values, in the order in which the labels were declared. The first call creates
  /// it. Takes a lock for a dictionary look-up, so keep the series if the values do not change.
  package func with(_ values: String...) -> Series { series(of: values) }

  func series(of values: [String]) -> Series {
    assert(
      values.count == description.labels.count,
      "\(description.name): the number of values differs from the number of labels")
    var key = LabelValues(values, count: description.labels.count)
    return contents.withLock { contents in
      if let series = contents.series[key], !key.isTooLong { return series }
      if contents.series.count >= combinationsMax || key.isTooLong {
        overflows.add()
        key = replaceUnknown(in: key, of: contents)
        if let series = contents.series[key] { return series }
      } else {
        for (index, value) in key.texts.enumerated() { contents.seen[index].insert(ExactText(value)) }
      }
      let series = Series(settings)
      contents.series[key] = series
      return series
    }
  }

  /// The label values and the value of each series, in no order.
  package var readings: [(labels: [String], reading: MetricReading)] {
    contents.withLock { $0.series.map { (labels: $0.key.texts, series: $0.value) } }
      .map { (labels: $0.labels, reading: $0.series.reading) }
  }

  private func replaceUnknown(in key: LabelValues, of contents: Contents) -> LabelValues {
    let isFull = contents.series.count >= combinationsMax
    let known = LabelValues(
      zip(key.texts, contents.seen).map { text, seen in
        let isKnown = text.utf8.count <= LabelValues.bytesMax && (!isFull || seen.contains(ExactText(text)))
        return isKnown ? text : LabelValues.other
      })
    if contents.series[known] != nil || contents.series.count < 2 * combinationsMax { return known }
    return LabelValues(key.texts.map { _ in LabelValues.other })
  }
}

/// The values of a family's labels, compared by their bytes.
struct LabelValues: Hashable, Sendable {
  /// The replacement of values that exceed a family's bound.
  static let other = "other"
  /// The maximum size of a value, in bytes; a longer one becomes `other`.
  static let bytesMax = 256

  let texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  /// Adds empty values, which mean absent labels, or drops excess values, so that there are `count`.
  init(_ texts: [String], count: Int) {
    self.texts =
      texts.count == count
      ? texts : Array((texts + Array(repeating: "", count: max(0, count - texts.count))).prefix(count))
  }

  var isTooLong: Bool { texts.contains { $0.utf8.count > Self.bytesMax } }

  static func == (left: Self, right: Self) -> Bool {
    left.texts.withUnsafeBufferPointer { left in
      right.texts.withUnsafeBufferPointer { right in
        left.count == right.count && left.indices.allSatisfy { left[$0].hasSameBytes(as: right[$0]) }
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    for text in texts { ExactText(text).hash(into: &hasher) }
  }

  static func < (left: Self, right: Self) -> Bool {
    left.texts.lexicographicallyPrecedes(right.texts) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension MetricFamily: ScrapedFamily {
  /// All series, ordered by their label values.
  func samples() -> [MetricSample] {
    contents.withLock { $0.series.map { (key: $0.key, series: $0.value) } }
      .sorted { $0.key < $1.key }
      .map { MetricSample(labels: $0.key.texts, reading: $0.series.reading) }
  }
}

/// A family that the registry can scrape.
protocol ScrapedFamily: Sendable {
  var description: MetricDescription { get }
  func samples() -> [MetricSample]
}

/// One series of a family with its label values, as it is written to the exposition.
struct MetricSample: Sendable, Equatable {
  let labels: [String]
  let reading: MetricReading
}
