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
    var preview: Preview
    let content: MessageContent
  }

  /// What each phone shows, in the order of platforms and locales.
  func samples() -> [Sample] {
    let development = texts.resources.developmentLanguage
    return question.platforms.flatMap { platform -> [Sample] in
      guard let resources = texts.resources[platform] else { return [] }
      let keys = MessageTexts(deviceMessage)
      guard let readers = texts.readers(on: platform, inRelease: question.appVersion) else { return [] }
      return (question.locales ?? resources.previewLocales(developmentLanguage: development)).compactMap {
        sample(of: $0, on: platform, keys, readers)
      }
    }
  }

  private func sample(
    of locale: String, on platform: AppPlatform, _ keys: MessageTexts, _ readers: Readers
  ) -> Sample? {
    let phone = DeviceStrings.languages(in: locale)
    let languages = question.appLanguages ?? phone
    guard let strings = texts.strings(on: platform, for: languages) else { return nil }
    let recipient = Recipient(
      platform: platform == .android ? .android : .ios, appVersion: question.appVersion, locales: languages,
      timeZone: question.timeZone)
    let args = texts.args(message.formattedArgs, on: platform, for: recipient, now: now)
    let slots = message.slots(message.slots(on: platform), with: args)
    var content = MessageContent(platform: recipient.platform)
    if platform == .android { content.androidArgs = args } else { content.iosArgs = args }
    let template = message.template
    let render = question.render ?? (template.isRenderedByGateway ? .gateway : template.render ?? .auto)
    if texts.isForDevice(slots, of: template, on: platform, recipient, render) {
      let strings = texts.strings(on: platform, for: phone, inRelease: question.appVersion) ?? strings
      let texts = TextSlot.Name.allCases.map { name in
        var text = keys[name, platform]
        // The same args, as this language writes them.
        if let slot = slots.first(where: { $0.name == name }), text.key != nil { text.args = slot.args }
        return (name: name, text: text)
      }
      let shown = texts.map { name, text in
        Preview.Slot(text, of: name, lookup: text.key.map(strings.lookUp) ?? .missing, strings)
      }
      let inVariants = texts.flatMap { Preview.Slot.inVariants($0.text, of: $0.name, strings) }
      return Sample(
        preview: preview(locale, strings, shown, judging: inVariants, by: .device, readers), content: content)
    }
    let written = texts.written(slots, of: template, on: platform, languages)
    if platform == .android { content.android = written.texts } else { content.ios = written.texts }
    let ofSlots = texts.shown(slots, as: written, of: template, on: platform, languages)
    let shown = TextSlot.Name.allCases.map { name in
      ofSlots.first { $0.name == name }
        ?? Preview.Slot(name, written.texts[name].map { .text($0) } ?? .none, on: platform)
    }
    return Sample(
      preview: preview(
        locale, strings, shown, judging: shown, by: written.hasFallback ? .fallback : .gateway, readers),
      content: content)
  }

  /// `judged` are the slots that decide about the verdict.
  private func preview(
    _ locale: String, _ strings: DeviceStrings, _ slots: [Preview.Slot], judging judged: [Preview.Slot],
    by renderer: RecipientTexts.Renderer, _ readers: Readers
  ) -> Preview {
    // Whatever its release and its language.
    let app = texts.strings(on: strings.platform, for: DeviceStrings.languages(in: locale))
    let tables = Set(slots.compactMap(\.table))
    let resolved = tables.count == 1 ? tables.first : strings.resolvedLocale
    let reader = readers.all.first { $0.locale.locale.hasSameBytes(as: locale) }?.locale
    let languages = question.appLanguages.map { $0.compactMap { LocaleTag($0).map(WrittenLanguage.init) } }
    let names = [locale, resolved, strings.resolvedLocale].compactMap(\.self) + (reader?.names ?? [])
    return Preview(
      platform: strings.platform, locale: locale, topic: question.topic?.topic(of: locale),
      appName: app?.appName, appIcon: app?.appIcon?.id,
      resolvedLocale: resolved, renderedBy: renderer,
      verdict: Preview.verdict(of: judged, for: languages ?? WrittenLanguage.all(in: locale), among: readers),
      slots: slots,
      findings: findings.filter { finding in
        guard finding.platform == nil || finding.platform == strings.platform else { return false }
        guard let name = finding.locale else { return true }
        return names.contains { $0.hasSameBytes(as: name) } || finding.isForAllWithoutText
      })
  }
}
