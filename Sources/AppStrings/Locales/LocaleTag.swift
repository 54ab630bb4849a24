/// A locale as BCP 47 subtags (RFC 5646), in canonical case and with current codes: `iw`, `in` and `ji`
/// become `he`, `id` and `yi`.
package struct LocaleTag: Sendable, Hashable, CustomStringConvertible {
  /// Two or three lower-case letters.
  package let language: String
  /// Four letters in title case.
  package let script: String?
  /// Two upper-case letters or three digits.
  package let region: String?
  /// Lower-case, as written.
  package let variants: [String]

  package init(language: String, script: String? = nil, region: String? = nil, variants: [String] = []) {
    let language = language.lowercased()
    self.language = Self.renamedLanguages[language] ?? language
    self.script = script.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    self.region = region?.uppercased()
    self.variants = variants.map { $0.lowercased() }
  }

  /// Parses a tag with `-` or `_` between its subtags; nil if it is not one. Drops extensions and private
  /// use.
  package init?(_ text: String) {
    var subtags = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }[...]
    guard subtags.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIAlphanumeric) }),
      let language = subtags.popFirst(), (2...3).contains(language.utf8.count),
      language.utf8.allSatisfy(\.isASCIILetter)
    else { return nil }
    var script: String?
    var region: String?
    var variants: [String] = []
    if let next = subtags.first, next.utf8.count == 4, next.utf8.allSatisfy(\.isASCIILetter) {
      script = String(next)
      subtags.removeFirst()
    }
    if let next = subtags.first, Self.isRegion(next) {
      region = String(next)
      subtags.removeFirst()
    }
    while let next = subtags.popFirst() {
      if next.utf8.count == 1 { break }
      guard Self.isVariant(next) else { return nil }
      variants.append(String(next))
    }
    self.init(language: String(language), script: script, region: region, variants: variants)
  }

  package var description: String {
    ([language] + [script, region].compactMap(\.self) + variants).joined(separator: "-")
  }

  private static let renamedLanguages = ["iw": "he", "in": "id", "ji": "yi"]

  private static func isRegion(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy(\.isASCIILetter)
      || text.utf8.count == 3 && text.utf8.allSatisfy(\.isASCIIDigit)
  }

  private static func isVariant(_ text: some StringProtocol) -> Bool {
    (5...8).contains(text.utf8.count) || text.utf8.count == 4 && text.utf8.first?.isASCIIDigit == true
  }
}
