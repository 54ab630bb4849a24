internal import AppStrings
internal import JSON

/// Reads the strings of a built iOS app: the `Localizable` tables of the app's own bundle.
struct AppleAppReader {
  let path: String
  let limits: ArchiveLimits
  /// The keys that are needed; nil for all.
  let keys: Set<ExactText>?

  /// The strings of an IPA; nil if the archive holds none.
  func read(_ archive: ZipArchive) throws(ArchiveError) -> StringResources? {
    let apps = Set(archive.entries.compactMap { Self.app(of: $0.name) })
    guard let app = apps.first else { return nil }
    guard apps.count == 1 else {
      throw .unsupported("The file holds \(apps.count) apps; name one with one app.")
    }
    let prefix = "Payload/\(app)/"
    let files = archive.entries.filter { $0.name.hasPrefix(prefix) && !$0.name.hasSuffix("/") }
    let inside = archive.entries.lazy.map(\.name).filter { $0.hasPrefix(prefix) }
    let folders = inside.compactMap { $0.dropFirst(prefix.count).split(separator: "/").first }
    let bundle = AppleBundle(
      place: path, isFolder: false, files: files.map { String($0.name.dropFirst(prefix.count)) },
      localizations: Set(folders.filter { $0.hasSuffix(".lproj") }.map { String($0.dropLast(6)) }).sorted()
    ) { name throws(ArchiveError) in
      guard let entry = archive["\(prefix)\(name)"] else { throw .malformed("\(name) is missing.") }
      return try archive.read(entry)
    }
    return try read(bundle)
  }

  /// `Name.app` of `Payload/Name.app/…`.
  private static func app(of name: String) -> String? {
    let parts = name.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "Payload", parts[1].hasSuffix(".app") else { return nil }
    return String(parts[1])
  }

  /// The strings of a bundle.
  func read(_ bundle: AppleBundle) throws(ArchiveError) -> StringResources {
    var problems: [ResourceProblem] = []
    let info =
      bundle.files.contains("Info.plist") ? InfoPropertyList(try bundle.read("Info.plist")) : nil
    if info == nil {
      problems.append(
        ResourceProblem(
          kind: .remark, file: bundle.display("Info.plist"),
          FindingText(english: "The app has no Info.plist that can be read, so its version is unknown.")))
    }
    let shipped = ShippedApp(
      version: info?.version, package: info?.identifier, developmentLanguage: info?.developmentLanguage)
    let tables = bundle.files.compactMap(AppleTablePath.init).sorted { $0.path < $1.path }
    guard tables.count <= limits.bundleFilesMax else {
      throw .tooLarge("The app has more than \(limits.bundleFilesMax) string tables.")
    }
    for file in bundle.files where file.hasSuffix(".loctable") {
      problems.append(
        ResourceProblem(
          kind: .remark, file: bundle.display(file),
          FindingText(english: "Tables of this kind are not read; Xcode does not make them for apps.")))
    }
    let wanted = keys.map { keys in { @Sendable (key: String) in keys.contains(ExactText(key)) } }
    let reachable = try content(of: tables.filter(\.isReachable), in: bundle)
    if reachable.isEmpty {
      problems.append(
        ResourceProblem(
          kind: .suspicious, file: bundle.place, FindingText(.noTableInBundle)))
    }
    let localizations = (info?.localizations ?? []) + bundle.localizations
    let names = try content(of: tables.filter(\.namesApp), in: bundle)
    func strings(in files: [BuiltAppleFile]) throws(ArchiveError) -> StringResources {
      try self.strings(in: files, of: bundle, shipped, localizations, problems, info, isWanted: wanted)
    }
    let own = try strings(in: reachable + names)
    // The other tables matter only for keys that are not where a push looks.
    if let keys, keys.allSatisfy({ key in own.tables.contains { $0.entries[key] != nil } }) { return own }
    let others = try content(of: tables.filter { !$0.isReachable && !$0.namesApp }, in: bundle)
    return try strings(in: reachable + names + others)
  }

  private func strings(
    in files: [BuiltAppleFile], of bundle: AppleBundle, _ shipped: ShippedApp, _ localizations: [String],
    _ problems: [ResourceProblem], _ info: InfoPropertyList?, isWanted: (@Sendable (String) -> Bool)?
  ) throws(ArchiveError) -> StringResources {
    do throws(TooManyStringsError) {
      return try AppleResourceReader.read(
        files, folder: bundle.place, shipped: shipped, localizations: localizations, problems: problems,
        names: info?.names ?? AppleAppNames(), icon: icon(of: bundle),
        limits: BuiltAppLimits(
          readValuesMax: limits.listValuesMax, readTextBytesMax: limits.listTextBytesMax,
          keptValuesMax: limits.valuesMax, keptTextBytesMax: limits.textBytesMax), isWanted: isWanted)
    } catch {
      throw .tooLarge(
        "The property lists of the app hold more than \(limits.valuesMax) strings or \(limits.textBytesMax) "
          + "bytes of text, or more than \(limits.listValuesMax) values or \(limits.listTextBytesMax) bytes "
          + "with those that no push uses.")
    }
  }

  private func icon(of bundle: AppleBundle) -> AppIcon? {
    AppleAppIcon.built.lazy.filter(bundle.files.contains)
      .compactMap { (try? bundle.read($0)).flatMap { AppIcon($0) } }.first
  }

  private func content(
    of tables: [AppleTablePath], in bundle: AppleBundle
  ) throws(ArchiveError) -> [BuiltAppleFile] {
    var files: [BuiltAppleFile] = []
    for table in tables {
      files.append(
        BuiltAppleFile(
          path: bundle.display(table.path), innerPath: bundle.isFolder ? nil : table.path, table: table.table,
          isStringsDict: table.isStringsDict, language: table.language, bundle: table.bundle,
          isGlobal: table.isGlobal, isReachable: table.isReachable, bytes: try bundle.read(table.path)))
    }
    return files
  }
}

/// The files of a built app, in an archive or a folder.
struct AppleBundle {
  /// The path of the archive or folder, as the caller wrote it.
  let place: String
  let isFolder: Bool
  /// Relative to the bundle.
  let files: [String]
  /// The names of the app's own `.lproj` folders, without the extension.
  let localizations: [String]
  let read: (_ file: String) throws(ArchiveError) -> [UInt8]

  init(
    place: String, isFolder: Bool, files: [String], localizations: [String],
    read: @escaping (_ file: String) throws(ArchiveError) -> [UInt8]
  ) {
    (self.place, self.isFolder, self.files, self.read) = (place, isFolder, files, read)
    self.localizations = localizations
  }

  /// What entries name as their file: a path that can be opened.
  func display(_ file: String) -> String { isFolder ? "\(place)/\(file)" : place }
}

/// A file of an app with a table of strings, by its path.
struct AppleTablePath {
  let path: String
  let table: String
  let isStringsDict: Bool
  let language: String
  /// Whether the file is in no language's folder.
  let isGlobal: Bool
  let bundle: String
  /// Whether push messages look here: in the app's own `Localizable` table.
  let isReachable: Bool
  /// Whether it has the app's name in a language.
  let namesApp: Bool

  /// Nil for any other file.
  init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let file = parts.last, let dot = file.lastIndex(of: ".") else { return nil }
    switch file[file.index(after: dot)...] {
    case "strings": isStringsDict = false
    case "stringsdict": isStringsDict = true
    default: return nil
    }
    self.path = path
    table = String(file[..<dot])
    let folder = parts.dropLast().last ?? ""
    let isLocalized = folder.hasSuffix(".lproj")
    isGlobal = !isLocalized
    language = isLocalized ? String(folder.dropLast(6)) : "Base"
    bundle = parts.dropLast(isLocalized ? 2 : 1).joined(separator: "/")
    isReachable = bundle.isEmpty && table.hasSameBytes(as: AppleResourceReader.mainTable)
    namesApp = bundle.isEmpty && table.hasSameBytes(as: AppleAppNames.table)
  }
}
