internal import JSON

/// Puts the files of one bundle together, language by language, as CFBundle (CFBundle_Strings.c) and Xcode do.
struct AppleTableMerger: Sendable {
  /// What one file has for one language.
  private struct Source {
    let file: AppleFolderSearch.TableFile
    let entries: [StringEntry]
  }

  private var sources: [ExactText: [Source]] = [:]

  /// Files are to be added in path order.
  mutating func add(_ entries: [StringEntry], of file: AppleFolderSearch.TableFile, language: String) {
    sources[ExactText(language), default: []].append(Source(file: file, entries: entries))
  }

  /// Sorted by their bytes.
  var languages: [String] {
    sources.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// A language's table. In one `.lproj` folder the stringsdict's entry stands for the same key of the `.strings`
  /// file; between folders and catalogs the first wins, and a key that is in two of them is a problem.
  func table(_ language: String) -> (table: StringTable, problems: [ResourceProblem]) {
    let name = AppleLocaleName(language)
    var problems: [ResourceProblem] = []
    var entries: [ExactText: StringEntry] = [:]
    let sources = sources[ExactText(language)] ?? []
    entries.reserveCapacity(sources.first?.entries.count ?? 0)
    for source in sources {
      for entry in source.entries {
        let key = ExactText(entry.key)
        guard let present = entries[key] else {
          entries[key] = entry
          continue
        }
        if overrides(source.file, present, in: sources) {
          entries[key] = entry
        } else if problems.count < AppleResourceLimits.remarkCountMax {
          let message =
            "the key \"\(entry.key.shortened)\" of \"\(language.shortened)\" is in \(present.file) already, "
          problems.append(
            ResourceProblem(
              kind: .duplicateKey, file: entry.file, line: entry.line, table: language, key: entry.key,
              message: message + "which is the one that is read"))
        }
      }
    }
    if let remark = name.remark {
      for folder in Self.folders(of: sources, language: language) {
        problems.append(
          ResourceProblem(kind: remark.kind, file: folder, table: language, message: remark.message))
      }
    }
    return (StringTable(name: language, locale: name.locale, entries: entries), problems)
  }

  /// Whether `file` is the stringsdict beside the `.strings` file that `present` is from.
  private func overrides(
    _ file: AppleFolderSearch.TableFile, _ present: StringEntry, in sources: [Source]
  ) -> Bool {
    file.format == .stringsDict
      && sources.contains {
        $0.file.format == .strings && $0.file.path.hasSameBytes(as: present.file)
          && $0.file.bundle.hasSameBytes(as: file.bundle)
      }
  }

  private static func folders(of sources: [Source], language: String) -> [String] {
    var folders: [String] = []
    for source in sources where source.file.format != .catalog {
      let folder = source.file.path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
        String(source.file.path[..<$0])
      }
      if let folder, folders.last != folder { folders.append(folder) }
    }
    return folders
  }
}
