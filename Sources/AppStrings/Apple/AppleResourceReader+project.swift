internal import JSON

extension AppleResourceReader {
  /// What is known of tables besides their content.
  struct Origin {
    let folder: String
    var shipped: ShippedApp?
    /// The app's languages, with or without a table.
    let localizations: [String]
    /// The bundle of each file that is another one than the app's.
    var places: [StringResources.Elsewhere?] = []
    /// The bundle whose tables count.
    var owner: String?
    var developmentLanguage: String?
    var project: StringResources.Project?
    /// The app's names besides those in its tables.
    var names = AppleAppNames()
    var icon: AppIcon?
  }

  /// Reads the tables that a project packs into the main bundle of its application, and lists the others.
  /// `path` is what the caller named.
  static func read(
    _ layout: AppleLayout, path: String, limits: AppleResourceLimits = .init()
  ) -> StringResources {
    let search = AppleFolderSearch(folder: layout.root, limits: limits, within: layout.bounds)
    var files = search.files
    var problems = layout.problems + search.problems.filter { $0.kind != .noResources }
    let known = Set(files.map { ProjectFiles.path($0.path, ".").lowercased() })
    // A project can have files beside its own folder.
    for file in layout.files.keys.sorted() where !known.contains(file.lowercased()) {
      guard let table = AppleFolderSearch.TableFile(path: file), layout.files[file]?.isEmpty == false else {
        continue
      }
      if ResourceFile.exists(file) {
        files.append(table)
      } else if layout.targets(of: file).contains(layout.target), table.table.hasSameBytes(as: mainTable) {
        problems.append(
          ResourceProblem(
            kind: .unparsable, file: file, table: table.language,
            FindingText(.namedFileAbsent, [layout.target])))
      }
    }
    let owners = files.map { layout.targets(of: $0.path) }
    let reachable = zip(files, owners).map { file, owners in
      owners.contains(layout.target) && file.table.hasSameBytes(as: mainTable)
    }
    let places = zip(files, owners).map { file, owners in
      owners.contains(layout.target) ? nil : layout.place(of: file, owners, packages: search.packages)
    }
    let contents = contents(files, reachable, limits, .shared)
    let (listed, names) = infoPlists(of: layout)
    let catalogs = zip(files, contents).filter { belongs($0.0, to: layout) }.flatMap(\.1.languages)
    var project = StringResources.Project()
    project.root = layout.root
    project.sources =
      zip(files, reachable).filter(\.1).map(\.0.path)
      + layout.folders.filter { $0.target == layout.target }.map(\.path)
    project.buildFiles = layout.buildFiles
    if !reachable.contains(true), problems.allSatisfy({ $0.kind != .unparsable }) {
      problems.append(
        ResourceProblem(
          kind: .remark, file: layout.buildFiles.first ?? path,
          FindingText(
            english:
              "The target \(layout.target) packs no Localizable table into the app's main bundle, the only "
              + "one in which iPhones look for the texts of push messages")))
    }
    return merged(
      files, contents, problems,
      Origin(
        folder: path, localizations: languages(of: layout, search) + listed + catalogs, places: places,
        owner: layout.target, developmentLanguage: layout.developmentLanguage, project: project,
        names: names, icon: icon(of: layout, search)),
      limits: limits)
  }

  private static func belongs(_ file: AppleFolderSearch.TableFile, to layout: AppleLayout) -> Bool {
    layout.targets(of: file.path).contains(layout.target)
  }

  /// CFBundleLocalizations and the names that the application's Info.plist files say.
  private static func infoPlists(of layout: AppleLayout) -> (localizations: [String], AppleAppNames) {
    var bounds = layout.bounds
    var names = AppleAppNames()
    var localizations: [String] = []
    for path in layout.infoPlists {
      guard let bytes = bounds.read(path), let root = try? PropertyListDocument.read(bytes).root else {
        continue
      }
      localizations += InfoPropertyList.localizations(root)
      names.add(root, settings: layout.settings)
    }
    // Xcode makes an Info.plist where the project has none, and adds settings to the project's.
    names.add(PropertyListDictionary(), settings: layout.settings)
    return (localizations, names)
  }

  /// The icon in an asset catalog of the application.
  private static func icon(of layout: AppleLayout, _ search: AppleFolderSearch) -> AppIcon? {
    AppleAppIcon.icon(
      in: search.assetCatalogs.filter { layout.targets(of: $0).contains(layout.target) },
      named: layout.settings[AppleAppIcon.setting], layout.bounds)
  }

  /// The languages of all localized files of the application.
  private static func languages(of layout: AppleLayout, _ search: AppleFolderSearch) -> [String] {
    let named = layout.files.filter { $0.value.contains(layout.target) }.keys.compactMap { path in
      path.split(separator: "/").dropLast().last.flatMap { String($0).dropping(suffix: ".lproj") }
    }
    let packed = search.languageFolders.filter { folder in
      let path = "\(folder.bundle)/\(folder.language).lproj"
      let files = (try? FolderListing(path: path))?.items.map { "\(path)/\($0.name)" } ?? []
      return files.contains { layout.targets(of: $0).contains(layout.target) }
    }.map(\.language)
    return Array(Set(named + packed))
  }
}

extension AppleLayout {
  /// The bundle of a table that is not the application's.
  fileprivate func place(
    of file: AppleFolderSearch.TableFile, _ owners: [String], packages: [String]
  ) -> StringResources.Elsewhere {
    if let owner = owners.first {
      let product = products[owner] ?? owner
      return .init(
        path: file.path, owner: product, reason: "the target \(owner) packs it into a bundle of its own")
    }
    let package = packages.filter { file.path.utf8.starts(with: "\($0)/".utf8) }.max { $0.count < $1.count }
    guard let package else {
      return .init(path: file.path, owner: nil, reason: "no target of the project packs it")
    }
    let name = package.split(separator: "/").last.map(String.init) ?? package
    let parts = file.path.dropFirst(package.count + 1).split(separator: "/")
    let target = parts.count > 2 && parts[0] == "Sources" ? "_\(parts[1])" : ""
    return .init(
      path: file.path, owner: name + target,
      reason: "the texts of a Swift package are in a bundle of their own")
  }
}

extension StringResources {
  /// The tables of two folders as one app's. Those of the receiver win.
  func merged(over other: StringResources) -> StringResources {
    let names = Set(tables.map { ExactText($0.name) })
    let shared = tables.map { table -> StringTable in
      guard let below = other.table(table.name) else { return table }
      return StringTable(
        name: table.name, locale: table.locale,
        entries: table.entries.merging(below.entries) { own, _ in own },
        hasPluralsOnly: table.hasPluralsOnly && below.hasPluralsOnly)
    }
    let added = other.tables.filter { !names.contains(ExactText($0.name)) }
    let all = (shared + added).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let found = Set(all.flatMap(\.entries.keys))
    let others = Set(otherLocalizations + other.otherLocalizations).subtracting(all.map(\.name))
    return StringResources(
      platform: platform, folder: folder, tables: all, problems: problems + other.problems,
      outOfReach: outOfReach.merging(other.outOfReach) { own, _ in own }.filter { !found.contains($0.key) },
      elsewhere: elsewhere + other.elsewhere,
      otherLocalizations: others.sorted(), sourceLanguage: sourceLanguage ?? other.sourceLanguage,
      appName: appName ?? other.appName, appIcon: appIcon ?? other.appIcon)
  }
}
