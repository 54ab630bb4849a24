internal import API
internal import JSON

/// Values of the configuration as text.
enum ConfigurationText {
  /// What is printed in place of a secret.
  static let hidden = "\"(hidden)\""

  /// In double quotes, as both YAML and JSON read it.
  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let rateUnits: KeyValuePairs = ["s": 1.0, "m": 60.0, "h": 3600.0]

  /// Reads `500/s`, `600000/m` or `100/h`; nil for anything else, and for rates outside their range.
  static func rate(_ text: String) -> RequestRate? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Double(parts[0]),
      let unit = rateUnits.first(where: { $0.key == parts[1] })
    else { return nil }
    return RequestRate(requests: count, windowSeconds: unit.value)
  }

  private static let byteUnits: KeyValuePairs = [
    "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000,
    "k": 1 << 10,
    "m": 1 << 20, "g": 1 << 30,
  ]

  /// The number of bytes that a size with a unit means, such as `1MB` or `64 KiB`; nil for anything else.
  static func bytes(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).filter { $0 != " " }.lowercased()
    guard let count = Int(digits), let factor = byteUnits.first(where: { $0.key == unit })?.value else {
      return nil
    }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
    return overflow ? nil : bytes
  }

  /// As `rate(_: String)` reads it.
  static func rate(_ rate: RequestRate) -> String {
    let count = Int(exactly: rate.requests).map(String.init) ?? "\(rate.requests)"
    if let unit = rateUnits.first(where: { $0.value == rate.windowSeconds }) { return "\(count)/\(unit.key)" }
    return "\(rate.perSecond)/s"
  }

  /// A URL without its query, in which many receivers take a key.
  static func withoutQuery(_ url: String) -> String {
    guard let mark = url.firstIndex(of: "?") else { return url }
    return url[..<mark] + "?(hidden)"
  }
}
