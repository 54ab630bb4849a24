internal import _FoundationICU

/// The script and region that a language most likely has, where its tag does not say so: CLDR's likelySubtags, as
/// the toolchain's ICU has them.
struct LikelySubtags {
  /// Nil where nothing is known of the language.
  let script: String?
  let region: String?

  init(_ tag: LocaleTag) {
    let subtags = [tag.language, tag.script, tag.region].compactMap(\.self)
    guard tag.language != "und", subtags.allSatisfy(Self.isSubtag),
      let maximized = Self.maximize(subtags.joined(separator: "_"))
    else {
      self.script = tag.script
      self.region = tag.region
      return
    }
    let parts = maximized.split(separator: "_").dropFirst().map(String.init)
    script = tag.script ?? parts.first { $0.utf8.count == 4 }.map(Self.withoutStyle)
    region = tag.region ?? parts.first { $0.utf8.count < 4 }
  }

  private static func isSubtag(_ text: String) -> Bool {
    text.utf8.count <= 8 && text.utf8.allSatisfy(\.isASCIIAlphanumeric)
  }

  /// Newer CLDR says in which style Arabic letters are written (`Aran`: Nastaliq), which no phone matches by.
  private static func withoutStyle(_ script: String) -> String { script == "Aran" ? "Arab" : script }

  /// Unsafe in that ICU writes to a buffer: it is told the buffer's size, and its own length is held against it.
  private static func maximize(_ locale: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(ULOC_FULLNAME_CAPACITY)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var status = U_ZERO_ERROR
      // The header renames ICU's functions by macros, which Swift sees only the outcome of.
      let length = swift_uloc_addLikelySubtags(locale, start, Int32(buffer.count), &status)
      guard status.rawValue <= U_ZERO_ERROR.rawValue, length > 0, length < buffer.count else { return nil }
      return String(decoding: buffer[..<Int(length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
