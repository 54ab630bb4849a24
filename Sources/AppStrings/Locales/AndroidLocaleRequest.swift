/// The locale that an Android phone looks for, prepared for comparison with many configurations.
///
/// AOSP: libs/androidfw/ResourceTypes.cpp (match, isLocaleBetterThan) and LocaleData.cpp
/// (localeDataCompareRegions).
struct AndroidLocaleRequest {
  private let locale: LocaleTag
  private let script: String?
  /// The regions from the locale's own to the empty region of its language.
  private let ancestors: [String]
  private let isLikeAmericanEnglish: Bool

  init(_ locale: LocaleTag) {
    self.locale = locale
    script = Self.script(of: locale)
    ancestors = ParentLocales.regions(
      language: locale.language, script: script, region: locale.region ?? "")
    isLikeAmericanEnglish = locale.language == "en" && Self.isLikeAmericanEnglish(locale.region)
  }

  /// Whether a configuration can be used: its language and script must be the same. Where a script is
  /// unknown, the region must be the same, if the configuration has one.
  func isMatched(by available: LocaleTag?) -> Bool {
    guard let available else { return true }
    guard Self.areEquivalent(available.language, locale.language) else { return false }
    guard let script, let availableScript = Self.script(of: available) else {
      return available.region == nil || available.region == locale.region
    }
    return availableScript == script
  }

  /// Whether the first of two matching configurations is strictly better; nil is `values/`.
  func prefers(_ left: LocaleTag?, to right: LocaleTag?) -> Bool {
    switch (left, right) {
    case (nil, nil): false
    case (let left?, nil): isBetterThanDefault(left)
    case (nil, let right?): !isBetterThanDefault(right)
    case (let left?, let right?): prefers(left, to: right)
    }
  }

  private func prefers(_ left: LocaleTag, to right: LocaleTag) -> Bool {
    let (leftRegion, rightRegion) = (left.region ?? "", right.region ?? "")
    if leftRegion != rightRegion { return prefersRegion(leftRegion, to: rightRegion) }
    // A configuration has one variant, the last one in its name.
    let (leftVaries, rightVaries) = (
      left.variants.last != locale.variants.last, right.variants.last != locale.variants.last
    )
    if leftVaries != rightVaries { return rightVaries }
    let (leftIsExact, rightIsExact) = (left.language == locale.language, right.language == locale.language)
    if leftIsExact != rightIsExact { return leftIsExact }
    return Self.precedes(left, right)
  }

  /// Neither is better, so Android uses the one that comes first in the app's table: by script, none first,
  /// then by variant (AOSP ResTable_config::compare, aapt2 TableFlattener).
  private static func precedes(_ left: LocaleTag, _ right: LocaleTag) -> Bool {
    let (leftScript, rightScript) = (left.script ?? "", right.script ?? "")
    if leftScript != rightScript { return leftScript < rightScript }
    return left.variants.last ?? "" < right.variants.last ?? ""
  }

  /// `values/` traditionally contains American English, so it precedes other kinds of English.
  private func isBetterThanDefault(_ available: LocaleTag) -> Bool {
    guard locale.language == "en" else { return true }
    if locale.region == "US" { return available.region == nil || available.region == "US" }
    return isLikeAmericanEnglish ? Self.isLikeAmericanEnglish(available.region) : true
  }

  private func prefersRegion(_ left: String, to right: String) -> Bool {
    let (left, right) = standIns(left, right)
    if let nearest = ancestors.first(where: { $0 == left || $0 == right }) { return nearest == left }
    let (leftDistance, rightDistance) = (distance(to: left), distance(to: right))
    if leftDistance != rightDistance { return leftDistance < rightDistance }
    let (leftStands, rightStands) = (isRepresentative(left), isRepresentative(right))
    if leftStands != rightStands { return leftStands }
    return Self.order(of: left) < Self.order(of: right)
  }

  /// Spanish of the United States or Mexico counts as Latin American Spanish, unless both or the latter
  /// exist.
  private func standIns(_ left: String, _ right: String) -> (left: String, right: String) {
    guard locale.language == "es" else { return (left, right) }
    let (leftStands, rightStands) = (left == "US" || left == "MX", right == "US" || right == "MX")
    if leftStands, !rightStands, right != "419" { return ("419", right) }
    if rightStands, !leftStands, left != "419" { return (left, "419") }
    return (left, right)
  }

  /// The steps in the tree of parents from the locale to a region of its language, through their nearest
  /// ancestor.
  private func distance(to region: String) -> Int {
    let others = ParentLocales.regions(language: locale.language, script: script, region: region)
    for (up, ancestor) in others.enumerated() {
      if let down = ancestors.firstIndex(of: ancestor) { return up + down }
    }
    return others.count + ancestors.count
  }

  /// The main region of a language (CLDR likelySubtags, and AOSP's three additions).
  private func isRepresentative(_ region: String) -> Bool {
    guard let script else { return false }
    switch (locale.language, script, region) {
    case ("en", "Latn", "GB"), ("es", "Latn", "MX"), ("es", "Latn", "US"): return true
    default:
      let home = LikelySubtags(LocaleTag(language: locale.language, script: script)).region
      return home == region && home != "001"
    }
  }

  /// Letters before digits, digits in reverse order: AOSP packs a region into 16 bits and compares those.
  private static func order(of region: String) -> [UInt8] {
    let bytes = Array(region.utf8)
    return bytes.first?.isASCIIDigit == true ? [0x7F] + bytes.reversed() : bytes
  }

  private static func isLikeAmericanEnglish(_ region: String?) -> Bool {
    ParentLocales.regions(language: "en", script: "Latn", region: region ?? "")
      .first { $0 == "" || $0 == "001" } == ""
  }

  /// Pseudo-locales have their own scripts, so they match nothing else.
  private static func script(of tag: LocaleTag) -> String? {
    AndroidLocaleMatcher.isPseudo(tag) ? tag.description : LikelySubtags(tag).script
  }

  private static func areEquivalent(_ left: String, _ right: String) -> Bool {
    left == right || left == "tl" && right == "fil" || left == "fil" && right == "tl"
  }
}

extension [UInt8] {
  fileprivate static func < (left: Self, right: Self) -> Bool { left.lexicographicallyPrecedes(right) }
}
