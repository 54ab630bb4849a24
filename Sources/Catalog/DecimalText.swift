/// The exact integer value of a JSON number: `3`, `3.0` and `30e-1` are all 3.
enum WholeNumber: Equatable {
  case value(Int64)
  case fraction
  case tooLarge

  /// - Parameter lexeme: a valid JSON number.
  init(lexeme: String) {
    if let value = Int64(lexeme) {
      self = .value(value)
      return
    }
    let parts = DecimalParts(lexeme)
    if parts.digits.isEmpty {
      self = .value(0)
    } else if parts.exponent < 0 {
      self = .fraction
    } else if parts.exponent > 18 {
      self = .tooLarge
    } else {
      let digits = parts.digits + String(repeating: "0", count: parts.exponent)
      self = Int64((parts.isNegative ? "-" : "") + digits).map(WholeNumber.value) ?? .tooLarge
    }
  }
}

/// The shortest decimal digits that read back as `value`, in the format of ECMAScript's Number::toString
/// (ECMA-262 §6.1.6.1.20): plain digits from 1e-6 up to 1e21, otherwise an exponent.
func shortestDecimal(_ value: Double) -> String {
  let parts = DecimalParts(String(describing: value))
  guard !parts.digits.isEmpty else { return "0" }
  let sign = parts.isNegative ? "-" : ""
  let digits = parts.digits
  let count = digits.utf8.count
  /// The position of the decimal point, counted from the first digit.
  let point = count + parts.exponent
  switch point {
  case count...21: return sign + digits + String(repeating: "0", count: point - count)
  case 1...21: return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  case -5...0: return sign + "0." + String(repeating: "0", count: -point) + digits
  default:
    let fraction = count > 1 ? "." + digits.dropFirst() : ""
    return sign + digits.prefix(1) + fraction + "e" + (point > 0 ? "+" : "") + String(point - 1)
  }
}

/// A decimal number: digits without leading or trailing zeros, times ten to the power of `exponent`. Zero has
/// no digits.
struct DecimalParts: Sendable, Comparable {
  private(set) var isNegative = false
  private(set) var digits = ""
  private(set) var exponent = 0

  init(_ text: String) {
    let halves = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 | 0x20 == UInt8(ascii: "e")
    }
    var mantissa: [UInt8] = []
    var fractionDigits = 0
    var isInFraction = false
    for byte in halves.first ?? text.utf8[...] {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isInFraction = true
      default:
        mantissa.append(byte)
        if isInFraction { fractionDigits += 1 }
      }
    }
    let written = halves.count > 1 ? String(halves[1]) ?? "" : "0"
    // The bound exceeds every double and every Int64, and prevents an overflow below.
    let power = Int(written).map { min(max($0, -1_000_000), 1_000_000) }
    exponent = (power ?? (written.hasPrefix("-") ? -1_000_000 : 1_000_000)) - fractionDigits
    while mantissa.last == UInt8(ascii: "0") {
      mantissa.removeLast()
      exponent += 1
    }
    digits = String(decoding: mantissa.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self)
  }

  static func < (left: Self, right: Self) -> Bool {
    switch (left.sign, right.sign) {
    case (1, 1): left.isSmaller(than: right)
    case (-1, -1): right.isSmaller(than: left)
    case (let left, let right): left < right
    }
  }

  /// -1, 0 or 1. The sign of a zero does not count.
  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Compares the absolute values of numbers that are not zero.
  private func isSmaller(than other: Self) -> Bool {
    /// The position of the decimal point, counted from the first digit.
    let (point, otherPoint) = (digits.utf8.count + exponent, other.digits.utf8.count + other.exponent)
    return point == otherPoint
      ? digits.utf8.lexicographicallyPrecedes(other.digits.utf8) : point < otherPoint
  }
}
