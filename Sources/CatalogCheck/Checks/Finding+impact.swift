internal import Catalog
internal import FCMMessage

extension Finding {
  /// What users suffer from a fault, worst first.
  package enum Impact: String, Sendable, CaseIterable, Comparable {
    /// The Android app ends.
    case crash
    /// An iPhone shows a key.
    case rawKey = "raw_key"
    /// Android leaves the title or body out.
    case dropped
    /// Users read something else than the translation with its args.
    case wrongText = "wrong_text"
    /// Nobody sees anything wrong yet.
    case other

    package static func < (left: Impact, right: Impact) -> Bool { left.rank < right.rank }

    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
  }

  package var impact: Impact { verdict?.impact ?? ownImpact ?? rule.impact(on: platform) }

  /// Its place in a report, where the least comes first: resources or a release that cannot be read, then
  /// what users suffer most, then the severity.
  var rank: Int {
    let order = impact.rank * Severity.allCases.count + severity.rank
    return hidesOthers ? order - Impact.allCases.count * Severity.allCases.count : order
  }
}

extension Finding {
  /// Whether nothing can be found in the strings of a platform or of a release.
  private var hidesOthers: Bool { isUnreadableFile && locale == nil && ownImpact == nil }
}

extension Verdict {
  /// Nil if users suffer nothing.
  fileprivate var impact: Finding.Impact? {
    switch self {
    case .crash: .crash
    case .rawKey: .rawKey
    case .dropped: .dropped
    case .garbled, .otherLanguage, .fallback: .wrongText
    case .ok: nil
    }
  }
}

extension Finding.Severity {
  /// From 0, for an error.
  var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

extension CheckRule {
  /// What users suffer as a rule. A fault that concerns only some users, such as those of an old version, or
  /// nobody yet, is `other`.
  fileprivate func impact(on platform: AppPlatform?) -> Finding.Impact {
    let isAndroid = platform == .android
    return switch self {
    case .stringFormatMatches, .stringFormatInvalid, .foreignPlaceholder, .placeholderDamaged:
      isAndroid ? .crash : .wrongText
    case .missingKey, .wrongTable, .wrongBundle, .emptyValue, .pluralKey, .pluralClassMissing,
      .keyNotInRelease,
      .unparsableStrings:
      isAndroid ? .dropped : .rawKey
    case .nativeDrift: isAndroid ? .dropped : .rawKey
    case .missingTranslation: isAndroid ? .wrongText : .rawKey
    case .stringFormatCount: isAndroid ? .dropped : .wrongText
    case .missingDefaultKey, .keySyntax, .keyRenamed, .resourceShrinker: .dropped
    case .percentWithoutArgs, .literalOverridesLocKey, .localeFolder, .lostArg, .mixedPositional,
      .argOrderChanged, .unreachableLocale, .unreadFile, .duplicateKey, .pluralLanguage, .pluralTextDiffers,
      .textIsKey, .literalText, .visibleMarkup, .untranslated, .wrongScript, .numberMissing,
      .topicFallback:
      .wrongText
    case .messageTooLarge, .pluralUnreadable, .missingFallback, .fallbackPercent, .unusedParam, .unusedArg,
      .bidiUnsafe, .staleTranslation, .textTooLong, .shippedLocales, .unusedQuantity, .invalidResourceName,
      .deviceLanguage, .sourceUnsupported:
      .other
    }
  }
}
