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
///
/// Other modules look series up for each message, where the compiler cannot know their type: what they call
/// asks to be specialized.
package final class MetricFamily<Series: MetricSeries>: Sendable {
  private struct Contents {
    var series: [LabelValues: Series] = [:]
    /// The values of each label before the family was full.
    var seen: [Set<ExactText>]
    var recent = RecentSeries<Series>()
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

  /// The same for one label.
  @_specialize(where Series == Counter)
  @_specialize(where Series == Histogram)
  package func with(_ value: String) -> Series {
    contents.withLock { $0.recent.series(value) } ?? series(of: [value])
  }

  /// The same for two labels.
  @_specialize(where Series == Counter)
  @_specialize(where Series == Histogram)
  package func with(_ first: String, _ second: String) -> Series {
    contents.withLock { $0.recent.series(first, second) } ?? series(of: [first, second])
  }

  /// The same for three labels.
  @_specialize(where Series == Counter)
  @_specialize(where Series == Histogram)
  package func with(_ first: String, _ second: String, _ third: String) -> Series {
    contents.withLock { $0.recent.series(first, second, third) } ?? series(of: [first, second, third])
  }

  func series(of values: [String]) -> Series {
    assert(
      values.count == description.labels.count,
      "\(description.name): the number of values differs from the number of labels")
    var key = LabelValues(values, count: description.labels.count)
    return contents.withLock { contents in
      if let series = contents.series[key], !key.isTooLong {
        contents.recent.add(series, key.texts)
        return series
      }
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

/// The series that were looked up last, which are compared before anything is hashed: a gateway answers most
/// requests alike, and hashing three texts takes longer than parsing a head.
struct RecentSeries<Series: MetricSeries>: Sendable {
  private struct Entry: Sendable {
    let first: String
    let second: String
    let third: String
    let series: Series
  }

  private static var entriesMax: Int { 4 }
  private var entries: [Entry] = []
  /// The entry that makes room for the next one.
  private var oldest = 0

  /// The series of up to three label values; those that the family does not have are empty.
  func series(_ first: String, _ second: String = "", _ third: String = "") -> Series? {
    // By index: a copy of an entry would count the references of its texts.
    for index in entries.indices
    where entries[index].first.hasSameBytes(as: first) && entries[index].second.hasSameBytes(as: second)
      && entries[index].third.hasSameBytes(as: third)
    {
      return entries[index].series
    }
    return nil
  }

  /// Notes a series that was looked up.
  mutating func add(_ series: Series, _ values: [String]) {
    guard (1...3).contains(values.count) else { return }
    let entry = Entry(
      first: values[0], second: values.count > 1 ? values[1] : "", third: values.count > 2 ? values[2] : "",
      series: series)
    guard entries.count == Self.entriesMax else { return entries.append(entry) }
    entries[oldest] = entry
    oldest = (oldest + 1) % Self.entriesMax
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
