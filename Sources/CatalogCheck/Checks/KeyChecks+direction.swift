internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// Whether an arg can change the order of a right-to-left text.
extension KeyChecks {
  /// The finding about a key and its platform; nil if there is none, or if it was reported before.
  mutating func directionFinding(of use: KeyUse) -> Finding? {
    guard !use.openArgs.isEmpty, let resources = resources?[use.platform],
      !knownDirections.contains(KeyPlace(edited: use))
    else { return nil }
    let unshipped = self.resources?.unshipped[use.platform] ?? []
    var exposed: Set<Int> = []
    var locales: [String] = []
    for (table, args) in exposures(of: use, in: resources) where !unshipped.contains(table) {
      let args = args.intersection(use.openArgs)
      if args.isEmpty { continue }
      exposed.formUnion(args)
      locales.append(table)
    }
    guard !locales.isEmpty else { return nil }
    knownDirections.insert(KeyPlace(edited: use))
    let names = exposed.sorted().map { use.text.args[$0] }
    var params: [String] = []
    for name in names where !params.contains(name) { params.append(name) }
    let shown = locales.prefix(5).joined(separator: ", ")
    let listed: any FindingValue =
      locales.count > 5 ? FindingText(.andMore, [shown, locales.count - 5]) : shown
    return Finding(
      .bidiUnsafe, .canReorder, [params.joined(separator: ", "), listed],
      help: params.count == 1 ? .isolateParam : .isolateParams)
  }

  /// The args that any text of a use exposes, by table. All templates of a key have them in common; those of
  /// a plural also depend on its classes.
  private mutating func exposures(
    of use: KeyUse, in resources: StringResources
  ) -> [(table: String, args: Set<Int>)] {
    guard let plural = use.plural else {
      let place = KeyPlace(use)
      if let known = exposures[place] { return known }
      let found = exposures(of: [use.text.key], in: resources)
      exposures[place] = found
      return found
    }
    let keys = plural.partition.smallestMembers.indices.map { use.ofClass($0, of: plural).text.key }
    return exposures(of: keys, in: resources)
  }

  private mutating func exposures(
    of keys: [String], in resources: StringResources
  ) -> [(table: String, args: Set<Int>)] {
    resources.tables.compactMap { table in
      let language = table.locale.map { direction(of: $0) } ?? .leftToRight
      let args = keys.reduce(into: Set<Int>()) { args, key in
        for entry in [table[key]].compactMap(\.self) + table.alternatives(of: key) {
          guard let text = Translation(table, entry, resources.platform).text else { continue }
          args.formUnion(
            FormatString(text, platform: resources.platform).exposedArguments(language: language))
        }
      }
      return args.isEmpty ? nil : (table.name, args)
    }
  }

  private mutating func direction(of language: LocaleTag) -> TextDirection {
    if let known = languageDirections[language] { return known }
    let direction = TextDirection(locale: language)
    languageDirections[language] = direction
    return direction
  }
}

/// A key on one platform.
struct KeyPlace: Hashable {
  private let platform: AppPlatform
  private let key: ExactText

  init(_ use: KeyUse) {
    platform = use.platform
    key = ExactText(use.text.key)
  }

  /// The place that people edit: all native strings of a source's key have one.
  init(edited use: KeyUse) {
    platform = use.platform
    key = ExactText(use.source ?? use.text.key)
  }
}
