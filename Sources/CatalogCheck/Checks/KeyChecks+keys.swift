internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// Whether every language has the key, as something that a loc key can reach.
extension KeyChecks {
  /// What the rules find, the args that any text of the key shows, and the source text; nil if the key has no
  /// text.
  mutating func look(
    up use: KeyUse
  ) -> (findings: [Finding], shownArgs: Set<Int>?, source: Translation?) {
    let (key, argCount, platform) = (use.text.key, use.text.args.count, use.platform)
    let resources = resources?[platform]
    let holders =
      resources?.tables.compactMap { table in table[key].map { Translation(table, $0, platform) } } ?? []
    if platform == .android, let finding = syntaxFinding(key, exists: !holders.isEmpty) {
      return ([finding], nil, nil)
    }
    guard let resources else { return ([], nil, nil) }
    guard !holders.isEmpty else {
      // Where nothing could be read, that is reported instead; the key might exist.
      return (resources.isUnreadable ? [] : [absence(of: use, from: resources)], nil, nil)
    }
    let strings = holders.filter { $0.text != nil }
    // Android's names are per type, so a plural does not hide the string of the same name.
    let visible =
      platform == .android && !strings.isEmpty ? strings : holders.filter { !$0.entry.isInherited }
    let alternatives = strings.flatMap { $0.alternatives(of: key) }
    var findings = (visible + alternatives).flatMap { kindFindings($0, platform) }
    guard let sourceText = self.source(of: strings, resources) else { return (findings, nil, nil) }
    findings += [
      missingDefault(strings, resources, sourceText), variantsWithoutDefault(strings, resources, sourceText),
      absentVariants(strings, resources),
    ].compactMap(\.self)
    let readable = (strings + alternatives).filter { !$0.entry.isUnresolved }
    let formats = readable.map { FormatString($0.text ?? "", platform: platform) }
    let source = readable.firstIndex {
      $0.table.name.hasSameBytes(as: sourceText.table.name) && $0.entry == sourceText.entry
    }
    findings += textFindings(
      readable, formats, source: source.map { formats[$0] }, argCount, in: use.slot,
      choosing: use.choosingArgs)
    findings += languageFindings(strings + alternatives.filter { !$0.entry.variants.isEmpty }, of: use)
    if platform == .android, let finding = shrinkerFinding(key, resources) { findings.append(finding) }
    // A text that only phones know may show any arg.
    guard readable.count == strings.count + alternatives.count else { return (findings, nil, sourceText) }
    return (findings, formats.reduce(into: []) { $0.formUnion($1.usedArguments) }, sourceText)
  }

  /// `ResourcesImpl.getIdentifier` reads a number as an id and splits at `:` and `/`. aapt2 allows letters of
  /// all scripts, digits, `_`, `.` and `-` in names; Android's lint recommends only what Java allows.
  func syntaxFinding(_ key: String, exists: Bool) -> Finding? {
    var bytes = Array(key.utf8)[...]
    let first = bytes.popFirst() ?? 0
    let isName =
      (first.isASCIILetter || first == UInt8(ascii: "_"))
      && bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
    if isName || exists && AndroidKey(key) == .name { return nil }
    let isNumber = !key.isEmpty && key.utf8.allSatisfy(\.isASCIIDigit)
    return Finding(
      .keySyntax, impact: isNumber ? .crash : nil, isNumber ? .keyIsNumber : .keyIsNoName, [key],
      help: .nameOfLetters)
  }

  private mutating func absence(of use: KeyUse, from resources: StringResources) -> Finding {
    let key = use.text.key
    if let finding = absenceInSources(of: use) { return finding }
    if let key = resources.outOfReach[ExactText(key)], let place = key.place {
      return wrongBundle(key, place, of: use)
    }
    if let place = resources.outOfReach[ExactText(key)], resources.platform == .ios {
      var finding = Finding(
        .wrongTable, impact: use.impactWithoutKey, .keyInOtherTable,
        [place.table, use.consequenceWithoutKey], help: .moveToLocalizable)
      finding.file = place.file
      finding.line = place.line
      return finding
    }
    let misplaced = resources.problems.first {
      $0.kind == .misplacedKey && $0.key?.hasSameBytes(as: key) == true
    }
    if let misplaced {
      var finding = Finding(
        .missingKey, impact: use.impactWithoutKey, .keyMisplaced,
        [misplaced.message, use.consequenceWithoutKey], help: .moveIntoStrings)
      (finding.file, finding.line) = (misplaced.file, misplaced.line)
      return finding
    }
    let others = releases[resources.platform].map(\.resources)
    if let renamed = RenamedKey(key, in: resources, next: nil, others: others) {
      return renamed.finding(in: FindingText(.buildOfApp))
    }
    let nearest = nearestName(to: key, among: names(of: resources))
    let similar = [nearest].compactMap(\.self)
    if let archives = resources.project?.unbuiltArchives, !archives.isEmpty {
      let listed = FindingGroup.listed(archives, most: 5)
      return Finding(
        .missingKey, severity: .warning, nearest == nil ? .noReadableString : .noReadableStringSimilar,
        [use.consequenceWithoutKey, listed] + similar, help: .listFoldersOrCorrectKey, [listed])
    }
    return Finding(
      .missingKey, impact: use.platform == .ios ? use.impactWithoutKey : nil,
      nearest == nil ? .noKey : .noKeySimilar, [use.consequenceWithoutKey] + similar, help: .addString,
      [resources.ownFolder])
  }

  /// The finding that no source has the key of a slot; nil for a slot that names strings of the app.
  private func absenceInSources(of use: KeyUse) -> Finding? {
    guard let key = use.source else { return nil }
    let nearest = self.resources?.sources?.texts.nearest(to: key)
    return Finding(
      .missingKey, impact: use.platform == .ios ? use.impactWithoutKey : nil,
      nearest == nil ? .noSourceText : .noSourceTextSimilar,
      [key, use.consequenceWithoutKey] + [nearest].compactMap(\.self), help: .addToSources)
  }

  /// The finding that the key is only in strings that do not reach the app.
  private func wrongBundle(
    _ key: StringResources.OutOfReach, _ place: StringResources.Elsewhere, of use: KeyUse
  ) -> Finding {
    var finding = Finding(
      .wrongBundle, impact: use.platform == .ios ? use.impactWithoutKey : nil, .keyElsewhere,
      [place.clause, use.consequenceWithoutKey], help: use.platform == .android ? .addToModule : .addToTarget)
    (finding.file, finding.line) = (key.file, key.line)
    return finding
  }

  func kindFindings(_ holder: Translation, _ platform: AppPlatform) -> [Finding] {
    var findings: [Finding] = []
    switch holder.entry.value {
    case .string(""):
      findings = [emptyFinding(holder.entry, platform)]
    case .string(let text):
      findings = [cutFinding(text, platform), keyFinding(text, holder.entry, platform)].compactMap(\.self)
    // An iPhone shows the text of a variation by device or width.
    case .plural where holder.text != nil: break
    case .plural, .array:
      let kind: FaultText = if case .array = holder.entry.value { .anArray } else { .aPlural }
      findings = [
        Finding(
          .pluralKey, impact: platform == .ios && shownText(holder.entry) != nil ? .wrongText : nil,
          platform == .android ? .notAString : .notResolved, [kind, shown(holder.entry)],
          help: .keyForEachForm)
      ]
    }
    if let state = holder.entry.state, state != .translated {
      findings.append(
        Finding(
          .staleTranslation, .markedAs, [state.rawValue], help: .review))
    }
    return findings.map { holder.aboutText($0) }
  }

  private func emptyFinding(_ entry: StringEntry, _ platform: AppPlatform) -> Finding {
    switch entry.absence {
    case .null: Finding(.emptyValue, impact: .wrongText, .isNull, help: .translateOrRemove)
    case .empty: Finding(.emptyValue, impact: .crash, .isEmptyReference, help: .translateOrRemove)
    case nil:
      Finding(
        .emptyValue, platform == .android ? .emptyOnAndroid : .emptyOnIOS, help: .translateOrRemove)
    }
  }

  /// A text that an APK has no room for: one that was cut, or that the next build cuts.
  private func cutFinding(_ text: String, _ platform: AppPlatform) -> Finding? {
    guard platform == .android,
      text == CutText.replacement || resources?.android?.shipped == nil && CutText.isTooLong(text)
    else { return nil }
    return Finding(
      .unparsableStrings, impact: .wrongText, .tooLongForAPK, [CutText.replacement], help: .shorten)
  }

  private func shown(_ entry: StringEntry) -> any FindingValue {
    shownText(entry).map { "\"\($0)\"" } ?? FaultText.rawKey
  }

  /// What an iPhone shows for a plural; nil if that is the raw key.
  private func shownText(_ entry: StringEntry) -> String? {
    entry.formatKey.flatMap { AppleFormatter.format($0, args: ["5"]) }
  }

  /// The finding that `values/` lacks a key; nil if it has it.
  func missingDefault(
    _ strings: [Translation], _ resources: StringResources, _ source: Translation
  ) -> Finding? {
    let hasDefault = strings.contains {
      $0.table.name == StringResources.defaultTable && !$0.entry.isConditional
    }
    // A file that cannot be read is reported instead; the key might be in it.
    guard resources.platform == .android, !hasDefault,
      !resources.unreadableTables.contains(StringResources.defaultTable)
    else { return nil }
    var finding = source.placed(missingDefault(strings, resources))
    finding.locale = StringResources.defaultTable
    return finding
  }

  /// What happens without a default value: aapt2 link removes the string if one of its values depends on the
  /// locale alone (NoDefaultResourceRemover.cpp). A string that stays in the app makes phones crash that have
  /// no value for it.
  private func missingDefault(_ strings: [Translation], _ resources: StringResources) -> Finding {
    if resources.shipped != nil {
      return Finding(.missingDefaultKey, impact: .crash, .defaultNotShipped, help: .addToValues)
    }
    if !strings.contains(where: { $0.table.locale != nil && !$0.entry.isConditional }) {
      let folder = strings.first?.entry.file ?? ""
      return Finding(
        .missingDefaultKey, impact: .crash, .defaultForSomePhones, [folder], help: .addToValues)
    }
    return Finding(.missingDefaultKey, .noDefault, help: .addToValues)
  }

  /// The source of all translations: the text in `values/` or in the development language.
  func source(of strings: [Translation], _ resources: StringResources) -> Translation? {
    let names = resources.sourceTableNames(of: self.resources?.developmentLanguage(on: .ios))
    return names.lazy.compactMap { name in strings.first { $0.table.name.hasSameBytes(as: name) } }.first
      ?? strings.first
  }

  /// R8 and AGP remove strings that only a push message names, unless `tools:keep` names them too.
  mutating func shrinkerFinding(_ key: String, _ resources: StringResources) -> Finding? {
    // What was shipped has been through the shrinker.
    guard resources.shipped == nil else { return nil }
    let kept = resources.keptNames ?? []
    if kept.contains(where: { $0.matches(key) }) { return nil }
    if namesInCode(of: resources).contains(key) { return nil }
    return Finding(.resourceShrinker, .notKept, help: .writeKeep, [KeepFile.name])
  }
}

/// A key's entry in one language.
struct Translation {
  let table: StringTable
  let entry: StringEntry
  /// The text that a loc key finds; nil for a plural and an array. On iOS also the text of a variation by
  /// device or width.
  let text: String?

  init(_ table: StringTable, _ entry: StringEntry, _ platform: AppPlatform) {
    self.table = table
    self.entry = entry
    guard entry.text == nil, platform == .ios, let format = entry.formatKey else {
      text = entry.text
      return
    }
    let isPlural = FormatString(format, platform: .ios).placeholders.contains { $0.conversion == .plural }
    text = isPlural ? nil : format
  }

  /// The finding with the place of this entry.
  func placed(_ finding: Finding) -> Finding {
    var finding = finding
    finding.locale = table.name
    finding.file = entry.file
    finding.line = entry.line
    return finding
  }

  /// The finding with the place of this entry, and the phones that show its text if not all do.
  func aboutText(_ finding: Finding) -> Finding {
    var finding = placed(finding)
    if !entry.variants.isEmpty {
      let names = FindingGroup.listed(entry.variants, most: 5)
      finding.fault =
        finding.fault
        + FindingText(entry.variants.count == 1 ? .onlyFlavorHasText : .onlyFlavorsHaveText, [names])
      finding.variants = entry.variants
    }
    guard let qualifiers = entry.qualifiers, !qualifiers.isEmpty else {
      // Where others of the same name stand in for it, a preview shows those.
      finding.isForSomePhones = table.alternatives(of: entry.key).contains(where: \.isConditional)
      return finding
    }
    finding.isForSomePhones = true
    finding.fault =
      finding.fault
      + (entry.minimumVersion.map { FindingText(.onlyFromLevel, ["\($0)"]) }
        ?? FindingText(.onlyMatching, [String(qualifiers.prefix(100))]))
    return finding
  }

  /// The texts that only some phones show for the key.
  func alternatives(of key: String) -> [Translation] {
    table.alternatives(of: key).map { Translation(table, $0, .android) }
  }

  /// What the language has under the key, in all variants and on all phones.
  var allEntries: [StringEntry] { [entry] + table.alternatives(of: entry.key) }
}
