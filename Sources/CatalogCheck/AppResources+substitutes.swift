internal import AppStrings
internal import FCMMessage
internal import JSON

extension AppResources {
  /// For each language whose folder has plurals only, the table in which an iPhone with this language finds
  /// all other texts.
  static func substitutes(
    in ios: StringResources?, _ developmentLanguage: String?
  ) -> [ExactText: StringTable] {
    guard let ios else { return [:] }
    var substitutes: [ExactText: StringTable] = [:]
    for table in ios.tables where table.hasPluralsOnly {
      guard let locale = table.locale?.description else { continue }
      let strings = DeviceStrings(ios, preferring: [locale], developmentLanguage: developmentLanguage)
      substitutes[ExactText(table.name)] = strings.tables.last { !$0.hasPluralsOnly }
    }
    return substitutes
  }

  /// The table in which an iPhone with this language finds the texts that are no plurals, if the language's
  /// folder has plurals only; nil if that is the table itself.
  func substitute(for table: StringTable) -> StringTable? {
    table.hasPluralsOnly ? substitutes[ExactText(table.name)] : nil
  }

  /// Whether the texts of another folder in the same language take the place of those that the table lacks:
  /// `es` for an `es-AR` that has plurals only.
  func sharesTexts(_ table: StringTable) -> Bool {
    guard let substitute = substitute(for: table) else { return false }
    return LocaleTag(language(of: substitute))?.language == LocaleTag(language(of: table))?.language
  }
}
