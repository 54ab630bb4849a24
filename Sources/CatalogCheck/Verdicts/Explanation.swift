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
    var named = NamedVerdicts()
    for finding in findings { named.add(finding) }
    for fault in faults {
      let reader = readers.all[fault.reader].locale
      if named.contains(fault, of: reader) { continue }
      if fault.lacksText, !isForAll, isUnreadable(reader) { continue }
      var finding = missingTranslation(for: fault)
      if !fault.lacksText {
        let alike = findings.lazy.filter {
          $0.verdict == fault.verdict && VerdictSet.areShared($0.variants, fault.variants)
        }
        finding = alike.first { $0.locale.isSameName(as: fault.table) } ?? alike.first ?? finding
      }
      finding.verdict = fault.verdict
      finding.locale = reader.nameInFindings
      findings.append(finding)
      named.add(finding)
    }
    return findings
  }

  /// The findings with the worst verdict that each causes. What no reader sees, if only because of a worse
  /// fault, is no error.
  func marked(_ findings: [Finding]) -> [Finding] {
    if findings.isEmpty { return [] }
    var suffered = SufferedVerdicts()
    for fault in faults { suffered.add(fault, of: readers.all[fault.reader].locale) }
    return findings.map { finding in
      var finding = finding
      finding.verdict = suffered.verdicts(of: finding).filter(finding.rule.canCause).min()
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

  private func missingTranslation(for fault: ReaderFault) -> Finding {
    let isIOS = use.platform == .ios
    // An iPhone takes a text from another language only where its own has no file.
    let lacksFile = isIOS && fault.table != nil
    let isTranslatable = source?.entry.isTranslatable ?? true
    let lacking: any FindingValue =
      lacksFile ? "Localizable.strings" : use.plural == nil ? FaultText.theKey : FaultText.thePlural
    let help: AdviceText =
      lacksFile
      ? .addLocalizable
      : isTranslatable ? use.plural == nil ? .translate : .translatePlural : .giveText
    let holders: [any FindingValue] = fault.variants.isEmpty ? [] : [FindingGroup.flavors(fault.variants)]
    let text = FindingText(
      holders.isEmpty ? .languageLacks : .languageLacksInFlavors,
      [lacking] + holders + [consequence(of: fault)])
    var finding = Finding(
      .missingTranslation, severity: isIOS && fault.verdict <= .dropped ? .error : .warning,
      isIOS && fault.table == nil ? text + FindingText(.iOSLooksInOneLanguage) : text,
      help: FindingText(help))
    finding.variants = fault.variants
    return source?.placed(finding) ?? finding
  }

  private func consequence(of fault: ReaderFault) -> FindingText {
    switch (fault.table, use.platform) {
    case (StringResources.defaultTable?, .android): FindingText(.textOfTable, ["values/"])
    case (let table?, _): FindingText(.textOfTable, [table])
    case (nil, .android): FindingText(fault.verdict == .fallback ? .fallback : .noText)
    case (nil, .ios): FindingText(fault.verdict == .fallback ? .fallback : .rawKey)
    }
  }
}

/// The verdicts that findings explain, by the readers whom these name.
private struct NamedVerdicts {
  private var all = VerdictSet()
  private var withoutText = VerdictSet()
  private var byName: [ExactText: VerdictSet] = [:]

  mutating func add(_ finding: Finding) {
    guard let verdict = finding.verdict else { return }
    guard let name = finding.locale else {
      all.insert(verdict, in: finding.variants)
      return
    }
    if finding.isForAllWithoutText { withoutText.insert(verdict, in: finding.variants) }
    byName[ExactText(name), default: VerdictSet()].insert(verdict, in: finding.variants)
  }

  func contains(_ fault: ReaderFault, of reader: AppLocale) -> Bool {
    let sets = [all, fault.hasNoText ? withoutText : nil] + reader.allNames.map { byName[ExactText($0)] }
    return sets.contains { $0?.verdicts(in: fault.variants).contains(fault.verdict) ?? false }
  }
}

/// The verdicts of readers, by the names that findings can have for these.
private struct SufferedVerdicts {
  private var all = VerdictSet()
  private var withoutText = VerdictSet()
  private var byName: [ExactText: VerdictSet] = [:]

  mutating func add(_ fault: ReaderFault, of reader: AppLocale) {
    all.insert(fault.verdict, in: fault.variants)
    if fault.hasNoText { withoutText.insert(fault.verdict, in: fault.variants) }
    for name in reader.allNames + [fault.table].compactMap(\.self) {
      byName[ExactText(name), default: VerdictSet()].insert(fault.verdict, in: fault.variants)
    }
  }

  func verdicts(of finding: Finding) -> Set<Verdict> {
    guard let name = finding.locale else { return all.verdicts(in: finding.variants) }
    let named = byName[ExactText(name)]?.verdicts(in: finding.variants) ?? []
    return finding.isForAllWithoutText ? named.union(withoutText.verdicts(in: finding.variants)) : named
  }
}

/// Verdicts, each for some of the app's variants or for all.
private struct VerdictSet {
  private var variants: [Verdict: Set<[String]>] = [:]

  mutating func insert(_ verdict: Verdict, in variants: [String]) {
    self.variants[verdict, default: []].insert(variants)
  }

  /// Those for at least one of some variants.
  func verdicts(in variants: [String]) -> Set<Verdict> {
    Set(
      self.variants.keys.filter { verdict in
        self.variants[verdict]?.contains { Self.areShared($0, variants) } ?? false
      })
  }

  /// Whether two lists of variants, of which an empty one stands for all, have one in common.
  static func areShared(_ left: [String], _ right: [String]) -> Bool {
    left.isEmpty || right.isEmpty || left.contains(where: right.contains)
  }
}

extension ReaderFault {
  /// Whether the phone finds no text in any language.
  fileprivate var hasNoText: Bool { lacksText && table == nil }
}

extension Finding {
  /// What `values/` lacks, all who have no text of their own lack.
  var isForAllWithoutText: Bool { rule == .missingDefaultKey }
}

extension AppLocale {
  fileprivate var allNames: [String] { names + [locale] }

  /// Its own name if it has a folder of that name, otherwise that of the folder in which its texts are.
  fileprivate var nameInFindings: String {
    names.contains { $0.hasSameBytes(as: locale) } ? locale : names.first ?? locale
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
    case .missingKey, .missingTranslation, .wrongTable, .wrongBundle, .emptyValue, .pluralKey,
      .pluralClassMissing, .pluralUnreadable, .keySyntax, .keyRenamed, .keyNotInRelease, .unparsableStrings:
      true
    case .missingDefaultKey: verdict <= .dropped || verdict == .fallback
    case .stringFormatMatches, .stringFormatInvalid, .foreignPlaceholder, .placeholderDamaged:
      verdict <= .garbled || verdict == .fallback
    case .stringFormatCount: verdict == .dropped || verdict == .garbled || verdict == .fallback
    case .percentWithoutArgs, .textIsKey, .visibleMarkup: verdict == .garbled
    case .untranslated, .wrongScript: verdict == .otherLanguage
    case .messageTooLarge, .localeFolder, .unreachableLocale, .unreadFile, .duplicateKey,
      .literalOverridesLocKey, .missingFallback, .fallbackPercent, .mixedPositional, .argOrderChanged,
      .lostArg, .resourceShrinker, .unusedParam, .unusedArg, .bidiUnsafe, .staleTranslation,
      .pluralTextDiffers, .pluralLanguage, .shippedLocales, .textTooLong, .literalText, .numberMissing,
      .unusedQuantity, .invalidResourceName, .deviceLanguage, .topicFallback, .nativeDrift,
      .sourceUnsupported:
      false
    }
  }
}
