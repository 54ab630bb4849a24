package import FCMMessage
package import JSON

/// The strings of one locale: an Android configuration, or a language of an app bundle.
package struct StringTable: Sendable {
  /// One object for all fields: checks pass tables around for each key and language.
  private final class Content: Sendable {
    let name: String
    let locale: LocaleTag?
    let entries: [ExactText: StringEntry]
    let namesakes: [ExactText: [StringEntry]]
    let alternatives: [ExactText: [StringEntry]]
    let hasPluralsOnly: Bool

    init(
      _ name: String, _ locale: LocaleTag?, _ entries: [ExactText: StringEntry],
      _ namesakes: [ExactText: [StringEntry]], _ alternatives: [ExactText: [StringEntry]],
      _ hasPluralsOnly: Bool
    ) {
      (self.name, self.locale, self.entries, self.namesakes) = (name, locale, entries, namesakes)
      (self.alternatives, self.hasPluralsOnly) = (alternatives, hasPluralsOnly)
    }
  }

  private let content: Content

  /// `default` or a BCP 47 tag for Android; the `.lproj` folder's name (`pt-BR`, `Base`) for iOS.
  package var name: String { content.name }
  /// Nil for Android's `values/`, for `Base`, and for a name that is not a locale.
  package var locale: LocaleTag? { content.locale }
  /// What a loc key finds: the string of that name; if there is none, the plural or the array.
  package var entries: [ExactText: StringEntry] { content.entries }
  /// Android: the other resources of the same names. A string, a plural and an array can have one name,
  /// because names are per type.
  package var namesakes: [ExactText: [StringEntry]] { content.namesakes }
  /// Android: the strings of the same names that only some phones use in place of those in `entries`, because
  /// their folders have further qualifiers (`values-v31`, `values-sw600dp`); at most `alternativesMax` of one
  /// name.
  package var alternatives: [ExactText: [StringEntry]] { content.alternatives }
  /// iOS: whether the folder has a `.stringsdict` but no `.strings` file, so that an iPhone takes all other
  /// texts from the next folder that has one. False if no folder has one.
  package var hasPluralsOnly: Bool { content.hasPluralsOnly }

  package init(
    name: String, locale: LocaleTag?, entries: [ExactText: StringEntry],
    namesakes: [ExactText: [StringEntry]] = [:], alternatives: [ExactText: [StringEntry]] = [:],
    hasPluralsOnly: Bool = false
  ) {
    content = Content(name, locale, entries, namesakes, alternatives, hasPluralsOnly)
  }

  /// More than any app has for one name; a file can have any number.
  package static let alternativesMax = 20

  package subscript(key: String) -> StringEntry? { entries[ExactText(key)] }

  /// All resources of a name: the one that a loc key finds, then its namesakes.
  package func resources(named key: String) -> [StringEntry] {
    let key = ExactText(key)
    return [entries[key]].compactMap(\.self) + (namesakes[key] ?? [])
  }
}

/// The string resources of one platform, as the app ships them.
package struct StringResources: Sendable {
  /// A key that push notifications cannot reach: on iOS it is not in the main bundle's `Localizable` table,
  /// on Android not in the package that has the application's id.
  package struct OutOfReach: Sendable, Equatable {
    /// The table's name (`Push`), or `Localizable` of another bundle; Android: the package or the module.
    package let table: String
    package let file: String
    package let line: Int?
    /// The bundle or module, and why it does not reach the app; nil for another table of the app's own.
    package let place: Elsewhere?

    package init(table: String, file: String, line: Int?, place: Elsewhere? = nil) {
      self.table = table
      self.file = file
      self.line = line
      self.place = place
    }
  }

  /// A table or folder of strings that does not reach the app.
  package struct Elsewhere: Sendable, Equatable {
    package let path: String
    /// Its Gradle module or bundle; nil if nothing in the project has it.
    package let owner: String?
    /// Why it does not reach the app, as a clause.
    package let reason: String

    package init(path: String, owner: String?, reason: String) {
      (self.path, self.owner, self.reason) = (path, owner, reason)
    }

    /// What comes after "the key is only".
    package var clause: String { "\(owner.map { "in \($0)" } ?? "outside the app"): \(reason)" }
  }

  /// What was read as an app from its project.
  package struct Project: Sendable {
    /// Android: the variants that findings tell apart; empty if there is only one.
    package var variants: [String] = []
    /// Android: libraries of the app whose strings are not known, because another build makes them.
    package var unbuiltArchives: [String] = []
    /// Android: the `res` folder of the application's module.
    package var ownFolder: String?
    /// The folder that has all of it.
    package var root = ""
    /// The folders and files with the strings that count.
    package var sources: [String] = []
    /// The build files that decide what counts.
    package var buildFiles: [String] = []

    package init(variants: [String] = []) { self.variants = variants }
  }

  package let platform: AppPlatform
  /// The path of the folder or file, as the caller wrote it.
  package let folder: String
  /// What the resources say about the app that they were shipped in; nil for a source folder.
  package let shipped: ShippedApp?
  /// Sorted by name; Android's `default` comes first.
  package let tables: [StringTable]
  package let problems: [ResourceProblem]
  /// The tables with a file that could not be read completely.
  package let unreadableTables: Set<String>
  /// Android: the names that `tools:keep` protects from the resource shrinker; nil without any `tools:keep`.
  package let keptNames: [Glob]?
  /// iOS: the keys of all other tables. Android: the keys of other packages than the app's own.
  package let outOfReach: [ExactText: OutOfReach]
  /// The `Localizable` tables of other bundles, and the folders of other modules.
  package let elsewhere: [Elsewhere]
  /// iOS: the languages of the app without a table: `.lproj` folders with other files only, languages of its
  /// other string catalogs, and CFBundleLocalizations.
  package let otherLocalizations: [String]
  /// iOS: the source language of the `Localizable` string catalog; nil without one.
  package let sourceLanguage: String?
  /// Nil for a folder of resources, a built app, and a snapshot of these.
  package let project: Project?
  /// Whether nothing was read because it is not known which application of a project is meant.
  package let isChoiceUnknown: Bool
  /// What phones call the app; nil if nothing tells.
  package let appName: AppName?
  /// What phones show beside its notifications; nil if there is nothing that a browser can draw.
  package let appIcon: AppIcon?

  package init(
    platform: AppPlatform, folder: String, tables: [StringTable], problems: [ResourceProblem],
    keptNames: [Glob]? = nil, outOfReach: [ExactText: OutOfReach] = [:], elsewhere: [Elsewhere] = [],
    shipped: ShippedApp? = nil, otherLocalizations: [String] = [], sourceLanguage: String? = nil,
    project: Project? = nil, isChoiceUnknown: Bool = false, appName: AppName? = nil,
    appIcon: AppIcon? = nil
  ) {
    (self.appName, self.appIcon) = (appName, appIcon)
    self.project = project
    self.isChoiceUnknown = isChoiceUnknown
    self.otherLocalizations = otherLocalizations
    self.sourceLanguage = sourceLanguage
    self.platform = platform
    self.folder = folder
    self.tables = tables
    self.problems = problems
    unreadableTables = Set(
      problems.lazy.filter { $0.kind == .unparsable && $0.key == nil }.compactMap(\.table))
    self.keptNames = keptNames
    self.outOfReach = outOfReach
    self.elsewhere = elsewhere
    self.shipped = shipped
  }

  /// Whether they are a folder of an app's source, in which files can be changed: no built app, no snapshot.
  package var isSourceFolder: Bool { shipped == nil && ResourceFile.isFolder(folder) }

  /// The folder in which files may be written.
  package var writableFolder: String { project?.root ?? folder }

  /// Android: the `res` folder for files that tools generate.
  package var ownFolder: String { project?.ownFolder ?? folder }

  /// Whether there is nothing at their path.
  package var isAbsent: Bool { !ResourceFile.exists(folder) }

  /// The name of the table for Android's `values/`.
  package static let defaultTable = "default"

  /// Whether nothing could be read.
  package var isUnreadable: Bool {
    let isFault = problems.contains { ($0.kind == .unparsable || $0.kind == .noResources) && $0.key == nil }
    return isFault && tables.allSatisfy(\.entries.isEmpty)
  }

  package func table(_ name: String) -> StringTable? { tables.first { $0.name.hasSameBytes(as: name) } }

  /// iOS: the names of all languages of the app. A phone chooses among these, and only then looks for a table
  /// (CFBundle_Locale.c, _copyBundleLocalizationsFromResources).
  var localizations: [String] { tables.map(\.name) + otherLocalizations }

  /// The resources as a build makes them that leaves some languages out.
  package func without(languages names: Set<String>) -> StringResources {
    guard !names.isEmpty else { return self }
    return StringResources(
      platform: platform, folder: folder, tables: tables.filter { !names.contains($0.name) },
      problems: problems.filter { $0.table.map { !names.contains($0) } ?? true }, keptNames: keptNames,
      outOfReach: outOfReach, elsewhere: elsewhere, shipped: shipped,
      otherLocalizations: otherLocalizations.filter { !names.contains($0) }, sourceLanguage: sourceLanguage,
      project: project, appName: appName, appIcon: appIcon)
  }

  /// The same app with other tables, whose languages need no other mention.
  package func with(tables: [StringTable], _ problems: [ResourceProblem]) -> StringResources {
    StringResources(
      platform: platform, folder: folder, tables: tables, problems: problems, keptNames: keptNames,
      outOfReach: outOfReach, elsewhere: elsewhere, shipped: shipped,
      otherLocalizations: otherLocalizations.filter { name in !tables.contains { $0.name == name } },
      sourceLanguage: sourceLanguage, project: project, appName: appName, appIcon: appIcon)
  }

  /// What phones find for some keys, without the problems and the keys out of reach.
  package func keeping(_ keys: Set<ExactText>) -> StringResources {
    StringResources(
      platform: platform, folder: folder,
      tables: tables.map { table in
        StringTable(
          name: table.name, locale: table.locale, entries: table.entries.filter { keys.contains($0.key) },
          alternatives: table.alternatives.filter { keys.contains($0.key) },
          hasPluralsOnly: table.hasPluralsOnly)
      }, problems: [], shipped: shipped, otherLocalizations: otherLocalizations,
      sourceLanguage: sourceLanguage, project: project, appName: appName, appIcon: appIcon)
  }

  /// The language that the app is written in and that iPhones fall back to. `named` is what a catalog of
  /// templates says.
  ///
  /// What a built iOS app says is a fact and comes first; the source language of a string catalog is what
  /// Xcode builds if nothing else is known. Nothing in Android's resources tells it.
  package func developmentLanguage(named: String?) -> String? {
    platform == .android ? named : shipped?.developmentLanguage ?? named ?? sourceLanguage
  }

  /// Reads a platform's string resources.
  package static func read(_ platform: AppPlatform, folder: String) -> StringResources {
    switch platform {
    case .android: AndroidResourceReader.read(folder: folder)
    case .ios: AppleResourceReader.read(folder: folder)
    }
  }
}
