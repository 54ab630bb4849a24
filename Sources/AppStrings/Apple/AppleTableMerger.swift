internal import JSON

/// Merges the files of one bundle, language by language, as CFBundle (CFBundle_Strings.c) and Xcode do.
struct AppleTableMerger: Sendable {
  /// The entries of one file in one language.
  struct Source {
    let file: AppleFolderSearch.TableFile
    var entries: [StringEntry]
    var hasPluralsOnly: Bool

    init(file: AppleFolderSearch.TableFile, entries: [StringEntry]) {
      (self.file, self.entries) = (file, entries)
      hasPluralsOnly = file.format == .stringsDict
    }

    func holds(_ entry: StringEntry) -> Bool {
      entries.contains { $0.key.hasSameBytes(as: entry.key) && $0.line == entry.line }
    }
  }

  var sources: [ExactText: [Source]] = [:]

  /// Adds the entries of a file. The caller adds files in path order.
  mutating func add(_ entries: [StringEntry], of file: AppleFolderSearch.TableFile, language: String) {
    sources[ExactText(language), default: []].append(Source(file: file, entries: entries))
  }

  /// Sorted by bytes.
  var languages: [String] {
    sources.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Whether a language has a `.strings` file or a catalog.
  var hasStrings: Bool { sources.values.contains { !Self.havePluralsOnly($0) } }

  private static func havePluralsOnly(_ sources: [Source]) -> Bool {
    sources.allSatisfy(\.hasPluralsOnly)
  }

  /// The table of a language. In one `.lproj` folder the stringsdict's entry replaces that of the `.strings`
  /// file. Between folders and catalogs the first entry wins, and a key in two of them is a problem.
  /// `besideStrings` says whether any language has a `.strings` file or a catalog.
  func table(
    _ language: String, besideStrings: Bool
  ) -> (table: StringTable, problems: [ResourceProblem]) {
    let name = AppleLocaleName(language)
    var problems: [ResourceProblem] = []
    var entries: [ExactText: StringEntry] = [:]
    let sources = sources[ExactText(language)] ?? []
    entries.reserveCapacity(sources.first?.entries.count ?? 0)
    for (index, source) in sources.enumerated() {
      for entry in source.entries {
        let key = ExactText(entry.key)
        guard let present = entries[key] else {
          entries[key] = entry
          continue
        }
        if overrides(source.file, present, in: sources) {
          entries[key] = entry
        } else if problems.count < AppleResourceLimits.remarkCountMax {
          let winner = sources[..<index].last { $0.holds(present) }?.file.innerPath ?? present.file
          let text = FindingText(.keyInFile, [entry.key.shortened, language.shortened, winner])
          problems.append(
            ResourceProblem(
              kind: .duplicateKey, file: entry.file, line: entry.line, table: language, key: entry.key,
              source.file.text(text)))
        }
      }
    }
    if let remark = name.remark {
      for folder in Self.folders(of: sources) {
        problems.append(
          ResourceProblem(
            kind: remark.kind, file: folder.path, table: language,
            folder.innerPath.map { FindingText(.inPlace, [$0, remark.text]) } ?? remark.text))
      }
    }
    let hasPluralsOnly = besideStrings && Self.havePluralsOnly(sources)
    return (
      StringTable(name: language, locale: name.locale, entries: entries, hasPluralsOnly: hasPluralsOnly),
      problems
    )
  }

  /// Those about tables of Serbian whose texts are in the wrong letters.
  func serbianProblems(in tables: [StringTable]) -> [ResourceProblem] {
    let others = tables.filter { $0.locale?.language != "sr" }.map(\.entries)
    return tables.compactMap { table in
      let complaint = SerbianScript.complaint(
        about: table.locale, table.entries, besides: others, rename: "sr-Latn")
      guard let complaint, let source = sources[ExactText(table.name)]?.first else { return nil }
      return ResourceProblem(
        kind: .unreachable, file: source.file.path, table: table.name, source.file.text(complaint))
    }
  }

  /// Whether `file` is the stringsdict beside the `.strings` file of `present`.
  private func overrides(
    _ file: AppleFolderSearch.TableFile, _ present: StringEntry, in sources: [Source]
  ) -> Bool {
    file.format == .stringsDict
      && sources.contains {
        $0.file.format == .strings && $0.file.path.hasSameBytes(as: present.file)
          && $0.file.bundle.hasSameBytes(as: file.bundle)
      }
  }

  /// The `.lproj` folders, each once. One in an archive has the path of the archive.
  private static func folders(of sources: [Source]) -> [(path: String, innerPath: String?)] {
    var folders: [(path: String, innerPath: String?)] = []
    for file in sources.map(\.file) where file.format != .catalog {
      guard let folder = folder(of: file.innerPath ?? file.path) else { continue }
      let place =
        file.innerPath == nil ? (path: folder, innerPath: nil) : (path: file.path, innerPath: folder)
      if folders.last.map({ $0 == place }) != true { folders.append(place) }
    }
    return folders
  }

  private static func folder(of path: String) -> String? {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
  }
}
