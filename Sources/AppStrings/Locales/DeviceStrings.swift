package import FCMMessage
internal import JSON

/// The strings of an app on one phone. Create it once for the user's locales, then look up each key.
package struct DeviceStrings: Sendable {
  package let platform: AppPlatform
  /// The locale that the phone looks for, of those that the user prefers; nil if none is a locale.
  package let locale: LocaleTag?
  /// The language of `preferred` that the texts suit, as it was given: of those for which the app has texts
  /// the first, otherwise the first of all; nil if none is a locale.
  package let textLanguage: String?
  /// The tables that the phone searches, best first: on Android all that match; on iOS one, or two if the
  /// first has plurals only.
  package let tables: [StringTable]
  /// What the phone calls the app; nil if nothing tells.
  package let appName: String?
  /// What the phone shows beside the app's notifications; nil if nothing tells.
  package let appIcon: AppIcon?
  /// Android: the tables that the phone cannot use.
  private let otherTables: [StringTable]
  /// Android: `values/`.
  private let standard: StringTable?
  /// Android: whether the strings are those of a built app.
  private let isLinked: Bool
  /// Android: the variants of the app that offer the language; empty if there is only one.
  private let variants: [String]

  /// `preferred` has BCP 47 tags in the user's order; anything else, such as `default`, counts as a language
  /// that no app has. `developmentLanguage` is what the catalog names; iPhones use that of the resources'
  /// app, if it is known (`StringResources.developmentLanguage`).
  package init(_ resources: StringResources, preferring preferred: [String], developmentLanguage: String?) {
    platform = resources.platform
    appIcon = resources.appIcon
    isLinked = resources.shipped != nil
    let user = preferred.compactMap { LocaleTag($0) }
    switch resources.platform {
    case .android:
      // A folder with other qualifiers but no locale (`night`) does not apply to every phone.
      let known = resources.tables.indices.filter {
        resources.tables[$0].locale != nil || resources.tables[$0].name == StringResources.defaultTable
      }
      let locales = known.map { resources.tables[$0].locale }
      let chosen = AndroidLocaleMatcher.chosen(of: user, appLocales: locales.compactMap(\.self))
      let ranking =
        chosen.map { AndroidLocaleMatcher.ranking(of: locales, for: $0) }
        ?? locales.indices.filter { locales[$0] == nil }
      locale = chosen
      textLanguage = preferred.first { LocaleTag($0) == chosen } ?? preferred.first { LocaleTag($0) != nil }
      let used = ranking.map { known[$0] }
      tables = used.map { resources.tables[$0] }
      appName = resources.appName?.name(in: tables.map(\.name))
      variants = tables.first?.variants(among: resources.project?.variants ?? []) ?? []
      standard = resources.table(StringResources.defaultTable)
      otherTables = resources.tables.indices.filter { !used.contains($0) }.map { resources.tables[$0] }
    case .ios:
      let developmentLanguage = resources.developmentLanguage(named: developmentLanguage)
      let names = AppleLocaleMatcher.localizations(
        for: preferred, available: resources.localizations, developmentLanguage: developmentLanguage)
      appName = resources.appName?.name(in: names)
      let found = names.compactMap(resources.table)
      // CFBundle looks for each file by itself: the .strings file may be in another folder than the
      // .stringsdict, whose entries win if it is in the better one (CFBundle_Strings.c).
      let withStrings = found.first { !$0.hasPluralsOnly }
      locale = user.first
      textLanguage = AppleLocaleMatcher.language(
        of: preferred.filter { LocaleTag($0) != nil }, available: resources.localizations,
        developmentLanguage: developmentLanguage)
      tables = found.prefix { $0.hasPluralsOnly }.prefix(1) + [withStrings].compactMap(\.self)
      (standard, otherTables, variants) = (nil, [], [])
    }
  }

  /// Whether a preview accepts the text as a user's languages in order, `ja,fr`, each as `isLocale` accepts
  /// it.
  package static func isLocaleList(_ text: String) -> Bool {
    let locales = languages(in: text)
    return locales.count <= languageCountMax && locales.allSatisfy(isLocale)
  }

  /// The languages of a list such as `ja,fr`.
  package static func languages(in text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// More than any phone's settings show.
  private static let languageCountMax = 20

  /// Whether a preview accepts the text as a locale: a BCP 47 tag, `default` or `Base`.
  package static func isLocale(_ text: String) -> Bool {
    LocaleTag(text) != nil || text == StringResources.defaultTable || text == AppleLocaleMatcher.base
  }

  /// The name of the table that the phone prefers, whether or not it has a certain key; nil if there is
  /// none.
  package var resolvedLocale: String? { platform == .ios ? tables.last?.name : tables.first?.name }

  /// What the phone finds for a key, as AOSP's AssetManager2 (the best table that has it as a string) or
  /// CFBundle (its one or two tables) does. O(tables) only if the best ones lack the key. Of several variants
  /// of the app, the first counts that has the key.
  package func lookUp(_ key: String) -> StringLookup {
    let key = ExactText(key)
    switch platform {
    case .android:
      guard dependsOnVariant(key) else { return lookUpOnAndroid(key, in: nil) }
      let found = variants.lazy.map { lookUpOnAndroid(key, in: $0) }
      return found.first { $0.entry != nil } ?? lookUpOnAndroid(key, in: variants.first)
    case .ios:
      for table in tables {
        if let entry = table.entries[key] { return .found(entry, table: table.name) }
      }
      return .missing
    }
  }

  /// What phones find for a key in the app's variants: each answer with those that give it, or the only one
  /// without any.
  package func lookUps(_ key: String) -> [(lookup: StringLookup, variants: [String])] {
    guard platform == .android, dependsOnVariant(ExactText(key)) else { return [(lookUp(key), [])] }
    var found: [(lookup: StringLookup, variants: [String])] = []
    for variant in variants {
      let lookup = lookUpOnAndroid(ExactText(key), in: variant)
      if let place = found.firstIndex(where: { $0.lookup == lookup }) {
        found[place].variants.append(variant)
      } else {
        found.append((lookup, [variant]))
      }
    }
    return found.count == 1 ? found.map { ($0.lookup, []) } : found
  }

  /// Whether phones find something else in some variants. Seldom looks into more than the best table that has
  /// the key and `values/`, which decide.
  private func dependsOnVariant(_ key: ExactText) -> Bool {
    if variants.isEmpty { return false }
    if let best = tables.first(where: { $0.entries[key] != nil }), let entry = best.entries[key],
      entry.text != nil, !entry.isConditional, !best.dependsOnVariant(key)
    {
      return standard?.dependsOnVariant(key) ?? false
    }
    return (tables + otherTables).contains { $0.dependsOnVariant(key) }
  }

  private func lookUpOnAndroid(_ key: ExactText, in variant: String?) -> StringLookup {
    if let tables = removal(of: key, in: variant) { return .removed(tables: tables) }
    var notAString: StringLookup?
    var elsewhere: [String] = []
    for (tables, areUsed) in [(tables, true), (otherTables, false)] {
      for table in tables {
        guard let entry = table.entry(key, in: variant) else { continue }
        if entry.text == nil {
          notAString = notAString ?? .notAString(entry, table: table.name)
        } else if areUsed, !entry.isConditional {
          return .found(table.commonAlternative(to: key, in: variant) ?? entry, table: table.name)
        } else {
          elsewhere.append(table.name)
        }
      }
    }
    return elsewhere.isEmpty ? notAString ?? .missing : .elsewhere(tables: elsewhere)
  }

  /// The tables with a string that the build removes; nil if it stays. aapt2 link removes a string without a
  /// default value if one of its values depends on the locale alone (NoDefaultResourceRemover.cpp). What was
  /// shipped has been through that.
  private func removal(of key: ExactText, in variant: String?) -> [String]? {
    if isLinked { return nil }
    if let entry = standard?.entry(key, in: variant), entry.text != nil, !entry.isConditional { return nil }
    var holders: [String] = []
    var dependsOnLocaleAlone = false
    for table in [tables, otherTables].joined() {
      guard let entry = table.entry(key, in: variant), entry.text != nil else { continue }
      holders.append(table.name)
      if table.locale != nil, !entry.isConditional { dependsOnLocaleAlone = true }
    }
    return dependsOnLocaleAlone ? holders : nil
  }
}

extension StringResources {
  /// What a phone with these locales, in the user's order, finds for one key. For many keys, use
  /// `DeviceStrings`.
  package func lookUp(
    _ key: String, preferring locales: [String], developmentLanguage: String?
  ) -> StringLookup {
    DeviceStrings(self, preferring: locales, developmentLanguage: developmentLanguage).lookUp(key)
  }

  /// The names of the tables that have a key, as a string or as something else (a plural, an array).
  package func tables(having key: String, asString: Bool) -> [String] {
    let key = ExactText(key)
    return tables.filter { table in table.entries[key].map { ($0.text != nil) == asString } ?? false }.map(
      \.name)
  }
}
