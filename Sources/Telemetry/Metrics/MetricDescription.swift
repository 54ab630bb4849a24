/// The declaration of a metric family: name, type, help text, unit and labels.
package struct MetricDescription: Sendable, Equatable {
  /// The type of a metric.
  package enum Kind: String, Sendable {
    case counter, gauge, histogram, info
  }

  /// A base unit; the family's name ends in it (OpenMetrics 1.0, "Unit").
  package enum Unit: String, Sendable {
    case seconds, bytes
  }

  /// The name in Prometheus text, with `_total` or `_info`.
  package let name: String
  package let kind: Kind
  package let help: String
  package let unit: Unit?
  package let labels: [String]

  /// Traps on an invalid declaration; declarations are constants in code, never input.
  init(_ name: String, _ kind: Kind, help: String, unit: Unit?, labels: [String]) {
    self.name = name
    self.kind = kind
    self.help = help
    self.unit = unit
    self.labels = labels
    if let problem { preconditionFailure("\(name): \(problem)") }
  }

  /// The family's name in OpenMetrics, without a counter's `_total` or an info's `_info`.
  var openMetricsName: String {
    switch kind {
    case .counter: name.droppingSuffix("_total")
    case .info: name.droppingSuffix("_info")
    case .gauge, .histogram: name
    }
  }

  private var problem: String? {
    Self.problem(name: name, kind: kind, help: help, unit: unit, labels: labels)
  }

  /// Why Prometheus, OpenMetrics or `promtool check metrics` would reject the declaration; nil if it is
  /// valid.
  static func problem(name: String, kind: Kind, help: String, unit: Unit?, labels: [String]) -> String? {
    guard isName(name, withColon: true) else { return "not a metric name" }
    if help.isEmpty { return "no help text" }
    switch kind {
    case .counter where !name.hasSuffix("_total"): return "a counter's name must end in _total"
    case .info where !name.hasSuffix("_info"): return "an info's name must end in _info"
    case .gauge, .histogram:
      let reserved = ["_total", "_created", "_count", "_sum", "_bucket", "_info"]
      if reserved.contains(where: name.hasSuffix) { return "the suffix is reserved for another type" }
    default: break
    }
    if let unit {
      let family = kind == .counter ? name.droppingSuffix("_total") : name
      if kind == .info || !family.hasSuffix("_\(unit.rawValue)") {
        return "the name does not end in the unit"
      }
    }
    for label in labels {
      guard isName(label, withColon: false), !label.hasPrefix("__") else {
        return "not a label name: \(label)"
      }
      if label == "le" || label == "quantile" { return "a reserved label: \(label)" }
    }
    return Set(labels).count == labels.count ? nil : "duplicate label"
  }

  private static func isName(_ name: String, withColon: Bool) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      case UInt8(ascii: ":"): withColon
      default: false
      }
    }
  }
}

extension String {
  fileprivate func droppingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
