internal import AppStrings
package import Catalog
package import FCMMessage
internal import JSON

/// The findings that have one cause: the same fault in several languages, templates or, where one step
/// corrects them all, keys.
package struct FindingGroup: Sendable {
  /// Not empty; worst first.
  package let findings: [Finding]
  /// Each once, in the order of the findings.
  package let templates: [String]
  package let slots: [TextSlot.Name]
  package let keys: [String]
  package let locales: [String]
  /// Where the faults are, each place once.
  package let places: [Place]

  /// A place in a file.
  package struct Place: Sendable, Hashable {
    package let file: String
    /// From 1.
    package let line: Int?
  }

  private init(_ findings: [Finding]) {
    self.findings = findings
    templates = Self.distinct(findings.compactMap(\.template))
    keys = Self.distinct(findings.compactMap(\.key))
    locales = Self.distinct(findings.compactMap(\.locale))
    var slots: [TextSlot.Name] = []
    for slot in findings.lazy.compactMap(\.slot) where !slots.contains(slot) { slots.append(slot) }
    self.slots = slots
    var seen: Set<Place> = []
    places = findings.compactMap { finding in
      finding.file.map { Place(file: $0, line: finding.line) }
    }.filter { seen.insert($0).inserted }
  }

  private static func distinct(_ texts: [String]) -> [String] {
    var seen: Set<ExactText> = []
    return texts.filter { seen.insert(ExactText($0)).inserted }
  }

  /// `the flavor free`, `the flavors free, pro`.
  static func flavors(_ names: [String]) -> FindingText {
    FindingText(names.count == 1 ? .flavor : .flavors, [listed(names, most: 5)])
  }

  package var rule: CheckRule { findings[0].rule }
  package var severity: Finding.Severity { findings[0].severity }
  package var impact: Finding.Impact { findings[0].impact }
  package var platform: AppPlatform? { findings[0].platform }
  package var release: String? { findings[0].release }
  package var message: String { findings[0].message }
  /// The worst that readers get because of it.
  package var verdict: Verdict? { findings.lazy.compactMap(\.verdict).min() }
  /// Its place in a report, where the least comes first.
  package var rank: Int { findings[0].rank }

  /// What to do about all of them.
  package var help: String { findings[0].help }

  /// Groups ranked findings. The order of the groups is that of their first findings.
  package static func groups(of ranked: some Sequence<Finding>) -> [FindingGroup] {
    let ofOneKey = grouped(ranked.map { [$0] }) { findings in
      Cause(findings[0], key: findings[0].key, locales: [])
    }
    return grouped(ofOneKey) { findings in
      let first = findings[0]
      guard first.rule.isCorrectedAtOnce else { return Cause(first, key: first.key, locales: []) }
      return Cause(first, key: nil, locales: Set(findings.compactMap(\.locale)))
    }.map(FindingGroup.init)
  }

  /// Joins lists of findings that have the same cause, in the order of the first of each.
  private static func grouped(
    _ lists: [[Finding]], by cause: ([Finding]) -> Cause
  ) -> [[Finding]] {
    var groups: [[Finding]] = []
    var indices: [Cause: Int] = [:]
    for list in lists {
      let cause = cause(list)
      if let index = indices[cause] {
        groups[index] += list
      } else {
        indices[cause] = groups.count
        groups.append(list)
      }
    }
    return groups
  }

  /// What findings of one group have in common.
  private struct Cause: Hashable {
    let rule: CheckRule
    let severity: Finding.Severity
    let impact: Finding.Impact
    let platform: AppPlatform?
    let release: String?
    let message: ExactText
    let help: ExactText
    let key: ExactText?
    let locales: Set<String>

    init(_ finding: Finding, key: String?, locales: Set<String>) {
      rule = finding.rule
      severity = finding.severity
      impact = finding.impact
      platform = finding.platform
      release = finding.release
      message = ExactText(finding.message)
      help = ExactText(finding.help)
      self.key = key.map(ExactText.init)
      self.locales = locales
    }
  }
}

extension CheckRule {
  /// Whether one step corrects the findings of several keys, such as sending a language to its translators.
  fileprivate var isCorrectedAtOnce: Bool {
    switch self {
    case .missingTranslation, .missingFallback, .resourceShrinker, .staleTranslation, .pluralClassMissing,
      .pluralTextDiffers, .nativeDrift:
      true
    default: false
    }
  }
}
