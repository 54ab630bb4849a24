internal import AppStrings
package import Catalog
package import FCMMessage
internal import StringSources

/// A catalog with the string resources that it names, which are read once.
package struct AppCatalog: Sendable {
  package let catalog: Catalog
  /// Nil if the catalog names none.
  package let resources: AppResources?

  /// Reads a catalog file and its string resources. Throws if the classes of plurals are not known because
  /// the resources of a platform cannot be read.
  package static func load(file: String) throws(CatalogError) -> AppCatalog {
    try read { languagesOf, shapesOf throws(CatalogError) in
      try Catalog.load(file: file, languagesOf: languagesOf, shapesOf: shapesOf)
    }
  }

  /// Like `load`, but for `check`, which reports as findings what cannot be read, and `literals`.
  package static func examine(file: String) throws(CatalogError) -> AppCatalog {
    try read(isComplete: false) { languagesOf, shapesOf throws(CatalogError) in
      try Catalog.examine(file: file, languagesOf: languagesOf, shapesOf: shapesOf)
    }
  }

  /// Like `load`, of a catalog's text. Relative paths are relative to `file`.
  package static func parse(_ bytes: [UInt8], file: String?) throws(CatalogError) -> AppCatalog {
    try read { languagesOf, shapesOf throws(CatalogError) in
      try Catalog.parse(bytes, file: file, languagesOf: languagesOf, shapesOf: shapesOf)
    }
  }

  /// Why nothing of a platform's strings could be read, with the line that names them; nil if something was,
  /// and if the catalog names none.
  package func unreadable(_ platform: AppPlatform) -> String? {
    guard let strings = resources?[platform], strings.isUnreadable else { return nil }
    return misplaced(platform) ?? strings.unreadableReason
  }

  /// That there are no strings of a platform where the catalog says, with the line and where they are
  /// instead; nil if there are some, and if the catalog names none.
  package func misplaced(_ platform: AppPlatform) -> String? {
    guard let finding = resources?[platform].flatMap({ catalog.absence(of: $0) }) else { return nil }
    let place = [finding.file, finding.line.map(String.init)].compactMap(\.self).joined(separator: ":")
    return "\(place): \(finding.message) \(finding.help)"
  }

  private static func read(
    isComplete: Bool = true,
    _ catalog: (
      @escaping Catalog.LanguageSource, @escaping Catalog.SourceShapes
    ) throws(CatalogError) -> Catalog
  ) throws(CatalogError) -> AppCatalog {
    var resources: AppResources?
    var strings: SourceStrings?
    let read = try catalog(
      { named in
        resources = AppResources(named)
        if isComplete, let problem = resources?.obstacle { return .failure(UnknownLanguagesError(problem)) }
        let ofSources = strings?.languages.map(\.locale.description) ?? []
        return .success(Set((resources?.languages ?? []) + ofSources).sorted())
      },
      { named in
        let read = SourceStrings(named.sources, developmentLanguage: named.developmentLanguage)
        strings = read
        return { read.shape(of: $0) }
      })
    let native = resources ?? AppResources(read.resources)
    return AppCatalog(
      catalog: read, resources: strings.map { AppResources($0, of: read, over: native) } ?? native)
  }
}

extension AppResources {
  /// The languages of all tables, as BCP 47 tags, each once and sorted.
  var languages: [String] {
    let platforms = [android, ios].compactMap(\.self)
    return Set(platforms.flatMap { $0.languageTables.map { language(of: $0) } }).sorted()
  }

  /// Why nothing of a platform could be read, so that languages might be missing; nil if something was read.
  fileprivate var obstacle: String? {
    [android, ios].compactMap(\.self).first { $0.isUnreadable && !$0.hasNoStringsYet }?.unreadableReason
  }

  /// The language whose plural rules a table's texts follow. That of `values/` and `Base` is the development
  /// language, or English.
  func language(of table: StringTable) -> String {
    if let locale = table.locale ?? AppleLocaleMatcher.locale(of: table.name) { return locale.description }
    let language = developmentLanguage(on: table.name == AppleLocaleMatcher.base ? .ios : .android) ?? "en"
    return AppleLocaleMatcher.locale(of: language)?.description ?? language
  }
}

extension StringResources {
  /// The problem that left nothing to read, with its file.
  fileprivate var unreadableReason: String? {
    problems.first { $0.key == nil && [.unparsable, .noResources].contains($0.kind) }
      .map { "\($0.file): \($0.message)" }
  }

  /// The tables that are a language of the app: those with entries, and those that could not be read
  /// completely.
  var languageTables: [StringTable] {
    let unreadable = unreadableTables
    return tables.filter { table in
      guard !table.entries.isEmpty || unreadable.contains(table.name) else { return false }
      let isSource = table.name == Self.defaultTable || table.name == AppleLocaleMatcher.base
      return isSource || (table.locale ?? AppleLocaleMatcher.locale(of: table.name)) != nil
    }
  }
}
