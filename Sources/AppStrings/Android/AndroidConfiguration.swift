/// The configuration in the name of a `values` folder: a locale and other qualifiers of devices
/// (AOSP ConfigDescription.cpp, Locale.cpp).
struct AndroidConfiguration: Equatable {
  /// Nil for `values/` and for a name without a locale.
  let locale: LocaleTag?
  /// The other qualifiers in lower case, without `any`; a folder with fewer is less specific.
  let qualifiers: [String]
  /// The BCP 47 extension or private use after the locale (`x+old`), which no phone and not the Gradle plugin
  /// regards. aapt2 alone rejects some of them.
  let localeExtension: String?
  /// Whether the locale is written `iw`, `in` or `ji`, the codes that phones look for.
  let hasLegacyCode: Bool

  struct FolderNameError: Error, Equatable {
    /// The name that the author probably meant.
    let suggestion: String?
  }

  /// Reads a folder's name: `values`, or `values-` and qualifiers in Android's own order.
  init(folder: String) throws(FolderNameError) {
    var parts = Self.parts(of: folder)[...]
    var locale: LocaleTag?
    var qualifiers: [String] = []
    var localeExtension: String?
    var hasLegacyCode = false
    for axis in AndroidQualifier.allCases {
      guard let part = parts.first else { break }
      if axis == .locale {
        guard let read = Self.readLocale(&parts) else {
          throw FolderNameError(suggestion: Self.suggestion(for: folder))
        }
        locale = read.tag
        hasLegacyCode = ["iw", "in", "ji"].contains(read.language)
        qualifiers += read.extensions
        localeExtension = read.extensions.first
      } else if axis.accepts(part) {
        if part != "any" { qualifiers.append(part) }
        parts.removeFirst()
      }
    }
    guard parts.isEmpty else { throw FolderNameError(suggestion: Self.suggestion(for: folder)) }
    (self.locale, self.qualifiers, self.hasLegacyCode) = (locale, qualifiers, hasLegacyCode)
    self.localeExtension = localeExtension
  }

  /// The qualifiers that describe a device.
  var deviceQualifiers: [String] { qualifiers.filter { $0 != localeExtension } }

  /// The qualifiers that some phones do not match, in the order of the folder's name. Every phone that
  /// receives messages has at least version 23 of the platform, which firebase-messaging requires.
  var conditions: [String] { deviceQualifiers.filter { Self.version(in: $0).map { $0 > 23 } ?? true } }

  /// Whether some phones do not use the folder.
  var isConditional: Bool { !conditions.isEmpty }

  /// Whether the folder comes before another of the same locale: folders that every phone uses first, of
  /// these the one for the latest version, which phones prefer; nil if that does not decide it.
  func precedes(_ other: AndroidConfiguration) -> Bool? {
    if isConditional != other.isConditional { return !isConditional }
    guard !isConditional else { return nil }
    let versions = [self, other].map { $0.deviceQualifiers.compactMap(Self.version).max() ?? 0 }
    return versions[0] == versions[1] ? nil : versions[0] > versions[1]
  }

  /// The version of the platform in a qualifier such as `v21`; nil for any other one.
  static func version(in qualifier: String) -> Int? {
    qualifier.utf8.first == UInt8(ascii: "v") ? Int(qualifier.dropFirst()) : nil
  }

  /// The parts after `values-`; like aapt2, this ignores a single `-` at the end.
  private static func parts(of folder: String) -> [String] {
    let rest = folder.dropFirst("values".utf8.count).dropFirst()
    if rest.isEmpty { return [] }
    return rest.split(separator: "-", omittingEmptySubsequences: false).map { $0.lowercased() }
  }

  private typealias ReadLocale = (tag: LocaleTag?, language: String, extensions: [String])

  /// Removes the locale from the front of `parts`, if there is one; nil if it is malformed.
  private static func readLocale(_ parts: inout ArraySlice<String>) -> ReadLocale? {
    guard let first = parts.first else { return (nil, "", []) }
    if first.utf8.starts(with: "b+".utf8) {
      parts.removeFirst()
      let subtags = first.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
        .dropFirst()
        .map { String(decoding: Array($0), as: UTF8.self) }
      guard let tag = LocaleTag(subtags.joined(separator: "-")) else { return nil }
      let extensions = subtags.drop { $0.utf8.count != 1 }
      return (tag, subtags.first ?? "", extensions.isEmpty ? [] : [extensions.joined(separator: "+")])
    }
    // Here `car` is a user interface mode, not the Carib language.
    guard isLetters(first, 2...3), first != "car" else { return (nil, "", []) }
    parts.removeFirst()
    guard let next = parts.first, next.utf8.count == 3, next.utf8.first == UInt8(ascii: "r") else {
      return (LocaleTag(language: first), first, [])
    }
    parts.removeFirst()
    guard isLetters(next.dropFirst(), 2...2) else { return nil }
    return (LocaleTag(language: first, region: String(next.dropFirst())), first, [])
  }

  static func isLetters(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Bool {
    count.contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIILetter)
  }

  /// The folder's name for a locale and other qualifiers.
  static func folder(locale: LocaleTag?, qualifiers: [(axis: AndroidQualifier, text: String)]) -> String {
    var parts = qualifiers.filter { $0.axis < .locale }.map(\.text)
    if let locale {
      let isShort = locale.script == nil && locale.variants.isEmpty && isLetters(locale.region ?? "XX", 2...2)
      let short = [locale.language] + [locale.region.map { "r\($0)" }].compactMap(\.self)
      parts += isShort ? short : ["b+" + locale.description.split(separator: "-").joined(separator: "+")]
    }
    parts += qualifiers.filter { $0.axis > .locale }.sorted { $0.axis < $1.axis }.map(\.text)
    return (["values"] + parts).joined(separator: "-")
  }

  /// The correct name for an invalid one: qualifiers in order, and the locale in Android's notation.
  static func suggestion(for folder: String) -> String? {
    guard folder.utf8.count <= 200 else { return nil }
    let rest = folder.dropFirst("values".utf8.count)
    let parts = rest.split { $0 == "-" || $0 == "_" || $0 == "+" }.map { $0.lowercased() }
    var qualifiers: [(axis: AndroidQualifier, text: String)] = []
    var subtags: [String] = []
    for (index, part) in parts.enumerated() {
      if index == 0, part == "b" { continue }
      if part == "any" { continue }
      let axis = AndroidQualifier.allCases.first { $0 != .locale && $0.accepts(part) }
      if let axis, !qualifiers.contains(where: { $0.axis == axis }) {
        qualifiers.append((axis, part))
      } else if !subtags.isEmpty, part.utf8.first == UInt8(ascii: "r"), [3, 4, 5].contains(part.utf8.count) {
        subtags.append(String(part.dropFirst()))
      } else {
        subtags.append(part)
      }
    }
    let locale = LocaleTag(subtags.joined(separator: "-"))
    guard locale != nil || subtags.isEmpty && !qualifiers.isEmpty else { return nil }
    let name = Self.folder(locale: locale, qualifiers: qualifiers)
    return name.lowercased() == folder.lowercased() ? nil : name
  }
}
