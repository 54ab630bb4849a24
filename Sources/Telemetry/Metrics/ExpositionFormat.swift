/// A text format in which metrics are served to a scraper.
package enum ExpositionFormat: Sendable, CaseIterable {
  /// Prometheus text format 0.0.4.
  case prometheus
  /// OpenMetrics 1.0.0.
  case openMetrics

  /// The value of `Content-Type`.
  package var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// Negotiates the format by an `Accept` field (RFC 9110 §12.5.1): OpenMetrics if its quality is higher, or
  /// equal and the type is named; otherwise Prometheus text. If neither is acceptable, Prometheus text is
  /// more useful than a 406. Join the values of several fields with commas.
  package init(accept: String?) {
    var text = Preference()
    var open = Preference()
    for range in MediaRange.parse(accept ?? "*/*") {
      text.consider(range, type: "text", subtype: "plain", version: "0.0.4")
      open.consider(range, type: "application", subtype: "openmetrics-text", version: "1.0.0")
    }
    let isOpen = open.quality > text.quality || (open.quality == text.quality && open.isNamed)
    self = open.quality > 0 && isOpen ? .openMetrics : .prometheus
  }
}

/// The quality of one format, taken from the most specific media range that matches it.
private struct Preference {
  private var specificity = -1
  private(set) var quality = 0

  /// Whether a range names the type, rather than matching it by a wildcard.
  var isNamed: Bool { specificity >= 2 }

  mutating func consider(_ range: MediaRange, type: String, subtype: String, version: String) {
    let matched: Int
    switch (range.type, range.subtype) {
    case (type, subtype):
      guard let asked = range.version else {
        matched = 2
        break
      }
      guard asked == version else { return }
      matched = 3
    case (type, "*"): matched = 1
    case ("*", "*"): matched = 0
    default: return
    }
    guard matched > specificity || (matched == specificity && range.quality > quality) else { return }
    specificity = matched
    quality = range.quality
  }
}

/// One element of an `Accept` field; parameters other than `version` and `q` are ignored.
private struct MediaRange {
  var type: String
  var subtype: String
  var version: String?
  /// The quality value, in thousandths.
  var quality = 1_000

  /// The well-formed elements; others are ignored.
  static func parse(_ field: String) -> [MediaRange] {
    split(Array(field.utf8)[...], at: UInt8(ascii: ",")).compactMap(MediaRange.init)
  }

  private init?(_ element: ArraySlice<UInt8>) {
    let parts = Self.split(element, at: UInt8(ascii: ";"))
    guard let range = parts.first else { return nil }
    let names = range.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard names.count == 2, let type = Self.token(names[0]), let subtype = Self.token(names[1]) else {
      return nil
    }
    self.type = type
    self.subtype = subtype
    for parameter in parts.dropFirst() {
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = Self.unquoted(parameter[(equals + 1)...])
      switch Self.token(parameter[..<equals]) {
      case "version": version = value
      case "q":
        guard let quality = Array(value.utf8)[...].qualityValue else { return nil }
        self.quality = quality
      default: break
      }
    }
  }

  /// Splits at `separator` outside of quoted strings and trims the parts.
  private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in bytes.indices {
      let byte = bytes[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        parts.append(bytes[start..<index].trimmingOWS)
        start = index + 1
      }
    }
    parts.append(bytes[start...].trimmingOWS)
    return parts
  }

  /// The token in lower case; nil if `bytes` is not a token.
  private static func token(_ bytes: ArraySlice<UInt8>) -> String? {
    let marks = Array("!#$%&'*+-.^_`|~".utf8)
    let isToken = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: marks.contains(byte)
      }
    }
    guard isToken, !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: bytes.dropFirst().dropLast().filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without leading and trailing spaces and tabs (RFC 9110 §5.6.3, OWS).
  package var trimmingOWS: ArraySlice<UInt8> {
    func isOWS(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var trimmed = drop(while: isOWS)
    while let last = trimmed.last, isOWS(last) { trimmed.removeLast() }
    return trimmed
  }

  /// A quality value in thousandths (RFC 9110 §12.4.2): 0 to 1 with up to three decimals.
  package var qualityValue: Int? {
    guard let first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), count <= 5 else { return nil }
    let decimals = dropFirst()
    guard decimals.first.map({ $0 == UInt8(ascii: ".") }) ?? true else { return nil }
    var thousandths = 0
    var place = 100
    for byte in decimals.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      thousandths += Int(byte - UInt8(ascii: "0")) * place
      place /= 10
    }
    if first == UInt8(ascii: "1") { return thousandths == 0 ? 1_000 : nil }
    return thousandths
  }
}
