/// The names of the folders in which native strings of a language are.
package enum NativeFolder {
  /// The language of a `values` folder; nil for one of another kind, or with further qualifiers. The language
  /// of `values` itself is nil inside.
  package static func android(_ name: String) -> LocaleTag?? {
    guard name == "values" || name.hasPrefix("values-"),
      let configuration = try? AndroidConfiguration(folder: name), configuration.qualifiers.isEmpty
    else { return nil }
    return .some(configuration.locale)
  }

  /// The `values` folder of a language in a `res` folder: the one that there is, or a new one with the code
  /// by which phones look for the language.
  package static func android(_ locale: LocaleTag?, in folder: String) -> String {
    let present = ((try? FolderListing(path: folder))?.items ?? []).filter { item in
      item.isFolder && android(item.name) == .some(locale)
    }.map(\.name)
    let name = AndroidConfiguration.folder(locale: locale, qualifiers: [])
    guard let locale, let code = LocaleCodes.olderCodes[locale.language] else {
      return "\(folder)/\(present.first { $0 == name } ?? present.first ?? name)"
    }
    let legacy = name.replacing(locale.language, with: code, maxReplacements: 1)
    return "\(folder)/\(present.first { $0 == legacy } ?? present.first ?? legacy)"
  }
}

/// The files of an iOS app that have, or can have, the texts of each language.
package struct AppleTextFiles {
  /// A string catalog has all languages.
  private var catalog: String?
  private var known: [String: String] = [:]
  /// The folder for `.lproj` folders.
  private var folder: String

  package init(_ resources: StringResources) {
    folder = resources.writableFolder
    for table in resources.tables {
      let files = table.entries.values.lazy.map(\.file)
      known[table.name] = files.first { $0.hasSuffix("/\(table.name).lproj/Localizable.strings") }
      catalog = catalog ?? files.first { $0.hasSuffix(".xcstrings") }
    }
    let search = AppleFolderSearch(folder: folder, limits: .init())
    if known.isEmpty, catalog == nil {
      catalog =
        search.files.first { $0.format == .catalog && $0.table == AppleResourceReader.mainTable }?.path
    }
    let outer = known.values.sorted().first.map {
      $0.split(separator: "/").dropLast(2).joined(separator: "/")
    }
    if let outer, let path = known.values.first {
      folder = (path.hasPrefix("/") ? "/" : "") + outer
    } else if let bundle = search.languageFolders.lazy.map(\.bundle).first(where: { !Self.isForeign($0) }) {
      folder = bundle
    } else if resources.project != nil || AppleLayout.projects(at: folder).isEmpty == false {
      folder = Self.sources(of: folder)
    }
  }

  /// The file for a language, by the name of its `.lproj` folder.
  package func path(_ language: String) -> String {
    catalog ?? known[language] ?? "\(folder)/\(language).lproj/Localizable.strings"
  }

  /// Whether a folder is of a dependency, an extension or a test.
  private static func isForeign(_ folder: String) -> Bool {
    ["Pods", "Tests", "Extension", "Widget", ".framework", "node_modules", "build"].contains(
      where: folder.contains)
  }

  /// The folder of a project in which the application's own files are.
  private static func sources(of project: String) -> String {
    let folders = ((try? FolderListing(path: project))?.items ?? []).filter {
      $0.isFolder && !isForeign($0.name)
    }
    let own = folders.first { ResourceFile.size(of: "\(project)/\($0.name)/Info.plist") != nil }
    return own.map { "\(project)/\($0.name)" } ?? project
  }
}
