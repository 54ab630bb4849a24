internal import FCMMessage
internal import JSON
internal import Synchronization

/// Reads the string resources of an iOS folder: `.lproj` folders and string catalogs at any depth.
package enum AppleResourceReader {
  /// Reads the main bundle's `Localizable` tables, the only ones that push notifications reach, and lists the
  /// others.
  ///
  /// The main bundle is the shallowest folder that directly contains such a table and is not in an app
  /// extension's. Where several are equally shallow, the first in path order wins, key by key. A file in no
  /// `.lproj` folder counts beside such a table, and where there is none.
  /// - Parameter folder: the app's folder, or any folder above its resources.
  /// - Returns: one table per language, and the problems.
  package static func read(folder: String) -> StringResources {
    read(folder: folder, limits: .init(), kept: .shared)
  }

  /// Reads some folders as one app, of which earlier ones win, key by key.
  static func read(folders: [String]) -> StringResources {
    let all = folders.map { read(folder: $0) }
    guard let first = all.first, all.count > 1 else { return read(folder: folders.first ?? "") }
    return all.dropFirst().reduce(first) { $0.merged(over: $1) }
  }

  /// `kept` has what was read before with the same limits.
  static func read(
    folder: String, limits: AppleResourceLimits, kept: ParsedFiles = ParsedFiles(sourceBytesMax: 0)
  ) -> StringResources {
    let search = AppleFolderSearch(folder: folder, limits: limits)
    var problems = search.problems
    let tables = search.files.filter { $0.table.hasSameBytes(as: mainTable) }
    // A folder that has nothing else was named for its own sake.
    let hasOwnTables = tables.contains { search.targets.bundle(of: $0.bundle) == nil }
    func isMain(_ file: AppleFolderSearch.TableFile) -> Bool {
      file.table.hasSameBytes(as: mainTable)
        && !(hasOwnTables && search.targets.bundle(of: file.bundle) != nil)
    }
    let localized = tables.filter { isMain($0) && !$0.isGlobal }
    let candidates = localized.isEmpty ? tables.filter(isMain) : localized
    var depth = candidates.map(\.depth).min()
    let places = Set(candidates.filter { $0.depth == depth }.map { ExactText($0.bundle) })
    // Folders such as `en` and `fr` are no bundles.
    if localized.isEmpty, places.count > 1 { depth = nil }
    if depth == nil, !problems.contains(where: { $0.kind == .noResources }) {
      problems.append(nothingFound(in: folder, search))
    }
    let reachable = search.files.map {
      $0.depth == depth && isMain($0) && places.contains(ExactText($0.bundle))
    }
    let bundles = Set(zip(search.files, reachable).filter(\.1).map { ExactText($0.0.bundle) })
    let contents = contents(search.files, reachable, limits, kept)
    var names = AppleAppNames()
    for bundle in bundles.map(\.text).sorted(by: precedes) { names.add(search.targets.names(of: bundle)) }
    return merged(
      search.files, contents, problems,
      Origin(
        folder: folder, localizations: localizations(in: bundles, search, contents),
        places: search.files.map { search.targets.place(of: $0) }, names: names,
        icon: AppleAppIcon.icon(
          in: search.assetCatalogs.filter { search.targets.bundle(of: $0) == nil }, named: nil, nil)),
      limits: limits)
  }

  static func contents(
    _ files: [AppleFolderSearch.TableFile], _ reachable: [Bool], _ limits: AppleResourceLimits,
    _ kept: ParsedFiles
  ) -> [FileContent] {
    concurrently(files.count) { index in
      let (file, isReachable) = (files[index], reachable[index])
      let question = ParsedFiles.Question(
        .ios, [file.path], context: [file.bundle, file.language ?? ""], isReachable: isReachable)
      return kept.value(question, sharing: { $0.sharing($1) }) {
        FileContent(file, isReachable: isReachable, limits: limits)
      }
    }
  }

  /// The languages of an app's sources: those of the folders with its tables, whatever else is in these.
  private static func localizations(
    in bundles: Set<ExactText>, _ search: AppleFolderSearch, _ contents: [FileContent]
  ) -> [String] {
    let folders = search.languageFolders.filter { bundles.contains(ExactText($0.bundle)) }.map(\.language)
    let catalogs = zip(search.files, contents).filter {
      $0.0.format == .catalog && bundles.contains(ExactText($0.0.bundle))
    }.flatMap(\.1.languages)
    return folders + catalogs + bundles.flatMap { search.targets.localizations(of: $0.text) }
  }

  /// The tables in the files of a built app. `localizations` are its languages, with or without a table.
  /// Throws if the tables exceed the limits.
  package static func read(
    _ files: [BuiltAppleFile], folder: String, shipped: ShippedApp, localizations: [String] = [],
    problems: [ResourceProblem],
    names: AppleAppNames, icon: AppIcon?, limits appLimits: BuiltAppLimits,
    isWanted: (@Sendable (String) -> Bool)?
  ) throws(TooManyStringsError) -> StringResources {
    let budget = BuiltAppBudget(appLimits)
    var fileLimits = AppleResourceLimits()
    fileLimits.budget = budget
    let limits = fileLimits
    let contents = concurrently(files.count) { index -> FileContent? in
      guard budget.isKept else { return nil }
      var content = FileContent(
        files[index].tableFile, files[index].bytes, isReachable: files[index].isReachable, limits: limits)
      if let isWanted { content.keepOnly(isWanted) }
      budget.takeKept(values: content.valueCount, textBytes: content.textBytes)
      return content
    }.compactMap(\.self)
    guard budget.isKept else { throw TooManyStringsError() }
    return merged(
      files.map(\.tableFile), contents, problems,
      Origin(
        folder: folder, shipped: shipped, localizations: localizations, places: files.map(\.place),
        names: names, icon: icon),
      limits: limits)
  }

  static func merged(
    _ files: [AppleFolderSearch.TableFile], _ contents: [FileContent], _ found: [ResourceProblem],
    _ origin: Origin, limits: AppleResourceLimits
  ) -> StringResources {
    let folder = origin.folder
    var problems = found
    var outOfReach: [ExactText: StringResources.OutOfReach] = [:]
    var elsewhere: [StringResources.Elsewhere] = []
    var merger = AppleTableMerger()
    var names = origin.names
    for (index, (file, content)) in zip(files, contents).enumerated() {
      problems += content.problems.map(file.named)
      let place = origin.places.indices.contains(index) ? origin.places[index] : nil
      if file.table.hasSameBytes(as: mainTable), let place { elsewhere.append(place) }
      for unreached in content.unreached {
        let found = StringResources.OutOfReach(
          table: file.table, file: file.path, line: unreached.line, place: place)
        let known = outOfReach[ExactText(unreached.key)]
        if known.map({ found.distance < $0.distance }) ?? true {
          outOfReach[ExactText(unreached.key)] = found
        }
      }
      // A built app has bundles in it, and its own files lie directly in its folder.
      if place == nil, origin.shipped == nil || file.bundle.isEmpty { names.add(content.names) }
      for (language, entries) in content.entries {
        let owned = origin.owner.map { owner in entries.map { $0.with(owner: owner) } } ?? entries
        merger.add(owned, of: file, language: language)
      }
    }
    let languages = merger.languages
    problems += merger.preferGlobalFiles()
    let tables = merger.languages
    let complete = merger
    if tables.count > limits.languageCountMax {
      let message = "there are more than \(limits.languageCountMax) languages; the rest were not read"
      problems.append(ResourceProblem(kind: .remark, file: folder, FindingText(english: message)))
    }
    let hasStrings = complete.hasStrings
    let merged = concurrently(min(tables.count, limits.languageCountMax)) {
      complete.table(tables[$0], besideStrings: hasStrings)
    }
    problems += merged.flatMap(\.problems) + complete.serbianProblems(in: merged.map(\.table))
    let withoutTable = Set((origin.localizations + languages).map { ExactText($0) }).subtracting(
      tables.map { ExactText($0) })
    return StringResources(
      platform: .ios, folder: folder, tables: merged.map(\.table),
      problems: bounded(problems, folder: folder, max: limits.problemCountMax), outOfReach: outOfReach,
      elsewhere: elsewhere, shipped: origin.shipped,
      otherLocalizations: Array(
        withoutTable.map(\.text).sorted(by: precedes).prefix(limits.languageCountMax)),
      sourceLanguage: contents.lazy.compactMap(\.sourceLanguage).first ?? origin.developmentLanguage,
      project: origin.project, appName: names.name, appIcon: origin.icon)
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  package static let mainTable = "Localizable"

  /// The results of `work` for all indices, in order; runs on all cores.
  private static func concurrently<Value: Sendable>(
    _ count: Int, _ work: @Sendable (Int) -> Value
  ) -> [Value] {
    let values = Mutex<[Value?]>(Array(repeating: nil, count: count))
    ConcurrentReading.perform(iterations: count) { index in
      let value = work(index)
      values.withLock { $0[index] = value }
    }
    return values.withLock { $0.compactMap(\.self) }
  }

  private static func nothingFound(in folder: String, _ search: AppleFolderSearch) -> ResourceProblem {
    var text = FindingText(.noTables, [search.folderCount])
    if !search.files.isEmpty {
      text = FindingText(.joined, [text, FindingText(.otherTables, [search.files.count])])
    }
    if folder.dropping(suffix: ".lproj") != nil {
      text = FindingText(.joined, [text, AppleFileText.nameFolderAbove])
    }
    return ResourceProblem(kind: .noResources, file: folder, text)
  }

  /// Sorted by file and line, and at most `max`.
  private static func bounded(_ problems: [ResourceProblem], folder: String, max: Int) -> [ResourceProblem] {
    let sorted = problems.enumerated().sorted { left, right in
      if !left.element.file.hasSameBytes(as: right.element.file) {
        return left.element.file.utf8.lexicographicallyPrecedes(right.element.file.utf8)
      }
      return (left.element.line ?? 0, left.offset) < (right.element.line ?? 0, right.offset)
    }.map(\.element)
    guard sorted.count > max else { return sorted }
    let message = "there are \(sorted.count) problems; only the first \(max) are reported"
    return sorted.prefix(max) + [ResourceProblem(kind: .remark, file: folder, FindingText(english: message))]
  }
}

/// The content of one file.
struct FileContent: Sendable {
  /// By language; empty for a table that is out of reach.
  var entries: [(language: String, entries: [StringEntry])] = []
  /// The keys of a table that is out of reach.
  var unreached: [(key: String, line: Int?)] = []
  /// Those of a string catalog, even of one that is out of reach.
  var languages: [String] = []
  /// That of a string catalog; nil for one that is out of reach.
  var sourceLanguage: String?
  /// Those that the table gives the app.
  private(set) var names = AppleAppNames()
  var problems: [ResourceProblem] = []

  init(_ file: AppleFolderSearch.TableFile, isReachable: Bool, limits: AppleResourceLimits) {
    do throws(FileReadError) {
      let bytes = try RegularFile.read(file.path, bytesMax: limits.fileSizeBytesMax)
      self.init(file, bytes, isReachable: isReachable, limits: limits)
    } catch {
      self.init(unreadable: file, error, isReachable: isReachable)
    }
  }

  private init(unreadable file: AppleFolderSearch.TableFile, _ error: FileReadError, isReachable: Bool) {
    problems = [.unreadable(file, line: nil, reason: error.text)]
    if let language = file.language { entries = [(language, [])] }
    if !isReachable { keepOutOfReach(file) }
  }

  init(
    _ file: AppleFolderSearch.TableFile, _ bytes: [UInt8], isReachable: Bool, limits: AppleResourceLimits
  ) {
    if file.format == .catalog {
      let tables = CatalogTables(bytes, file: file, limits: limits)
      entries = tables.entries.map { ($0.key.text, $0.value) }
      languages = entries.map(\.language)
      sourceLanguage = tables.sourceLanguage
      problems = tables.problems + Self.remarks(on: tables, file)
    } else if let language = file.language {
      let content = StringsFile(bytes, file: file, limits: limits)
      entries = [(language, content.entries)]
      problems = content.problems
    }
    if file.table.hasSameBytes(as: AppleAppNames.table) {
      for (language, entries) in entries { names.add(entries, in: language) }
    }
    if !isReachable { keepOutOfReach(file) }
  }

  /// The content with the entries that it has in common with an older one.
  func sharing(_ older: FileContent) -> FileContent {
    var shared = self
    for (index, (language, entries)) in entries.enumerated() {
      guard let known = older.entries.first(where: { $0.language.hasSameBytes(as: language) })?.entries else {
        continue
      }
      let byKey = Dictionary(known.map { (ExactText($0.key), $0) }, uniquingKeysWith: { first, _ in first })
      shared.entries[index].entries = entries.map { entry in
        byKey[ExactText(entry.key)].map { entry.sharing($0) } ?? entry
      }
    }
    return shared
  }

  /// Drops the entries of all other keys.
  mutating func keepOnly(_ isWanted: (String) -> Bool) {
    entries = entries.map { ($0.language, $0.entries.filter { isWanted($0.key) }) }
    unreached.removeAll { !isWanted($0.key) }
  }

  /// The number of texts, problems and keys out of reach.
  var valueCount: Int {
    problems.count + unreached.count
      + entries.reduce(0) { $0 + $1.entries.reduce(0) { $0 + $1.texts.count } }
  }

  /// The size of the texts and keys.
  var textBytes: Int {
    let kept = entries.reduce(0) { sum, table in
      table.entries.reduce(sum) { $1.texts.reduce($0 + $1.key.utf8.count) { $0 + $1.utf8.count } }
    }
    return unreached.reduce(kept) { $0 + $1.key.utf8.count }
  }

  /// A problem in a table that no notification reads matters only if it hides the table's keys.
  private mutating func keepOutOfReach(_ file: AppleFolderSearch.TableFile) {
    unreached = entries.flatMap { $0.entries.map { ($0.key, $0.line) } }.sorted { ($0.1 ?? 0) < ($1.1 ?? 0) }
    problems = problems.filter { $0.kind == .unparsable && $0.key == nil }.map {
      ResourceProblem(
        kind: .remark, file: $0.file, line: $0.line,
        FindingText(english: "\($0.message) (push notifications never read this table)"))
    }
    entries = []
    sourceLanguage = nil
  }

  private static func remarks(
    on tables: CatalogTables, _ file: AppleFolderSearch.TableFile
  ) -> [ResourceProblem] {
    tables.lines.compactMap { language, line in
      AppleLocaleName(language.text).remark.map {
        ResourceProblem(kind: $0.kind, file: file.path, line: line, table: language.text, $0.text)
      }
    }
  }
}

extension StringResources.OutOfReach {
  /// Of several tables with a key, the nearest to the app tells where it is: another one of its own, one of
  /// another bundle, then one that nothing packs.
  fileprivate var distance: Int { place == nil ? 0 : place?.owner == nil ? 2 : 1 }
}

extension AppleFolderSearch.TableFile {
  /// The problem, whose message names the file if it is in an archive.
  fileprivate func named(_ problem: ResourceProblem) -> ResourceProblem {
    ResourceProblem(
      kind: problem.kind, file: problem.file, line: problem.line, table: problem.table, key: problem.key,
      text(problem.fault))
  }

  /// A text about the file, with the file's path in an archive.
  func text(_ text: FindingText) -> FindingText {
    innerPath.map { FindingText(.inPlace, [$0, text]) } ?? text
  }
}

extension StringEntry {
  fileprivate var texts: [String] {
    switch value {
    case .string(let text): [text]
    case .plural(let forms): forms.map(\.text)
    case .array(let items): items
    }
  }
}
