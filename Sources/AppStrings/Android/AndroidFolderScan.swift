internal import JSON

/// Finds the string files of an app's `res` folders within the limits, and problems with the names of what is
/// in them.
struct AndroidFolderScan {
  /// The folders of one locale, least specific first.
  struct LocaleGroup {
    let name: String
    let locale: LocaleTag?
    var folders: [AndroidTable.Folder]

    /// The paths of its folders and files.
    var paths: [String] {
      folders.flatMap { folder in [folder.path] + folder.files.map { "\(folder.path)/\($0)" } }
    }

    /// What its strings depend on beside its files.
    var context: [String] {
      folders.map { folder in
        "\(folder.layer) \(folder.sourceSet.variants?.rawValue ?? 0) \(folder.sourceSet.module ?? "")"
      }
    }
  }

  private(set) var problems: [ResourceProblem] = []
  private var layout: AndroidLayout
  private let limits: AndroidLimits
  /// The folders in each `res` folder, by its index.
  private var names: [[String]] = []
  private var fileCount = 0
  private var byteCount = 0

  init(layout: AndroidLayout, limits: AndroidLimits) {
    self.limits = limits
    self.layout = layout
    for sourceSet in layout.sourceSets {
      guard sourceSet.values.isEmpty, mayRead(sourceSet.folder) else {
        names.append([])
        continue
      }
      do {
        names.append(try FolderListing(path: sourceSet.folder).items.filter(\.isFolder).map(\.name))
      } catch {
        names.append([])
        report(
          .noResources, sourceSet.folder, FindingText(.resourceFolderUnreadable, [error.text]))
      }
    }
  }

  /// Whether a path is in the project, if there is one.
  private mutating func mayRead(_ path: String) -> Bool { layout.files?.contains(path) ?? true }

  /// `default` first, then by name.
  mutating func localeGroups() -> [LocaleGroup] {
    var groups: [ExactText: LocaleGroup] = [:]
    var hasValues = !problems.isEmpty
    for index in layout.sourceSets.indices {
      let root = layout.sourceSets[index].folder
      for name in names[index] {
        let path = "\(root)/\(name)"
        guard isValuesFolder(name, at: path), mayRead(path) else { continue }
        hasValues = true
        guard let configuration = configuration(of: name, at: path) else { continue }
        let table = configuration.locale?.description ?? StringResources.defaultTable
        let files = files(in: path, table: table)
        add(index, path, configuration, files: files, to: &groups)
      }
      if !layout.sourceSets[index].values.isEmpty, let plain = try? AndroidConfiguration(folder: "values") {
        hasValues = true
        add(index, root, plain, files: [], to: &groups)
      }
    }
    if !hasValues { reportNoValues() }
    problems += layout.files?.problems ?? []
    let ordered = groups.values.map(Self.ordered).sorted { left, right in
      if (left.locale == nil) != (right.locale == nil) { return left.locale == nil }
      return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
    for group in ordered {
      reportShadowed(group)
      reportTie(of: group, with: ordered)
    }
    return ordered
  }

  private func add(
    _ index: Int, _ path: String, _ configuration: AndroidConfiguration, files: [String],
    to groups: inout [ExactText: LocaleGroup]
  ) {
    let locale = configuration.locale
    let table = locale?.description ?? StringResources.defaultTable
    let folder = AndroidTable.Folder(
      path: path, configuration: configuration, files: files, layer: index,
      sourceSet: layout.sourceSets[index])
    groups[ExactText(table), default: LocaleGroup(name: table, locale: locale, folders: [])].folders.append(
      folder)
  }

  /// The patterns of `tools:keep`.
  mutating func keptNames() -> [Glob]? {
    var rules = AndroidKeepRules()
    for (index, names) in names.enumerated() {
      for name in names where name == "raw" || name.utf8.starts(with: "raw-".utf8) {
        let path = "\(layout.sourceSets[index].folder)/\(name)"
        for file in files(in: path) {
          do {
            rules.read(try RegularFile.read("\(path)/\(file)", bytesMax: limits.fileBytesMax), limits: limits)
          } catch {
            report(.unparsable, "\(path)/\(file)", FindingText(.fileUnreadable, [error.text]))
          }
        }
      }
    }
    return rules.names
  }

  /// Folders that every phone uses first, then those with fewer qualifiers, then the code that phones look
  /// for (`iw`, not `he`), then by name.
  private static func ordered(_ group: LocaleGroup) -> LocaleGroup {
    var group = group
    group.folders.sort { left, right in
      let (first, second) = (left.configuration, right.configuration)
      if let isFirst = first.precedes(second) { return isFirst }
      if first.qualifiers.count != second.qualifiers.count {
        return first.qualifiers.count < second.qualifiers.count
      }
      if first.hasLegacyCode != second.hasLegacyCode { return first.hasLegacyCode }
      if first == second { return left.layer < right.layer }
      let texts = (first.qualifiers.joined(separator: "-"), second.qualifiers.joined(separator: "-"))
      if texts.0 != texts.1 { return texts.0.utf8.lexicographicallyPrecedes(texts.1.utf8) }
      return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
    }
    return group
  }

  /// Whether a name is that of a values folder. A similar one is reported: no build reads it.
  private mutating func isValuesFolder(_ name: String, at path: String) -> Bool {
    if name == "values" || name.utf8.starts(with: "values-".utf8) { return true }
    guard let right = UnreadNames.valuesFolder(meantBy: name), hasXML(path) else { return false }
    report(
      .unread, path, FindingText(.unreadFolder, [name.firstScalars]), help: FindingText(.renameTo, [right]))
    return false
  }

  private mutating func hasXML(_ path: String) -> Bool {
    mayRead(path) && (try? FolderListing(path: path))?.items.contains { $0.name.hasSuffix(".xml") } ?? false
  }

  private mutating func configuration(of name: String, at path: String) -> AndroidConfiguration? {
    do {
      let configuration = try AndroidConfiguration(folder: name)
      if let locale = configuration.locale { reportCodes(of: locale, name, at: path) }
      return configuration
    } catch {
      reportName(name, at: path)
      return nil
    }
  }

  private mutating func reportCodes(of locale: LocaleTag, _ name: String, at path: String) {
    let table = locale.description
    let current = LocaleCodes.current(locale.language)
    if let complaint = LocaleCodes.languageComplaint(about: locale) {
      report(
        .localeFolder, path, table: table,
        complaint + FindingText(.noPhoneLooks, [name.firstScalars]))
    } else if locale.language == "und" {
      report(
        .unreachable, path, table: table, FindingText(.undOnAndroid, [name.firstScalars]))
    } else if current.language != locale.language, !LocaleCodes.areAlikeOnAndroid(current, locale) {
      report(
        .unreachable, path, table: table,
        FindingText(.currentCodeOnAndroid, ["\(current)", name.firstScalars]))
    } else if let complaint = LocaleCodes.regionComplaint(about: locale) {
      report(
        .remark, path, table: table,
        complaint + FindingText(english: "Phones with the language still use the folder."))
    }
  }

  /// Reports folders that the Gradle plugin or a phone takes for the same locale as an earlier one, which
  /// wins.
  private mutating func reportShadowed(_ group: LocaleGroup) {
    for (index, folder) in group.folders.enumerated() {
      let winner = group.folders[..<index].first {
        $0.configuration.deviceQualifiers == folder.configuration.deviceQualifiers
          && $0.configuration != folder.configuration
      }
      guard let winner else {
        reportNewCode(folder, of: group)
        continue
      }
      report(
        .unreachable, folder.path, table: group.name, FindingText(.inShadow, [winner.path]))
    }
  }

  /// Reports `values-he`: Android rewrites the user's language to the older code before it looks for strings
  /// (AOSP ResourcesImpl.adjustLanguageTag).
  private mutating func reportNewCode(_ folder: AndroidTable.Folder, of group: LocaleGroup) {
    guard let language = folder.configuration.locale?.language, !folder.configuration.hasLegacyCode,
      let older = LocaleCodes.olderCodes[language]
    else { return }
    report(
      .unreachable, folder.path, table: group.name, FindingText(.olderCodeOnAndroid, [older]))
  }

  /// Reports folders that name the script which phones assume anyway, as `values-b+zh+Hans+SG` does beside
  /// `values-zh-rSG`. Phones take both for one locale and use the one without a script, which comes first in
  /// the app's table (AOSP ResTable_config::compare).
  private mutating func reportTie(of group: LocaleGroup, with groups: [LocaleGroup]) {
    guard let locale = group.locale, let script = locale.script else { return }
    let plain = LocaleTag(language: locale.language, region: locale.region, variants: locale.variants)
    guard LikelySubtags(plain).script == script, let winners = groups.first(where: { $0.locale == plain })
    else { return }
    for folder in group.folders {
      let qualifiers = folder.configuration.deviceQualifiers
      guard let winner = winners.folders.first(where: { $0.configuration.deviceQualifiers == qualifiers })
      else { continue }
      report(
        .unreachable, folder.path, table: group.name,
        FindingText(.inShadowByScript, [winner.path, script, "\(plain)"]))
    }
  }

  private mutating func reportName(_ name: String, at path: String) {
    let text = FindingText(.invalidFolder, [name.firstScalars])
    let suggestion = AndroidConfiguration.suggestion(for: name).map { FindingText(.renameProbably, [$0]) }
    report(.localeFolder, path, suggestion.map { text + $0 } ?? text)
  }

  private mutating func reportNoValues() {
    guard layout.ownFolder == nil, let root = layout.sourceSets.first?.folder else {
      report(.noResources, layout.ownFolder ?? "", FindingText(.noStringsInModules))
      return
    }
    let inner = ["res", "src/main/res", "main/res"].map { "\(root)/\($0)" }
    // Or it is one of the folders of languages itself.
    let isTooDeep = root.utf8.split(separator: UInt8(ascii: "/")).last?.starts(with: "values".utf8) ?? false
    let outer =
      isTooDeep ? [root.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(root[..<$0]) } ?? "."] : []
    let right = (outer + inner).first { ResourceFile.isFolder("\($0)/values") }
    let text = FindingText(.noValuesFolder)
    report(.noResources, root, right.map { text + FindingText(.didYouMean, [$0]) } ?? text)
  }

  private mutating func files(in folder: String, table: String? = nil) -> [String] {
    do {
      let items = try FolderListing(path: folder).items
      if table != nil { for item in items { reportUnread(item, in: folder) } }
      return items.map(\.name).filter { isWanted($0, in: folder, table: table) }
    } catch {
      report(.unparsable, folder, table: table, FindingText(.folderUnreadable, [error.text]))
      return []
    }
  }

  /// aapt2 Compile.cpp selects files by their extension and skips hidden ones.
  private mutating func isWanted(_ file: String, in folder: String, table: String?) -> Bool {
    guard file.utf8.count > 4, file.utf8.suffix(4).elementsEqual(".xml".utf8),
      file.utf8.first != UInt8(ascii: ".")
    else { return false }
    let path = "\(folder)/\(file)"
    guard mayRead(path) else { return false }
    guard let size = ResourceFile.size(of: path) else {
      report(.unparsable, path, table: table, FindingText(.noRegularFile))
      return false
    }
    fileCount += 1
    byteCount += min(size, limits.fileBytesMax)
    if fileCount > limits.filesMax {
      if fileCount == limits.filesMax + 1 {
        report(
          .unparsable, path, table: table, FindingText(.tooManyFiles, [limits.filesMax]))
      }
      return false
    }
    if byteCount > limits.totalBytesMax {
      byteCount -= min(size, limits.fileBytesMax)
      report(
        .unparsable, path, table: table, FindingText(.filesTooLarge, [limits.totalBytesMax]))
      return false
    }
    return true
  }

  /// Reports what looks like a file of strings in a values folder and is none: `strings.xml.txt`, a folder.
  private mutating func reportUnread(_ item: FolderListing.Item, in folder: String) {
    let path = "\(folder)/\(item.name)"
    if item.isFolder {
      guard hasXML(path) else { return }
      report(
        .unread, path, FindingText(.folderInValues), help: FindingText(.moveFilesInto, [folder]))
    } else if let right = UnreadNames.xmlFile(meantBy: item.name) {
      report(
        .unread, path, FindingText(.noXMLFile), help: FindingText(.renameOrRemove, [right]))
    }
  }

  private mutating func report(
    _ kind: ResourceProblem.Kind, _ file: String, table: String? = nil, _ text: FindingText,
    help: FindingText? = nil
  ) {
    problems.append(ResourceProblem(kind: kind, file: file, table: table, text, help: help))
  }
}
