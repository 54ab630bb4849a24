internal import AppStrings
internal import Catalog
internal import FCMMessage
package import JSON

/// A message as FCM received it, from any sender.
package struct ReceivedMessage: Sendable {
  private let texts: MessageTexts

  /// `message` is FCM's `Message`, with its fields' names in either of the spellings that FCM accepts.
  package init(_ message: JSON) {
    texts = MessageTexts(MessageSchema.withProtoNames(message, of: .message))
  }

  /// What phones with these locales show of it, by the app's newest strings: first all of Android, then all
  /// of iOS. A platform for which the message has no texts is left out.
  package func previews(_ locales: [String], _ app: RecipientTexts) -> [Preview] {
    AppPlatform.allCases.flatMap { platform -> [Preview] in
      let slots = TextSlot.Name.allCases.map { (name: $0, text: texts[$0, platform]) }
      guard slots.contains(where: { $0.text.key != nil || $0.text.literal != nil }) else { return [] }
      guard let readers = app.readers(on: platform, inRelease: nil) else { return [] }
      return locales.compactMap { locale in
        app.strings(on: platform, for: DeviceStrings.languages(in: locale)).map { strings in
          let shown = slots.map { name, text in
            Preview.Slot(text, of: name, lookup: text.key.map(strings.lookUp) ?? .missing, strings)
          }
          return Preview(
            platform: platform, locale: locale, appName: strings.appName, appIcon: strings.appIcon?.id,
            resolvedLocale: strings.resolvedLocale,
            renderedBy: slots.contains { $0.text.key != nil } ? .device : .gateway,
            verdict: Preview.verdict(
              of: slots.flatMap { Preview.Slot.inVariants($0.text, of: $0.name, strings) },
              for: WrittenLanguage.all(in: locale), among: readers),
            slots: shown, findings: [])
        }
      }
    }
  }
}

extension AppResources {
  /// The locales that a preview shows when its caller names none, each once.
  package var previewLocales: [String] {
    var seen: Set<ExactText> = []
    return AppPlatform.allCases.flatMap { platform in
      self[platform]?.previewLocales(developmentLanguage: developmentLanguage) ?? []
    }.filter { seen.insert(ExactText($0)).inserted }
  }
}
