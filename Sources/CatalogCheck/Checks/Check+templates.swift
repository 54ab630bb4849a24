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
      let maker = locale.map { ", with the texts that the gateway makes in \($0)" } ?? ""
      var finding = Finding(
        .messageTooLarge,
        "With the longest values that its params allow, the message has \(bytes) bytes\(maker). FCM accepts "
          + "\(SealedMessage.byteCountMax), so such a request is rejected.",
        help: "Lower the max_length of the params, or send less data beside the keys.")
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
      var finding = Finding(
        .unusedParam,
        "No text, no variant and no field uses the param \(param.name), so its value reaches no device.",
        help: "Use it in args or as {$param: \(param.name)}, or remove it from params.")
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
          .missingFallback,
          "An iPhone whose app does not have the key yet shows the raw key, because there is no fallback for "
            + "the \(slot.name.rawValue).",
          help: "Add fallback: {\(slot.name.rawValue): …}.")
      case (_, let text?):
        guard text.utf8.contains(UInt8(ascii: "%")), texts.contains(where: { !$0.args.isEmpty }) else {
          return nil
        }
        finding = Finding(
          .fallbackPercent,
          "The fallback for the \(slot.name.rawValue) has a %. iPhones format it with the args, so "
            + "the % and the text after it may vanish.",
          help: "Write the fallback without %.")
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
    Finding(
      .literalOverridesLocKey,
      "\(literal) reaches Android together with the loc key. The literal text wins there, so every user sees it "
        + "untranslated.",
      help: "Remove the literal text or the key. Put a text for older app versions on iPhones in fallback.")
  }
}
