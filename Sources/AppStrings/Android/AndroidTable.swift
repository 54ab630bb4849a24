internal import JSON
internal import Synchronization

/// The strings of one locale, from all its folders, before references are resolved.
struct AndroidTable {
  /// One `values` folder of the locale.
  struct Folder {
    let path: String
    let configuration: AndroidConfiguration
    let files: [String]
  }

  let name: String
  let locale: LocaleTag?
  private(set) var entries: [ExactText: StringEntry] = [:]
  /// The references of the entries that refer to other strings.
  private(set) var references: [ExactText: [AndroidDraft.Reference]] = [:]
  private(set) var problems: [ResourceProblem] = []
  private var problemsLeft: Int

  /// Reads the folders, least specific first; entries of earlier folders win.
  init(name: String, locale: LocaleTag?, folders: [Folder], names: InternedNames, limits: AndroidLimits) {
    self.name = name
    self.locale = locale
    problemsLeft = limits.problemsPerFileMax
    var index = folders.startIndex
    while index < folders.endIndex {
      let configuration = folders[index].configuration
      let end = folders[index...].firstIndex { $0.configuration != configuration } ?? folders.endIndex
      var drafts: [AndroidDraft] = []
      for folder in folders[index..<end] {
        for file in folder.files { drafts += read(file, in: folder, names: names, limits: limits) }
      }
      merge(choose(drafts))
      index = end
    }
  }

  private mutating func read(
    _ file: String, in folder: Folder, names: InternedNames, limits: AndroidLimits
  ) -> [AndroidDraft] {
    let path = "\(folder.path)/\(file)"
    do {
      let bytes = try ResourceFile.read(path, bytesMax: limits.fileBytesMax)
      // aapt2 Compile.cpp treats the strings of such a file as untranslatable.
      let isTranslatable = !file.contains("donottranslate")
      let parser = AndroidStringsParser(
        bytes: bytes, file: path, table: name, isTranslatable: isTranslatable, limits: limits)
      problems += parser.problems
      return names.sharing(parser.drafts)
    } catch {
      problems.append(
        ResourceProblem(
          kind: .unparsable, file: path, table: name, message: "The file cannot be read: \(error.reason)."))
      return []
    }
  }

  /// One entry for each name and kind in one configuration: the product `default`, and the first of
  /// duplicates.
  private mutating func choose(_ drafts: [AndroidDraft]) -> [AndroidDraft] {
    var places: [ResourceName: Int] = [:]
    var first: [ResourceVariant: Int] = [:]
    var chosen: [AndroidDraft] = []
    places.reserveCapacity(drafts.count)
    for (index, draft) in drafts.enumerated() {
      let name = ResourceName(draft.entry)
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
      report(
        draft, .unparsable,
        "The string has a variant for the product \"\(product)\" but none for \"default\", which aapt2 "
          + "rejects."
      )
    }
    return chosen
  }

  private mutating func reportDuplicate(_ draft: AndroidDraft, of other: AndroidDraft) {
    let place = "\(other.entry.file):\(other.entry.line ?? 0)"
    report(draft, .duplicateKey, "\(draft.entry.key.firstScalars) is already defined at \(place).")
  }

  /// Reports a problem between entries; the parser bounds the problems of each file.
  private mutating func report(_ draft: AndroidDraft, _ kind: ResourceProblem.Kind, _ message: String) {
    guard problemsLeft > 0 else { return }
    problemsLeft -= 1
    let message = problemsLeft == 0 ? "This language has more problems than are reported." : message
    problems.append(
      ResourceProblem(
        kind: kind, file: draft.entry.file, line: draft.entry.line, table: name, key: draft.entry.key,
        message: message))
  }

  /// A name can be a string, a plural and an array at once. Phones look loc keys up as strings, so the string
  /// wins.
  private mutating func merge(_ drafts: [AndroidDraft]) {
    entries.reserveCapacity(entries.count + drafts.count)
    for draft in drafts {
      let key = ExactText(draft.entry.key)
      if let old = entries[key], ResourceName(old).kind <= ResourceName(draft.entry).kind { continue }
      entries[key] = draft.entry
      references[key] = draft.references.isEmpty ? nil : draft.references
    }
  }

  mutating func replace(_ entry: StringEntry) { entries[ExactText(entry.key)] = entry }
}

/// The identity of a resource in aapt2: its type and name.
private struct ResourceName: Hashable {
  /// 0 string, 1 plural, 2 array.
  let kind: Int
  let key: ExactText

  init(_ entry: StringEntry) {
    key = ExactText(entry.key)
    kind =
      switch entry.value {
      case .string: 0
      case .plural: 1
      case .array: 2
      }
  }
}

private struct ResourceVariant: Hashable {
  let name: ResourceName
  let product: String?
}

/// Shares the storage of equal keys among the entries of all locales.
final class InternedNames: Sendable {
  private let names = Mutex<Set<ExactText>>([])

  /// The same drafts, with keys replaced by the first equal ones.
  func sharing(_ drafts: [AndroidDraft]) -> [AndroidDraft] {
    var drafts = drafts
    names.withLock { names in
      for index in drafts.indices {
        let key = ExactText(drafts[index].entry.key)
        let (isNew, shared) = names.insert(key)
        if !isNew { drafts[index].entry = drafts[index].entry.with(key: shared.text) }
      }
    }
    return drafts
  }
}
