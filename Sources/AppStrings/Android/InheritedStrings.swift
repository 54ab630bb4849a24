internal import JSON

/// The texts that phones find through references: `values/` has `@string/x`, and a phone takes the text of
/// `x` in its own language (AOSP AssetManager2::ResolveReference), although that language lacks the entry.
package enum InheritedStrings {
  /// References times tables; a large app has some ten thousand. With more, no text is inherited.
  private static let pairsMax = 500_000

  private static let hopsMax = AndroidLimits().referenceHopsMax

  /// A string or plural that refers to other strings, in the table that has it.
  private struct Alias {
    let source: Int
    let entry: StringEntry
    let name: AndroidResourceName
    let referenceCount: Int

    init?(_ entry: StringEntry, in source: Int) {
      var count = entry.reference == nil ? 0 : 1
      if case .plural(let forms) = entry.value { count = forms.count { $0.reference != nil } }
      if count == 0 || entry.isConditional { return nil }
      (self.source, self.entry, name) = (source, entry, AndroidResourceName(entry))
      referenceCount = count
    }
  }

  /// The tables with an inherited entry in each language that has a text to which an entry of `values/` or
  /// of a parent locale refers. O(references × tables).
  package static func adding(to tables: [StringTable]) -> [StringTable] {
    let aliases = tables.indices.flatMap { index in
      tables[index].entries.values.compactMap { Alias($0, in: index) }
        + tables[index].namesakes.values.joined().compactMap { Alias($0, in: index) }
    }
    let count = aliases.reduce(0) { $0 + $1.referenceCount }
    guard !aliases.isEmpty, count <= pairsMax / tables.count else { return tables }
    let places = Dictionary(tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
    return tables.map { table in
      let chain = AndroidReferenceResolver.chain(of: table.name, table.locale).compactMap { places[$0] }
      let searched = chain.map { tables[$0] }
      let added = aliases.compactMap { alias -> StringEntry? in
        guard chain.first != alias.source,
          chain.first(where: { tables[$0].resource(alias.name) != nil }) == alias.source
        else { return nil }
        return inherited(alias.entry, in: searched)
      }
      return added.isEmpty ? table : table.adding(added)
    }
  }

  /// What the first table inherits of an entry; nil if it has none of the texts.
  private static func inherited(_ entry: StringEntry, in chain: [StringTable]) -> StringEntry? {
    if case .plural(let forms) = entry.value { return inherited(entry, forms, in: chain) }
    guard let reference = entry.reference, let (found, isOwn) = follow(reference, in: chain), isOwn else {
      return nil
    }
    return StringEntry(
      key: entry.key, value: found.value, file: found.file, line: found.line,
      isFormatted: found.isFormatted, reference: reference, isInherited: true, absence: found.absence,
      isUnresolved: found.isUnresolved)
  }

  /// The plural with the language's own texts. Its place is that of the first of them.
  private static func inherited(
    _ plural: StringEntry, _ forms: [StringEntry.Form], in chain: [StringTable]
  ) -> StringEntry? {
    var place: StringEntry?
    var isUnresolved = plural.isUnresolved
    let forms = forms.map { form in
      guard let reference = form.reference, let (found, isOwn) = follow(reference, in: chain),
        let text = found.text
      else { return form }
      if isOwn, place == nil { place = found }
      if found.isUnresolved { isUnresolved = true }
      return StringEntry.Form(category: form.category, text: text, reference: reference)
    }
    guard let place else { return nil }
    return StringEntry(
      key: plural.key, value: .plural(forms), file: place.file, line: place.line,
      isTranslatable: plural.isTranslatable, isInherited: true, isUnresolved: isUnresolved)
  }

  /// The entry with the text to which a name leads, and whether it leads through the first table; what a
  /// parent has is found in the parent too.
  private static func follow(
    _ reference: String, in chain: [StringTable]
  ) -> (entry: StringEntry, isOwn: Bool)? {
    var name = reference
    var isOwn = false
    for _ in 0..<hopsMax {
      let key = ExactText(name)
      guard let place = chain.firstIndex(where: { $0.entries[key]?.text != nil }),
        let entry = chain[place].entries[key]
      else { return nil }
      if place == 0 { isOwn = true }
      guard let next = entry.reference else { return (entry, isOwn) }
      name = next
    }
    return nil
  }
}

extension StringTable {
  /// The resource of a type and name.
  fileprivate func resource(_ name: AndroidResourceName) -> StringEntry? {
    guard let entry = entries[name.key] else { return nil }
    if AndroidResourceName(entry).kind == name.kind { return entry }
    return namesakes[name.key]?.first { AndroidResourceName($0).kind == name.kind }
  }

  /// The table with more resources, each beside those of other types that have the same name.
  fileprivate func adding(_ added: [StringEntry]) -> StringTable {
    var (entries, namesakes) = (entries, namesakes)
    for entry in added {
      let name = AndroidResourceName(entry)
      guard let present = entries[name.key] else {
        entries[name.key] = entry
        continue
      }
      let isFirst = name.kind < AndroidResourceName(present).kind
      if isFirst { entries[name.key] = entry }
      namesakes[name.key, default: []].insert(isFirst ? present : entry, at: 0)
    }
    return StringTable(
      name: self.name, locale: locale, entries: entries, namesakes: namesakes, alternatives: alternatives)
  }
}
