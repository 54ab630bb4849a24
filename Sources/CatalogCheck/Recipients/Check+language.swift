internal import AppStrings
internal import Catalog
internal import FCMMessage

/// What `check` says about the language that readers have chosen in the app, and about topics by language.
extension Check {
  /// That some messages are in the phone's language; nil if nobody chooses another one in the app.
  var deviceLanguage: Finding? {
    guard let template = catalog.templates.first(where: { $0.language == .app && $0.render != .gateway })
    else {
      return nil
    }
    var finding = Finding(
      .deviceLanguage,
      "Users choose a language in the app (language: app). Where a request has no recipient.locale, the message "
        + "has loc keys, and each phone looks these up in its own language.",
      help: "Send recipient.locale, and let users of topics subscribe to one by language (topics).")
    finding.file = catalog.file
    finding.line = catalog.appLanguageLine ?? template.line
    return finding
  }

  /// The languages of topics in which a template has no text: one finding for each topic.
  func topicFindings(
    _ template: Template, _ situations: TemplateSituations, _ texts: RecipientTexts
  ) -> [Finding] {
    guard template.activity == nil else { return [] }
    return catalog.topics.compactMap { topic in
      var (withFallback, without): ([String], [String]) = ([], [])
      for language in topic.languages {
        let written = AppPlatform.allCases.filter { texts.resources[$0]?.isUnreadable != true }.flatMap {
          platform in
          situations.messages.map {
            texts.written($0.slots(on: platform), of: template, on: platform, [language])
          }
        }
        if written.contains(where: { !$0.missing.isEmpty }) {
          without.append(language)
        } else if written.contains(where: \.hasFallback) {
          withFallback.append(language)
        }
      }
      return finding(about: topic, of: template, withFallback: withFallback, without: without)
    }
  }

  /// Nil if there is a text in every language.
  private func finding(
    about topic: LanguageTopic, of template: Template, withFallback: [String], without: [String]
  ) -> Finding? {
    guard !withFallback.isEmpty || !without.isEmpty else { return nil }
    let rejected =
      without.isEmpty
      ? nil
      : "The template has neither a text nor a fallback in \(without.joined(separator: ", ")), so that the gateway "
        + "rejects a send to the topic \(topic.name)."
    let replaced =
      withFallback.isEmpty
      ? nil
      : "Readers of the topic \(topic.name) get the fallback in \(withFallback.joined(separator: ", ")), where the "
        + "gateway cannot make a text from the app's strings."
    var finding = Finding(
      .topicFallback, [rejected, replaced].compactMap(\.self).joined(separator: " "),
      help: without.isEmpty
        ? "Correct the texts that `dragoman preview \(template.name) --topic \(topic.name)` shows as fallback."
        : "Add a fallback, and correct the texts that `dragoman preview \(template.name) --topic \(topic.name)` "
          + "shows.")
    (finding.template, finding.file, finding.line) = (template.name, catalog.file, template.line)
    return finding
  }
}
