internal import Dispatch
internal import JSON
internal import Synchronization

/// The strings of a built Android app, put together as for a source folder.
package enum BuiltAndroidStrings {
  /// The values of one configuration.
  package struct Layer: Sendable {
    /// `default` or the locale's tag.
    package let table: String
    package let locale: LocaleTag?
    package let drafts: [AndroidDraft]

    package init(table: String, locale: LocaleTag?, drafts: [AndroidDraft]) {
      (self.table, self.locale, self.drafts) = (table, locale, drafts)
    }
  }

  /// The tables of all layers, `default` first, then by name. Of one name the first layer's value wins;
  /// references are resolved.
  package static func tables(
    _ layers: [Layer]
  ) -> (tables: [StringTable], problems: [ResourceProblem]) {
    var groups: [String: [Layer]] = [:]
    for layer in layers { groups[layer.table, default: []].append(layer) }
    let names = groups.keys.sorted { left, right in
      let isDefault = (left == StringResources.defaultTable, right == StringResources.defaultTable)
      if isDefault.0 != isDefault.1 { return isDefault.0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    let sorted = names.map { (name: $0, layers: groups[$0] ?? []) }
    let built = Mutex([AndroidTable?](repeating: nil, count: sorted.count))
    DispatchQueue.concurrentPerform(iterations: sorted.count) { index in
      let (name, layers) = sorted[index]
      let table = AndroidTable(name: name, locale: layers.first?.locale, layers: layers.map(\.drafts))
      built.withLock { $0[index] = table }
    }
    var resolver = AndroidReferenceResolver(
      tables: built.withLock { $0.compactMap(\.self) }, limits: AndroidLimits())
    let resolved = resolver.resolved()
    let tables = resolved.map(\.strings)
    let hasReferences = resolved.contains { !$0.references.isEmpty }
    return (hasReferences ? InheritedStrings.adding(to: tables) : tables, resolver.problems)
  }
}
