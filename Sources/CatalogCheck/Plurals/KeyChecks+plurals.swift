internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The rules about slots that name plurals of the app.
extension KeyChecks {
  /// The findings of a slot. Those about a class of numbers have its key.
  /// `reaches` says of a class's key whether a request leads to it.
  mutating func pluralFindings(of use: KeyUse, where reaches: (KeyUse) -> Bool) -> [Finding] {
    guard let resources = resources?[use.platform], let (plural, conflict) = plurals?.plural(of: use) else {
      return []
    }
    let members = use.lookedUp.enumerated().map { (index: $0, use: $1) }
    let (reached, others) = (members.filter { reaches($0.use) }, members.filter { !reaches($0.use) })
    let faults = reached.flatMap { self.faults(of: $0.use) }
    if let conflict { return explained([conflict], of: use, faults, source: nil) }
    if use.platform == .android, let finding = syntaxFinding(use.text.key, exists: plural.source != nil) {
      return explained([finding], of: use, faults, source: nil)
    }
    var seen: Set<PluralFindingPlace> = []
    var shown: Set<Int> = []
    var findings: [[Finding]] = [[], []]
    for (part, members) in [reached, others].enumerated() {
      for member in members {
        var found = classFindings(plural, member.index, of: member.use, in: resources)
        let (texts, args) = classTextFindings(plural, member.index, member.use, in: resources)
        shown.formUnion(args)
        // What all classes have in common is reported for the first.
        found += texts.filter { seen.insert(PluralFindingPlace($0)).inserted }
        findings[part] += found.map { finding in
          var finding = ofSource(finding, of: plural)
          finding.key = member.use.text.key
          return finding
        }
      }
    }
    let isWritten = plural.entries.contains { $0.existing != nil }
    let unused = isWritten ? unusedArgs(of: use, shown: shown) : nil
    return explained(
      plural.faults + findings[0] + [unused].compactMap(\.self), of: use, faults, source: plural.source)
      + findings[1].map(\.unseen) + formFindings(plural, reached: Set(reached.map(\.index)))
  }

  /// The languages in which a class has no text, or another than the plural's.
  private func classFindings(
    _ plural: GeneratedPlural, _ index: Int, of use: KeyUse, in resources: StringResources
  ) -> [Finding] {
    let entries = plural.entries.filter { $0.classIndex == index }
    guard let first = entries.first else { return [] }
    let consequence =
      resources.platform == .android
      ? FindingText(.androidDropsOrDefault) : FindingText(.iPhonesShow, [use.textWithoutKey])
    let impact = resources.platform == .ios ? use.impactWithoutKey : nil
    if !resources.tables.contains(where: { !$0.resources(named: first.key).isEmpty }) {
      return [
        Finding(
          .pluralClassMissing, impact: impact, .noClass, [consequence], help: .writePluralsBeforeUse)
      ]
    }
    let unreadable = resources.unreadableTables
    return entries.compactMap { entry in
      var finding: Finding
      switch entry.state {
      case .same: return nil
      case .missing:
        guard !unreadable.contains(entry.locale) else { return nil }
        finding = Finding(
          .pluralClassMissing, impact: impact, .languageLacksClass, [consequence],
          help: .writePluralsBeforeUse)
      case .differs:
        finding = Finding(.pluralTextDiffers, .differsFromPlural, help: .writePluralsOrCorrect)
      }
      finding.locale = entry.locale
      finding.file = entry.existing?.file ?? entry.file
      finding.line = entry.existing?.line
      return finding
    }
  }

  /// A finding about a text that was made of a plural, at the plural, which is what people edit.
  private func ofSource(_ finding: Finding, of plural: GeneratedPlural) -> Finding {
    guard finding.file != nil, let entry = plural.language(finding.locale)?.entry else { return finding }
    var finding = finding
    (finding.file, finding.line) = (entry.file, entry.line)
    if gateway == nil, !finding.help.contains("dragoman plurals") {
      finding.advice = finding.advice + FindingText(.doSoInPlural)
    }
    return finding
  }

  /// The texts of a class in the app, for phones.
  private func written(_ use: KeyUse, in resources: StringResources) -> [Translation] {
    resources.tables.compactMap { table in
      table[use.text.key].map { Translation(table, $0, use.platform) }
    }.filter { $0.text != nil }
  }

  /// The texts that the gateway makes of the plural for a class.
  private func rendered(_ plural: GeneratedPlural, _ index: Int) -> [Translation] {
    plural.entries.filter { $0.classIndex == index }.compactMap { made in
      plural.language(made.locale).map { language in
        let entry = language.entry
        return Translation(
          language.table.table,
          StringEntry(key: entry.key, value: .string(made.text), file: entry.file, line: entry.line),
          made.platform)
      }
    }
  }

  /// What the ordinary rules find in the texts of a class, and the args that they show.
  private mutating func classTextFindings(
    _ plural: GeneratedPlural, _ index: Int, _ use: KeyUse, in resources: StringResources
  ) -> (findings: [Finding], shownArgs: Set<Int>) {
    let strings = gateway == nil ? written(use, in: resources) : rendered(plural, index)
    guard !strings.isEmpty else { return ([], []) }
    let shown = strings + strings.flatMap { $0.alternatives(of: use.text.key) }
    let formats = shown.map { FormatString($0.text ?? "", platform: use.platform) }
    let argCount = use.text.args.count
    let sourceText = source(of: strings, resources)
    let source = sourceText.flatMap { source in
      strings.firstIndex { $0.table.name.hasSameBytes(as: source.table.name) }
    }.map { formats[$0] }
    var findings = shown.flatMap { kindFindings($0, use.platform) }
    findings += languageFindings(strings, of: use)
    if gateway == nil, let sourceText, let finding = missingDefault(strings, resources, sourceText) {
      findings.append(finding)
    }
    // Whether a text needs the number is a question to the form of the plural.
    let number = use.text.args.firstIndex { $0.hasSameBytes(as: plural.plural.param) }
    for (string, format) in zip(shown, formats) {
      let lost = source?.usedArguments.subtracting(format.usedArguments).filter { $0 < argCount }
      let isFine = lost == Set([number].compactMap(\.self))
      findings += textFindings([string], [format], source: source, argCount, in: use.slot).filter {
        $0.rule != .lostArg || !isFine
      }
    }
    if gateway == nil, use.platform == .android, let finding = shrinkerFinding(use.text.key, resources) {
      findings.append(finding)
    }
    return (findings, formats.reduce(into: []) { $0.formUnion($1.usedArguments) })
  }
}

/// What makes two findings about classes of one plural the same.
private struct PluralFindingPlace: Hashable {
  let rule: CheckRule
  let locale: String?

  init(_ finding: Finding) {
    rule = finding.rule
    // The shrinker removes the texts of all languages together.
    locale = finding.locale
  }
}
