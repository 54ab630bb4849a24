internal import AppStrings
internal import Catalog
internal import Clock
internal import FCMMessage
internal import LocaleRules

extension RecipientTexts {
  /// What a formatter writes, and for whom.
  struct FormatQuestion: Hashable {
    let format: ValueFormat
    let locale: String
    let timeZone: String
  }

  /// Args as the recipient's language writes them: of several, the one that the platform's texts come from.
  func args(
    _ formatted: [PreparedMessage.FormattedArg], on platform: AppPlatform, for recipient: Recipient,
    now: Timestamp
  ) -> ArgTexts {
    var args = ArgTexts()
    guard !formatted.isEmpty, let locale = language(of: recipient, on: platform) else { return args }
    for (param, format, value) in formatted {
      if let text = text(of: value, format, locale, recipient.timeZone, now) { args.add(text, of: param) }
    }
    return args
  }

  /// Nil if the language is not known.
  private func language(of recipient: Recipient, on platform: AppPlatform) -> String? {
    if recipient.locales.count < 2 { return recipient.locales.first }
    let locales = recipient.locales.filter { LocaleTag($0) != nil }
    guard locales.count > 1 else { return locales.first }
    return strings(on: platform, for: recipient.locales)?.textLanguage ?? locales.first
  }

  private func text(
    of value: ParamValue, _ format: ValueFormat, _ locale: String, _ timeZone: String, _ now: Timestamp
  ) -> String? {
    switch value {
    case .integer, .number:
      let question = FormatQuestion(format: format, locale: locale, timeZone: Recipient.utc)
      return formatter(question)?.text(ofNumber: value.text)
    case .date(let date, _):
      let (milliseconds, isZoned) = date.moment(now: now.milliseconds)
      let question = FormatQuestion(
        format: format, locale: locale, timeZone: isZoned ? timeZone : Recipient.utc)
      return formatter(question)?.text(ofMilliseconds: milliseconds)
    case .string, .boolean: return nil
    }
  }

  /// Nil for what is no locale.
  private func formatter(_ question: FormatQuestion) -> LocaleFormatter? {
    formatters.value(question) {
      LocaleTag(question.locale) == nil
        ? nil : LocaleFormatter(question.format, locale: question.locale, timeZone: question.timeZone)
    }
  }
}
