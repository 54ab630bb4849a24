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
  private let plurals: AppPlurals
  private let strings: BoundedCache<Languages, DeviceStrings>
  private let readers: BoundedCache<Languages, Readers>
  private let rankings: BoundedCache<Languages, [Int]>

  let formatters: BoundedCache<FormatQuestion, LocaleFormatter?>

  /// Formatters that are remembered. Each takes some ten kilobytes.
  private static let formattersMax = 500
  /// Lists of languages that are remembered: those of most users.
  private static let languagesMax = 1_000

  /// `support` says what older releases can show; nil if nothing is known about any.
  package init(_ resources: AppResources?, support: ReleaseSupport?) {
    self.resources = resources ?? AppResources()
    self.support = support
    plurals = AppPlurals(self.resources)
    strings = BoundedCache(countMax: Self.languagesMax)
    readers = BoundedCache(countMax: Self.languagesMax)
    rankings = BoundedCache(countMax: Self.languagesMax)
    formatters = BoundedCache(countMax: Self.formattersMax)
  }

  /// Which parts and texts a message has for a recipient. `now` is the day of times without one; `args` are
  /// texts of formatted args in place of those in the recipient's language.
  package func content(
    of message: PreparedMessage, for recipient: Recipient, render: RenderMode, now: Timestamp = .now,
    args: ArgTexts? = nil
  ) throws(NotRenderableError) -> MessageContent {
    var content = MessageContent(platform: recipient.platform)
    if content.includes(.android) || content.includes(.web) {
      content.androidArgs = args ?? self.args(of: message, on: .android, for: recipient, now: now)
    }
    if content.includes(.ios) || content.includes(.web) {
      content.iosArgs = args ?? self.args(of: message, on: .ios, for: recipient, now: now)
    }
    let android = message.slots(on: .android, args: content.androidArgs)
    let ios = message.slots(on: .ios, args: content.iosArgs)
    if content.includes(.android) {
      content.android = try texts(of: android, message.template, on: .android, for: recipient, render)
    }
    if content.includes(.ios) {
      content.ios = try texts(of: ios, message.template, on: .ios, for: recipient, render)
    }
    if content.includes(.web) {
      content.web = try webTexts(of: message, android: android, ios: ios, for: recipient)
    }
    return content
  }

  /// Nil if the phone renders the texts.
  private func texts(
    of slots: [SlotContent], _ template: Template, on platform: AppPlatform, for recipient: Recipient,
    _ render: RenderMode
  ) throws(NotRenderableError) -> LiteralTexts? {
    guard !isForDevice(slots, of: template, on: platform, recipient, render) else { return nil }
    let fallback = template.fallback
    if recipient.locales.isEmpty {
      // A subtitle is an addition; a notification is complete without it.
      let missing = slots.filter { $0.name != .subtitle && fallback?.text($0.name) == nil }
      guard missing.isEmpty else {
        throw NotRenderableError(missing.map { ($0.name, "the recipient's language is not known") })
      }
      return LiteralTexts(fallback, for: platform == .android ? .android : .ios)
    }
    let written = written(slots, of: template, on: platform, recipient.locales)
    guard written.missing.isEmpty else { throw NotRenderableError(written.missing) }
    return written.texts
  }

  /// Slots as the gateway writes them in a language.
  struct Written {
    /// In the order of the slots. One without a text and without a fallback tells what a phone would do.
    private(set) var slots: [Preview.Slot] = []
    /// The literals of the message.
    private(set) var texts = LiteralTexts()
    private(set) var hasFallback = false
    private(set) var missing: [(TextSlot.Name, String)] = []

    fileprivate init(_ texts: LiteralTexts) { self.texts = texts }

    fileprivate mutating func add(_ slot: Preview.Slot, fallback: String?) {
      if case .text(let text) = slot.outcome {
        slots.append(slot)
        texts[slot.name] = text
      } else if let fallback {
        var text = slot.text
        text.literal = fallback
        slots.append(Preview.Slot(slot.name, .text(fallback), text, on: slot.platform))
        texts[slot.name] = fallback
        hasFallback = true
      } else {
        slots.append(slot)
        missing.append((slot.name, slot.outcome.obstacle))
      }
    }
  }

  /// The texts of slots in a language, each alone: one without a text takes the fallback.
  func written(
    _ slots: [SlotContent], of template: Template, on platform: AppPlatform, _ locales: [String]
  ) -> Written {
    // An iPhone shows the fallback where a template has no text of its own.
    var written = Written(platform == .ios ? LiteralTexts(template.fallback, for: .ios) : LiteralTexts())
    for content in slots {
      written.add(
        slot(content, of: template, on: platform, locales), fallback: template.fallback?.text(content.name))
    }
    return written
  }

  /// The texts that a browser displays: Android's, otherwise those of the iPhone, otherwise the fallback. Nil
  /// if a message for any platform needs no more than the fallback.
  private func webTexts(
    of message: PreparedMessage, android: [SlotContent], ios: [SlotContent], for recipient: Recipient
  ) throws(NotRenderableError) -> LiteralTexts? {
    let fallback = message.template.fallback
    // A browser's part that would have no texts is only made for a browser.
    let isForBrowser = recipient.platform == .web
    if !isForBrowser, recipient.locales.isEmpty || fallback == nil { return nil }
    var texts = LiteralTexts(fallback, for: .web)
    var missing: [(TextSlot.Name, String)] = []
    for name in [TextSlot.Name.title, .body] where !message.hasOwnWebText(name) {
      let candidates = [(AppPlatform.android, android), (.ios, ios)].compactMap { platform, slots in
        slots.first { $0.name == name }.map { (platform, $0) }
      }
      var outcome: SlotOutcome?
      for (platform, slot) in candidates where !recipient.locales.isEmpty {
        let next = self.slot(slot, of: message.template, on: platform, recipient.locales).outcome
        outcome = outcome ?? next
        guard case .text = next else { continue }
        outcome = next
        break
      }
      if case .text(let text)? = outcome {
        texts[name] = text
      } else if isForBrowser, !candidates.isEmpty, texts[name] == nil {
        missing.append((name, outcome?.obstacle ?? "the recipient's language is not known"))
      }
    }
    guard missing.isEmpty else { throw NotRenderableError(missing) }
    return texts
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

  /// A slot as the gateway writes it in a language, by the newest strings. Without a text it tells what a
  /// phone would do.
  private func slot(
    _ slot: SlotContent, of template: Template, on platform: AppPlatform, _ locales: [String]
  ) -> Preview.Slot {
    guard let strings = strings(on: platform, for: locales) else {
      return Preview.Slot(slot.name, .none, SlotText(key: slot.key, args: slot.args), on: platform)
    }
    let lookup =
      slot.plural.flatMap { plurals.lookUp($0, of: slot.name, in: template, strings) }
      ?? strings.lookUp(slot.key)
    return Preview.Slot(
      SlotText(key: slot.key, args: slot.args), of: slot.name, lookup: lookup, strings)
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

  /// What a phone with a locale, or a list of them, calls the app, whatever its release and its language.
  func appName(on platform: AppPlatform, in locale: String) -> String? {
    strings(on: platform, for: DeviceStrings.languages(in: locale))?.appName
  }
}

extension Recipient.Platform {
  fileprivate func isPhone(_ platform: AppPlatform) -> Bool {
    platform == .android ? self == .android : self == .ios
  }
}

extension NotRenderableError {
  fileprivate init(_ slots: [(TextSlot.Name, String)]) {
    self.init(
      slots: slots.map { name, obstacle in
        Slot(
          name: name,
          reason: "The text of the slot \(name.rawValue) cannot be made: \(obstacle). Add a fallback for it.")
      })
  }
}

extension SlotOutcome {
  /// Why there is no text, without naming a language.
  fileprivate var obstacle: String {
    switch self {
    case .text, .none: "the app has no strings for the platform"
    case .unknownText: "the app's text for this recipient is in a library or in the system"
    case .dropped, .rawKey: "the app has no text under its key for this recipient"
    case .crash: "the app's text for this recipient is not a valid format for the args"
    }
  }
}
