/// Writes families as Prometheus text 0.0.4 or OpenMetrics 1.0.0.
struct ExpositionWriter {
  private let format: ExpositionFormat
  private var bytes: [UInt8] = []

  init(format: ExpositionFormat) {
    self.format = format
    bytes.reserveCapacity(16 * 1_024)
  }

  /// Appends the family's description and samples. A family without samples still has its description.
  mutating func append(_ family: MetricDescription, _ samples: [MetricSample]) {
    appendDescription(of: family)
    for sample in samples { append(sample, of: family) }
  }

  /// Returns the complete text; OpenMetrics ends in `# EOF`.
  consuming func finish() -> [UInt8] {
    if format == .openMetrics { append("# EOF\n") }
    return bytes
  }

  private mutating func appendDescription(of family: MetricDescription) {
    switch format {
    case .prometheus:
      append("# HELP \(family.name) ")
      appendEscaped(family.help, quotes: false)
      // Format 0.0.4 has no type for an info; Prometheus clients use a gauge.
      append("\n# TYPE \(family.name) \(family.kind == .info ? "gauge" : family.kind.rawValue)\n")
    case .openMetrics:
      let name = family.openMetricsName
      append("# TYPE \(name) \(family.kind.rawValue)\n")
      if let unit = family.unit { append("# UNIT \(name) \(unit.rawValue)\n") }
      append("# HELP \(name) ")
      appendEscaped(family.help, quotes: true)
      append("\n")
    }
  }

  private mutating func append(_ sample: MetricSample, of family: MetricDescription) {
    switch sample.reading {
    case .integer(let value): appendLine(family, "", sample.labels, value: String(value))
    case .number(let value): appendLine(family, "", sample.labels, value: Self.text(of: value))
    case .histogram(let histogram):
      for bucket in histogram.buckets {
        let bound = Self.bound(bucket.bound)
        appendLine(family, "_bucket", sample.labels, bound: bound, value: String(bucket.count))
      }
      appendLine(family, "_sum", sample.labels, value: Self.text(of: histogram.sum))
      appendLine(family, "_count", sample.labels, value: String(histogram.count))
    }
  }

  private mutating func appendLine(
    _ family: MetricDescription, _ suffix: String, _ labels: [String], bound: String? = nil, value: String
  ) {
    append(family.name)
    append(suffix)
    var opening = "{"
    for (label, text) in zip(family.labels, labels) {
      append("\(opening)\(label)=\"")
      appendEscaped(text, quotes: true)
      append("\"")
      opening = ","
    }
    if let bound {
      append("\(opening)le=\"\(bound)\"")
      opening = ","
    }
    if opening == "," { append("}") }
    append(" ")
    append(value)
    append("\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Escapes backslash and line feed, and quotes in label values and OpenMetrics' help. There are no other
  /// escapes.
  private mutating func appendEscaped(_ text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\"") where quotes: append("\\\"")
      default: bytes.append(byte)
      }
    }
  }

  /// A sample's value; integers have no fraction.
  static func text(of value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    if abs(value) < 1e15, let whole = Int64(exactly: value) { return String(whole) }
    return value.description
  }

  /// A bucket's bound, always with a fraction (OpenMetrics 1.0, "Canonical Numbers"). It is the same in both
  /// formats, because it is part of the series' identity.
  static func bound(_ value: Double) -> String { value.isInfinite ? "+Inf" : value.description }
}
