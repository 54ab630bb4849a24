/// How metrics are written for a scraper.
package enum ExpositionFormat: Sendable, CaseIterable {
  /// Prometheus' text format 0.0.4.
  case prometheus
  /// OpenMetrics 1.0.0.
  case openMetrics

  package var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// The format that an `Accept` field asks for (RFC 9110 §12.5.1): OpenMetrics where it is wanted more, or named
  /// and wanted as much; else, and where neither is acceptable, Prometheus text, as a scrape is worth more than a
  /// 406. Of several fields, join the values with commas.
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

/// How much one format is wanted: what the most specific range that matches it says.
private struct Preference {
  private var specificity = -1
  private(set) var quality = 0

  /// Whether the type was named, not only met by a wildcard.
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

/// One element of an `Accept` field; parameters other than `version` and `q` do not matter here.
private struct MediaRange {
  var type: String
  var subtype: String
  var version: String?
  /// In thousandths.
  var quality = 1_000

  /// The elements that are well-formed; others are passed over.
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
        guard let quality = Self.quality(value) else { return nil }
        self.quality = quality
      default: break
      }
    }
  }

  /// Splits outside of quoted strings and trims the parts.
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

  /// A token in lower case; nil where it is none.
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

  /// A weight in thousandths (RFC 9110 §12.4.2): `0`, `1`, up to three decimals.
  private static func quality(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), bytes.count <= 5
    else { return nil }
    if bytes.count > 1, bytes[1] != UInt8(ascii: ".") { return nil }
    var thousandths = 0
    var place = 100
    for byte in bytes.dropFirst(2) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      thousandths += Int(byte - UInt8(ascii: "0")) * place
      place /= 10
    }
    if first == UInt8(ascii: "1") { return thousandths == 0 ? 1_000 : nil }
    return thousandths
  }
}

extension ArraySlice<UInt8> {
  /// Without the spaces and tabs around it (RFC 9110 §5.6.3, OWS).
  var trimmingOWS: ArraySlice<UInt8> {
    func isOWS(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var trimmed = drop(while: isOWS)
    while let last = trimmed.last, isOWS(last) { trimmed.removeLast() }
    return trimmed
  }
}
