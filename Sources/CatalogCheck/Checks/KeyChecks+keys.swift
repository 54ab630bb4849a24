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
      .keySyntax, impact: isNumber ? .crash : nil,
      isNumber
        ? "Android reads the number \(key) as a resource id, and the app crashes "
          + "(android.content.res.Resources$NotFoundException)."
        : "\"\(key)\" cannot be the name of an Android string, so Android drops the line.",
      help: "Use a name of letters, digits, _ and . that begins with a letter or _.")
  }

  private mutating func absence(of use: KeyUse, from resources: StringResources) -> Finding {
    let key = use.text.key
    if let finding = absenceInSources(of: use) { return finding }
    if let key = resources.outOfReach[ExactText(key)], let place = key.place {
      return wrongBundle(key, place, of: use)
    }
    if let place = resources.outOfReach[ExactText(key)], resources.platform == .ios {
      var finding = Finding(
        .wrongTable, impact: use.impactWithoutKey,
        "The key is in \(place.table), but push notifications look only in the app's Localizable table, "
          + "so every iPhone shows \(use.textWithoutKey).",
        help: "Move it to Localizable of the main app.")
      finding.file = place.file
      finding.line = place.line
      return finding
    }
    let misplaced = resources.problems.first {
      $0.kind == .misplacedKey && $0.key?.hasSameBytes(as: key) == true
    }
    if let misplaced {
      var finding = Finding(
        .missingKey, impact: use.impactWithoutKey,
        "\(misplaced.message), so every iPhone shows \(use.textWithoutKey).",
        help: "Move it into \"strings\".")
      (finding.file, finding.line) = (misplaced.file, misplaced.line)
      return finding
    }
    let others = releases[resources.platform].map(\.resources)
    if let renamed = RenamedKey(key, in: resources, next: nil, others: others) {
      return renamed.finding(in: "The build of the app")
    }
    let consequence =
      resources.platform == .android
      ? "Android drops the line" : "every iPhone shows \(use.textWithoutKey)"
    let nearest = nearestName(to: key, among: names(of: resources)).map { "; did you mean \($0)?" } ?? "."
    if let archives = resources.project?.unbuiltArchives, !archives.isEmpty {
      let listed = FindingGroup.listed(archives, most: 5)
      return Finding(
        .missingKey, severity: .warning,
        "No string that can be read has this key: \(consequence), unless \(listed) has it, which another build "
          + "makes\(nearest)",
        help: "List the folders of resources that count, also those of \(listed), or correct the key in the "
          + "catalog.")
    }
    return Finding(
      .missingKey, impact: use.platform == .ios ? use.impactWithoutKey : nil,
      "No language has this key: \(consequence)\(nearest)",
      help: "Add the string to \(resources.ownFolder), or correct the key in the catalog.")
  }

  /// The finding that no source has the key of a slot; nil for a slot that names strings of the app.
  private func absenceInSources(of use: KeyUse) -> Finding? {
    guard let key = use.source else { return nil }
    let nearest = self.resources?.sources?.texts.nearest(to: key)
    let suggestion = nearest.map { "; did you mean \($0)?" } ?? "."
    let consequence =
      use.platform == .android ? "Android drops the line" : "every iPhone shows \(use.textWithoutKey)"
    return Finding(
      .missingKey, impact: use.platform == .ios ? use.impactWithoutKey : nil,
      "No source has a text for \(key) that can be a native string: \(consequence)\(suggestion)",
      help: "Add the text to the sources, or correct the key in the catalog.")
  }

  /// The finding that the key is only in strings that do not reach the app.
  private func wrongBundle(
    _ key: StringResources.OutOfReach, _ place: StringResources.Elsewhere, of use: KeyUse
  ) -> Finding {
    let consequence =
      use.platform == .android ? "Android drops the line" : "every iPhone shows \(use.textWithoutKey)"
    var finding = Finding(
      .wrongBundle, impact: use.platform == .ios ? use.impactWithoutKey : nil,
      "The key is only \(place.clause). Push messages look only in the app itself, so \(consequence).",
      help: use.platform == .android
        ? "Add the string to a module that the application depends on, or add the dependency."
        : "Add the key to the Localizable table of the app's own target.")
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
      let kind = if case .array = holder.entry.value { "an array" } else { "a plural" }
      findings = [
        Finding(
          .pluralKey, impact: platform == .ios && shownText(holder.entry) != nil ? .wrongText : nil,
          platform == .android
            ? "The key is \(kind), which a loc key cannot look up, so Android drops the line."
            : "The key is \(kind), which push notifications do not resolve, so iPhones show "
              + "\(shown(holder.entry)).",
          help: "Give each form its own key (…_one, …_other), and choose it with variants.")
      ]
    }
    if let state = holder.entry.state, state != .translated {
      findings.append(
        Finding(
          .staleTranslation,
          "The translation is marked as \(state.rawValue), but users see it.",
          help: "Have it reviewed, then mark it as translated."))
    }
    return findings.map { holder.aboutText($0) }
  }

  private func emptyFinding(_ entry: StringEntry, _ platform: AppPlatform) -> Finding {
    let help = "Translate it, or remove the entry."
    switch entry.absence {
    case .null:
      return Finding(
        .emptyValue, impact: .wrongText, "The string is @null, which Android shows as @0.", help: help)
    case .empty:
      return Finding(
        .emptyValue, impact: .crash,
        "The string is @empty, which has no text, so the app crashes "
          + "(android.content.res.Resources$NotFoundException).", help: help)
    case nil:
      return Finding(
        .emptyValue,
        platform == .android
          ? "The text is empty, so Android drops the line."
          : "The text is empty, so iPhones show the raw key.",
        help: help)
    }
  }

  /// A text that an APK has no room for: one that was cut, or that the next build cuts.
  private func cutFinding(_ text: String, _ platform: AppPlatform) -> Finding? {
    guard platform == .android,
      text == CutText.replacement || resources?.android?.shipped == nil && CutText.isTooLong(text)
    else { return nil }
    return Finding(
      .unparsableStrings, impact: .wrongText,
      "The text has more than 32,767 bytes, so the build (aapt2 link) replaces it by "
        + "\(CutText.replacement), which users see.",
      help: "Shorten it.")
  }

  private func shown(_ entry: StringEntry) -> String {
    shownText(entry).map { "\"\($0)\"" } ?? "the raw key"
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
    let crash = "the app crashes (android.content.res.Resources$NotFoundException)"
    if resources.shipped != nil {
      return Finding(
        .missingDefaultKey, impact: .crash,
        "The app has the string only for some languages or devices. On all other phones, \(crash).",
        help: "Add the string to values/.")
    }
    if !strings.contains(where: { $0.table.locale != nil && !$0.entry.isConditional }) {
      let folder = strings.first?.entry.file ?? ""
      return Finding(
        .missingDefaultKey, impact: .crash,
        "values/ lacks the key. Only folders for some phones have it, such as that of \(folder); on all "
          + "other phones, \(crash).",
        help: "Add the string to values/.")
    }
    return Finding(
      .missingDefaultKey,
      "values/ lacks the key, so the build (aapt2 link) leaves the string out of the app in every "
        + "language, and Android drops the line.",
      help: "Add the string to values/.")
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
    return Finding(
      .resourceShrinker,
      "No tools:keep and no code found beside the resources names the string, so the resource shrinker may "
        + "remove it from release builds, and Android then drops the line.",
      help: "Run `dragoman check --write-keep`, which names all strings of the catalog in "
        + "res/raw/\(KeepFile.name).")
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
      let verb = entry.variants.count == 1 ? "has" : "have"
      finding.message += " Only \(FindingGroup.flavors(entry.variants)) \(verb) this text."
      finding.variants = entry.variants
    }
    guard let qualifiers = entry.qualifiers, !qualifiers.isEmpty else {
      // Where others of the same name stand in for it, a preview shows those.
      finding.isForSomePhones = table.alternatives(of: entry.key).contains(where: \.isConditional)
      return finding
    }
    finding.isForSomePhones = true
    let phones =
      entry.minimumVersion.map { "with API level \($0) or later" }
      ?? "that match \(String(qualifiers.prefix(100)))"
    finding.message += " Only phones \(phones) show this text."
    return finding
  }

  /// The texts that only some phones show for the key.
  func alternatives(of key: String) -> [Translation] {
    table.alternatives(of: key).map { Translation(table, $0, .android) }
  }

  /// What the language has under the key, in all variants and on all phones.
  var allEntries: [StringEntry] { [entry] + table.alternatives(of: entry.key) }
}
