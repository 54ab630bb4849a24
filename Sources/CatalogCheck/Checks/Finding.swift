package import Catalog
package import FCMMessage

/// One thing that `check` found.
package struct Finding: Sendable, Equatable {
  package enum Severity: String, Sendable, CaseIterable {
    case error, warning
  }

  package let rule: CheckRule
  package let severity: Severity
  /// Nil where it is about a file or folder.
  package var template: String?
  package var slot: TextSlot.Name?
  package var platform: AppPlatform?
  /// A table's name: `default`, `fr`, `pt-BR`; nil where it is about none or all.
  package var locale: String?
  package var key: String?
  package var file: String?
  /// From 1.
  package var line: Int?
  /// What is wrong, and what happens on the device.
  package let message: String
  /// What to do.
  package let help: String

  init(_ rule: CheckRule, severity: Severity? = nil, _ message: String, help: String) {
    self.rule = rule
    self.severity = severity ?? rule.severity
    self.message = message
    self.help = help
  }
}

extension CheckRule {
  /// How bad a finding of the rule is; `MissingTranslation` is an error on iOS, which has no fallback for a key.
  package var severity: Finding.Severity {
    switch self {
    case .missingKey, .missingDefaultKey, .stringFormatMatches, .stringFormatInvalid, .stringFormatCount,
      .percentWithoutArgs, .pluralKey, .foreignPlaceholder, .literalOverridesLocKey, .emptyValue, .keySyntax,
      .wrongTable, .unparsableStrings, .localeFolder, .messageTooLarge:
      .error
    case .missingTranslation, .missingFallback, .fallbackPercent, .mixedPositional, .argOrderChanged,
      .resourceShrinker, .duplicateKey, .unusedParam, .unusedArg, .staleTranslation:
      .warning
    }
  }

  /// What the rule is about, in one line, for lists of rules.
  package var summary: String {
    switch self {
    case .missingKey: "No language has the key."
    case .missingDefaultKey: "Android's values/ lacks the key that translations have."
    case .missingTranslation: "Some languages lack the key."
    case .missingFallback: "An iPhone whose app does not know the key yet shows the raw key."
    case .stringFormatMatches: "A numeric placeholder gets a string: Android crashes, iOS shows rubbish."
    case .stringFormatInvalid: "A stray or unknown % in a text that is formatted."
    case .stringFormatCount: "The text has more placeholders than the template sends args."
    case .percentWithoutArgs:
      "A text with placeholders for which the template sends no args is shown as it is."
    case .pluralKey: "A plural or an array cannot be looked up by a loc key."
    case .foreignPlaceholder: "A placeholder of the other platform."
    case .literalOverridesLocKey: "A literal text wins over the loc key on Android."
    case .emptyValue: "An empty text: Android drops the line, iOS shows the raw key."
    case .keySyntax: "The key cannot be the name of an Android resource."
    case .wrongTable: "The key is not in the app's Localizable table, where push notifications look."
    case .unparsableStrings: "A resource file that the platform's tools do not take."
    case .localeFolder: "A folder whose name is no locale as the platform spells it."
    case .messageTooLarge: "The params' own limits allow a message beyond FCM's 4,096 bytes."
    case .fallbackPercent: "A % in a fallback that iOS formats with the args."
    case .mixedPositional:
      "Placeholders with and without positions in one text, or several without on Android."
    case .argOrderChanged: "A translation without positions of a text that has them."
    case .resourceShrinker: "Nothing keeps Android's resource shrinker from removing the key."
    case .duplicateKey: "A key that stands twice; the later one wins silently."
    case .unusedParam: "A param that no text and no variant uses."
    case .unusedArg: "An arg that no translation shows."
    case .staleTranslation: "A translation that is marked as new, stale or in need of review."
    }
  }
}
