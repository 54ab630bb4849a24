internal import AppStrings

extension AndroidAppConfiguration {
  /// Reads a `ResTable_config`, which begins with its size. Older versions are shorter; what is missing is 0.
  init?(_ file: LittleEndianBytes, at start: Int, limit: Int) {
    guard let size = file.u32(start), size >= 16, start <= limit, size <= limit - start else { return nil }
    func byte(_ offset: Int) -> Int { offset < size ? file.u8(start + offset) ?? 0 : 0 }
    func word(_ offset: Int) -> Int { byte(offset) | byte(offset + 1) << 8 }
    let language = Self.code(byte(8), byte(9), base: UInt8(ascii: "a"))
    let region = Self.code(byte(10), byte(11), base: UInt8(ascii: "0"))
    let script = byte(52) == 0 ? Self.text((36..<40).map(byte)) : nil
    let variants = Self.text((40..<48).map(byte)).map { [$0] } ?? []
    if let language {
      locale = LocaleTag(language: language, script: script, region: region, variants: variants)
      hasLegacyCode = Self.isLegacy(language)
    }
    let layout = byte(28)
    let inputFlags = byte(18)
    // Of two opposites, `no` is 1 and `yes` is 2, while names of folders begin with `yes`.
    func opposite(_ value: Int) -> Int { value == 0 ? 0 : 3 - value }
    let values: [(axis: AndroidQualifier, value: Int)] = [
      (.mobileCountryCode, word(4)), (.mobileNetworkCode, word(6)), (.orientation, byte(12)),
      (.touchscreen, byte(13)), (.density, word(14)), (.keyboard, byte(16)), (.navigation, byte(17)),
      (.keyboardAvailability, inputFlags & 3), (.navigationAvailability, inputFlags >> 2 & 3),
      (.grammaticalGender, byte(19)), (.screenSize, layout & 0x0F),
      (.screenAspect, opposite(layout >> 4 & 3)), (.layoutDirection, layout >> 6 & 3),
      (.uiMode, byte(29) & 0x0F), (.nightMode, opposite(byte(29) >> 4 & 3)), (.smallestWidth, word(30)),
      (.width, word(32)), (.height, word(34)), (.roundScreen, opposite(byte(48) & 3)),
      (.wideColorGamut, opposite(byte(49) & 3)), (.dynamicRange, opposite(byte(49) >> 2 & 3)),
    ]
    for (axis, value) in values where value != 0 { conditions[axis] = axis.text(value) }
    if word(20) | word(22) != 0 {
      conditions[.screenDimensions] = "\(max(word(20), word(22)))x\(min(word(20), word(22)))"
    }
    let version = word(24)
    qualifierCount = conditions.count
    if version > Self.versionAlwaysMet {
      conditions[.version] = AndroidQualifier.version.text(version)
    } else {
      metVersion = version
    }
    // aapt2 adds the version that another qualifier needs, so only a later one is a condition of its own.
    if version > Self.versionAlwaysMet || version > 0 && qualifierCount == 0 && locale == nil {
      qualifierCount += 1
    }
    identity = (4..<min(size, 64)).map { UInt8(truncatingIfNeeded: byte($0)) }
  }

  /// Two letters, or three characters in five bits each (ResTable_config::unpackLanguageOrRegion).
  private static func code(_ first: Int, _ second: Int, base: UInt8) -> String? {
    guard first != 0 else { return nil }
    guard first & 0x80 != 0 else {
      return text([first, second])
    }
    let parts = [second & 31, second >> 5 | (first & 3) << 3, first >> 2 & 31]
    return String(decoding: parts.map { UInt8($0) + base }, as: UTF8.self)
  }

  /// Letters and digits up to the first NUL; nil if there are none.
  private static func text(_ bytes: [Int]) -> String? {
    let characters = bytes.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
    guard !characters.isEmpty, characters.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
    return String(decoding: characters, as: UTF8.self)
  }
}
