internal import AppStrings
package import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// `check`: compares a catalog with every translation in the app's string resources.
package struct Check {
  let catalog: Catalog
  let resources: AppResources?
  let releases: AppReleases

  package init(
    _ catalog: Catalog, against resources: AppResources?, releases: AppReleases = AppReleases()
  ) {
    (self.catalog, self.resources, self.releases) = (catalog, resources, releases)
  }

  /// Runs every rule. `progress` receives the number of templates that are done.
  package func report(progress: (Int) -> Void = { _ in }) -> CheckReport {
    var findings: [Finding] = []
    var keys = KeyChecks(resources: resources, releases: releases)
    let reading = ReadingFindings(resources, of: catalog)
    let inReleases =
      releases.isEmpty ? nil : ReleaseChecks(catalog, next: resources, releases: releases)
    let texts = RecipientTexts(resources, support: nil)
    var bounds = KeyBounds(texts.resources)
    var verdicts = VerdictTable(resources, &keys)
    var uses: [KeyUse] = []
    for (index, template) in catalog.templates.enumerated() {
      let situations = TemplateSituations(template)
      keys.gateway = GatewayFaults(template, situations, texts, &keys)
      findings += templateFindings(template, texts, &bounds)
      findings += topicFindings(template, situations, texts)
      var ofKeys: [Finding] = []
      for use in template.keyUses {
        let (found, checked) = keyFindings(of: use, in: situations, &keys, reading)
        ofKeys += found
        uses += checked
      }
      findings += Finding.joiningUntranslated(ofKeys)
      verdicts.add(template, situations, &keys)
      findings += inReleases?.findings(of: template, at: index) ?? []
      progress(index + 1)
    }
    findings += inReleases?.findings ?? []
    if let deviceLanguage { findings.append(deviceLanguage) }
    findings += keys.plurals?.unlisted(in: catalog) ?? []
    findings += resources?.sources?.findings(of: catalog) ?? []
    findings += keys.explainingUnread(reading.others(than: uses))
    // A release may have shipped a language that the next one does not.
    findings.removeAll { finding in
      guard let platform = finding.platform, let locale = finding.locale else { return false }
      return resources?.unshipped[platform]?.contains(locale) ?? false
    }
    findings += resources?.shippedLocaleFindings(catalog) ?? []
    return CheckReport(
      findings: findings, ignoring: catalog.ignored, verdicts: verdicts, releases: inReleases?.matrix,
      support: inReleases?.support)
  }

  /// The findings about a use, and the uses of the keys that were looked up for it.
  private func keyFindings(
    of use: KeyUse, in situations: TemplateSituations, _ keys: inout KeyChecks, _ reading: ReadingFindings
  ) -> (findings: [Finding], uses: [KeyUse]) {
    var findings = [keys.directionFinding(of: use)].compactMap(\.self)
    let ofFiles = keys.marked(reading.findings(of: use), about: use)
    guard let plural = use.plural else {
      findings += keys.findings(of: use) + ofFiles
      if !situations.reach(use) { findings = findings.map(\.unseen) }
      return (findings.map { placed($0, use) }, [use])
    }
    let ofPlural = keys.pluralFindings(of: use, where: situations.reach)
    // What makes a plural unreadable was found when its file was read, too.
    let unreadable = Set(ofPlural.filter { $0.rule == .pluralUnreadable }.map(\.locale))
    findings += ofPlural
    findings += ofFiles.filter { $0.rule != .unparsableStrings || !unreadable.contains($0.locale) }
    let classes = plural.partition.smallestMembers.indices.map { use.ofClass($0, of: plural) }
    for member in classes { findings += keys.marked(reading.findings(of: member), about: member) }
    return (findings.map { placed($0, use) }, [use] + classes)
  }

  /// A finding about a key, at the place in the catalog that uses the key.
  private func placed(_ finding: Finding, _ use: KeyUse) -> Finding {
    var finding = finding
    finding.template = use.template
    finding.slot = use.slot
    finding.platform = use.platform
    finding.key = finding.key ?? use.text.key
    if finding.file == nil {
      finding.file = catalog.file
      finding.line = use.text.line
    }
    return finding
  }
}

/// A place of a catalog that names a key.
struct KeyUse: Sendable {
  let template: String
  let slot: TextSlot.Name
  let platform: AppPlatform
  let text: LocText
  /// Nil if the key names a string.
  let plural: TextSlot.Plural?
  /// The indices of the args that are numbers.
  let numericArgs: Set<Int>
  /// The indices of the args that are strings and not isolated.
  let openArgs: Set<Int>
  /// Whether an iPhone that does not find the key shows a text instead.
  let hasFallback: Bool

  /// Whether the key stands in FCM's own fields rather than in a slot.
  let isField: Bool
  /// The key of a source that has the text; nil for a string of the app.
  var source: String?
  /// The indices of the args that a source's text may leave out, because they choose it.
  var choosingArgs: Set<Int> = []

  /// What an iPhone shows if it does not find the key.
  var textWithoutKey: FaultText { hasFallback ? .fallback : .rawKey }
  /// The same as a clause about the phones of the platform.
  var consequenceWithoutKey: FindingText {
    platform == .android ? FindingText(.androidDrops) : FindingText(.everyIPhoneShows, [textWithoutKey])
  }
  /// What it means for the users of an iPhone that it does not find the key.
  var impactWithoutKey: Finding.Impact { hasFallback ? .wrongText : .rawKey }
}

extension Template {
  /// Every key of every slot including variants, and those in FCM's fields, each once with its args.
  var keyUses: [KeyUse] {
    (slots.map { ($0, false) } + fieldTexts.map { ($0, true) }).flatMap { slot, isField in
      AppPlatform.allCases.flatMap { platform in
        var seen: [KeyUse] = []
        for (text, plural) in slot.usedTexts(on: platform) {
          let isKnown = seen.contains {
            $0.text.key.hasSameBytes(as: text.key) && $0.text.args == text.args && $0.plural == plural
          }
          guard !isKnown else { continue }
          let choosing = slot.choosingArgs
          seen.append(
            KeyUse(
              template: name, slot: slot.name, platform: platform, text: text, plural: plural,
              numericArgs: args(of: text) { $0.type == .integer || $0.type == .number },
              openArgs: args(of: text) { $0.type == .string && !$0.isIsolated },
              hasFallback: platform == .ios && fallback?.text(slot.name)?.isEmpty == false,
              isField: isField, source: slot.source?.key,
              choosingArgs: args(of: text) { param in
                choosing.contains { $0.hasSameBytes(as: param.name) }
              }))
        }
        return seen
      }
    }
  }

  private func args(of text: LocText, where isIncluded: (Param) -> Bool) -> Set<Int> {
    let included = params.filter(isIncluded)
    return Set(
      text.args.indices.filter { index in
        included.contains { $0.name.hasSameBytes(as: text.args[index]) }
      })
  }
}

extension TextSlot {
  /// The texts on a platform, and the plurals of the app that they name. A source's plural leads to strings,
  /// one for each class of numbers.
  fileprivate func usedTexts(on platform: AppPlatform) -> [(text: LocText, plural: Plural?)] {
    guard source == nil else {
      return sourceChoices.flatMap { choice -> [(text: LocText, plural: Plural?)] in
        guard let text = choice.texts[platform] else { return [] }
        guard let plural = choice.plural else { return [(text, nil)] }
        return plural.partition.smallestMembers.indices.map { (plural.text(text, ofClass: $0), nil) }
      }
    }
    // The slot's own text comes first, and only it can name a plural.
    return allTexts(on: platform).enumerated().map { index, text in
      (text, index == 0 && texts[platform] != nil ? plural : nil)
    }
  }
}
