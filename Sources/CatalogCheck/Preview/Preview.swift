package import AppStrings
package import Catalog
package import FCMMessage
internal import JSON

/// What a phone with one platform and language shows for a message.
package struct Preview: Sendable {
  package struct Slot: Sendable {
    package let name: TextSlot.Name
    package let outcome: SlotOutcome
    /// The result that FCM's documentation describes, if the phone does something else.
    package let documented: String?
    package let key: String?
    /// The table and file of the text; nil if none was found.
    package let table: String?
    package let file: String?
    package let line: Int?

    /// How many characters a banner shows of the text; nil where it shows all.
    func shownCharacters(on platform: AppPlatform) -> Int? {
      guard case .text(let text) = outcome, let limit = BannerLimit(name, on: platform)?.characters else {
        return nil
      }
      return text.count > limit ? limit : nil
    }
  }

  package let platform: AppPlatform
  /// The locale, or the list of them, as the caller wrote it.
  package let locale: String
  /// The table of the texts, or the table that the platform searches first; nil if there is none.
  package let resolvedLocale: String?
  /// Title, subtitle, body.
  package let slots: [Slot]
  package let findings: [Finding]
}

/// Previews messages of one app on its users' phones.
struct Previewer {
  private let resources: AppResources

  init(_ resources: AppResources) { self.resources = resources }

  /// What each phone shows. `locales` are names of tables or BCP 47 tags; nil stands for all that the
  /// resources have. `findings` are those about the message's template.
  func previews(
    of message: JSON, locales: [String]?, platforms: [AppPlatform], findings: [Finding]
  ) -> [Preview] {
    let texts = MessageTexts(message)
    let development = resources.developmentLanguage
    return platforms.flatMap { platform -> [Preview] in
      guard let resources = resources[platform] else { return [] }
      return (locales ?? resources.previewLocales(developmentLanguage: development)).map { locale in
        let strings = DeviceStrings(
          resources, preferring: DeviceStrings.languages(in: locale), developmentLanguage: development)
        let slots = TextSlot.Name.allCases.map { slot(of: $0, texts[$0, platform], strings) }
        return preview(locale, strings, slots, findings)
      }
    }
  }

  private func slot(of name: TextSlot.Name, _ text: SlotText, _ strings: DeviceStrings) -> Preview.Slot {
    let lookup = text.key.map(strings.lookUp) ?? .missing
    let outcome: SlotOutcome
    switch strings.platform {
    case .android:
      outcome = AndroidDevice(language: strings.locale).outcome(
        key: text.key, literal: text.literal, lookup: lookup, args: text.args)
    case .ios:
      outcome = AppleDevice().outcome(
        key: text.key, fallback: text.literal, lookup: lookup, args: text.args)
    }
    guard case .found(let entry, let table) = lookup else {
      return Preview.Slot(
        name: name, outcome: outcome, documented: nil, key: text.key, table: nil, file: nil, line: nil)
    }
    var documented = entry.text.map {
      DocumentedText.fill($0, args: text.args, platform: strings.platform, language: strings.locale)
    }
    if case .text(let shown) = outcome, documented?.hasSameBytes(as: shown) ?? false { documented = nil }
    return Preview.Slot(
      name: name, outcome: outcome, documented: documented, key: text.key, table: table, file: entry.file,
      line: entry.line)
  }

  private func preview(
    _ locale: String, _ strings: DeviceStrings, _ slots: [Preview.Slot], _ findings: [Finding]
  ) -> Preview {
    let tables = Set(slots.compactMap(\.table))
    let resolved = tables.count == 1 ? tables.first : strings.resolvedLocale
    return Preview(
      platform: strings.platform, locale: locale, resolvedLocale: resolved, slots: slots,
      findings: findings.filter { finding in
        guard finding.platform == nil || finding.platform == strings.platform else { return false }
        guard let table = finding.locale else { return true }
        return [locale, resolved, strings.resolvedLocale].contains(table)
      })
  }
}
