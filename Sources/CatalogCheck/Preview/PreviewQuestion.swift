package import Catalog
package import FCMMessage

/// What a preview is asked for: which phones, and what a request for them would say.
package struct PreviewQuestion: Sendable {
  /// Names of tables, BCP 47 tags, or lists of tags such as `ja,fr`; nil for all that the resources have.
  package var locales: [String]?
  package var platforms: [AppPlatform]
  /// The release of the app, whose strings a phone shows; nil for the newest strings.
  package var appVersion: ReleaseVersion?
  /// Who renders the texts; nil for what the template says.
  package var render: RenderMode?
  /// The IANA name of the time zone in which times are written.
  package var timeZone: String
  /// The languages that the reader has chosen in the app, in order; nil for those of the phone.
  package var appLanguages: [String]?
  /// The topic by language whose readers get the message.
  private(set) var topic: LanguageTopic?

  package init(
    locales: [String]? = nil, platforms: [AppPlatform] = AppPlatform.allCases,
    appVersion: ReleaseVersion? = nil, render: RenderMode? = nil, timeZone: String = Recipient.utc
  ) {
    self.locales = locales
    self.platforms = platforms
    self.appVersion = appVersion
    self.render = render
    self.timeZone = timeZone
  }

  /// The question for the readers of a topic by language: in each of its languages, with texts by the
  /// gateway.
  package func about(_ topic: LanguageTopic) -> PreviewQuestion {
    var question = self
    question.topic = topic
    (question.locales, question.appLanguages, question.render) = (topic.languages, nil, .gateway)
    return question
  }
}
