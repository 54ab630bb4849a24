/// The version of an app's release: Android's versionName, iOS's CFBundleShortVersionString.
///
/// Versions are compared number by number, so that 4.10 is newer than 4.9, and 4.1 is the same as 4.1.0.
/// A pre-release (`4.2.0-beta9`) is older than its release, and its numbers are compared as numbers, too. A
/// build after a plus (`4.2.0+45`) or in parentheses (`4.2.0 (45)`) does not count (Semantic Versioning
/// 2.0.0, §10 and §11).
package struct ReleaseVersion: Sendable, Comparable, Hashable, CustomStringConvertible {
  /// As written.
  package let text: String
  /// Decimal digits without leading zeros; the last is not zero.
  private let numbers: [String]
  /// What follows the numbers, without a build.
  private let prerelease: [Part]

  /// A part of a pre-release. Texts and numbers alternate, and a text is the first.
  private enum Part: Equatable {
    case text([UInt8])
    /// Decimal digits without leading zeros.
    case number(String)
  }

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
      numbers.append(Self.number(digits))
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
    prerelease = Self.parts(of: Self.withoutBuild(rest))
  }

  private static func number(_ digits: Substring.UTF8View) -> String {
    String(Substring(digits.drop { $0 == UInt8(ascii: "0") }))
  }

  private static func withoutBuild(_ suffix: Substring.UTF8View) -> Substring.UTF8View {
    var rest = suffix.prefix { $0 != UInt8(ascii: "+") }
    if rest.last == UInt8(ascii: ")"), let start = rest.lastIndex(of: UInt8(ascii: "(")) {
      rest = rest[..<start]
    }
    while rest.last == UInt8(ascii: " ") { rest.removeLast() }
    return rest
  }

  private static func parts(of suffix: Substring.UTF8View) -> [Part] {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    var rest = suffix
    var parts: [Part] = []
    while !rest.isEmpty {
      let text = rest.prefix { !digits.contains($0) }
      rest = rest.dropFirst(text.count)
      parts.append(.text(Array(text)))
      let number = rest.prefix(while: digits.contains)
      rest = rest.dropFirst(number.count)
      if !number.isEmpty { parts.append(.number(Self.number(number))) }
    }
    return parts
  }

  package var description: String { text }

  package static func == (left: Self, right: Self) -> Bool {
    left.numbers == right.numbers && left.prerelease == right.prerelease
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

  package static func < (left: Self, right: Self) -> Bool {
    for index in 0..<max(left.numbers.count, right.numbers.count) {
      let first = index < left.numbers.count ? left.numbers[index] : ""
      let second = index < right.numbers.count ? right.numbers[index] : ""
      if first != second { return isLess(first, second) }
    }
    if left.prerelease.isEmpty != right.prerelease.isEmpty { return right.prerelease.isEmpty }
    return left.prerelease.lexicographicallyPrecedes(right.prerelease) { first, second in
      switch (first, second) {
      case (.text(let first), .text(let second)): first.lexicographicallyPrecedes(second)
      case (.number(let first), .number(let second)): isLess(first, second)
      case (.number, .text): true
      case (.text, .number): false
      }
    }
  }

  /// Compares numbers of decimal digits without leading zeros.
  private static func isLess(_ left: String, _ right: String) -> Bool {
    left.utf8.count != right.utf8.count ? left.utf8.count < right.utf8.count : left < right
  }
}
