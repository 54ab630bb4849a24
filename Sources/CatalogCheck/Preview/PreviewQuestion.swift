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
}
