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
    var finding = Finding(.deviceLanguage, .deviceLanguage, help: .sendLocale)
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
    let rejected = FindingText(.topicRejected, [without.joined(separator: ", "), topic.name])
    let replaced = FindingText(.topicFallback, [topic.name, withFallback.joined(separator: ", ")])
    var finding = Finding(
      .topicFallback,
      without.isEmpty ? replaced : withFallback.isEmpty ? rejected : rejected + replaced,
      help: FindingText(
        without.isEmpty ? .correctTopicTexts : .addTopicFallback, [template.name, topic.name]))
    (finding.template, finding.file, finding.line) = (template.name, catalog.file, template.line)
    return finding
  }
}
