internal import AppStrings
internal import Catalog
internal import FCMMessage

/// What a phone makes of each translation with as many args as the template sends.
extension KeyChecks {
  func textFindings(
    _ strings: [Translation], _ formats: [FormatString], source: FormatString?, _ argCount: Int
  ) -> [Finding] {
    zip(strings, formats).flatMap { translation, format -> [Finding] in
      guard !format.text.isEmpty else { return [] }
      var findings: [Finding]
      if argCount == 0 {
        findings = unformattedFindings(format)
      } else {
        findings = placeholderFindings(format)
        if !findings.contains(where: { $0.rule == .stringFormatInvalid }) {
          findings += strayFindings(format)
        }
        findings += [countFinding(format, argCount), mixFinding(format, translation.entry)].compactMap(\.self)
        if let finding = orderFinding(format, source: source) { findings.append(finding) }
      }
      return findings.map { translation.placed($0) }
    }
  }

  /// Args that no translation shows. Their names are the use's own, so that this is not remembered by key.
  func unusedArgs(of use: KeyUse) -> [Finding] {
    guard !use.text.args.isEmpty, let used = shownArgs(of: use) else { return [] }
    let unused = use.text.args.indices.filter { !used.contains($0) }.map { use.text.args[$0] }
    guard !unused.isEmpty else { return [] }
    return [
      Finding(
        .unusedArg,
        "No translation shows \(unused.joined(separator: ", ")), which the template sends as "
          + "\(unused.count == 1 ? "an arg" : "args").",
        help: "Remove it from args, or add its placeholder to the texts.")
    ]
  }

  /// Without args neither platform formats, so that `%1$s` and `%%` are shown as they stand.
  private func unformattedFindings(_ format: FormatString) -> [Finding] {
    let placeholder = format.placeholders.first { !$0.looksStray }
    guard placeholder != nil || format.escapeCount > 0 else { return [] }
    return [
      Finding(
        .percentWithoutArgs,
        "The template sends no args, so that the text is not formatted and users read "
          + "\(placeholder.map(\.text) ?? "%%") as it stands.",
        help: placeholder == nil
          ? "Write a single %." : "Name the params in args, or take the placeholder out.")
    ]
  }

  private func placeholderFindings(_ format: FormatString) -> [Finding] {
    var findings: [Finding] = []
    // One finding a rule: the first placeholder stands for all of its kind.
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
        "\(text) is no placeholder of Android: the app crashes (java.util.UnknownFormatConversionException).",
        help: "Write %1$s, with the arg's position.")
    }
    guard let exception = placeholder.exception else {
      guard placeholder.conversion == .boolean || placeholder.conversion == .hash else { return nil }
      return Finding(
        .stringFormatMatches, "\(text) gets a string and shows \"true\" or a hash code, never the arg.",
        help: "Write %1$s, with the arg's position.")
    }
    let crash = "the app crashes (\(exception.rawValue))"
    if exception == .illegalConversion, !placeholder.looksStray {
      return Finding(
        .stringFormatMatches, "\(text) gets a string, as all args of a push message are: \(crash).",
        help: "Write %1$s, with the arg's position.")
    }
    return Finding(
      .stringFormatInvalid, "\"\(text)\" is read as a placeholder that cannot be: \(crash).",
      help: placeholder.looksStray ? "Write %% for a percent sign." : "Write %1$s, with the arg's position.")
  }

  private func appleFinding(_ placeholder: FormatString.Placeholder) -> Finding? {
    let text = placeholder.text
    switch placeholder.conversion {
    case .plural:
      return Finding(
        .pluralKey,
        "\(text) is a plural's variable, which push notifications do not fill in: users read a piece of it.",
        help: "Give each form a key of its own (…_one, …_other) and choose it by variants.")
    case _ where !placeholder.isForeign:
      guard case .explicit(0) = placeholder.numbering else { return nil }
      return Finding(
        .stringFormatInvalid, "\(text) names no arg, positions count from 1: users read <null>.",
        help: "Write %1$@, with the arg's position.")
    case .text, .character:
      return Finding(
        .foreignPlaceholder, "\(text) is no placeholder of iOS, which drops it or shows a piece of it.",
        help: "Write %1$@, with the arg's position.")
    case .number, .date, .boolean, .hash:
      return Finding(
        .stringFormatMatches,
        "\(text) gets a string, and push notifications know %@ alone: users read a piece of the placeholder.",
        help: "Write %1$@, with the arg's position.")
    }
  }

  private func strayFindings(_ format: FormatString) -> [Finding] {
    if let stray = format.strayPercents.first {
      return [
        Finding(
          .stringFormatInvalid,
          format.platform == .android
            ? "\"\(stray.text)\" is no placeholder: the app crashes (java.util.UnknownFormatConversionException)."
            : "\"\(stray.text)\" is no placeholder: iOS drops it.",
          help: "Write %% for a percent sign.")
      ]
    }
    guard format.fullwidthPercentCount > 0 else { return [] }
    return [
      Finding(
        .stringFormatInvalid, "The full-width ％ begins no placeholder: users read it as it stands.",
        help: "Write the placeholder with an ASCII %.")
    ]
  }

  private func countFinding(_ format: FormatString, _ argCount: Int) -> Finding? {
    let needed = format.argumentCount
    guard needed > argCount else { return nil }
    let consequence =
      format.platform == .android
      ? "Android drops the line (java.util.MissingFormatArgumentException)" : "users read <null>"
    return Finding(
      .stringFormatCount,
      "The text has placeholders for \(needed) args, and the template sends \(argCount): \(consequence).",
      help: "Send the missing args, or take the placeholder out.")
  }

  private func mixFinding(_ format: FormatString, _ entry: StringEntry) -> Finding? {
    let placeholders = format.placeholders.filter { !$0.looksStray }
    let ordinary = placeholders.filter { $0.numbering == .ordinary }
    if !ordinary.isEmpty, ordinary.count < placeholders.count, format.mixesNumbering {
      return Finding(
        .mixedPositional,
        "\(ordinary[0].text) has no position and others have: it counts for itself, from the first arg on.",
        help: "Give every placeholder its position.")
    }
    guard format.platform == .android, entry.isFormatted, ordinary.count > 1 else { return nil }
    return Finding(
      .mixedPositional,
      "Several placeholders without a position: aapt2 refuses the text unless formatted=\"false\", and a "
        + "translation cannot change their order.",
      help: "Write %1$s, %2$s.")
  }

  /// Whether an order was changed cannot be seen in a text without positions; that its source needs them can.
  private func orderFinding(_ format: FormatString, source: FormatString?) -> Finding? {
    guard let source, source.ordinaryCount == 0, source.usedArguments.count > 1, format.ordinaryCount > 1,
      !format.mixesNumbering
    else { return nil }
    return Finding(
      .argOrderChanged,
      "The text it is translated from gives its placeholders positions and this one does not, so that it shows the "
        + "args in the order in which they are sent.",
      help: "Give every placeholder its position.")
  }
}
