package import JSON

/// A limit of a number, or a number that is compared with one. Exact, because doubles do not distinguish all
/// numbers, and a number that is given as text goes out as written.
package struct NumberLimit: Sendable, Comparable {
  /// The nearest double.
  let double: Double
  private let whole: WholeNumber
  private let decimal: DecimalParts

  init(_ value: Int64) {
    (double, whole, decimal) = (Double(value), .value(value), DecimalParts(String(value)))
  }

  /// `text` is a JSON number, and `double` the nearest one to it.
  init(_ double: Double, text: String) {
    (self.double, whole, decimal) = (double, WholeNumber(lexeme: text), DecimalParts(text))
  }

  /// Nil for a number beyond the range of doubles.
  init?(_ number: JSON.Number) {
    guard let double = number.double else { return nil }
    self.init(double, text: number.lexeme)
  }

  /// The number as JSON.
  package var json: JSON {
    if case .value(let value) = whole { return JSON(value) }
    return JSON.Number(double).map(JSON.number) ?? .null
  }

  /// The number in plain digits, where they are not too many.
  package var text: String {
    if case .value(let value) = whole { String(value) } else { shortestDecimal(double) }
  }

  package static func < (left: Self, right: Self) -> Bool { left.decimal < right.decimal }
}
