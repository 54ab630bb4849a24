/// What aapt2 does to a text that the format of an APK has no room for.
package enum CutText {
  /// The text that an APK has in its place. aapt2 link reports an error, and succeeds (StringPool.cpp).
  package static let replacement = "STRING_TOO_LARGE"

  /// The size of the longest text, in Java's modified UTF-8.
  private static let bytesMax = 32_767

  /// Whether aapt2 cuts the text. A character beyond U+FFFF takes six bytes in place of four.
  package static func isTooLong(_ text: String) -> Bool {
    let count = text.utf8.count
    guard count > bytesMax / 3 * 2 else { return false }
    return count + 2 * text.utf8.count(where: { $0 >= 0xF0 }) > bytesMax
  }
}
