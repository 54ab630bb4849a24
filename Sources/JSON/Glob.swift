/// A pattern in which `*` matches any number of bytes, including none, and `?` matches exactly one byte.
package struct Glob: Sendable, Equatable {
  package let pattern: String

  package init(_ pattern: String) { self.pattern = pattern }

  /// Whether the pattern matches all of `text`, byte by byte. O(pattern · text) at worst, without recursion.
  package func matches(_ text: String) -> Bool {
    let pattern = Array(pattern.utf8)
    let text = Array(text.utf8)
    var patternIndex = 0
    var textIndex = 0
    var afterStar: (pattern: Int, text: Int)?
    while textIndex < text.count {
      let wanted = patternIndex < pattern.count ? pattern[patternIndex] : nil
      if wanted == UInt8(ascii: "*") {
        patternIndex += 1
        afterStar = (patternIndex, textIndex)
      } else if let wanted, wanted == text[textIndex] || wanted == UInt8(ascii: "?") {
        patternIndex += 1
        textIndex += 1
      } else if let star = afterStar {
        patternIndex = star.pattern
        textIndex = star.text + 1
        afterStar = (star.pattern, star.text + 1)
      } else {
        return false
      }
    }
    return pattern[patternIndex...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
