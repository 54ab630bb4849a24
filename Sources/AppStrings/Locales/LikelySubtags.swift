internal import _FoundationICU

extension LocaleTag {
  /// The tag with its likely script and region where it names none: `zh-Hans-CN` for `zh`.
  package var maximized: LocaleTag {
    let likely = LikelySubtags(self)
    return LocaleTag(language: language, script: likely.script, region: likely.region, variants: variants)
  }

  /// The tag with its likely script and region, and the code that phones have for the language: `fil` for
  /// `tl`, `nb` for `no`. For comparing a folder's language with one that a person has written.
  package var canonical: LocaleTag {
    let current = LocaleCodes.current(language)
    return LocaleTag(
      language: current.language, script: script ?? current.script, region: region ?? current.region,
      variants: variants
    ).maximized
  }
}

/// The most likely script and region of a language whose tag has none: CLDR's likelySubtags in the
/// toolchain's ICU.
struct LikelySubtags {
  /// Nil if ICU does not know the language.
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
    script = tag.script ?? Self.amended[subtags] ?? parts.first { $0.utf8.count == 4 }.map(Self.withoutStyle)
    region = tag.region ?? parts.first { $0.utf8.count < 4 }
  }

  /// What Apple has changed in the data of its ICU: CLDR and Android assume traditional Chinese.
  private static let amended = [["zh", "US"]: "Hant"]

  private static func isSubtag(_ text: String) -> Bool {
    text.utf8.count <= 8 && text.utf8.allSatisfy(\.isASCIIAlphanumeric)
  }

  /// Newer CLDR versions give a style of Arabic letters (`Aran`: Nastaliq), which no phone uses for matching.
  private static func withoutStyle(_ script: String) -> String { script == "Aran" ? "Arab" : script }

  /// Unsafe because ICU writes to a buffer. Guard: ICU gets the buffer's size, and the length that it returns
  /// is checked.
  private static func maximize(_ locale: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(ULOC_FULLNAME_CAPACITY)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var status = U_ZERO_ERROR
      // The header renames ICU's functions with macros, and Swift imports only the new names.
      let length = swift_uloc_addLikelySubtags(locale, start, Int32(buffer.count), &status)
      guard status.rawValue <= U_ZERO_ERROR.rawValue, length > 0, length < buffer.count else { return nil }
      return String(decoding: buffer[..<Int(length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
