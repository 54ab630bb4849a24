/// Values other than texts, which are only checked by the rules of CFPropertyList.c.
extension XMLPropertyListReader {
  /// Base64 with any characters below 0x80 between the digits.
  mutating func skipData() throws(PropertyListError) {
    while let byte = current, byte != UInt8(ascii: "<") {
      guard byte < 0x80 else { throw error(.noBase64) }
      position += 1
    }
  }

  /// `YYYY-MM-DDThh:mm:ssZ`, with a sign and any number of digits for the year.
  mutating func skipDate() throws(PropertyListError) {
    take("-")
    skipDigits()
    for separator in ["-", "-", "T", ":", ":"] as [Unicode.Scalar] {
      guard take(separator), takeDigit(), takeDigit() else { throw error(.noDate) }
    }
    guard take("Z") else { throw error(.noDate) }
  }

  /// S* sign? S* digits, or hexadecimal digits after 0x, within 64 bits; S is nearly any invisible character.
  mutating func skipInteger() throws(PropertyListError) {
    skipInvisible()
    let isNegative = current == UInt8(ascii: "-")
    if isNegative || current == UInt8(ascii: "+") {
      position += 1
      skipInvisible()
    }
    var radix: UInt64 = 10
    if starts(with: "0x") || starts(with: "0X") {
      position += 2
      radix = 16
    }
    let start = position
    var value: UInt64 = 0
    while let byte = current, byte != UInt8(ascii: "<") {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else {
        throw error(.noDigits)
      }
      let (product, overflow) = value.multipliedReportingOverflow(by: radix)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry, !isNegative || sum <= UInt64(Int64.max) + 1 else {
        throw error(.integerTooLarge)
      }
      value = sum
      position += 1
    }
    guard position > start else { throw error(.emptyInteger) }
  }

  /// A decimal number, an infinity or NaN.
  mutating func skipReal() throws(PropertyListError) {
    let start = position
    let text = try readText()
    let isWord = ["nan", "infinity", "+infinity", "-infinity", "inf", "+inf", "-inf"].contains(
      text.lowercased())
    guard isWord || Self.isDecimal(Array(text.utf8)) else {
      position = start
      throw error(.noReal)
    }
  }

  private static func isDecimal(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let whole = rest.prefix(while: \.isASCIIDigit).count
    rest = rest.dropFirst(whole)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      fraction = rest.prefix(while: \.isASCIIDigit).count
      rest = rest.dropFirst(fraction)
    }
    guard whole + fraction > 0 else { return false }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
      let exponent = rest.prefix(while: \.isASCIIDigit).count
      guard exponent > 0 else { return false }
      rest = rest.dropFirst(exponent)
    }
    return rest.isEmpty
  }

  @discardableResult private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func takeDigit() -> Bool {
    guard let byte = current, byte.isASCIIDigit else { return false }
    position += 1
    return true
  }

  private mutating func skipDigits() {
    while takeDigit() {}
  }

  private mutating func skipInvisible() {
    while let byte = current {
      if byte < 0x21 || byte > 0x7E && byte < 0xA1 {
        position += 1
      } else if byte == 0xE2 || byte == 0xE3, position + 2 < bytes.count,
        Self.isInvisible(byte, bytes[position + 1], bytes[position + 2])
      {
        position += 1
      } else {
        return
      }
    }
  }

  private static func isInvisible(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
    switch (first, second) {
    case (0xE2, 0x80): (80...0x8B).contains(third) || third == 0xAF
    case (0xE2, 0x81): third == 0x9F
    case (0xE3, 0x80): third == 0x80
    default: false
    }
  }
}
