package import Catalog
internal import JSON

/// The findings of `check` about one catalog and its string resources.
package struct CheckReport: Sendable {
  /// By template in catalog order; findings about files come last.
  package let findings: [Finding]
  /// The same, with those first that users suffer most from.
  package let ranked: [Finding]
  /// The findings that the catalog's `ignore` silences.
  package let ignored: [Finding]
  /// Entries of `ignore` that silenced nothing.
  package let idleIgnores: [Catalog.IgnoreRule]
  /// What every reader gets of every template; nil for a report that is not about a whole catalog.
  package let verdicts: VerdictTable?
  /// Which release can show which template; nil if the catalog lists no releases.
  package let releases: ReleaseMatrix?
  /// Which keys the releases can show; nil if the catalog lists no releases.
  package let support: ReleaseSupport?
  /// What a baseline holds; nil without one.
  package let known: FindingBaseline.Comparison?
  private let indices: [ExactText: [Int]]

  init(
    findings: [Finding], ignoring rules: [Catalog.IgnoreRule], verdicts: VerdictTable? = nil,
    releases: ReleaseMatrix? = nil,
    support: ReleaseSupport? = nil
  ) {
    var kept: [Finding] = []
    var ignored: [Finding] = []
    var hits = Array(repeating: 0, count: rules.count)
    for finding in findings {
      if let index = rules.firstIndex(where: { $0.silences(finding) }) {
        hits[index] += 1
        ignored.append(finding)
      } else {
        kept.append(finding)
      }
    }
    self.init(
      kept, ignored: ignored, idleIgnores: zip(rules, hits).filter { $0.1 == 0 }.map(\.0),
      verdicts: verdicts, releases: releases, support: support)
  }

  private init(
    _ findings: [Finding], ignored: [Finding], idleIgnores: [Catalog.IgnoreRule], verdicts: VerdictTable?,
    releases: ReleaseMatrix?,
    support: ReleaseSupport?, known: FindingBaseline.Comparison? = nil
  ) {
    self.findings = findings
    // Equal ones stay in the order of the catalog.
    let byRank = Dictionary(grouping: findings, by: \.rank)
    let ranked = byRank.keys.sorted().flatMap { byRank[$0] ?? [] }
    self.ranked = ranked
    indices = Dictionary(
      grouping: ranked.indices.filter { ranked[$0].template != nil },
      by: { ExactText(ranked[$0].template ?? "") })
    (self.ignored, self.idleIgnores, self.known) = (ignored, idleIgnores, known)
    (self.verdicts, self.releases, self.support) = (verdicts, releases, support)
  }

  package func count(of severity: Finding.Severity) -> Int {
    findings.count { $0.severity == severity }
  }

  /// The findings of one template, worst first.
  package func findings(of template: String) -> [Finding] {
    (indices[ExactText(template)] ?? []).map { ranked[$0] }
  }

  /// The findings by cause, worst first.
  package var groups: [FindingGroup] { FindingGroup.groups(of: ranked) }

  /// The report about some templates and languages only.
  package func selecting(_ selection: FindingSelection) -> CheckReport {
    if selection.isAll { return self }
    return CheckReport(
      findings.filter(selection.contains), ignored: ignored.filter(selection.contains),
      idleIgnores: idleIgnores, verdicts: verdicts?.filter(selection.contains(template:)),
      releases: releases, support: support)
  }

  /// The report without the findings that a baseline holds.
  package func without(_ baseline: FindingBaseline) -> CheckReport {
    let (new, known) = baseline.compare(findings)
    return CheckReport(
      new, ignored: ignored, idleIgnores: idleIgnores, verdicts: verdicts, releases: releases,
      support: support, known: known)
  }
}

extension Catalog.IgnoreRule {
  fileprivate func silences(_ finding: Finding) -> Bool {
    func fits(_ wanted: String?, _ actual: String?) -> Bool {
      guard let wanted else { return true }
      return actual?.hasSameBytes(as: wanted) ?? false
    }
    return rule == finding.rule && fits(locale, finding.locale) && fits(key, finding.key)
      && fits(template, finding.template)
  }
}
