internal import JSON

/// The strings of one locale, from all its folders, before references are resolved.
struct AndroidTable {
  /// One `values` folder of the locale.
  struct Folder {
    let path: String
    let configuration: AndroidConfiguration
    let files: [String]
    /// The place of its source set in the order in which these win.
    let layer: Int
    let sourceSet: AndroidLayout.SourceSet
  }

  let name: String
  let locale: LocaleTag?
  /// By name: the string, otherwise the plural, otherwise the array.
  private(set) var entries: [ExactText: StringEntry] = [:]
  /// The plurals and arrays whose name another entry has too.
  private(set) var namesakes: [ExactText: [StringEntry]] = [:]
  /// The strings for some phones only, beside those in `entries`, with their references.
  private(set) var alternatives: [ExactText: [AndroidDraft]] = [:]
  /// The references of the entries that refer to other strings.
  private(set) var references: [AndroidResourceName: [AndroidDraft.Reference]] = [:]
  private(set) var problems: [ResourceProblem] = []
  private var problemsLeft: Int

  /// Reads the folders, least specific first; entries of earlier folders win. `names` are the entries of
  /// `values/`, whose keys other languages share.
  init(
    _ group: AndroidFolderScan.LocaleGroup, variants: [String], sharing names: [ExactText: StringEntry],
    limits: AndroidLimits
  ) {
    (name, locale) = (group.name, group.locale)
    let folders = group.folders
    problemsLeft = limits.problemsPerFileMax
    var index = folders.startIndex
    while index < folders.endIndex {
      let configuration = folders[index].configuration
      let end = folders[index...].firstIndex { $0.configuration != configuration } ?? folders.endIndex
      let configured = folders[index..<end]
      var layers = AndroidLayers(variants: variants)
      while index < end {
        let (layer, sourceSet) = (folders[index].layer, folders[index].sourceSet)
        var drafts = sourceSet.values
        while index < end, folders[index].layer == layer {
          for file in folders[index].files {
            let read = read(file, in: folders[index], names, limits)
            if drafts.isEmpty { drafts = read } else { drafts += read }
          }
          index += 1
        }
        let isAlone = sourceSet.variants == nil && configured.allSatisfy { $0.layer == layer }
        if isAlone, fill(drafts) { break }
        layers.add(choose(drafts), of: sourceSet.variants)
      }
      merge(layers.drafts)
      for (key, others) in layers.others { alternatives[key, default: []] += others }
    }
  }

  /// The values of a built app, least specific ones first.
  init(name: String, locale: LocaleTag?, layers: [[AndroidDraft]]) {
    (self.name, self.locale, problemsLeft) = (name, locale, 0)
    for drafts in layers { merge(drafts) }
  }

  /// The table with the entries that it has in common with an older one.
  func sharing(_ older: AndroidTable) -> AndroidTable {
    var shared = self
    for index in shared.entries.indices {
      guard let known = older.entries[shared.entries[index].key] else { continue }
      shared.entries.values[index] = shared.entries[index].value.sharing(known)
    }
    return shared
  }

  private mutating func read(
    _ file: String, in folder: Folder, _ names: [ExactText: StringEntry], _ limits: AndroidLimits
  ) -> [AndroidDraft] {
    let path = "\(folder.path)/\(file)"
    do {
      let bytes = try RegularFile.read(path, bytesMax: limits.fileBytesMax)
      // aapt2 Compile.cpp treats the strings of such a file as untranslatable.
      let isTranslatable = !file.contains("donottranslate")
      let parser = AndroidStringsParser(
        bytes: bytes, file: path, table: name, isTranslatable: isTranslatable, sharing: names,
        limits: limits)
      problems += parser.problems
      var drafts = parser.drafts
      if let module = folder.sourceSet.module {
        for index in drafts.indices { drafts[index].entry = drafts[index].entry.with(owner: module) }
      }
      if folder.configuration.isConditional {
        let qualifiers = folder.configuration.conditions.joined(separator: "-")
        for index in drafts.indices { drafts[index].entry = drafts[index].entry.with(qualifiers: qualifiers) }
      }
      return drafts
    } catch {
      problems.append(
        ResourceProblem(
          kind: .unparsable, file: path, table: name, FindingText(.fileUnreadable, [error.text])))
      return []
    }
  }

  /// Fills an empty table, if each name occurs once and without a product, as in nearly all languages.
  private mutating func fill(_ drafts: [AndroidDraft]) -> Bool {
    guard entries.isEmpty else { return false }
    func isNew(_ entry: StringEntry, _ place: inout StringEntry?) -> Bool {
      defer { place = entry }
      return place == nil
    }
    var filled: [ExactText: StringEntry] = [:]
    filled.reserveCapacity(drafts.count)
    for index in drafts.indices {
      let entry = drafts[index].entry
      guard drafts[index].product == nil, isNew(entry, &filled[ExactText(entry.key)]) else { return false }
    }
    entries = filled
    for index in drafts.indices where !drafts[index].references.isEmpty {
      references[AndroidResourceName(drafts[index].entry)] = drafts[index].references
    }
    return true
  }

  /// One entry for each name and kind in one configuration: the product `default`, and the first of
  /// duplicates.
  private mutating func choose(_ drafts: [AndroidDraft]) -> [AndroidDraft] {
    var places: [AndroidResourceName: Int] = [:]
    var first: [ResourceVariant: Int] = [:]
    var chosen: [AndroidDraft] = []
    places.reserveCapacity(drafts.count)
    for (index, draft) in drafts.enumerated() {
      let name = AndroidResourceName(draft.entry)
      guard let place = places[name] else {
        places[name] = chosen.count
        if draft.product != nil { first[ResourceVariant(name: name, product: draft.product)] = index }
        chosen.append(draft)
        continue
      }
      let variant = ResourceVariant(name: name, product: draft.product)
      if let other = first[variant].map({ drafts[$0] })
        ?? (draft.product == chosen[place].product ? chosen[place] : nil)
      {
        reportDuplicate(draft, of: other)
      } else {
        if draft.product == nil { chosen[place] = draft } else { first[variant] = index }
      }
    }
    for draft in chosen where draft.product != nil {
      let product = (draft.product ?? "").firstScalars
      report(draft, .unparsable, FindingText(.noDefaultProduct, [product]))
    }
    return chosen
  }

  private mutating func reportDuplicate(_ draft: AndroidDraft, of other: AndroidDraft) {
    let place = "\(other.entry.file):\(other.entry.line ?? 0)"
    let values = [draft.entry.key.firstScalars, place]
    // Folders that two codes of one language name are two to the build.
    guard Self.folder(of: draft).elementsEqual(Self.folder(of: other)) else {
      return report(draft, .duplicateKey, FindingText(.definedBefore, values))
    }
    report(draft, .duplicateResource, FindingText(.definedTwice, values))
  }

  private static func folder(of draft: AndroidDraft) -> Substring.UTF8View {
    let path = draft.entry.file
    return path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)].utf8
  }

  /// Reports a problem between entries; the parser bounds the problems of each file.
  private mutating func report(_ draft: AndroidDraft, _ kind: ResourceProblem.Kind, _ text: FindingText) {
    guard problemsLeft > 0 else { return }
    problemsLeft -= 1
    problems.append(
      ResourceProblem(
        kind: kind, file: draft.entry.file, line: draft.entry.line, table: name, key: draft.entry.key,
        problemsLeft == 0 ? FindingText(.moreInLanguage) : text))
  }

  /// Adds the resources that no less specific folder has. A string, a plural and an array of one name stand
  /// side by side.
  private mutating func merge(_ drafts: [AndroidDraft]) {
    entries.reserveCapacity(entries.count + drafts.count)
    for draft in drafts {
      let name = AndroidResourceName(draft.entry)
      if let winner = entry(name) {
        if name.kind == .string { addAlternative(draft, to: winner) }
        continue
      }
      if let present = entries[name.key] {
        let isFirst = name.kind < AndroidResourceName(present).kind
        namesakes[name.key, default: []].append(isFirst ? present : draft.entry)
        if isFirst { entries[name.key] = draft.entry }
      } else {
        entries[name.key] = draft.entry
      }
      if !draft.references.isEmpty { references[name] = draft.references }
    }
  }

  /// Keeps a string that some phones use in place of the one for all, or for most. Of two with the same
  /// qualifiers, as in `values-iw-land` and `values-he-land`, phones use the first.
  private mutating func addAlternative(_ draft: AndroidDraft, to winner: StringEntry) {
    guard draft.entry.isConditional else { return }
    let key = ExactText(draft.entry.key)
    let present = alternatives[key] ?? []
    guard present.count < StringTable.alternativesMax,
      !([winner] + present.map(\.entry)).contains(where: { $0.qualifiers == draft.entry.qualifiers })
    else { return }
    alternatives[key, default: []].append(draft)
  }

  /// Replaces the alternatives of a string.
  mutating func replace(alternatives drafts: [AndroidDraft], of key: ExactText) { alternatives[key] = drafts }

  /// The table for phones, with what was resolved of its references.
  var strings: StringTable {
    StringTable(
      name: name, locale: locale, entries: entries, namesakes: namesakes,
      alternatives: alternatives.mapValues { $0.map(\.entry) })
  }

  /// The resource of a type and name.
  func entry(_ name: AndroidResourceName) -> StringEntry? {
    guard let entry = entries[name.key] else { return nil }
    if AndroidResourceName(entry).kind == name.kind { return entry }
    return namesakes[name.key]?.first { AndroidResourceName($0).kind == name.kind }
  }

  /// Replaces the resource of the same type and name.
  mutating func replace(_ entry: StringEntry) {
    let name = AndroidResourceName(entry)
    if entries[name.key].map({ AndroidResourceName($0).kind == name.kind }) ?? false {
      entries[name.key] = entry
    } else {
      namesakes[name.key] = namesakes[name.key]?.map {
        AndroidResourceName($0).kind == name.kind ? entry : $0
      }
    }
  }
}

/// The identity of a resource in aapt2: its type and name.
struct AndroidResourceName: Hashable {
  /// In the order in which a loc key finds them.
  enum Kind: Int, Comparable {
    case string, plural, array

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  let kind: Kind
  let key: ExactText

  init(_ entry: StringEntry) {
    key = ExactText(entry.key)
    kind =
      switch entry.value {
      case .string: .string
      case .plural: .plural
      case .array: .array
      }
  }

  init(string key: ExactText) { (kind, self.key) = (.string, key) }
}

private struct ResourceVariant: Hashable {
  let name: AndroidResourceName
  let product: String?
}
