internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The app's own plurals, as texts for one number: the form of the language's category, with placeholders
/// for strings, as `dragoman plurals` writes it for the number's class.
struct AppPlurals: Sendable {
  /// A plural with the args of a slot that names it.
  private struct Use: Hashable {
    let platform: AppPlatform
    let key: ExactText
    let args: [String]
    let param: String
  }

  private let resources: AppResources
  private let rules: BoundedCache<String, PluralRules>
  private let positions: BoundedCache<Use, PluralNumberPosition?>

  /// More languages than an app has, and more slots than a catalog has; neither comes from a request.
  private static let knownMax = 10_000

  init(_ resources: AppResources) {
    self.resources = resources
    rules = BoundedCache(countMax: Self.knownMax)
    positions = BoundedCache(countMax: Self.knownMax)
  }

  /// The text for a number in the phone's language, as if the phone had found it as a string; nil if the
  /// language has no such plural, or none that a text can be made of.
  func lookUp(
    _ plural: SlotContent.Plural, of slot: TextSlot.Name, in template: Template, _ strings: DeviceStrings
  ) -> StringLookup? {
    guard let (entry, table) = strings.plural(named: plural.text.key) else { return nil }
    let language = resources.language(of: table)
    let rules = rules.value(language) { PluralRules(language: language) }
    let reached = Set(plural.choice.partition.smallestMembers.map(rules.category))
    guard let forms = PluralForms(readable: entry, on: strings.platform, reached: reached),
      let shared = position(of: plural, of: slot, in: template, strings.platform)
    else { return nil }
    let position = forms.numberArgument.map { PluralNumberPosition(app: $0, slot: shared.slot) } ?? shared
    let text = forms.text(
      rules.category(of: plural.number), isZero: plural.number == 0, position)
    let string = StringEntry(
      key: plural.text.key, value: .string(text), file: entry.file, line: entry.line,
      isUnresolved: entry.isUnresolved)
    return .found(string, table: table.name)
  }

  private func position(
    of plural: SlotContent.Plural, of slot: TextSlot.Name, in template: Template, _ platform: AppPlatform
  ) -> PluralNumberPosition? {
    let use = Use(
      platform: platform, key: ExactText(plural.text.key), args: plural.text.args,
      param: plural.choice.param)
    return positions.value(use) {
      guard let resources = resources[platform],
        let use = template.keyUses.first(where: {
          $0.platform == platform && $0.slot == slot && $0.plural == plural.choice
        })
      else { return nil }
      return GeneratedPlural.position(of: use, plural.choice, in: resources, of: self.resources)
    }
  }
}
