internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// Joins what the rules find in the texts of a key with what its readers get: each finding says which verdict
/// it causes, and each reader who gets something else than what was meant has a finding that says so.
struct Explanation {
  let use: KeyUse
  let readers: Readers
  let faults: [ReaderFault]
  /// The source text, where a missing translation is reported; nil if there is none.
  var source: Translation?

  /// The findings with their verdicts, and one for each reader whom none of them names.
  func findings(_ found: [Finding]) -> [Finding] {
    var findings = marked(found)
    let isForAll = findings.contains { $0.locale == nil && $0.verdict != nil }
    for fault in faults
    where !findings.contains(where: { $0.verdict == fault.verdict && names($0, fault) }) {
      let reader = readers.all[fault.reader].locale
      if fault.lacksText, !isForAll, isUnreadable(reader) { continue }
      let alike = findings.filter { $0.verdict == fault.verdict }
      let cause = alike.first { $0.locale.isSameName(as: fault.table) } ?? alike.first
      var finding = (fault.lacksText ? nil : cause) ?? missingTranslation(for: fault)
      finding.verdict = fault.verdict
      finding.locale = reader.names.first ?? reader.locale
      findings.append(finding)
    }
    return findings
  }

  /// The findings with the worst verdict that each causes. What no reader sees, if only because of a worse
  /// fault, is no error.
  func marked(_ findings: [Finding]) -> [Finding] {
    findings.map { finding in
      var finding = finding
      let touched = faults.filter { names(finding, $0) || finding.locale.isSameName(as: $0.table) }
      finding.verdict = touched.map(\.verdict).filter(finding.rule.canCause).min()
      if finding.verdict == nil, finding.severity == .error, finding.rule.isAboutReaders,
        !finding.isForSomePhones,
        !readers.all.isEmpty
      {
        finding.severity = .warning
      }
      return finding
    }
  }

  /// The faults whose readers have no finding because the files of their language could not be read.
  var unreadable: [ReaderFault] {
    faults.filter { $0.lacksText && isUnreadable(readers.all[$0.reader].locale) }
  }

  private func isUnreadable(_ reader: AppLocale) -> Bool {
    if readers.resources.isUnreadable { return true }
    let tables = readers.resources.unreadableTables
    return !tables.isEmpty
      && (reader.names.contains(where: tables.contains) || tables.contains(StringResources.defaultTable))
  }

  private func names(_ finding: Finding, _ fault: ReaderFault) -> Bool {
    guard let locale = finding.locale else { return true }
    let reader = readers.all[fault.reader].locale
    // What `values/` lacks, all who have no text of their own lack.
    if finding.rule == .missingDefaultKey, fault.lacksText, fault.table == nil { return true }
    return reader.locale.hasSameBytes(as: locale)
      || reader.names.contains { $0.hasSameBytes(as: locale) }
  }

  private func missingTranslation(for fault: ReaderFault) -> Finding {
    let isIOS = use.platform == .ios
    // An iPhone takes a text from another language only where its own has no file.
    let lacksFile = isIOS && fault.table != nil
    let isTranslatable = source?.entry.isTranslatable ?? true
    let finding = Finding(
      .missingTranslation, severity: isIOS && fault.verdict <= .dropped ? .error : .warning,
      "The language lacks \(lacksFile ? "Localizable.strings" : "the key"), so its users see "
        + "\(consequence(of: fault)).",
      help: lacksFile
        ? "Add Localizable.strings with all texts of the language."
        : isTranslatable
          ? "Translate it."
          : "Give this language the text too; shouldTranslate: false leaves it out there.")
    return source?.placed(finding) ?? finding
  }

  private func consequence(of fault: ReaderFault) -> String {
    switch (fault.table, use.platform) {
    case (StringResources.defaultTable?, .android): "the text of values/"
    case (let table?, _): "the text of \(table)"
    case (nil, .android): fault.verdict == .fallback ? "the fallback" : "no text"
    case (nil, .ios):
      (fault.verdict == .fallback ? "the fallback" : "the raw key")
        + ". iOS does not look for a key in another language"
    }
  }
}

extension String? {
  /// Whether both are the same name; two that are nil are not.
  fileprivate func isSameName(as other: String?) -> Bool {
    guard let self, let other else { return false }
    return self.hasSameBytes(as: other)
  }
}

extension CheckRule {
  /// Whether its errors are about what readers get, rather than about the catalog, its files or a build.
  var isAboutReaders: Bool { self != .unparsableStrings && canCause(.garbled) || self == .missingDefaultKey }

  /// Whether a fault that the rule finds can lead to a verdict.
  func canCause(_ verdict: Verdict) -> Bool {
    switch self {
    case .missingKey, .missingTranslation, .wrongTable, .emptyValue, .pluralKey, .pluralClassMissing,
      .pluralUnreadable, .keySyntax, .keyRenamed, .keyNotInRelease, .unparsableStrings:
      true
    case .missingDefaultKey: verdict <= .dropped || verdict == .fallback
    case .stringFormatMatches, .stringFormatInvalid, .foreignPlaceholder:
      verdict <= .garbled || verdict == .fallback
    case .stringFormatCount: verdict == .dropped || verdict == .garbled || verdict == .fallback
    case .percentWithoutArgs, .textIsKey: verdict == .garbled
    case .messageTooLarge, .localeFolder, .unreachableLocale, .duplicateKey, .literalOverridesLocKey,
      .missingFallback, .fallbackPercent, .mixedPositional, .argOrderChanged, .lostArg, .resourceShrinker,
      .unusedParam, .unusedArg, .bidiUnsafe, .staleTranslation, .pluralTextDiffers, .pluralLanguage,
      .shippedLocales, .textTooLong:
      false
    }
  }
}
