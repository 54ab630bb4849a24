package import JSON

/// A limit of a number. Whole ones are exact, because doubles do not distinguish all integers beyond 2^53.
package struct NumberLimit: Sendable, Comparable {
  /// The nearest double.
  let double: Double
  private let whole: WholeNumber

  init(_ value: Int64) { (double, whole) = (Double(value), .value(value)) }

  /// Nil for a number beyond the range of doubles.
  init?(_ number: JSON.Number) {
    guard let double = number.double else { return nil }
    (self.double, whole) = (double, WholeNumber(lexeme: number.lexeme))
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

  package static func < (left: Self, right: Self) -> Bool {
    switch (left.whole, right.whole) {
    case (.value(let left), .value(let right)): left < right
    case (.value, .tooLarge): right.double > 0
    case (.tooLarge, .value): left.double < 0
    default: left.double < right.double
    }
  }
}
