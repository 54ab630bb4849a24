package import FCMMessage
internal import FoundationEssentials
internal import JSON
package import YAML

/// The templates of one app, compiled.
package final class Catalog: Sendable {
  /// The locations of the app's string resources; relative paths are already resolved.
  package struct Resources: Sendable, Equatable {
    package let android: ResourceLocation?
    package let ios: ResourceLocation?
    package let developmentLanguage: String?
    /// Where the texts of slots with `key` are; an earlier one wins over later ones.
    package let sources: [StringSourceLocation]
    /// The languages that the app ships; nil if it ships all that the resources have.
    package let locales: LanguageList?
    /// Whether an error found by `check` prevents the catalog from being used on start or reload.
    package let isStrict: Bool

    package subscript(platform: AppPlatform) -> ResourceLocation? { platform == .android ? android : ios }
  }

  /// An entry of `ignore`, which silences findings of `check`.
  package struct IgnoreRule: Sendable, Equatable {
    package let rule: CheckRule
    /// The only locale to which the entry applies; nil for all.
    package let locale: String?
    /// The only key to which the entry applies; nil for all.
    package let key: String?
    /// The only template to which the entry applies; nil for all.
    package let template: String?
    package let reason: String
    package let line: Int
  }

  /// The maximum length of a template's or a param's name, in bytes.
  package static let nameBytesMax = 128

  /// The file that the catalog was read from.
  package let file: String?
  package let resources: Resources?
  /// `plurals.languages`; nil if the languages are those of the resources.
  package let pluralLanguages: LanguageList?
  /// In the order of the file.
  package let templates: [Template]
  package let ignored: [IgnoreRule]
  /// The releases that users may still have.
  package let releases: CatalogReleases
  /// The topics that have one of their own for each language.
  package let topics: [LanguageTopic]
  /// The line that says `language: app` for all templates; nil if none does.
  package let appLanguageLine: Int?
  private let byName: [ExactText: Template]

  init(
    file: String?, resources: Resources?, pluralLanguages: LanguageList?, templates: [Template],
    ignored: [IgnoreRule], releases: CatalogReleases, topics: [LanguageTopic], appLanguageLine: Int?
  ) {
    self.file = file
    self.resources = resources
    self.pluralLanguages = pluralLanguages
    self.templates = templates
    self.ignored = ignored
    self.releases = releases
    self.topics = topics
    self.appLanguageLine = appLanguageLine
    byName = Dictionary(
      templates.map { (ExactText($0.name), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The template with the name `name`. O(1).
  package func template(_ name: String) -> Template? { byName[ExactText(name)] }

  /// A copy of the catalog that has only `template`.
  package func only(_ template: Template) -> Catalog {
    Catalog(
      file: file, resources: resources, pluralLanguages: pluralLanguages, templates: [template],
      ignored: ignored, releases: releases, topics: topics, appLanguageLine: appLanguageLine)
  }

  /// The languages of an app's string resources, as BCP 47 tags; empty if nothing could be read and that is
  /// no error here. Asked at most once, and only if there are topics by language, or a slot has `plural` and
  /// the catalog lists no languages.
  package typealias LanguageSource = (Resources) -> Result<[String], UnknownLanguagesError>

  /// Reads and compiles a catalog file.
  /// - Throws: all problems of the file at once, with file, line, column and field.
  package static func load(
    file path: String, languagesOf: @escaping LanguageSource = { _ in .failure(.notRead) },
    shapesOf: @escaping SourceShapes = { _ in { _ in nil } }
  ) throws(CatalogError) -> Catalog {
    try parse(YAML.read(path), file: path, languagesOf: languagesOf, shapesOf: shapesOf)
  }

  /// Like `load`, but also accepts templates with `literals`, which `check` reports as findings.
  package static func examine(
    file path: String, languagesOf: @escaping LanguageSource = { _ in .failure(.notRead) },
    shapesOf: @escaping SourceShapes = { _ in { _ in nil } }
  ) throws(CatalogError) -> Catalog {
    try examine(YAML.read(path), file: path, languagesOf: languagesOf, shapesOf: shapesOf)
  }

  /// The names of the templates of a catalog file, whose languages need not be known.
  package static func names(file path: String) throws(CatalogError) -> [String] {
    try examine(file: path, languagesOf: { _ in .success([]) }).templates.map(\.name)
  }

  /// Compiles a catalog. Relative paths are relative to `file`, which also appears in problems.
  package static func parse(
    _ bytes: [UInt8], file: String?, languagesOf: @escaping LanguageSource = { _ in .failure(.notRead) },
    shapesOf: @escaping SourceShapes = { _ in { _ in nil } }
  ) throws(CatalogError) -> Catalog {
    try examine(bytes, file: file, acceptsLiterals: false, languagesOf, shapesOf)
  }

  /// Like `parse`, but also accepts templates with `literals`, which `check` reports as findings.
  package static func examine(
    _ bytes: [UInt8], file: String?, languagesOf: @escaping LanguageSource = { _ in .failure(.notRead) },
    shapesOf: @escaping SourceShapes = { _ in { _ in nil } }
  ) throws(CatalogError) -> Catalog {
    try examine(bytes, file: file, acceptsLiterals: true, languagesOf, shapesOf)
  }

  private static func examine(
    _ bytes: [UInt8], file: String?, acceptsLiterals: Bool, _ languagesOf: @escaping LanguageSource,
    _ shapesOf: @escaping SourceShapes
  ) throws(CatalogError) -> Catalog {
    let problems = ProblemCollector(file: file)
    let folder = file.map { path in
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }
    let root = YAML.parse(bytes, problems: problems)
    let reader = CatalogReader(problems: problems, folder: folder ?? "")
    let read = root.flatMap { reader.catalog($0, languagesOf: languagesOf, shapesOf: shapesOf) }
    if !acceptsLiterals || !problems.problems.isEmpty {
      for literal in read?.templates.flatMap(\.literals) ?? [] { problems.report(literal.problem) }
    }
    guard let catalog = read, problems.problems.isEmpty else {
      throw CatalogError(problems: problems.sorted)
    }
    return catalog
  }
}

/// Why the languages of string resources are not known.
package struct UnknownLanguagesError: Error, Sendable, Equatable {
  /// A sentence without a full stop, such as `res: No such file or directory`.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  static let notRead = UnknownLanguagesError("the string resources are not read here")
}

/// All problems of a catalog.
package typealias CatalogError = ConfigurationError
