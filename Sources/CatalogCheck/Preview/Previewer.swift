internal import AppStrings
internal import Catalog
internal import Clock
internal import FCMMessage
internal import JSON

/// Previews one request on the phones of an app's users.
struct Previewer {
  let texts: RecipientTexts
  let message: PreparedMessage
  /// The message with loc keys.
  let deviceMessage: JSON
  let question: PreviewQuestion
  /// Those about the message's template.
  let findings: [Finding]
  private let now = Timestamp.now

  /// A preview, with the message that its phone gets.
  struct Sample {
    let preview: Preview
    let content: MessageContent
  }

  /// What each phone shows, in the order of platforms and locales.
  func samples() -> [Sample] {
    let development = texts.resources.developmentLanguage
    return question.platforms.flatMap { platform -> [Sample] in
      guard let resources = texts.resources[platform] else { return [] }
      let keys = MessageTexts(deviceMessage)
      return (question.locales ?? resources.previewLocales(developmentLanguage: development)).compactMap {
        sample(of: $0, on: platform, keys)
      }
    }
  }

  private func sample(of locale: String, on platform: AppPlatform, _ keys: MessageTexts) -> Sample? {
    let languages = DeviceStrings.languages(in: locale)
    guard let strings = texts.strings(on: platform, for: languages) else { return nil }
    let recipient = Recipient(
      platform: platform == .android ? .android : .ios, appVersion: question.appVersion, locales: languages,
      timeZone: question.timeZone)
    let args = texts.args(of: message, on: platform, for: recipient, now: now)
    let slots = message.slots(on: platform, args: args)
    var content = MessageContent(platform: recipient.platform)
    if platform == .android { content.androidArgs = args } else { content.iosArgs = args }
    let render = question.render ?? message.template.render ?? .auto
    if texts.isForDevice(slots, on: platform, recipient, render) {
      let shown = TextSlot.Name.allCases.map { name in
        var text = keys[name, platform]
        guard let key = text.key else { return Preview.Slot(text, of: name, lookup: .missing, strings) }
        let slot = slots.first { $0.name == name }
        // The same args, as this language writes them.
        if let slot { text.args = slot.args }
        let missed = slot.flatMap { texts.missedLookUp(of: $0, on: platform, recipient) }
        return Preview.Slot(text, of: name, lookup: missed ?? strings.lookUp(key), strings)
      }
      return Sample(preview: preview(locale, strings, shown, by: .device), content: content)
    }
    let written = texts.written(slots, of: message.template, on: platform, languages)
    if platform == .android { content.android = written.texts } else { content.ios = written.texts }
    let shown = TextSlot.Name.allCases.map { name in
      written.slots.first { $0.name == name }
        ?? Preview.Slot(name, written.texts[name].map { .text($0) } ?? .none)
    }
    return Sample(
      preview: preview(locale, strings, shown, by: written.hasFallback ? .fallback : .gateway),
      content: content)
  }

  private func preview(
    _ locale: String, _ strings: DeviceStrings, _ slots: [Preview.Slot], by renderer: RecipientTexts.Renderer
  ) -> Preview {
    let tables = Set(slots.compactMap(\.table))
    let resolved = tables.count == 1 ? tables.first : strings.resolvedLocale
    return Preview(
      platform: strings.platform, locale: locale, resolvedLocale: resolved, renderedBy: renderer,
      slots: slots,
      findings: findings.filter { finding in
        guard finding.platform == nil || finding.platform == strings.platform else { return false }
        guard let table = finding.locale else { return true }
        return [locale, resolved, strings.resolvedLocale].contains(table)
      })
  }
}
