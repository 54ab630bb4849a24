internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import StringSources

extension AppResources {
  /// The app of a catalog with the texts of its sources in the place of its native strings of the same names;
  /// `native` is nil if the catalog names no native strings.
  init(_ strings: SourceStrings, of catalog: Catalog, over native: AppResources?) {
    self = native?.with(strings, of: catalog) ?? AppResources(only: strings, of: catalog)
  }

  /// Texts of sources alone, whose native strings are somewhere else.
  private init(only strings: SourceStrings, of catalog: Catalog) {
    let resources = catalog.resources
    func none(_ platform: AppPlatform) -> StringResources {
      StringResources(
        platform: platform, folder: resources?.sources.first?.path ?? "", tables: [], problems: [],
        keptNames: [Glob("*")])
    }
    let none = AppResources(
      android: none(.android), ios: none(.ios), developmentLanguage: resources?.developmentLanguage,
      locales: resources?.locales)
    self = none.with(strings, of: catalog)
    sources = sources.map { AppSources(texts: $0.texts, android: nil, ios: nil) }
  }

  /// The folders and files in which a change can change the texts of sources.
  package var sourcePlaces: [String] { sources?.texts.places ?? [] }

  private func with(_ strings: SourceStrings, of catalog: Catalog) -> AppResources {
    let texts = SourceTexts(strings, of: catalog, in: self)
    var app = AppResources(
      android: android.map { $0.with(texts) }, ios: ios.map { $0.with(texts) },
      developmentLanguage: developmentLanguage, locales: locales)
    app.unshipped.merge(unshipped) { $0 + $1.filter { !$0.isEmpty } }
    app.sources = AppSources(texts: texts, android: android, ios: ios)
    return app
  }
}

/// The sources of an app's texts.
struct AppSources {
  let texts: SourceTexts
  /// The app as it is, without the texts of its sources.
  private let android: StringResources?
  private let ios: StringResources?

  init(texts: SourceTexts, android: StringResources?, ios: StringResources?) {
    (self.texts, self.android, self.ios) = (texts, android, ios)
  }

  /// The app's own strings on a platform.
  func native(_ platform: AppPlatform) -> StringResources? { platform == .android ? android : ios }

  /// What is wrong with the sources, and the native strings that are missing or differ.
  func findings(of catalog: Catalog) -> [Finding] { texts.findings + drift(catalog) }

  private func drift(_ catalog: Catalog) -> [Finding] {
    var known: [AppPlatform: Set<ExactText>] = [:]
    for platform in AppPlatform.allCases {
      let tables = native(platform)?.tables ?? []
      known[platform] = Set(tables.flatMap { table in texts.keys.filter { table.entries[$0] != nil } })
    }
    var absent: Set<[String]> = []
    let apple = ios?.project == nil ? nil : ios.map { AppleTextFiles($0) }
    return texts.texts.compactMap { text in
      guard let resources = native(text.platform), resources.isReadable else { return nil }
      let isKnown = known[text.platform]?.contains(ExactText(text.key)) ?? false
      let present = resources.table(text.table)?[text.key]
      if present?.text?.hasSameBytes(as: text.text) ?? false { return nil }
      if !isKnown, !absent.insert([text.platform.rawValue, text.key]).inserted { return nil }
      let file = text.platform == .ios && present == nil ? apple?.path(text.table) : nil
      return finding(text, present, isKnown: isKnown, unreached: file.flatMap(unreached))
    }
  }

  /// The iOS file for a text if it is there, but not in the app's target.
  private func unreached(_ path: String) -> UnreachedFiles? {
    guard let project = ios?.project, !project.sources.contains(path), ResourceFile.exists(path) else {
      return nil
    }
    return UnreachedFiles([path], in: project)
  }

  private func finding(
    _ text: SourceTexts.Text, _ present: StringEntry?, isKnown: Bool, unreached: UnreachedFiles?
  ) -> Finding {
    let place = present.map { entry in "\(entry.file)\(entry.line.map { ":\($0)" } ?? "")" }
    var finding = Finding(
      .nativeDrift,
      place.map { FindingText(.otherTextThanSource, [$0]) }
        ?? unreached.map { FindingText(.notInTarget, [$0.list]) }
        ?? FindingText(isKnown ? .languageLacksNative : .noNative),
      help: unreached?.advice ?? FindingText(.writeStrings))
    (finding.template, finding.slot, finding.platform) = (text.template, text.slot, text.platform)
    (finding.key, finding.file, finding.line) = (text.key, text.file, text.line)
    if isKnown { finding.locale = text.table }
    return finding
  }
}

extension StringResources {
  /// Whether the place of the strings is there, even if it has none yet.
  var isReadable: Bool { shipped != nil || !isUnreadable || hasNoStringsYet }

  /// Whether the place can have strings, even if it has none yet.
  var hasNoStringsYet: Bool { isSourceFolder && !isChoiceUnknown }

  /// The same resources with the texts of sources.
  fileprivate func with(_ sources: SourceTexts) -> StringResources {
    var new = Dictionary(grouping: sources.texts.filter { $0.platform == platform }, by: \.table)
    var tables = self.tables.map { table in
      table.replacing(sources.keys, by: entries(new.removeValue(forKey: table.name) ?? []))
    }
    let names = new.keys.sorted()
    tables += names.map { name in
      StringTable(
        name: name, locale: name == Self.defaultTable ? nil : AppleLocaleMatcher.locale(of: name),
        entries: entries(new[name] ?? []))
    }
    return with(
      tables: tables.sorted { left, right in
        if left.name == Self.defaultTable || right.name == Self.defaultTable {
          return left.name == Self.defaultTable && right.name != Self.defaultTable
        }
        return left.name < right.name
      }, hasNoStringsYet ? problems.filter { $0.kind != .noResources } : problems)
  }

  private func entries(_ texts: [SourceTexts.Text]) -> [ExactText: StringEntry] {
    Dictionary(
      texts.map { text in
        (
          ExactText(text.key),
          StringEntry(key: text.key, value: .string(text.text), file: text.file, line: text.line)
        )
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension StringTable {
  fileprivate func replacing(
    _ keys: Set<ExactText>, by new: [ExactText: StringEntry]
  ) -> StringTable {
    StringTable(
      name: name, locale: locale, entries: entries.filter { !keys.contains($0.key) }.merging(new) { $1 },
      namesakes: namesakes, alternatives: alternatives.filter { !keys.contains($0.key) },
      hasPluralsOnly: hasPluralsOnly && new.isEmpty)
  }
}
