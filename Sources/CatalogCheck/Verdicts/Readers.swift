internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// A language as people read it: `zh-TW` and `zh-CN` are two, `pt-BR` and `pt-PT` are one.
struct WrittenLanguage: Hashable, Sendable {
  private let language: String
  private let script: String?

  init(_ tag: LocaleTag) {
    let canonical = tag.canonical
    (language, script) = (canonical.language, canonical.script)
  }

  /// The languages of a list such as `ja,fr`.
  static func all(in locales: String) -> [WrittenLanguage] {
    DeviceStrings.languages(in: locales).compactMap { LocaleTag($0).map(WrittenLanguage.init) }
  }
}

/// The readers of an app on one platform: one for each language that it offers.
struct Readers: Sendable {
  struct Reader: Sendable {
    let locale: AppLocale
    let strings: DeviceStrings
    /// Empty if nothing tells.
    let languages: [WrittenLanguage]
  }

  let resources: StringResources
  let all: [Reader]
  let textLanguages: TextLanguages
  private let tableLanguages: [ExactText: WrittenLanguage]
  private let offered: Set<WrittenLanguage>

  /// `developmentLanguage` is what the catalog names.
  init(_ resources: StringResources, developmentLanguage: String?) {
    self.resources = resources
    let named = resources.developmentLanguage(named: developmentLanguage)
    let source = AppleLocaleMatcher.locale(of: named ?? "en")
    textLanguages = TextLanguages(resources, developmentLanguage: named)
    all = resources.appLocales(developmentLanguage: developmentLanguage).map { locale in
      Reader(
        locale: locale,
        strings: DeviceStrings(
          resources, preferring: [locale.locale], developmentLanguage: developmentLanguage),
        languages: WrittenLanguage.all(in: locale.locale))
    }
    tableLanguages = Dictionary(
      resources.tables.map { table in
        let tag = table.locale ?? AppleLocaleMatcher.locale(of: table.name) ?? source
        return (ExactText(table.name), tag.map(WrittenLanguage.init))
      }, uniquingKeysWith: { first, _ in first }
    ).compactMapValues(\.self)
    offered = Set(all.flatMap(\.languages))
  }

  /// Whether a table's texts are in another language than those of a reader, although the app offers one of
  /// these.
  func isForeign(_ table: String, to reader: [WrittenLanguage]) -> Bool {
    if reader.isEmpty { return false }
    guard let language = tableLanguages[ExactText(table)] else { return false }
    return !reader.contains(language) && reader.contains(where: offered.contains)
  }

  /// What is wrong for each reader with a text, by the code that previews it.
  func faults(of text: SlotText, in slot: TextSlot.Name) -> [ReaderFault] {
    all.indices.flatMap { index in
      let strings = all[index].strings
      return (text.key.map(strings.lookUps) ?? [(.missing, [])]).compactMap { found in
        let shown = Preview.Slot(text, of: slot, lookup: found.lookup, strings)
        return fault(shown, of: index, found.lookup.table, in: found.variants)
      }
    }
  }

  /// Nil if the reader gets what was meant. `table` has what the phone finds, in these variants of the app or
  /// in all.
  func fault(
    _ shown: Preview.Slot, of index: Int, _ table: String?, in variants: [String] = []
  ) -> ReaderFault? {
    let languages = all[index].languages
    let verdict = shown.verdict(for: languages, among: self)
    guard verdict != .ok else { return nil }
    return ReaderFault(
      reader: index, verdict: verdict, table: table,
      lacksText: table.map { isForeign($0, to: languages) } ?? true, variants: variants)
  }
}

/// What is wrong for one reader with one text.
struct ReaderFault: Hashable, Sendable {
  /// The index of the reader.
  let reader: Int
  let verdict: Verdict
  /// The table of the text; nil if the phone finds none.
  let table: String?
  /// Whether the reader's own language has no such text.
  let lacksText: Bool
  /// The variants of the app whose readers these are; empty for all.
  let variants: [String]
}
