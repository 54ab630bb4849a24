internal import AppStrings
internal import FCMMessage
internal import JSON

extension AppResources {
  /// The table in which an iPhone with this language finds the texts that are no plurals, if the language's
  /// folder has plurals only; nil if that is the table itself.
  func substitute(for table: StringTable) -> StringTable? {
    guard table.hasPluralsOnly, let ios, let locale = table.locale else { return nil }
    let strings = DeviceStrings(
      ios, preferring: [locale.description], developmentLanguage: developmentLanguage)
    return strings.tables.last { !$0.hasPluralsOnly }
  }

  /// Whether the texts of another folder in the same language take the place of those that the table lacks:
  /// `es` for an `es-AR` that has plurals only.
  func sharesTexts(_ table: StringTable) -> Bool {
    guard let substitute = substitute(for: table) else { return false }
    return LocaleTag(language(of: substitute))?.language == LocaleTag(language(of: table))?.language
  }
}
