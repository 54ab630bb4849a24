internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// Whether a text is what its author meant its readers to see, in their language.
extension KeyChecks {
  func damageFinding(_ damage: DamagedPlaceholder, _ platform: AppPlatform, _ argCount: Int) -> Finding {
    let consequence =
      argCount == 0 || damage.text.hasPrefix("%%")
      ? "users see it as it is" : platform == .android ? "the app crashes" : "users see a part of it"
    let advice = damage.form.contains("$") ? "." : ", with the arg's position after the %."
    return Finding(
      .placeholderDamaged, impact: argCount == 0 ? .wrongText : nil,
      "\"\(damage.text)\" is a damaged placeholder, so \(consequence).",
      help: "Write \(damage.form)\(advice)")
  }

  func markupFinding(_ entry: StringEntry, _ format: FormatString, _ argCount: Int) -> Finding? {
    guard let markup = VisibleMarkup(in: format.text) else { return nil }
    let isAndroid = format.platform == .android
    let help: String
    switch markup.kind {
    case .tag:
      help =
        isAndroid && markup.text.first == "<"
        ? "Remove the tag. Notifications show no markup; Android leaves out tags that are written as such, "
          + "without &lt; and CDATA."
        : "Remove the tag. Notifications show no markup."
    case .entity(let character):
      let meant = character.map { Self.name(of: $0, isAndroid: isAndroid) }
      help = meant.map { "Write \($0)." } ?? "Write the character itself."
    case .escape:
      help =
        isAndroid
        ? "Write it with one backslash: \(markup.text)."
        : "Write it with one backslash, or the character itself."
    case .placeholder:
      let form = isAndroid ? "%1$s" : "%1$@"
      help =
        argCount == 0
        ? "Send the value as an arg, and write \(form)." : "Write \(form), with the arg's position."
    }
    return Finding(.visibleMarkup, "Users see \(markup.text) as it is.", help: help)
  }

  /// A text that is its own key: translators see it as done, and a string catalog ships it.
  func keyFinding(_ text: String, _ entry: StringEntry, _ platform: AppPlatform) -> Finding? {
    guard text.isKeyShown(entry.key) else { return nil }
    let advice = "Write the text as users should read it."
    return Finding(
      .textIsKey, "The text is its own key, so users see \(entry.key).",
      help: platform == .android
        ? advice : "\(advice) In a string catalog, give the key a value in its source language.")
  }

  /// How a character is written that an entity stands for.
  private static func name(of character: Unicode.Scalar, isAndroid: Bool) -> String {
    switch (character, isAndroid) {
    case ("\u{A0}", true): "\\u00A0, a no-break space"
    case ("\u{A0}", false): "a no-break space itself"
    case ("'", true), ("\"", true), ("\"", false): "\\\(character)"
    case ("&", true): "&amp; once"
    case ("<", true): "&lt; once"
    default: "\(character)"
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
        .wrongScript,
        "The text is in \(TextLetters.name(ofScript: found)) letters, but the language is written in "
          + "\(expected.map(TextLetters.name).joined(separator: " or ")) ones.",
        help: "Translate it, or move it to the folder of its language.")
    }
  }
}

extension Finding {
  fileprivate static func untranslated(keys: [String]) -> Finding {
    Finding(
      .untranslated,
      keys.count == 1
        ? "The text is the source text, so users read another language."
        : "The texts of \(keys.joined(separator: ", ")) are the source texts, so users read another language.",
      help: "Translate \(keys.count == 1 ? "it" : "them"), or mark what is the same in all languages as not "
        + "translatable.")
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
      (joined[index].message, joined[index].help) = (all.message, all.help)
    }
    return joined
  }
}
