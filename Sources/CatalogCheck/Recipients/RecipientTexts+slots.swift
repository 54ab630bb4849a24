internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// What a phone with certain languages would show of one slot.
extension RecipientTexts {
  /// Under which key a phone with certain languages looks for a text.
  struct TextQuestion: Hashable {
    let platform: AppPlatform
    let locales: [String]
    let key: ExactText
    let hasArgs: Bool
  }

  /// The same for a plural.
  struct PluralQuestion: Hashable {
    let locales: [String]
    let use: AppPlurals.Use
  }

  /// The texts of a plural in a language.
  struct PluralTexts: Sendable {
    private let rules: PluralRules
    private let texts: [PluralCategory: DeviceText]
    private let zero: DeviceText

    fileprivate init(_ plural: AppPlural, _ text: (StringLookup) -> DeviceText) {
      rules = plural.rules
      zero = text(plural.lookup(0))
      texts = Dictionary(
        uniqueKeysWithValues: PluralCategory.allCases.map {
          ($0, text(plural.lookup($0, isZero: false)))
        })
    }

    fileprivate subscript(number: UInt64) -> DeviceText {
      number == 0 ? zero : texts[rules.category(of: number)] ?? zero
    }
  }

  /// What a phone with these languages would show of a slot, by the newest strings.
  func outcome(
    _ slot: SlotContent, of template: Template, on platform: AppPlatform, _ locales: [String]
  ) -> SlotOutcome {
    guard resources[platform] != nil else { return .none }
    if let plural = slot.plural,
      let texts = pluralTexts(plural, of: slot, in: template, on: platform, locales)
    {
      return texts[plural.number].outcome(args: slot.args)
    }
    let hasArgs = !slot.args.isEmpty
    let question = TextQuestion(
      platform: platform, locales: locales, key: ExactText(slot.key), hasArgs: hasArgs)
    let text = texts.value(question) {
      strings(on: platform, for: locales).map { $0.text(of: slot.key, $0.lookUp(slot.key), hasArgs: hasArgs) }
    }
    return text?.outcome(args: slot.args) ?? .none
  }

  /// Nil if the language does not have the plural.
  private func pluralTexts(
    _ plural: SlotContent.Plural, of slot: SlotContent, in template: Template, on platform: AppPlatform,
    _ locales: [String]
  ) -> PluralTexts? {
    pluralTexts.value(PluralQuestion(locales: locales, use: AppPlurals.Use(plural, on: platform))) {
      guard let strings = strings(on: platform, for: locales),
        let found = plurals.plural(plural, of: slot.name, in: template, strings)
      else { return nil }
      return PluralTexts(found) { strings.text(of: slot.key, $0, hasArgs: !slot.args.isEmpty) }
    }
  }

  /// What a phone with these strings finds for a slot.
  func lookup(
    _ slot: SlotContent, of template: Template, _ strings: DeviceStrings
  ) -> StringLookup {
    let plural = slot.plural.flatMap { plural in
      plurals.plural(plural, of: slot.name, in: template, strings)?.lookup(plural.number)
    }
    return plural ?? strings.lookUp(slot.key)
  }
}

extension DeviceStrings {
  /// What the phone shows of a key that finds `lookup`, whatever the args are.
  fileprivate func text(of key: String, _ lookup: StringLookup, hasArgs: Bool) -> DeviceText {
    switch platform {
    case .android: AndroidDevice(language: locale).text(of: key, lookup, hasArgs: hasArgs)
    case .ios: AppleDevice().text(of: key, lookup, hasArgs: hasArgs)
    }
  }
}
