extension [UInt8] {
  /// Appends a whole number in decimal digits, without a string between.
  package mutating func append(decimal number: Int) {
    // The digits of the largest number, and its sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
      var start = text.count
      var rest = number.magnitude
      repeat {
        start -= 1
        text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 {
        start -= 1
        text[start] = UInt8(ascii: "-")
      }
      append(contentsOf: text[start...])
    }
  }
}
