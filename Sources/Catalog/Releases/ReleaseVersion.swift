/// The version of an app's release: Android's versionName, iOS's CFBundleShortVersionString.
///
/// Versions are compared number by number, so that 4.10 is newer than 4.9, and 4.1 is the same as 4.1.0.
/// Whatever follows the numbers (`4.2.0-beta`) makes a version older than one without it.
package struct ReleaseVersion: Sendable, Comparable, Hashable, CustomStringConvertible {
  /// As written.
  package let text: String
  /// Decimal digits without leading zeros; the last is not zero.
  private let numbers: [String]
  private let suffix: String

  /// The maximum length, in bytes.
  package static let bytesMax = 128

  /// Nil for a text that does not begin with a number.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.bytesMax, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      return nil
    }
    var rest = Substring(text).utf8
    if rest.first == UInt8(ascii: "v") || rest.first == UInt8(ascii: "V") { rest = rest.dropFirst() }
    var numbers: [String] = []
    while true {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard !digits.isEmpty else { break }
      numbers.append(String(Substring(digits.drop { $0 == UInt8(ascii: "0") })))
      rest = rest.dropFirst(digits.count)
      let next = rest.dropFirst().first ?? 0
      guard rest.first == UInt8(ascii: "."), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else {
        break
      }
      rest = rest.dropFirst()
    }
    guard !numbers.isEmpty else { return nil }
    while numbers.last == "" { numbers.removeLast() }
    self.text = text
    self.numbers = numbers
    suffix = String(Substring(rest))
  }

  package var description: String { text }

  package static func == (left: Self, right: Self) -> Bool {
    left.numbers == right.numbers && left.suffix.utf8.elementsEqual(right.suffix.utf8)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

  package static func < (left: Self, right: Self) -> Bool {
    for index in 0..<max(left.numbers.count, right.numbers.count) {
      let first = index < left.numbers.count ? left.numbers[index] : ""
      let second = index < right.numbers.count ? right.numbers[index] : ""
      if first != second {
        return first.utf8.count != second.utf8.count ? first.utf8.count < second.utf8.count : first < second
      }
    }
    if left.suffix.isEmpty != right.suffix.isEmpty { return right.suffix.isEmpty }
    return left.suffix.utf8.lexicographicallyPrecedes(right.suffix.utf8)
  }
}
