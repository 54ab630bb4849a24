internal import AppStrings
internal import Catalog
internal import FCMMessage

/// Whether all variants of an Android app have a key.
extension KeyChecks {
  /// The finding that some of the app's variants lack a key; nil if none does.
  func absentVariants(_ holders: [Translation], _ resources: StringResources) -> Finding? {
    let lacking = resources.variants(without: holders.flatMap(\.allEntries))
    guard let all = resources.project?.variants, !lacking.isEmpty else { return nil }
    let known = all.filter { !lacking.contains($0) }
    var finding = Finding(
      .missingKey, known.count == 1 ? .onlyFlavorHasKey : .onlyFlavorsHaveKey,
      [FindingGroup.listed(known, most: 5), FindingGroup.listed(lacking, most: 5)], help: .addToFlavors)
    finding.variants = lacking
    return finding
  }

  /// The finding that some of the app's variants have the key in languages but not in `values/`, where others
  /// have it; nil if none does.
  func variantsWithoutDefault(
    _ strings: [Translation], _ resources: StringResources, _ source: Translation
  ) -> Finding? {
    let entries = strings.flatMap(\.allEntries)
    let defaults = strings.filter { $0.table.name == StringResources.defaultTable }.flatMap(\.allEntries)
    let absent = resources.variants(without: entries)
    let lacking = resources.variants(without: defaults.filter { !$0.isConditional })
      .filter { !absent.contains($0) }
    guard resources.platform == .android, !defaults.isEmpty, !lacking.isEmpty else { return nil }
    var finding = source.placed(
      Finding(
        .missingDefaultKey, .noDefaultInFlavors, [FindingGroup.flavors(lacking)],
        help: .addDefaultToFlavors))
    finding.locale = StringResources.defaultTable
    finding.variants = lacking
    return finding
  }
}

extension StringResources {
  /// The app's variants that have none of some entries.
  fileprivate func variants(without entries: [StringEntry]) -> [String] {
    guard !entries.contains(where: \.variants.isEmpty) else { return [] }
    let having = Set(entries.flatMap(\.variants))
    return (project?.variants ?? []).filter { !having.contains($0) }
  }
}
