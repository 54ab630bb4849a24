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
      .unusedArg, unused.count == 1 ? .unusedArg : .unusedArgs, [unused.joined(separator: ", ")],
      help: .removeArg)
  }

  /// Without args neither platform formats, so users see `%1$s` and `%%` unchanged.
  private func unformattedFindings(_ format: FormatString) -> [Finding] {
    let placeholder = format.placeholders.first { !$0.looksStray }
    guard placeholder != nil || format.escapeCount > 0 else { return [] }
    return [
      Finding(
        .percentWithoutArgs, .unformatted, [placeholder.map(\.text) ?? "%%"],
        help: placeholder == nil ? .singlePercent : .nameParams)
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
        .foreignPlaceholder, .foreignOnAndroid, [text], help: .writeWithPosition, ["%1$s"])
    }
    guard let exception = placeholder.exception else {
      guard placeholder.conversion == .boolean || placeholder.conversion == .hash else { return nil }
      return Finding(
        .stringFormatMatches, impact: .wrongText, .showsHash, [text], help: .writeWithPosition, ["%1$s"])
    }
    if exception == .illegalConversion, !placeholder.looksStray {
      return Finding(
        .stringFormatMatches, .getsString, [text, exception.rawValue], help: .writeWithPosition, ["%1$s"])
    }
    return Finding(
      .stringFormatInvalid, .invalidPlaceholder, [text, exception.rawValue],
      help: placeholder.looksStray ? .percentSign : .writeWithPosition,
      placeholder.looksStray ? [] : ["%1$s"])
  }

  private func appleFinding(_ placeholder: FormatString.Placeholder) -> Finding? {
    let text = placeholder.text
    switch placeholder.conversion {
    case .plural:
      return Finding(.pluralKey, impact: .wrongText, .pluralVariable, [text], help: .keyForEachForm)
    case _ where !placeholder.isForeign:
      guard case .explicit(0) = placeholder.numbering else { return nil }
      return Finding(.stringFormatInvalid, .positionZero, [text], help: .writeWithPosition, ["%1$@"])
    case .text, .character:
      return Finding(.foreignPlaceholder, .foreignOnIOS, [text], help: .writeWithPosition, ["%1$@"])
    case .number, .date, .boolean, .hash:
      return Finding(.stringFormatMatches, .onlyStrings, [text], help: .writeWithPosition, ["%1$@"])
    }
  }

  private func strayFindings(_ format: FormatString) -> [Finding] {
    let stray = format.strayPercents.first
    if format.platform == .ios, AppleFormatter.format(format.text, args: []) == nil {
      let cutting = format.strayPercents.first { $0.text.utf8.contains { $0 >= 0x80 } } ?? stray
      return [
        Finding(
          .stringFormatInvalid, impact: .rawKey, .cutsCharacter, [cutting?.text ?? "%"], help: .percentSign)
      ]
    }
    if let stray {
      return [
        Finding(
          .stringFormatInvalid, format.platform == .android ? .strayOnAndroid : .strayOnIOS, [stray.text],
          help: .percentSign)
      ]
    }
    guard format.fullwidthPercentCount > 0 else { return [] }
    return [
      Finding(.stringFormatInvalid, impact: .wrongText, .fullWidthPercent, help: .asciiPercent)
    ]
  }

  private func countFinding(_ format: FormatString, _ argCount: Int) -> Finding? {
    let needed = format.argumentCount
    guard needed > argCount else { return danglingFinding(format) }
    return Finding(
      .stringFormatCount, format.platform == .android ? .tooFewArgsOnAndroid : .tooFewArgsOnIOS,
      [needed, argCount], help: .sendArgs)
  }

  private func danglingFinding(_ format: FormatString) -> Finding? {
    guard let placeholder = format.danglingRelative else { return nil }
    return Finding(
      .stringFormatCount, .repeatsNothing, [placeholder.text], help: .writeWithPosition, ["%1$s"])
  }

  private func mixFinding(_ format: FormatString, _ entry: StringEntry) -> Finding? {
    let placeholders = format.placeholders.filter { !$0.looksStray }
    let ordinary = placeholders.filter { $0.numbering == .ordinary }
    if !ordinary.isEmpty, ordinary.count < placeholders.count, format.mixesNumbering {
      return Finding(
        .mixedPositional, .someWithoutPosition, [ordinary[0].text], help: .positionForAll)
    }
    guard format.platform == .android, entry.isFormatted, ordinary.count > 1 else { return nil }
    return Finding(.mixedPositional, .severalWithoutPosition, help: .write, ["%1$s, %2$s"])
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
      .lostArg, lost.count == 1 ? .lostArg : .lostArgs, [positions], help: .addPlaceholder,
      [format.platform == .android ? "%\(example)$s" : "%\(example)$@"])
  }

  private func lengthFinding(_ format: FormatString, slot: TextSlot.Name) -> Finding? {
    var bytes = Array(format.text.utf8)
    for placeholder in format.placeholders.reversed() { bytes.removeSubrange(placeholder.range) }
    guard let room = CollapsedSlot(slot.rawValue, on: format.platform),
      room.shownCharacters(of: String(decoding: bytes, as: UTF8.self)) != nil
    else { return nil }
    // Alike in all languages, for which it is one cause.
    let lines = room.linesMax == 1 ? FindingText(.oneLine) : FindingText(.severalLines, [room.linesMax])
    let fault: FaultText =
      switch (format.platform, format.placeholders.isEmpty) {
      case (.android, true): .longerOnAndroid
      case (.android, false): .longerOnAndroidWithoutArgs
      case (.ios, true): .longerOnIOS
      case (.ios, false): .longerOnIOSWithoutArgs
      }
    return Finding(.textTooLong, fault, [lines, slot.clause], help: .firstOrShorter)
  }

  /// A text without positions does not show whether its order was changed, but its source shows that it needs
  /// them.
  private func orderFinding(_ format: FormatString, source: FormatString?) -> Finding? {
    guard let source, source.ordinaryCount == 0, source.usedArguments.count > 1, format.ordinaryCount > 1,
      !format.mixesNumbering
    else { return nil }
    return Finding(.argOrderChanged, .orderChanged, help: .positionForAll)
  }
}

extension TextSlot.Name {
  /// Its name in a finding.
  var clause: FaultText {
    switch self {
    case .title: .title
    case .subtitle: .subtitle
    case .body: .body
    }
  }
}
