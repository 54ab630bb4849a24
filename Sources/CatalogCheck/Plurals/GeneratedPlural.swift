internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The texts of a plural's classes in every language that has the plural, as they should stand in the app.
struct GeneratedPlural {
  /// The text of one class in one language.
  struct Entry {
    enum State: String {
      case missing, differs, same
    }

    let platform: AppPlatform
    /// The table's name.
    let locale: String
    let classIndex: Int
    let key: String
    let text: String
    /// The path of the file that it belongs in.
    let file: String
    let isTranslatable: Bool
    /// What the app has under the key.
    let existing: StringEntry?

    var state: State {
      guard let existing else { return .missing }
      return existing.text?.hasSameBytes(as: text) ?? false ? .same : .differs
    }
  }

  let use: KeyUse
  let plural: TextSlot.Plural
  /// The plural in the source language, or in the first that has it; nil if no language has it.
  let source: Translation?
  let entries: [Entry]
  /// `PluralUnreadable`: by locale, or one without a locale if no language has the plural.
  let faults: [Finding]
  /// The plural in each language whose texts can be made.
  let languages: [Language]

  /// The plural in one language.
  struct Language {
    let table: PluralTables.Table
    let entry: StringEntry
    let forms: PluralForms
    /// The number's index among the app's own args.
    let number: Int
  }

  /// The plural in a language, which people edit in place of the texts that are made of it.
  func language(_ locale: String?) -> Language? {
    locale.flatMap { locale in languages.first { $0.table.table.name.hasSameBytes(as: locale) } }
  }

  /// The plural that a slot names on one platform. `rules` are those of the tables, in their order.
  init(_ use: KeyUse, _ plural: TextSlot.Plural, in resources: AppResources, _ tables: PluralTables) {
    self.use = use
    self.plural = plural
    let numbers = plural.partition.smallestMembers
    let readings = tables.all.map { table in
      PluralReading(
        use.text.key, in: table.table, use.platform, reached: Set(numbers.map(table.rules.category)))
    }
    guard readings.contains(where: \.isPlural) else {
      source = nil
      (entries, languages) = ([], [])
      faults =
        tables.isUnreadable
        ? [] : [Self.absence(of: use, tables, hasText: readings.contains { $0.entry != nil })]
      return
    }
    let read = zip(tables.all, readings).compactMap { table, reading in
      table.sharesTexts ? nil : reading.forms.map { (table: table, entry: reading.entry, forms: $0) }
    }
    let first = read.first { $0.table.isSource } ?? read.first
    source = first.flatMap { first in
      first.entry.map { Translation(first.table.table, $0, use.platform) }
    }
    let position = Self.position(of: use, plural, first: first?.forms, all: read.map(\.forms))
    languages = read.compactMap { table, entry, forms in
      entry.map { entry in
        // Each language says itself where its number is, if it uses a variable.
        Language(table: table, entry: entry, forms: forms, number: forms.numberArgument ?? position.app)
      }
    }
    entries = languages.flatMap { language in
      Self.entries(
        of: use, plural, language, slot: position.slot,
        file: PluralFile.path(beside: language.entry, in: tables.resources))
    }
    faults = zip(tables.all, readings).compactMap { table, reading in
      table.sharesTexts ? nil : reading.fault(in: table.table.name)
    }
  }

  /// Where the number is, for a text that is made alone.
  static func position(
    of use: KeyUse, _ plural: TextSlot.Plural, in resources: StringResources, of app: AppResources
  ) -> PluralNumberPosition {
    let source =
      resources.platform == .android
      ? StringResources.defaultTable : app.developmentLanguage(on: .ios) ?? "en"
    var first: PluralForms?
    var all: [PluralForms] = []
    for table in resources.languageTables {
      // No category need be reached: what matters is where the forms show the number.
      guard let forms = PluralReading(use.text.key, in: table, use.platform, reached: []).forms else {
        continue
      }
      all.append(forms)
      if table.name.hasSameBytes(as: source) { first = forms }
    }
    return position(of: use, plural, first: first ?? all.first, all: all)
  }

  /// Where the number is. Without a variable that says so, an integer placeholder does: the one at the
  /// number's position in the slot's args, or the only one if the slot sends a text there.
  private static func position(
    of use: KeyUse, _ plural: TextSlot.Plural, first: PluralForms?, all: [PluralForms]
  ) -> PluralNumberPosition {
    let slot = use.text.args.firstIndex { $0.hasSameBytes(as: plural.param) } ?? 0
    if let argument = first?.numberArgument { return PluralNumberPosition(app: argument, slot: slot) }
    var integers = first?.integerArguments ?? []
    if integers.isEmpty { integers = all.reduce(into: []) { $0.formUnion($1.integerArguments) } }
    guard integers.count == 1, let argument = integers.first, argument != slot,
      !use.numericArgs.contains(argument)
    else { return PluralNumberPosition(app: slot, slot: slot) }
    return PluralNumberPosition(app: argument, slot: slot)
  }

  private static func entries(
    of use: KeyUse, _ plural: TextSlot.Plural, _ language: Language, slot: Int, file: String
  ) -> [Entry] {
    let (table, forms) = (language.table, language.forms)
    let own = PluralNumberPosition(app: language.number, slot: slot)
    var texts: [PluralCategory: String] = [:]
    return plural.partition.smallestMembers.indices.map { index in
      let number = plural.partition.smallestMembers[index]
      let category = table.rules.category(of: number)
      let text =
        number == 0
        ? forms.text(category, isZero: true, own)
        : texts[category] ?? forms.text(category, isZero: false, own)
      if number != 0 { texts[category] = text }
      let key = plural.text(use.text, ofClass: index).key
      let present = table.table.resources(named: key)
      return Entry(
        platform: use.platform, locale: table.table.name, classIndex: index, key: key, text: text, file: file,
        isTranslatable: language.entry.isTranslatable,
        existing: present.first { $0.text != nil } ?? present.first)
    }
  }

  private static func absence(of use: KeyUse, _ tables: PluralTables, hasText: Bool) -> Finding {
    if hasText { return Finding(.pluralUnreadable, .sameForAllNumbers, help: .addPlural) }
    let nearest = nearestName(to: use.text.key, among: tables.pluralNames)
    let fault: FaultText =
      switch (use.platform, nearest) {
      case (.android, nil): .noPluralsElement
      case (.android, _): .noPluralsElementSimilar
      case (.ios, nil): .noPlural
      case (.ios, _): .noPluralSimilar
      }
    return Finding(.pluralUnreadable, fault, [nearest].compactMap(\.self), help: .addPlural)
  }
}

/// The tables of one platform that are a language of the app, with their plural rules.
struct PluralTables {
  struct Table {
    let table: StringTable
    let rules: PluralRules
    /// Whether translations come from it.
    let isSource: Bool
    /// Whether phones find its texts in another folder of the same language, so that it needs none.
    let sharesTexts: Bool
  }

  let resources: StringResources
  let all: [Table]

  var isUnreadable: Bool { resources.isUnreadable }

  init(_ resources: StringResources, of app: AppResources) {
    self.resources = resources
    var known: [String: PluralRules] = [:]
    all = resources.languageTables.map { table in
      let language = app.language(of: table)
      let rules = known[language] ?? PluralRules(language: language)
      known[language] = rules
      let source =
        resources.platform == .android ? StringResources.defaultTable : app.developmentLanguage(on: .ios)
      return Table(
        table: table, rules: rules, isSource: table.name.hasSameBytes(as: source ?? "en"),
        sharesTexts: app.sharesTexts(table))
    }
  }

  /// The names of all plurals, for suggestions.
  var pluralNames: Set<String> {
    var names: Set<String> = []
    for table in all {
      for entry in table.table.entries.values {
        names.formUnion(Self.pluralName(of: entry))
      }
      for entry in table.table.namesakes.values.joined() { names.formUnion(Self.pluralName(of: entry)) }
    }
    return names
  }

  private static func pluralName(of entry: StringEntry) -> [String] {
    entry.isPlural ? [entry.key] : []
  }
}

extension StringEntry {
  fileprivate var isPlural: Bool { if case .plural = value { true } else { false } }
}

/// A plural in one table.
private struct PluralReading {
  /// What the table has under the plural's name, and a slot can name as a plural; nil if there is nothing.
  let entry: StringEntry?
  /// Nil if there is no entry, or if no texts can be made of it.
  let forms: PluralForms?
  /// What is wrong with the plural, and what to do.
  private let reason: PluralForms.UnreadableError?

  init(
    _ key: String, in table: StringTable, _ platform: AppPlatform, reached: Set<PluralCategory>
  ) {
    let candidates = table.resources(named: key)
    // Android's names are per type, and a loc key never finds a plural. iOS has one entry of a name.
    entry =
      platform == .ios
      ? candidates.first : candidates.first(where: \.isPlural)
    guard let entry else {
      (forms, reason) = (nil, nil)
      return
    }
    // A snapshot of an iOS app has the forms, but not the text around them.
    guard platform == .android || entry.text != nil || entry.pluralFormat != nil || !entry.isPlural else {
      (forms, reason) = (nil, nil)
      return
    }
    do throws(PluralForms.UnreadableError) {
      let forms = try PluralForms(entry, on: platform, reached: reached)
      self.forms = forms
      reason =
        forms.lacksOther
        ? .init(FindingText(.pluralLacksOther) + FindingText(.otherFormsSuffice), help: .addOther) : nil
    } catch {
      forms = nil
      reason = .init(error.reason + FindingText(.noTextFromIt), help: error.help)
    }
  }

  /// Whether there is a plural, readable or not.
  var isPlural: Bool { entry != nil && forms?.isPlain != true }

  func fault(in locale: String) -> Finding? {
    guard let entry, let reason else { return nil }
    var finding = Finding(.pluralUnreadable, reason.reason, help: FindingText(reason.help))
    finding.locale = locale
    finding.file = entry.file
    finding.line = entry.line
    return finding
  }
}
