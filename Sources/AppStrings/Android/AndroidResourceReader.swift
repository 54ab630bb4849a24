internal import Dispatch
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
    var scan = AndroidFolderScan(folder: folder, limits: limits)
    let groups = scan.localeGroups()
    @Sendable func table(
      _ group: AndroidFolderScan.LocaleGroup, _ names: [ExactText: StringEntry]
    ) -> AndroidTable {
      kept.value(ParsedFiles.Question(.android, group.paths)) {
        AndroidTable(group, sharing: names, limits: limits)
      }
    }
    // Others share the names of `values/`, which comes first.
    let first = groups.first.map { table($0, [:]) }
    let names = first?.entries ?? [:]
    let others = Mutex([AndroidTable?](repeating: nil, count: groups.dropFirst().count))
    DispatchQueue.concurrentPerform(iterations: groups.dropFirst().count) { index in
      let table = table(groups[index + 1], names)
      others.withLock { $0[index] = table }
    }
    let tables = [first].compactMap(\.self) + others.withLock { $0 }.compactMap(\.self)
    var resolver = AndroidReferenceResolver(tables: tables, limits: limits)
    let resolved = resolver.resolved()
    let keptNames = scan.keptNames()
    let problems = scan.problems + tables.flatMap(\.problems) + resolver.problems
    let own = resolved.map(\.strings)
    let hasReferences = resolved.contains { !$0.references.isEmpty }
    return StringResources(
      platform: .android, folder: folder,
      tables: hasReferences ? InheritedStrings.adding(to: own) : own,
      problems: sorted(problems), keptNames: keptNames)
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
