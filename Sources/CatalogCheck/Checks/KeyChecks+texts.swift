internal import AppStrings
internal import Catalog
internal import FCMMessage

/// What phones show for each translation with the number of args that the template sends.
extension KeyChecks {
  func textFindings(
    _ strings: [Translation], _ formats: [FormatString], source: FormatString?, _ argCount: Int,
    in slot: TextSlot.Name, choosing: Set<Int> = []
  ) -> [Finding] {
    zip(strings, formats).flatMap { translation, format -> [Finding] in
      guard !format.text.isEmpty else { return [] }
      var findings: [Finding]
      let damage = format.hasPercent ? DamagedPlaceholder.first(in: format.text, on: format.platform) : nil
      if argCount == 0 {
        findings = unformattedFindings(format)
      } else {
        findings = placeholderFindings(format)
        if damage != nil {
          findings.removeAll { $0.rule == .stringFormatInvalid }
        } else if !findings.contains(where: { $0.rule == .stringFormatInvalid }) {
          findings += strayFindings(format)
        }
        if let finding = countFinding(format, argCount) { findings.append(finding) }
        if !findsOnlyErrors {
          findings += [
            mixFinding(format, translation.entry), orderFinding(format, source: source),
            damage == nil ? lostFinding(format, source: source, argCount, choosing) : nil,
          ].compactMap(\.self)
        }
      }
      if let damage { findings.append(damageFinding(damage, format.platform, argCount)) }
      if !findsOnlyErrors {
        findings += [
          lengthFinding(format, slot: slot),
          damage == nil ? markupFinding(translation.entry, format, argCount) : nil,
        ].compactMap(\.self)
      }
      return findings.map { translation.aboutText($0) }
    }
  }

  /// The args that are not among those that a text shows.
  func unusedArgs(of use: KeyUse, shown used: Set<Int>) -> Finding? {
    let unused = use.text.args.indices.filter { !used.contains($0) && !use.choosingArgs.contains($0) }
      .map { use.text.args[$0] }
    guard !unused.isEmpty else { return nil }
    return Finding(
      .unusedArg,
      "No translation shows \(unused.joined(separator: ", ")), which the template sends as "
        + "\(unused.count == 1 ? "an arg" : "args").",
      help: "Remove it from args, or add a placeholder for it to the texts.")
  }

  /// Without args neither platform formats, so users see `%1$s` and `%%` unchanged.
  private func unformattedFindings(_ format: FormatString) -> [Finding] {
    let placeholder = format.placeholders.first { !$0.looksStray }
    guard placeholder != nil || format.escapeCount > 0 else { return [] }
    return [
      Finding(
        .percentWithoutArgs,
        "The template sends no args, so the text is not formatted, and users see "
          + "\(placeholder.map(\.text) ?? "%%") unchanged.",
        help: placeholder == nil
          ? "Write a single %." : "Name the params in args, or remove the placeholder.")
    ]
  }

  private func placeholderFindings(_ format: FormatString) -> [Finding] {
    var findings: [Finding] = []
    // One finding per rule: the first placeholder represents all others.
    func add(_ finding: Finding?) {
      guard let finding, !findings.contains(where: { $0.rule == finding.rule }) else { return }
      findings.append(finding)
    }
    for placeholder in format.placeholders {
      add(format.platform == .android ? androidFinding(placeholder) : appleFinding(placeholder))
    }
    return findings
  }

  private func androidFinding(_ placeholder: FormatString.Placeholder) -> Finding? {
    let text = placeholder.text
    if placeholder.isForeign {
      return Finding(
        .foreignPlaceholder,
        "\(text) is not a placeholder on Android, so the app crashes "
          + "(java.util.UnknownFormatConversionException).",
        help: "Write %1$s, with the arg's position.")
    }
    guard let exception = placeholder.exception else {
      guard placeholder.conversion == .boolean || placeholder.conversion == .hash else { return nil }
      return Finding(
        .stringFormatMatches, impact: .wrongText,
        "\(text) shows \"true\" or a hash code for a string, never the arg.",
        help: "Write %1$s, with the arg's position.")
    }
    let crash = "the app crashes (\(exception.rawValue))"
    if exception == .illegalConversion, !placeholder.looksStray {
      return Finding(
        .stringFormatMatches, "\(text) gets a string, like every placeholder in a push message, so \(crash).",
        help: "Write %1$s, with the arg's position.")
    }
    return Finding(
      .stringFormatInvalid, "Android reads \"\(text)\" as an invalid placeholder, so \(crash).",
      help: placeholder.looksStray ? "Write %% for a percent sign." : "Write %1$s, with the arg's position.")
  }

  private func appleFinding(_ placeholder: FormatString.Placeholder) -> Finding? {
    let text = placeholder.text
    switch placeholder.conversion {
    case .plural:
      return Finding(
        .pluralKey, impact: .wrongText,
        "\(text) is a plural's variable, which push notifications do not fill in, so users see a part of it.",
        help: "Give each form its own key (…_one, …_other), and choose it with variants.")
    case _ where !placeholder.isForeign:
      guard case .explicit(0) = placeholder.numbering else { return nil }
      return Finding(
        .stringFormatInvalid, "\(text) names no arg because positions begin at 1, so users see <null>.",
        help: "Write %1$@, with the arg's position.")
    case .text, .character:
      return Finding(
        .foreignPlaceholder, "\(text) is not a placeholder on iOS, which drops it or shows a part of it.",
        help: "Write %1$@, with the arg's position.")
    case .number, .date, .boolean, .hash:
      return Finding(
        .stringFormatMatches,
        "Push notifications support only %@ with a string, so users see a part of \(text).",
        help: "Write %1$@, with the arg's position.")
    }
  }

  private func strayFindings(_ format: FormatString) -> [Finding] {
    let stray = format.strayPercents.first
    if format.platform == .ios, AppleFormatter.format(format.text, args: []) == nil {
      let cutting = format.strayPercents.first { $0.text.utf8.contains { $0 >= 0x80 } } ?? stray
      return [
        Finding(
          .stringFormatInvalid, impact: .rawKey,
          "\"\(cutting?.text ?? "%")\" is not a placeholder, and iOS cannot read the text without the first byte of "
            + "the character after the %, so iPhones show the raw key.",
          help: "Write %% for a percent sign.")
      ]
    }
    if let stray {
      return [
        Finding(
          .stringFormatInvalid,
          format.platform == .android
            ? "\"\(stray.text)\" is not a placeholder, so the app crashes "
              + "(java.util.UnknownFormatConversionException)."
            : "\"\(stray.text)\" is not a placeholder, so iOS drops it.",
          help: "Write %% for a percent sign.")
      ]
    }
    guard format.fullwidthPercentCount > 0 else { return [] }
    return [
      Finding(
        .stringFormatInvalid, impact: .wrongText,
        "The full-width ％ does not begin a placeholder, so users see it unchanged.",
        help: "Write the placeholder with an ASCII %.")
    ]
  }

  private func countFinding(_ format: FormatString, _ argCount: Int) -> Finding? {
    let needed = format.argumentCount
    guard needed > argCount else { return danglingFinding(format) }
    let consequence =
      format.platform == .android
      ? "Android drops the line (java.util.MissingFormatArgumentException)" : "users see <null>"
    return Finding(
      .stringFormatCount,
      "The text has placeholders for \(needed) args, but the template sends \(argCount), so \(consequence).",
      help: "Send the missing args, or remove the placeholder.")
  }

  private func danglingFinding(_ format: FormatString) -> Finding? {
    guard let placeholder = format.danglingRelative else { return nil }
    return Finding(
      .stringFormatCount,
      "\(placeholder.text) repeats the arg of the placeholder before it, but there is none, so Android drops "
        + "the line (java.util.MissingFormatArgumentException).",
      help: "Write %1$s, with the arg's position.")
  }

  private func mixFinding(_ format: FormatString, _ entry: StringEntry) -> Finding? {
    let placeholders = format.placeholders.filter { !$0.looksStray }
    let ordinary = placeholders.filter { $0.numbering == .ordinary }
    if !ordinary.isEmpty, ordinary.count < placeholders.count, format.mixesNumbering {
      return Finding(
        .mixedPositional,
        "\(ordinary[0].text) has no position but others do. Placeholders without a position count "
          + "separately, from the first arg.",
        help: "Give every placeholder a position.")
    }
    guard format.platform == .android, entry.isFormatted, ordinary.count > 1 else { return nil }
    return Finding(
      .mixedPositional,
      "Several placeholders have no position, so a translation cannot change their order. aapt2 alone rejects "
        + "such a text without formatted=\"false\"; the Gradle plugin builds it.",
      help: "Write %1$s, %2$s.")
  }

  /// A translation that lacks an arg of the source text says less to its readers than the author meant.
  private func lostFinding(
    _ format: FormatString, source: FormatString?, _ argCount: Int, _ choosing: Set<Int>
  ) -> Finding? {
    // A placeholder behind a full-width % and a plural's variable are reported as such.
    guard let source, format.fullwidthPercentCount == 0,
      !format.placeholders.contains(where: { $0.conversion == .plural })
    else { return nil }
    let lost = source.usedArguments.subtracting(format.usedArguments).subtracting(choosing)
      .filter { $0 < argCount }.sorted()
    guard !lost.isEmpty else { return nil }
    let positions = lost.map { String($0 + 1) }.joined(separator: ", ")
    let example = (lost.first ?? 0) + 1
    return Finding(
      .lostArg,
      "The source text shows \(lost.count == 1 ? "arg" : "args") \(positions), but this translation does not.",
      help: "Add \(format.platform == .android ? "%\(example)$s" : "%\(example)$@") to the translation.")
  }

  private func lengthFinding(_ format: FormatString, slot: TextSlot.Name) -> Finding? {
    var bytes = Array(format.text.utf8)
    for placeholder in format.placeholders.reversed() { bytes.removeSubrange(placeholder.range) }
    guard let room = CollapsedSlot(slot.rawValue, on: format.platform),
      room.shownCharacters(of: String(decoding: bytes, as: UTF8.self)) != nil
    else { return nil }
    // Alike in all languages, for which it is one cause.
    let lines = room.linesMax == 1 ? "one line" : "\(room.linesMax) lines"
    return Finding(
      .textTooLong,
      "\(format.platform == .ios ? "iPhones show" : "Android shows") \(lines) of a \(slot.rawValue) until the "
        + "user expands the notification, and the text is longer"
        + (format.placeholders.isEmpty ? "." : ", even without its args."),
      help: "Put what matters first, or shorten the text.")
  }

  /// A text without positions does not show whether its order was changed, but its source shows that it needs
  /// them.
  private func orderFinding(_ format: FormatString, source: FormatString?) -> Finding? {
    guard let source, source.ordinaryCount == 0, source.usedArguments.count > 1, format.ordinaryCount > 1,
      !format.mixesNumbering
    else { return nil }
    return Finding(
      .argOrderChanged,
      "The source text has placeholders with positions and this translation does not, so it shows the "
        + "args in the order in which they are sent.",
      help: "Give every placeholder a position.")
  }
}
