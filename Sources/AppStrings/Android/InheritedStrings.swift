internal import JSON

/// The texts that phones find through references: `values/` has `@string/x`, and a phone takes the text of
/// `x` in its own language (AOSP AssetManager2::ResolveReference), although that language lacks the entry.
package enum InheritedStrings {
  /// References times tables; a large app has some ten thousand. With more, no text is inherited.
  private static let pairsMax = 500_000

  private static let hopsMax = AndroidLimits().referenceHopsMax

  /// The tables with an inherited entry in each language that has the text to which an entry of `values/` or
  /// of a parent locale refers. O(references × tables).
  package static func adding(to tables: [StringTable]) -> [StringTable] {
    let aliases = tables.indices.flatMap { index in
      tables[index].entries.compactMap { key, entry in
        entry.isConditional ? nil : entry.reference.map { (source: index, key: key, reference: $0) }
      }
    }
    guard !aliases.isEmpty, aliases.count <= pairsMax / tables.count else { return tables }
    let places = Dictionary(tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
    return tables.map { table in
      let chain = AndroidReferenceResolver.chain(of: table.name, table.locale).compactMap { places[$0] }
      let searched = chain.map { tables[$0] }
      var added: [ExactText: StringEntry] = [:]
      for (source, key, reference) in aliases {
        guard chain.first != source, chain.first(where: { tables[$0].entries[key]?.text != nil }) == source,
          let found = follow(reference, in: searched)
        else { continue }
        added[key] = StringEntry(
          key: key.text, value: found.value, file: found.file, line: found.line,
          isFormatted: found.isFormatted, reference: reference, isInherited: true, absence: found.absence,
          isUnresolved: found.isUnresolved)
      }
      return added.isEmpty ? table : table.adding(added)
    }
  }

  /// The entry with the text to which a name leads, if that passes through the first table; nil otherwise,
  /// because what a parent has is found there.
  private static func follow(_ reference: String, in chain: [StringTable]) -> StringEntry? {
    var name = reference
    var isOwn = false
    for _ in 0..<hopsMax {
      let key = ExactText(name)
      guard let place = chain.firstIndex(where: { $0.entries[key]?.text != nil }),
        let entry = chain[place].entries[key]
      else { return nil }
      if place == 0 { isOwn = true }
      guard let next = entry.reference else { return isOwn ? entry : nil }
      name = next
    }
    return nil
  }
}

extension StringTable {
  /// The table with more strings. A plural of the same name stays beside the string.
  fileprivate func adding(_ strings: [ExactText: StringEntry]) -> StringTable {
    var namesakes = namesakes
    for key in strings.keys {
      if let present = entries[key] { namesakes[key, default: []].insert(present, at: 0) }
    }
    return StringTable(
      name: name, locale: locale, entries: entries.merging(strings) { $1 }, namesakes: namesakes,
      alternatives: alternatives)
  }
}
