internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import YAML

/// The rules that need only the catalog.
extension Check {
  /// `texts` and `bounds` are those of the app's newest strings.
  func templateFindings(
    _ template: Template, _ texts: RecipientTexts, _ bounds: inout KeyBounds
  ) -> [Finding] {
    var findings = literals(template) + unusedParams(template) + fallbacks(template)
    let (bytes, locale) = longestMessage(template, texts, &bounds)
    if bytes > SealedMessage.byteCountMax {
      var finding = Finding(
        .messageTooLarge, locale == nil ? .tooLarge : .tooLargeInLanguage,
        ["\(bytes)"] + [locale].compactMap(\.self) + ["\(SealedMessage.byteCountMax)"], help: .lowerLengths)
      finding.line = template.line
      findings.append(finding)
    }
    return findings.map { finding in
      var finding = finding
      finding.template = template.name
      finding.file = catalog.file
      return finding
    }
  }

  private func literals(_ template: Template) -> [Finding] {
    template.literals.map { literal in
      var finding = Finding.literalOverridesLocKey(literal.problem.path.description)
      finding.slot = literal.slot
      finding.platform = .android
      finding.line = literal.problem.line
      finding.key =
        (template.slots + template.fieldTexts).filter { $0.name == literal.slot }
        .lazy.flatMap { $0.allTexts(on: .android) }.first?.key
      return finding
    }
  }

  private func unusedParams(_ template: Template) -> [Finding] {
    let texts = template.slots.flatMap { slot in
      AppPlatform.allCases.flatMap { slot.allTexts(on: $0) }.flatMap(\.args)
    }
    let conditions = template.slots.flatMap(\.variants).flatMap(\.conditions).map(\.param)
    let used = Set(texts + conditions + template.valueParams)
    return template.params.filter { !used.contains($0.name) }.map { param in
      var finding = Finding(.unusedParam, .unusedParam, [param.name], help: .useParam, [param.name])
      finding.line = param.line
      return finding
    }
  }

  /// The fallback is what an iPhone shows whose app does not have the key yet, also formatted with the args
  /// (UNLocalizedStringFactory).
  private func fallbacks(_ template: Template) -> [Finding] {
    // The text of a Live Activity is a key or a literal, never both.
    if template.activity != nil { return [] }
    return template.slots.compactMap { slot in
      let texts = slot.allTexts(on: .ios)
      guard let first = texts.first else { return nil }
      var finding: Finding
      switch (slot.name, template.fallback?.text(slot.name)) {
      case (.subtitle, nil): return nil
      case (_, nil):
        finding = Finding(
          .missingFallback, .noFallback, [slot.name.clause], help: .addFallback, [slot.name.rawValue])
      case (_, let text?):
        guard text.utf8.contains(UInt8(ascii: "%")), texts.contains(where: { !$0.args.isEmpty }) else {
          return nil
        }
        finding = Finding(
          .fallbackPercent, .fallbackPercent, [slot.name.clause], help: .fallbackWithoutPercent)
      }
      finding.slot = slot.name
      finding.platform = .ios
      finding.key = first.key
      finding.line = slot.line
      return finding
    }
  }
}

extension Finding {
  /// `literal` names the text.
  static func literalOverridesLocKey(_ literal: String) -> Finding {
    Finding(.literalOverridesLocKey, .literalWins, [literal], help: .removeLiteral)
  }
}
