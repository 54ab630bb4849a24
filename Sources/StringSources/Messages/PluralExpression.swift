internal import LocaleRules

/// The expression of gettext's `Plural-Forms` header (GNU gettext manual, "Additional functions for plural
/// forms"): C's operators over the number `n`.
package struct PluralExpression: Sendable, Equatable {
  /// The names are C's operators.
  enum Operator: String, CaseIterable {
    case or = "||"
    case and = "&&"
    case equal = "=="
    case notEqual = "!="
    case lessEqual = "<="
    case greaterEqual = ">="
    case less = "<"
    case greater = ">"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case remainder = "%"

    /// How tightly it binds, from 0.
    var level: Int {
      switch self {
      case .or: 0
      case .and: 1
      case .equal, .notEqual: 2
      case .lessEqual, .greaterEqual, .less, .greater: 3
      case .plus, .minus: 4
      case .times, .divided, .remainder: 5
      }
    }

    static let levelMax = 5
  }

  indirect enum Term: Sendable, Equatable {
    case number
    case constant(UInt64)
    case not(Term)
    case binary(Operator, Term, Term)
    case choice(Term, Term, Term)
  }

  private let term: Term
  /// `nplurals`.
  package let count: Int

  /// The rule of a file without the header: one form for 1, and one for all other numbers.
  static let germanic = PluralExpression(
    term: .binary(.notEqual, .number, .constant(1)), count: 2)

  private init(term: Term, count: Int) { (self.term, self.count) = (term, count) }

  /// More forms than any language has.
  private static let countMax = 16

  /// Reads `nplurals=2; plural=(n != 1);`; nil if it is something else.
  init?(header: String) {
    var fields: [String: String] = [:]
    for field in header.split(separator: ";") {
      let parts = field.split(separator: "=", maxSplits: 1).map {
        String($0.trimmingPrefix(while: \.isWhitespace))
      }
      guard parts.count == 2 else { continue }
      fields[String(parts[0].prefix { !$0.isWhitespace })] = parts[1]
    }
    guard let text = fields["plural"],
      let count = fields["nplurals"].flatMap({ Int($0.prefix { !$0.isWhitespace }) }),
      (1...Self.countMax).contains(count)
    else { return nil }
    var parser = PluralExpressionParser(text)
    guard let term = parser.expression() else { return nil }
    (self.term, self.count) = (term, count)
  }

  /// The index of the number's form, as C computes it; a division by zero gives 0.
  func value(_ number: UInt64) -> UInt64 { Self.value(term, number) }

  private static func value(_ term: Term, _ number: UInt64) -> UInt64 {
    switch term {
    case .number: return number
    case .constant(let value): return value
    case .not(let inner): return value(inner, number) == 0 ? 1 : 0
    case .choice(let condition, let first, let second):
      return value(value(condition, number) == 0 ? second : first, number)
    case .binary(let binary, let left, let right):
      let first = value(left, number)
      switch binary {
      case .or: return first != 0 || value(right, number) != 0 ? 1 : 0
      case .and: return first != 0 && value(right, number) != 0 ? 1 : 0
      default: return Self.value(binary, first, value(right, number))
      }
    }
  }

  private static func value(_ binary: Operator, _ left: UInt64, _ right: UInt64) -> UInt64 {
    switch binary {
    case .or: left != 0 || right != 0 ? 1 : 0
    case .and: left != 0 && right != 0 ? 1 : 0
    case .equal: left == right ? 1 : 0
    case .notEqual: left != right ? 1 : 0
    case .lessEqual: left <= right ? 1 : 0
    case .greaterEqual: left >= right ? 1 : 0
    case .less: left < right ? 1 : 0
    case .greater: left > right ? 1 : 0
    case .plus: left &+ right
    case .minus: left &- right
    case .times: left &* right
    case .divided: right == 0 ? 0 : left / right
    case .remainder: right == 0 ? 0 : left % right
    }
  }

  /// Whether the numbers that CLDR's rules do not tell apart have one form here too, so that classes of
  /// numbers can hold them. Tries all numbers up to 20,000, and multiples of 1,000.
  var fitsClasses: Bool {
    let numbers = (200..<UInt64(20_000)).lazy.map { $0 }
    let thousands = (20..<UInt64(2_100)).lazy.map { $0 * 1_000 }
    func fits(_ number: UInt64) -> Bool {
      let candidate = PluralCandidate.number(at: PluralCandidate.index(of: number))
      return value(number) == value(candidate)
    }
    return numbers.allSatisfy(fits) && thousands.allSatisfy(fits)
  }
}

/// A parser of C expressions by precedence.
private struct PluralExpressionParser {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  /// No language's rule is nearly as long or as deep.
  private static let bytesMax = 2_000
  private static let depthMax = 64

  init(_ text: String) { bytes = Array(text.utf8.filter { $0 > 0x20 && $0 != UInt8(ascii: "\\") }) }

  mutating func expression() -> PluralExpression.Term? {
    guard bytes.count <= Self.bytesMax, let term = choice(), position == bytes.count else { return nil }
    return term
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func choice() -> PluralExpression.Term? {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.depthMax, let condition = binary(0) else { return nil }
    guard take("?") else { return condition }
    guard let first = choice(), take(":"), let second = choice() else { return nil }
    return .choice(condition, first, second)
  }

  private mutating func binary(_ level: Int) -> PluralExpression.Term? {
    guard level <= PluralExpression.Operator.levelMax else { return unary() }
    guard var left = binary(level + 1) else { return nil }
    let known = PluralExpression.Operator.allCases.filter { $0.level == level }
    while let found = known.first(where: { take($0.rawValue) }) {
      guard let right = binary(level + 1) else { return nil }
      left = .binary(found, left, right)
    }
    return left
  }

  private mutating func unary() -> PluralExpression.Term? {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.depthMax else { return nil }
    if take("!") { return unary().map { .not($0) } }
    if take("(") {
      guard let inner = choice(), take(")") else { return nil }
      return inner
    }
    if take("n") { return .number }
    let digits = bytes[position...].prefix { (0x30...0x39).contains($0) }
    guard let value = UInt64(String(decoding: digits, as: UTF8.self)) else { return nil }
    position += digits.count
    return .constant(value)
  }
}
