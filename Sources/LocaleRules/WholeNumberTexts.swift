/// How a formatter writes whole numbers. What stands around the digits depends on nothing but their count and
/// the sign, so ICU, which takes more than a microsecond for a number, is asked once for each of both.
struct WholeNumberTexts: Sendable {
  /// The text of numbers with one sign and one count of digits.
  private enum Shape: Sendable {
    /// The text of the number whose digits are all 1, in UTF-8, and where its digits begin.
    case known(ones: [UInt8], places: [Int])
    /// Only ICU knows it.
    case unknown
  }

  /// By the count of digits, twice that and one more if the number is negative.
  private var shapes = [Shape?](repeating: nil, count: 2 * Self.digitsMax + 2)
  /// In UTF-8, all of the same size.
  private var digits: [[UInt8]] = []

  private static let digitsMax = 19

  /// The text of a decimal number, which `format` asks ICU for.
  mutating func text(of decimal: String, _ format: (String) -> String?) -> String? {
    let isNegative = decimal.utf8.first == UInt8(ascii: "-")
    let number = decimal.utf8.dropFirst(isNegative ? 1 : 0)
    // 0 is no number of its count of digits: 0 % has one digit, and 1 is 100 %.
    guard number.first != UInt8(ascii: "0"), (1...Self.digitsMax).contains(number.count),
      number.allSatisfy({ (0x30...0x39).contains($0) })
    else { return format(decimal) }
    let place = 2 * number.count + (isNegative ? 1 : 0)
    let shape = shapes[place] ?? learn(count: number.count, isNegative: isNegative, format)
    shapes[place] = shape
    return text(of: number, shape) ?? format(decimal)
  }

  private func text(of number: Substring.UTF8View, _ shape: Shape) -> String? {
    guard case .known(let ones, let places) = shape else { return nil }
    return String(unsafeUninitializedCapacity: ones.count) { output in
      _ = output.initialize(fromContentsOf: ones)
      for (place, digit) in zip(places, number) {
        for (index, byte) in digits[Int(digit &- 0x30)].enumerated() { output[place + index] = byte }
      }
      return ones.count
    }
  }

  private mutating func learn(count: Int, isNegative: Bool, _ format: (String) -> String?) -> Shape {
    let sign = isNegative ? "-" : ""
    func ask(_ digits: some StringProtocol) -> String? { format(sign + digits) }
    guard let ones = ask(String(repeating: "1", count: count)),
      let twos = ask(String(repeating: "2", count: count)),
      ones.unicodeScalars.count == twos.unicodeScalars.count
    else { return .unknown }
    var places: [Int] = []
    var offset = 0
    for (one, two) in zip(ones.unicodeScalars, twos.unicodeScalars) {
      if one != two {
        guard isDigits(one, two) else { return .unknown }
        places.append(offset)
      }
      offset += UTF8.width(one)
    }
    let shape = Shape.known(ones: Array(ones.utf8), places: places)
    let example = Self.example.prefix(count)
    guard places.count == count, let expected = ask(example), text(of: example.utf8, shape) == expected
    else { return .unknown }
    return shape
  }

  /// The longest number that is asked for, whose first ten digits are all there are.
  private static let example = "9102837465910283746"

  /// Whether both are the digits 1 and 2 of the locale, of which this learns the others.
  private mutating func isDigits(_ one: Unicode.Scalar, _ two: Unicode.Scalar) -> Bool {
    if digits.isEmpty {
      // The digits of a script are one after the other.
      digits = (0..<10).compactMap { Unicode.Scalar(one.value &- 1 &+ $0).map { Array(String($0).utf8) } }
    }
    guard digits.count == 10, digits.allSatisfy({ $0.count == digits[0].count }) else { return false }
    return digits[1].elementsEqual(String(one).utf8) && digits[2].elementsEqual(String(two).utf8)
  }
}
