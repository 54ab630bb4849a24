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

  /// `500/s`, `600000/m` or `100/h` as a number a second; nil for anything else.
  static func rate(_ text: String) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let seconds = ["s": 1.0, "m": 60, "h": 3600]
    guard parts.count == 2, let count = Double(parts[0]), count.isFinite, count > 0,
      let unit = seconds[String(parts[1])]
    else { return nil }
    return count / unit
  }

  /// As `rate(_: String)` reads it.
  static func rate(_ perSecond: Double) -> String {
    if let whole = Int(exactly: perSecond) { return "\(whole)/s" }
    if let whole = Int(exactly: perSecond * 3600) { return "\(whole)/h" }
    return "\(perSecond)/s"
  }

  /// A URL without its query, in which many receivers take a key.
  static func withoutQuery(_ url: String) -> String {
    guard let mark = url.firstIndex(of: "?") else { return url }
    return url[..<mark] + "?(hidden)"
  }
}
