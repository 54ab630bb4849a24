package import FCMMessage
internal import JSON

/// The strings of an app on one phone. Create it once for the user's locales, then look up each key.
package struct DeviceStrings: Sendable {
  package let platform: AppPlatform
  /// The locale that the phone looks for, of those that the user prefers; nil if none is a locale.
  package let locale: LocaleTag?
  /// The tables that the phone searches, best first: on Android all that match, on iOS at most one.
  package let tables: [StringTable]
  /// Android: the tables that the phone cannot use.
  private let otherTables: [StringTable]

  /// `preferred` has BCP 47 tags in the user's order; anything else, such as `default`, counts as a language
  /// that no app has. `developmentLanguage` is iOS's CFBundleDevelopmentRegion.
  package init(_ resources: StringResources, preferring preferred: [String], developmentLanguage: String?) {
    platform = resources.platform
    let user = preferred.compactMap { LocaleTag($0) }
    switch resources.platform {
    case .android:
      // A folder with other qualifiers but no locale (`night`) does not apply to every phone.
      let known = resources.tables.filter { $0.locale != nil || $0.name == StringResources.defaultTable }
      let locales = known.map(\.locale)
      let chosen = AndroidLocaleMatcher.chosen(of: user, appLocales: locales.compactMap(\.self))
      let ranking =
        chosen.map { AndroidLocaleMatcher.ranking(of: locales, for: $0) }
        ?? locales.indices.filter { locales[$0] == nil }
      locale = chosen
      tables = ranking.map { known[$0] }
      let used = Set(tables.map { ExactText($0.name) })
      otherTables = resources.tables.filter { !used.contains(ExactText($0.name)) }
    case .ios:
      let names = AppleLocaleMatcher.localizations(
        for: preferred, available: resources.tables.map(\.name), developmentLanguage: developmentLanguage)
      let table = names.first.flatMap(resources.table)
      locale = user.first
      tables = [table].compactMap(\.self)
      otherTables = []
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
  package var resolvedLocale: String? { tables.first?.name }

  /// What the phone finds for a key, as AOSP's AssetManager2 (the best table that has it as a string) or
  /// CFBundle (the one table) does. O(tables) only if the best ones lack the key.
  package func lookUp(_ key: String) -> StringLookup {
    let key = ExactText(key)
    switch platform {
    case .android: return lookUpOnAndroid(key)
    case .ios:
      guard let table = tables.first, let entry = table.entries[key] else { return .missing }
      return .found(entry, table: table.name)
    }
  }

  private func lookUpOnAndroid(_ key: ExactText) -> StringLookup {
    var notAString: StringLookup?
    let hasDefault = tables.contains {
      $0.name == StringResources.defaultTable && $0.entries[key]?.text != nil
    }
    if !hasDefault {
      let holders = (tables + otherTables).filter { $0.entries[key]?.text != nil }
      if holders.contains(where: { $0.locale != nil }) { return .removed(tables: holders.map(\.name)) }
    }
    for table in tables {
      guard let entry = table.entries[key] else { continue }
      if entry.text != nil { return .found(entry, table: table.name) }
      notAString = notAString ?? .notAString(entry, table: table.name)
    }
    var elsewhere: [String] = []
    for table in otherTables {
      guard let entry = table.entries[key] else { continue }
      if entry.text != nil { elsewhere.append(table.name) }
      notAString = notAString ?? .notAString(entry, table: table.name)
    }
    return elsewhere.isEmpty ? notAString ?? .missing : .elsewhere(tables: elsewhere)
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

  /// The locales that a preview shows when the caller names none: those of all tables, each once.
  ///
  /// Android's `values/` and iOS's `Base` appear as the development language, or as themselves where it is
  /// unknown.
  package func previewLocales(developmentLanguage: String?) -> [String] {
    let development = developmentLanguage.map { AppleLocaleMatcher.locale(of: $0)?.description ?? $0 }
    var seen: Set<ExactText> = []
    return tables.map { table in
      switch table.name {
      case Self.defaultTable where platform == .android: development ?? table.name
      case AppleLocaleMatcher.base where platform == .ios: development ?? table.name
      case let name: (table.locale ?? AppleLocaleMatcher.locale(of: name))?.description ?? name
      }
    }.filter { seen.insert(ExactText($0)).inserted }
  }

  /// The names of the tables that have a key, as a string or as something else (a plural, an array).
  package func tables(having key: String, asString: Bool) -> [String] {
    let key = ExactText(key)
    return tables.filter { table in table.entries[key].map { ($0.text != nil) == asString } ?? false }.map(
      \.name)
  }
}
