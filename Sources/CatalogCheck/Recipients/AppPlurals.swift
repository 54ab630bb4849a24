internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The app's own plurals, as texts for one number: the form of the language's category, with placeholders
/// for strings, as `dragoman plurals` writes it for the number's class.
struct AppPlurals: Sendable {
  /// A plural with the args of a slot that names it.
  struct Use: Hashable {
    let platform: AppPlatform
    let key: ExactText
    let args: [String]
    let param: String

    init(_ plural: SlotContent.Plural, on platform: AppPlatform) {
      self.platform = platform
      (key, args, param) = (ExactText(plural.text.key), plural.text.args, plural.choice.param)
    }
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

  /// The plural in the phone's language; nil if the language has no such plural, or none that a text can be
  /// made of.
  func plural(
    _ plural: SlotContent.Plural, of slot: TextSlot.Name, in template: Template, _ strings: DeviceStrings
  ) -> AppPlural? {
    guard let (entry, table) = strings.plural(named: plural.text.key) else { return nil }
    let language = resources.language(of: table)
    let rules = rules.value(language) { PluralRules(language: language) }
    let reached = Set(plural.choice.partition.smallestMembers.map(rules.category))
    guard let forms = PluralForms(readable: entry, on: strings.platform, reached: reached),
      let shared = position(of: plural, of: slot, in: template, strings.platform)
    else { return nil }
    let position = forms.numberArgument.map { PluralNumberPosition(app: $0, slot: shared.slot) } ?? shared
    return AppPlural(
      key: plural.text.key, entry: entry, table: table.name, rules: rules, forms: forms, position: position)
  }

  private func position(
    of plural: SlotContent.Plural, of slot: TextSlot.Name, in template: Template, _ platform: AppPlatform
  ) -> PluralNumberPosition? {
    positions.value(Use(plural, on: platform)) {
      guard let resources = resources[platform],
        let use = template.keyUses.first(where: {
          $0.platform == platform && $0.slot == slot && $0.plural == plural.choice
        })
      else { return nil }
      return GeneratedPlural.position(of: use, plural.choice, in: resources, of: self.resources)
    }
  }
}

/// A plural of the app in one language.
struct AppPlural {
  fileprivate let key: String
  fileprivate let entry: StringEntry
  fileprivate let table: String
  let rules: PluralRules
  fileprivate let forms: PluralForms
  fileprivate let position: PluralNumberPosition

  /// The text for a number, as if the phone had found it as a string.
  func lookup(_ number: UInt64) -> StringLookup {
    lookup(rules.category(of: number), isZero: number == 0)
  }

  func lookup(_ category: PluralCategory, isZero: Bool) -> StringLookup {
    let string = StringEntry(
      key: key, value: .string(forms.text(category, isZero: isZero, position)), file: entry.file,
      line: entry.line, isUnresolved: entry.isUnresolved)
    return .found(string, table: table)
  }
}
