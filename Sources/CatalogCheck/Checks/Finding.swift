internal import AppStrings
package import Catalog
package import FCMMessage

/// One finding of `check`.
package struct Finding: Sendable, Equatable {
  package enum Severity: String, Sendable, CaseIterable {
    case error, warning, note
  }

  package let rule: CheckRule
  package internal(set) var severity: Severity
  /// Nil for a finding about a file or folder.
  package var template: String?
  package var slot: TextSlot.Name?
  package var platform: AppPlatform?
  /// A table's name: `default`, `fr`, `pt-BR`; nil for a finding about none or all.
  package var locale: String?
  package var key: String?
  package var file: String?
  /// From 1.
  package var line: Int?
  /// The version of the release that the finding concerns; nil for the strings of `resources`.
  package var release: String?
  /// What is wrong, and what happens on the device.
  var fault: FindingText
  /// What to do.
  var advice: FindingText
  /// What readers get because of it, at worst; nil if nothing else than what was meant.
  package internal(set) var verdict: Verdict?
  /// Whether only phones with some version, size or the like show the text, so that no preview does.
  var isForSomePhones = false
  /// Android: the app's variants with the fault; empty for all.
  var variants: [String] = []
  /// What users suffer, where that is not what the rule usually leads to.
  var ownImpact: Impact?

  /// Whether a file or a release cannot be read, so that nothing is known about its strings.
  var isUnreadableFile: Bool { rule == .unparsableStrings && template == nil && key == nil }

  init(
    _ rule: CheckRule, severity: Severity? = nil, impact: Impact? = nil, _ fault: FindingText,
    help advice: FindingText
  ) {
    self.rule = rule
    self.severity = severity ?? rule.severity
    (self.fault, self.advice) = (fault, advice)
    ownImpact = impact
  }

  init(
    _ rule: CheckRule, severity: Severity? = nil, impact: Impact? = nil, _ fault: FaultText,
    _ values: [any FindingValue] = [], help advice: AdviceText, _ more: [any FindingValue] = []
  ) {
    self.init(
      rule, severity: severity, impact: impact, FindingText(fault, values), help: FindingText(advice, more))
  }

  /// The fault in English.
  package var message: String { fault.english }
  /// The advice in English.
  package var help: String { advice.english }
}

extension CheckRule {
  /// The severity of the rule's findings. `MissingTranslation` is an error on iOS where the template has no
  /// fallback: users see the raw key.
  package var severity: Finding.Severity {
    switch self {
    case .missingKey, .missingDefaultKey, .stringFormatMatches, .stringFormatInvalid, .stringFormatCount,
      .percentWithoutArgs, .pluralKey, .pluralClassMissing, .pluralUnreadable, .pluralLanguage,
      .foreignPlaceholder, .literalOverridesLocKey, .emptyValue, .keySyntax, .wrongTable, .wrongBundle,
      .unparsableStrings, .localeFolder, .messageTooLarge, .keyNotInRelease, .keyRenamed, .textIsKey,
      .placeholderDamaged, .invalidResourceName, .nativeDrift, .sourceUnsupported:
      .error
    case .missingTranslation, .missingFallback, .fallbackPercent, .mixedPositional, .argOrderChanged,
      .lostArg, .unreachableLocale, .unreadFile, .resourceShrinker, .duplicateKey, .unusedParam, .unusedArg,
      .bidiUnsafe, .staleTranslation, .pluralTextDiffers, .literalText, .visibleMarkup, .untranslated,
      .wrongScript, .numberMissing, .topicFallback:
      .warning
    case .textTooLong, .shippedLocales, .unusedQuantity, .deviceLanguage: .note
    }
  }

  /// A one-line description, for lists of rules.
  package var summary: String {
    switch self {
    case .missingKey: "No language has the key."
    case .missingDefaultKey: "Android's values/ lacks the key that translations have."
    case .missingTranslation: "Some languages lack the key."
    case .missingFallback: "An iPhone whose app does not know the key yet shows the raw key."
    case .stringFormatMatches: "A numeric placeholder gets a string: Android crashes, and iOS shows garbage."
    case .stringFormatInvalid: "A stray % or an unknown placeholder in a text that is formatted."
    case .stringFormatCount: "The text has more placeholders than the template sends args."
    case .percentWithoutArgs:
      "The text has placeholders, but the template sends no args, so it is shown unformatted."
    case .pluralKey: "A loc key cannot look up a plural or an array."
    case .pluralClassMissing: "The app lacks the key for a class of numbers of a plural."
    case .pluralUnreadable: "No text for push messages can be made of a plural."
    case .pluralLanguage: "plurals.languages lacks a language of the app."
    case .pluralTextDiffers: "The text for a class of numbers is not what the plural says."
    case .nativeDrift: "A native string is missing or differs from its source: an ARB, JSON, XML or PO file."
    case .sourceUnsupported: "No native string can be made of a text."
    case .foreignPlaceholder: "The placeholder belongs to the other platform."
    case .literalOverridesLocKey: "A literal text wins over the loc key on Android."
    case .literalText: "A message has a text of one language for all readers."
    case .textIsKey: "The text is its own key."
    case .placeholderDamaged: "A placeholder broke in translation: a space, a letter of another script."
    case .visibleMarkup: "Users see a tag, an entity, an escape or a placeholder of another system."
    case .untranslated: "A translation is a copy of the source text."
    case .wrongScript: "The text is in the letters of another language."
    case .numberMissing: "A plural form for several numbers does not show the number."
    case .unusedQuantity: "No phone uses a plural form."
    case .invalidResourceName: "The Android build refuses the name of a resource."
    case .emptyValue: "The text is empty: Android drops the line, and iOS shows the raw key."
    case .keySyntax: "The key cannot be the name of an Android resource."
    case .wrongTable: "The key is not in the app's Localizable table, where push notifications look."
    case .wrongBundle: "The key is only in a module or bundle that does not reach the app."
    case .unreadFile: "A folder or file looks like strings, but no build reads it."
    case .unparsableStrings: "The platform's tools reject a resource file."
    case .localeFolder: "The name of a folder is not a locale in the platform's notation."
    case .messageTooLarge: "The limits of the params allow a message beyond FCM's 4,096 bytes."
    case .keyNotInRelease: "A release that the template may be sent to lacks the key."
    case .keyRenamed: "The build of an app gave the key an obfuscated name."
    case .fallbackPercent: "The fallback has a %, and iOS formats it with the args."
    case .mixedPositional:
      "The text mixes placeholders with and without positions, or on Android has several without."
    case .argOrderChanged: "The source text has positions, but a translation does not."
    case .lostArg: "A translation drops an arg that the source text shows."
    case .unreachableLocale: "No phone looks for a folder's strings."
    case .textTooLong: "A banner cuts the text."
    case .deviceLanguage: "Users who choose a language in the app may read the phone's."
    case .topicFallback: "The readers of a topic by language get the fallback, or nothing."
    case .resourceShrinker: "Nothing keeps Android's resource shrinker from removing the key."
    case .duplicateKey: "A key occurs twice, and only one of its texts is used."
    case .unusedParam: "No text, no variant and no field uses a param."
    case .bidiUnsafe: "An arg can change the order of a right-to-left text."
    case .unusedArg: "No translation shows an arg."
    case .shippedLocales: "resources.locales and the languages of the app's strings differ."
    case .staleTranslation: "A translation is marked as new, stale or in need of review."
    }
  }
}
