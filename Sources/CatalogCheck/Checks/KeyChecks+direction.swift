internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import Plurals

/// Whether an arg can change the order of a right-to-left text.
extension KeyChecks {
  /// The finding about a key and its platform; nil if there is none, or if it was reported before.
  mutating func directionFinding(of use: KeyUse) -> Finding? {
    guard !use.openArgs.isEmpty, let resources = resources?[use.platform],
      !knownDirections.contains(KeyPlace(use))
    else { return nil }
    let keys =
      use.plural.map { plural in
        plural.partition.smallestMembers.indices.map { use.ofClass($0, of: plural).text.key }
      } ?? [use.text.key]
    var exposed: Set<Int> = []
    var locales: [String] = []
    let unshipped = self.resources?.unshipped[use.platform] ?? []
    for table in resources.tables where !unshipped.contains(table.name) {
      let language = table.locale.map { direction(of: $0) } ?? .leftToRight
      let args = keys.reduce(into: Set<Int>()) { args, key in
        guard let text = table[key].flatMap({ Translation(table, $0, use.platform).text }) else { return }
        let format = FormatString(text, platform: use.platform)
        args.formUnion(format.exposedArguments(language: language).intersection(use.openArgs))
      }
      if args.isEmpty { continue }
      exposed.formUnion(args)
      locales.append(table.name)
    }
    guard !locales.isEmpty else { return nil }
    knownDirections.insert(KeyPlace(use))
    let names = exposed.sorted().map { use.text.args[$0] }
    var params: [String] = []
    for name in names where !params.contains(name) { params.append(name) }
    let shown = locales.prefix(5).joined(separator: ", ")
    let others = locales.count > 5 ? " and \(locales.count - 5) more" : ""
    return Finding(
      .bidiUnsafe,
      "\(params.joined(separator: ", ")) can change the order of a right-to-left text (\(shown)\(others)): "
        + "beside another arg, a digit, punctuation or the line's edge, a value in another script moves them.",
      help: "Write bidi: isolate for \(params.count == 1 ? "the param" : "these params"), or in defaults.")
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
}
