internal import JSON

extension AppleTableMerger {
  /// Leaves out what no iPhone finds because a file of the same kind is in no `.lproj` folder: CFBundle finds
  /// that one first, for every language (CFBundle_Resources.c, _createQueryTableAtPath). Call it after the
  /// last file was added.
  mutating func preferGlobalFiles() -> [ResourceProblem] {
    let base = ExactText(AppleLocaleMatcher.base)
    let global = (sources[base] ?? []).filter(\.file.isGlobal)
    var problems: [ResourceProblem] = []
    for format in [AppleFolderSearch.TableFile.Format.strings, .stringsDict] {
      guard let winner = global.first(where: { $0.file.format == format }) else { continue }
      var losers: [String] = []
      for language in languages {
        let key = ExactText(language)
        let present = sources[key] ?? []
        let kept = present.compactMap { $0.file.isGlobal ? $0 : $0.without(format) }
        let count = { (sources: [Source]) in sources.reduce(sources.count) { $0 + $1.entries.count } }
        if count(kept) < count(present) { losers.append(language) }
        sources[key] = kept.isEmpty ? nil : kept
      }
      if !losers.isEmpty { problems.append(Self.problem(winner, losers)) }
    }
    if !global.isEmpty, global.allSatisfy({ $0.file.format == .stringsDict }) { share(global, of: base) }
    return problems
  }

  /// Gives the plurals of all languages to each that has texts.
  private mutating func share(_ global: [Source], of base: ExactText) {
    guard hasStrings else { return }
    sources[base]?.removeAll(where: \.file.isGlobal)
    if sources[base]?.isEmpty == true { sources[base] = nil }
    for language in sources.keys { sources[language]? += global }
  }

  private static func problem(_ winner: Source, _ losers: [String]) -> ResourceProblem {
    let names = losers.prefix(10).map(\.shortened).joined(separator: ", ") + (losers.count > 10 ? ", …" : "")
    return ResourceProblem(
      kind: .globalTable, file: winner.file.path, winner.file.text(FindingText(.globalFile, [names])))
  }
}

extension AppleTableMerger.Source {
  /// What is left without the content that goes into files of a format; nil if nothing is.
  fileprivate func without(_ format: AppleFolderSearch.TableFile.Format) -> Self? {
    guard file.format == .catalog else { return file.format == format ? nil : self }
    var rest = self
    rest.entries.removeAll { entry in
      if case .plural = entry.value { format == .stringsDict } else { format == .strings }
    }
    if format == .strings { rest.hasPluralsOnly = true }
    return rest.entries.isEmpty ? nil : rest
  }
}
