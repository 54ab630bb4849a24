internal import FCMMessage
internal import JSON
internal import Synchronization

/// Reads the strings of an Android app as aapt2 would compile them.
package enum AndroidResourceReader {
  /// Reads all `values*/*.xml` and `raw*/*.xml` of a `res` folder, in parallel on all cores.
  ///
  /// A folder with an invalid name is reported and not read, because the app cannot be built with it. Where
  /// several folders have one locale (`values-fr`, `values-fr-land`), the entry with the fewest qualifiers
  /// represents all.
  package static func read(folder: String) -> StringResources {
    read(folder: folder, limits: AndroidLimits(), kept: .shared)
  }

  /// `kept` has what was read before with the same limits.
  static func read(
    folder: String, limits: AndroidLimits, kept: ParsedFiles = ParsedFiles(sourceBytesMax: 0)
  ) -> StringResources {
    read(AndroidLayout(folders: [folder]), path: folder, limits: limits, kept: kept)
  }

  /// Reads the folders of a layout as the build merges them. `path` is what the caller named, and `kept` has
  /// what was read before with the same limits.
  static func read(
    _ layout: AndroidLayout, path: String, limits: AndroidLimits = AndroidLimits(),
    kept: ParsedFiles = .shared
  ) -> StringResources {
    var scan = AndroidFolderScan(layout: layout, limits: limits)
    let groups = scan.localeGroups()
    @Sendable func table(
      _ group: AndroidFolderScan.LocaleGroup, _ names: [ExactText: StringEntry]
    ) -> AndroidTable {
      let question = ParsedFiles.Question(
        .android, group.paths + layout.buildFiles, context: group.context + layout.variants)
      return kept.value(question, sharing: { $0.sharing($1) }) {
        AndroidTable(group, variants: layout.variants, sharing: names, limits: limits)
      }
    }
    // Others share the names of `values/`, which comes first.
    let first = groups.first.map { table($0, [:]) }
    let names = first?.entries ?? [:]
    let others = Mutex([AndroidTable?](repeating: nil, count: groups.dropFirst().count))
    ConcurrentReading.perform(iterations: groups.dropFirst().count) { index in
      let table = table(groups[index + 1], names)
      others.withLock { $0[index] = table }
    }
    let tables = [first].compactMap(\.self) + others.withLock { $0 }.compactMap(\.self)
    var resolver = AndroidReferenceResolver(tables: tables, limits: limits)
    let resolved = resolver.resolved()
    let keptNames = scan.keptNames()
    let notSerbian = tables.filter { $0.locale?.language != "sr" }.map(\.entries)
    let serbian = zip(groups, tables).compactMap { group, table -> ResourceProblem? in
      let complaint = SerbianScript.complaint(
        about: table.locale, table.entries, besides: notSerbian, rename: "values-b+sr+Latn")
      guard let complaint, let folder = group.folders.first else { return nil }
      return ResourceProblem(kind: .unreachable, file: folder.path, table: table.name, complaint)
    }
    let problems =
      layout.problems + scan.problems + tables.flatMap(\.problems) + resolver.problems + serbian
    let own = resolved.map(\.strings)
    let hasReferences = resolved.contains { !$0.references.isEmpty }
    let all = hasReferences ? InheritedStrings.adding(to: own) : own
    return StringResources(
      platform: .android, folder: path, tables: all, problems: sorted(problems), keptNames: keptNames,
      outOfReach: outOfReach(layout, limits), elsewhere: layout.elsewhere, project: layout.project,
      appName: AndroidAppLabel.name(of: layout, in: all, limits),
      appIcon: AndroidAppIcon.icon(of: layout, limits))
  }

  /// The most folders that do not reach the app whose keys are read.
  private static let elsewhereMax = 200

  /// The keys of the `values` folders that do not reach the app.
  private static func outOfReach(
    _ layout: AndroidLayout, _ limits: AndroidLimits
  ) -> [ExactText: StringResources.OutOfReach] {
    var found: [ExactText: StringResources.OutOfReach] = [:]
    for place in layout.elsewhere.prefix(elsewhereMax) {
      let other = AndroidLayout(folders: [place.path])
      var scan = AndroidFolderScan(layout: other, limits: limits)
      guard let group = scan.localeGroups().first(where: { $0.locale == nil }) else { continue }
      let table = AndroidTable(group, variants: [], sharing: [:], limits: limits)
      for (key, entry) in table.entries where found[key] == nil {
        found[key] = .init(
          table: place.owner ?? "", file: entry.file, line: entry.line, place: place)
      }
    }
    return found
  }

  /// Sorted by file and line, whichever thread found them.
  private static func sorted(_ problems: [ResourceProblem]) -> [ResourceProblem] {
    problems.enumerated().sorted { left, right in
      if !left.element.file.hasSameBytes(as: right.element.file) {
        return left.element.file.utf8.lexicographicallyPrecedes(right.element.file.utf8)
      }
      let lines = (left.element.line ?? 0, right.element.line ?? 0)
      if lines.0 != lines.1 { return lines.0 < lines.1 }
      let keys = (left.element.key ?? "", right.element.key ?? "")
      if !keys.0.hasSameBytes(as: keys.1) { return keys.0.utf8.lexicographicallyPrecedes(keys.1.utf8) }
      return left.offset < right.offset
    }.map(\.element)
  }
}
