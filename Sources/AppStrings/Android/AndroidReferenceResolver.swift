internal import JSON

/// Resolves `@string/x` to its text: in the same locale, then in its parents, then in `values/`.
struct AndroidReferenceResolver {
  private let tables: [AndroidTable]
  private let places: [String: Int]
  private let limits: AndroidLimits
  private(set) var problems: [ResourceProblem] = []

  init(tables: [AndroidTable], limits: AndroidLimits) {
    self.tables = tables
    self.limits = limits
    places = Dictionary(tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  /// The tables with every reference resolved that can be, and the entries of the others marked. O(references
  /// × hops).
  mutating func resolved() -> [AndroidTable] {
    var resolved = tables
    for (index, table) in tables.enumerated() where !table.references.isEmpty || !table.alternatives.isEmpty {
      let chain = chain(of: table)
      for (name, references) in table.references {
        guard let entry = table.entry(name) else { continue }
        resolved[index].replace(resolve(entry, references, in: chain))
      }
      for (key, drafts) in table.alternatives where drafts.contains(where: { !$0.references.isEmpty }) {
        let found = drafts.map { draft in
          guard !draft.references.isEmpty else { return draft }
          var draft = draft
          draft.entry = resolve(draft.entry, draft.references, in: chain)
          return draft
        }
        resolved[index].replace(alternatives: found, of: key)
      }
    }
    return resolved
  }

  /// The entry with the texts of its references.
  private mutating func resolve(
    _ entry: StringEntry, _ references: [AndroidDraft.Reference], in chain: [AndroidTable]
  ) -> StringEntry {
    var texts: [Int: String] = [:]
    for reference in references { texts[reference.index] = follow(reference, from: entry, in: chain) }
    let names = Dictionary(references.map { ($0.index, $0.name) }, uniquingKeysWith: { first, _ in first })
    return entry.with(
      value: entry.value.replacing(texts, referringTo: names),
      reference: entry.text == nil ? nil : references.first?.name,
      isUnresolved: texts.count < references.count)
  }

  /// The table itself, the tables of its parent locales, and `values/`.
  private func chain(of table: AndroidTable) -> [AndroidTable] {
    Self.chain(of: table.name, table.locale).compactMap { places[$0].map { tables[$0] } }
  }

  /// The names of the table itself, of the tables of its parent locales, and of `values/`, as far as there
  /// can be such tables.
  static func chain(of name: String, _ locale: LocaleTag?) -> [String] {
    var names = [name]
    if let locale {
      names.append(
        LocaleTag(language: locale.language, script: locale.script, region: locale.region).description)
      names.append(LocaleTag(language: locale.language, script: locale.script).description)
      names.append(LocaleTag(language: locale.language).description)
    }
    names.append(StringResources.defaultTable)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// The text to which a reference leads; nil if the resources do not have it.
  private mutating func follow(
    _ reference: AndroidDraft.Reference, from entry: StringEntry, in chain: [AndroidTable]
  ) -> String? {
    guard let first = reference.name else { return nil }
    var name = first
    for _ in 0..<limits.referenceHopsMax {
      let key = ExactText(name)
      guard let table = chain.first(where: { $0.entries[key]?.text != nil }),
        let text = table.entries[key]?.text
      else {
        // An app with a reference to nothing does not build, so the string comes from elsewhere.
        report(
          entry, in: chain, .remark,
          FindingText(
            english:
              "@string/\(name.firstScalars) exists neither in this language nor in values/. Its text is in "
              + "another source set or a library, which this folder does not have."))
        return nil
      }
      guard let next = table.references[AndroidResourceName(string: key)]?.first else { return text }
      guard let nextName = next.name else { return nil }
      name = nextName
    }
    report(
      entry, in: chain, .unparsable,
      FindingText(.circle, [first.firstScalars, limits.referenceHopsMax]))
    return nil
  }

  private mutating func report(
    _ entry: StringEntry, in chain: [AndroidTable], _ kind: ResourceProblem.Kind, _ text: FindingText
  ) {
    guard problems.count <= limits.referenceProblemsMax else { return }
    let isLast = problems.count == limits.referenceProblemsMax
    problems.append(
      ResourceProblem(
        kind: kind, file: entry.file, line: entry.line, table: chain.first?.name, key: entry.key,
        isLast ? FindingText(.moreReferences) : text))
  }
}

extension StringEntry.Value {
  /// The value with some of its texts replaced, and the names to which its texts refer, by index.
  fileprivate func replacing(_ texts: [Int: String], referringTo names: [Int: String?]) -> Self {
    switch self {
    case .string(let text): .string(texts[0] ?? text)
    case .array(let items): .array(items.enumerated().map { texts[$0] ?? $1 })
    case .plural(let forms):
      .plural(
        forms.enumerated().map {
          StringEntry.Form(category: $1.category, text: texts[$0] ?? $1.text, reference: names[$0] ?? nil)
        })
    }
  }
}
