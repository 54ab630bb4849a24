/// A duration as people write it: digits followed by `s`, `m`, `h` or `d`.
package enum DurationText {
  /// The seconds of `90s`, `15m`, `24h` or `7d`; nil for any other text.
  package static func seconds(_ text: String) -> Int? {
    let digits = text.utf8.dropLast()
    let unit: Int
    switch text.utf8.last {
    case UInt8(ascii: "s"): unit = 1
    case UInt8(ascii: "m"): unit = 60
    case UInt8(ascii: "h"): unit = 3600
    case UInt8(ascii: "d"): unit = 86_400
    default: return nil
    }
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let count = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    return overflow ? nil : seconds
  }
}
