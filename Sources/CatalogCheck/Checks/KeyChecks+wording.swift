internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// Whether a text is what its author meant its readers to see, in their language.
extension KeyChecks {
  func damageFinding(_ damage: DamagedPlaceholder, _ platform: AppPlatform, _ argCount: Int) -> Finding {
    let consequence: FaultText =
      argCount == 0 || damage.text.hasPrefix("%%")
      ? .seenAsItIs : platform == .android ? .appCrashes : .seenInPart
    return Finding(
      .placeholderDamaged, impact: argCount == 0 ? .wrongText : nil, .damaged, [damage.text, consequence],
      help: damage.form.contains("$") ? .write : .writeWithPositionAfterPercent, [damage.form])
  }

  func markupFinding(_ entry: StringEntry, _ format: FormatString, _ argCount: Int) -> Finding? {
    guard let markup = VisibleMarkup(in: format.text) else { return nil }
    let isAndroid = format.platform == .android
    let help: FindingText
    switch markup.kind {
    case .tag: help = FindingText(isAndroid && markup.text.first == "<" ? .removeTagOnAndroid : .removeTag)
    case .entity(let character):
      help = character.map { Self.advice(for: $0, isAndroid: isAndroid) } ?? FindingText(.writeCharacter)
    case .escape:
      help = isAndroid ? FindingText(.oneBackslash, [markup.text]) : FindingText(.oneBackslashOrCharacter)
    case .placeholder:
      help = FindingText(argCount == 0 ? .sendAsArg : .writeWithPosition, [isAndroid ? "%1$s" : "%1$@"])
    }
    return Finding(.visibleMarkup, FindingText(.visibleMarkup, [markup.text]), help: help)
  }

  /// A text that is its own key: translators see it as done, and a string catalog ships it.
  func keyFinding(_ text: String, _ entry: StringEntry, _ platform: AppPlatform) -> Finding? {
    guard text.isKeyShown(entry.key) else { return nil }
    return Finding(
      .textIsKey, .textIsKey, [entry.key],
      help: platform == .android ? .writeForReaders : .writeForReadersInCatalog)
  }

  /// How a character is written that an entity stands for.
  private static func advice(for character: Unicode.Scalar, isAndroid: Bool) -> FindingText {
    switch (character, isAndroid) {
    case ("\u{A0}", true): FindingText(.writeNoBreakOnAndroid)
    case ("\u{A0}", false): FindingText(.writeNoBreak)
    case ("'", true), ("\"", true), ("\"", false): FindingText(.write, ["\\\(character)"])
    case ("&", true): FindingText(.writeOnce, ["&amp;"])
    case ("<", true): FindingText(.writeOnce, ["&lt;"])
    default: FindingText(.write, ["\(character)"])
    }
  }

  /// The texts in another language than that of their table.
  mutating func languageFindings(_ strings: [Translation], of use: KeyUse) -> [Finding] {
    // Where all readers get texts in their language, no text need be looked at again.
    guard !findsOnlyErrors, let readers = readers(on: use.platform),
      faults(of: use).contains(where: { $0.verdict <= .otherLanguage })
    else { return [] }
    return strings.compactMap { translation in
      guard let fault = readers.textLanguages.fault(of: translation.entry, in: translation.table.name) else {
        return nil
      }
      return translation.aboutText(Self.finding(fault, translation.entry.key))
    }
  }

  private static func finding(_ fault: TextLanguages.Fault, _ key: String) -> Finding {
    switch fault {
    case .untranslated: .untranslated(keys: [key])
    case .otherScript(let found, let expected):
      Finding(
        .wrongScript, .otherScript,
        [TextLetters.name(ofScript: found), expected.map(TextLetters.name).joined(separator: " or ")],
        help: .translateOrMove)
    }
  }
}

extension Finding {
  fileprivate static func untranslated(keys: [String]) -> Finding {
    keys.count == 1
      ? Finding(.untranslated, .untranslated, help: .translateOrMark)
      : Finding(
        .untranslated, .untranslatedTexts, [keys.joined(separator: ", ")], help: .translateOrMarkAll)
  }

  /// One finding in place of those about several keys of a template that one language has not translated.
  static func joiningUntranslated(_ findings: [Finding]) -> [Finding] {
    var joined: [Finding] = []
    var groups: [[String?]: (index: Int, keys: [String])] = [:]
    for finding in findings {
      let place = [finding.platform?.rawValue, finding.locale]
      guard finding.rule == .untranslated, let key = finding.key else {
        joined.append(finding)
        continue
      }
      var group = groups[place] ?? (joined.count, [])
      if group.keys.isEmpty { joined.append(finding) }
      joined[group.index].verdict = joined[group.index].verdict ?? finding.verdict
      if !group.keys.contains(where: { $0.hasSameBytes(as: key) }) { group.keys.append(key) }
      groups[place] = group
    }
    for (index, keys) in groups.values where keys.count > 1 {
      let all = Finding.untranslated(keys: keys)
      (joined[index].fault, joined[index].advice) = (all.fault, all.advice)
    }
    return joined
  }
}
