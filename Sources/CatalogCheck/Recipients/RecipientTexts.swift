internal import AppStrings
package import Catalog
package import Clock
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// Decides who renders the texts of a message for a recipient, and renders the gateway's own from the
/// app's strings. One for each app; requests share it.
package final class RecipientTexts: Sendable {
  /// Who renders the texts of a message.
  package enum Renderer: String, Sendable {
    case device, gateway
    /// At least one text is the template's fallback.
    case fallback
  }

  /// The question of which strings a phone with certain languages finds.
  private struct Languages: Hashable {
    let platform: AppPlatform
    /// The index of a release; nil for the newest strings.
    let release: Int?
    let locales: [String]
  }

  let resources: AppResources
  private let support: ReleaseSupport?
  let plurals: AppPlurals
  private let strings: BoundedCache<Languages, DeviceStrings>
  private let readers: BoundedCache<Languages, Readers>
  private let rankings: BoundedCache<Languages, [Int]>

  let formatters: BoundedCache<FormatQuestion, LocaleFormatter?>
  let texts: BoundedCache<TextQuestion, DeviceText?>
  let pluralTexts: BoundedCache<PluralQuestion, PluralTexts?>

  /// Formatters that are remembered. Each takes some ten kilobytes.
  private static let formattersMax = 500
  /// Lists of languages that are remembered: those of most users.
  private static let languagesMax = 1_000
  /// Texts that are remembered: those of most languages for most templates in use. Each takes some hundred
  /// bytes.
  private static let textsMax = 10_000

  /// `support` says what older releases can show; nil if nothing is known about any.
  package init(_ resources: AppResources?, support: ReleaseSupport?) {
    self.resources = resources ?? AppResources()
    self.support = support
    plurals = AppPlurals(self.resources)
    strings = BoundedCache(countMax: Self.languagesMax)
    readers = BoundedCache(countMax: Self.languagesMax)
    rankings = BoundedCache(countMax: Self.languagesMax)
    formatters = BoundedCache(countMax: Self.formattersMax)
    texts = BoundedCache(countMax: Self.textsMax)
    pluralTexts = BoundedCache(countMax: Self.textsMax / 10)
  }

  /// Which parts and texts a message has for a recipient. `now` is the day of times without one; `args` are
  /// texts of formatted args in place of those in the recipient's language.
  package func content(
    of message: PreparedMessage, for recipient: Recipient, render: RenderMode, now: Timestamp = .now,
    args: ArgTexts? = nil
  ) throws(NotRenderableError) -> MessageContent {
    try content(of: MessageSlots(message), for: recipient, render: render, now: now, args: args)
  }

  /// Whether a message carries loc keys for a platform.
  func isForDevice(
    _ slots: [SlotContent], of template: Template, on platform: AppPlatform, _ recipient: Recipient,
    _ render: RenderMode
  ) -> Bool {
    switch render {
    case .device: true
    case .gateway: false
    case .auto:
      (template.language == .device || recipient.locales.isEmpty) && isShown(slots, on: platform, recipient)
    }
  }

  /// Whether nothing is known that keeps the recipient's release from showing all slots.
  private func isShown(_ slots: [SlotContent], on platform: AppPlatform, _ recipient: Recipient) -> Bool {
    guard let version = recipient.appVersion, recipient.platform?.isPhone(platform) ?? false, let support
    else { return true }
    switch support.match(version, on: platform) {
    case .unknown: return true
    case .olderThanAll: return slots.isEmpty
    case .release(let index):
      let release = support[platform][index]
      let ranking =
        recipient.locales.isEmpty
        ? nil
        : rankings.value(Languages(platform: platform, release: index, locales: recipient.locales)) {
          release.ranking(for: recipient.locales)
        }
      return slots.allSatisfy { release.shows(ReleaseSupport.KeyQuestion($0), ranking: ranking) }
    }
  }

  /// The strings that a phone with these languages finds in a release of the app: those of the newest known
  /// release that is not newer, none if all known ones are newer, and the app's newest strings if none is
  /// known or that release cannot be read. Nil if the platform has none.
  func strings(
    on platform: AppPlatform, for locales: [String], inRelease version: ReleaseVersion?
  ) -> DeviceStrings? {
    guard let version, let support else { return strings(on: platform, for: locales) }
    switch support.match(version, on: platform) {
    case .unknown: return strings(on: platform, for: locales)
    case .olderThanAll:
      let nothing = StringResources(platform: platform, folder: "", tables: [], problems: [])
      return DeviceStrings(nothing, preferring: locales, developmentLanguage: nil)
    case .release(let index):
      return strings.value(Languages(platform: platform, release: index, locales: locales)) {
        support[platform][index].strings(for: locales)
      }
    }
  }

  /// Those for whom texts are in another language; of a release if its strings are shown, as above.
  func readers(on platform: AppPlatform, inRelease version: ReleaseVersion?) -> Readers? {
    guard let newest = resources[platform] else { return nil }
    var release: (index: Int, strings: StringResources)?
    if let version, let support, case .release(let index) = support.match(version, on: platform) {
      release = (index, support[platform][index].resources)
    }
    return readers.value(Languages(platform: platform, release: release?.index, locales: [])) {
      Readers(release?.strings ?? newest, developmentLanguage: resources.developmentLanguage)
    }
  }

  /// The app's newest strings as a phone with these languages finds them; nil if the platform has none.
  func strings(on platform: AppPlatform, for locales: [String]) -> DeviceStrings? {
    guard let resources = resources[platform] else { return nil }
    return strings.value(Languages(platform: platform, release: nil, locales: locales)) {
      DeviceStrings(
        resources, preferring: locales, developmentLanguage: self.resources.developmentLanguage)
    }
  }
}

extension Recipient.Platform {
  fileprivate func isPhone(_ platform: AppPlatform) -> Bool {
    platform == .android ? self == .android : self == .ios
  }
}
