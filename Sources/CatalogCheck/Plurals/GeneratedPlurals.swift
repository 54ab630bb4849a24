internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// All plurals that a catalog's slots name, each once for each platform.
struct GeneratedPlurals {
  private struct Name: Hashable {
    let platform: AppPlatform
    let key: ExactText
  }

  private let resources: AppResources
  /// Filled on demand, because the plural rules of all languages take a while.
  private var tables: [AppPlatform: PluralTables] = [:]
  private var known: [Name: GeneratedPlural] = [:]

  init(_ resources: AppResources) {
    self.resources = resources
  }

  /// The plural that a slot names, and a finding if an earlier slot names it with other args; nil if the slot
  /// names a string, and without resources for the platform.
  mutating func plural(of use: KeyUse) -> (plural: GeneratedPlural, conflict: Finding?)? {
    guard let choice = use.plural, let tables = tables(of: use.platform) else { return nil }
    let name = Name(platform: use.platform, key: ExactText(use.text.key))
    if let plural = known[name] { return (plural, Self.conflict(of: use, with: plural)) }
    let plural = GeneratedPlural(use, choice, in: resources, tables)
    known[name] = plural
    return (plural, nil)
  }

  private mutating func tables(of platform: AppPlatform) -> PluralTables? {
    if let known = tables[platform] { return known }
    let made = resources[platform].map { PluralTables($0, of: resources) }
    tables[platform] = made
    return made
  }

  /// Whether a language is among those that the classes of numbers suit: it is listed, or a listed form of
  /// the same language has the same rules.
  private func isCovered(_ language: String, _ rules: PluralRules, by partition: PluralPartition) -> Bool {
    let tag = LocaleTag(language)
    return partition.rules.contains { listed in
      let listedTag = LocaleTag(listed.language)
      if listedTag == tag { return tag != nil || listed.language.hasSameBytes(as: language) }
      return listedTag?.canonical.language == tag?.canonical.language && listed.hasSameCategories(as: rules)
    }
  }

  /// The languages of the resources that the catalog's list lacks.
  mutating func unlisted(in catalog: Catalog) -> [Finding] {
    guard let list = catalog.pluralLanguages,
      let partition = catalog.templates.lazy.flatMap(\.slots).compactMap(\.plural).first?.partition
    else { return [] }
    return AppPlatform.allCases.flatMap { platform in
      (tables(of: platform)?.all ?? []).compactMap { table in
        let language = resources.language(of: table.table)
        guard !isCovered(language, table.rules, by: partition) else { return nil }
        var finding = Finding(
          .pluralLanguage, .languageNotListed, [language], help: .addToPluralLanguages, [language])
        finding.platform = platform
        finding.locale = table.table.name
        finding.file = catalog.file
        finding.line = list.line
        return finding
      }
    }
  }

  /// Two slots that send their args in different orders cannot share texts.
  private static func conflict(of use: KeyUse, with other: GeneratedPlural) -> Finding? {
    let (mine, theirs) = (use.text.args, other.use.text.args)
    let number = mine.firstIndex { $0.hasSameBytes(as: use.plural?.param ?? "") }
    let otherNumber = theirs.firstIndex { $0.hasSameBytes(as: other.plural.param) }
    guard number != otherNumber || mine.count != theirs.count else { return nil }
    return Finding(.pluralUnreadable, .otherArgs, [other.use.template], help: .sameArgsOrTwoPlurals)
  }
}

extension KeyUse {
  /// The uses of the keys that phones look up: of a plural one for each class of numbers.
  var lookedUp: [KeyUse] {
    guard let plural else { return [self] }
    return plural.partition.smallestMembers.indices.map { ofClass($0, of: plural) }
  }

  /// The same use of the key of one class of numbers.
  func ofClass(_ index: Int, of plural: TextSlot.Plural) -> KeyUse {
    KeyUse(
      template: template, slot: slot, platform: platform, text: plural.text(text, ofClass: index),
      plural: nil, numericArgs: numericArgs, openArgs: openArgs, hasFallback: hasFallback,
      isField: isField)
  }
}
