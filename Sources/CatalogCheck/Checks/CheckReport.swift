package import Catalog
internal import JSON

/// The findings of `check` about one catalog and its string resources.
package struct CheckReport: Sendable {
  /// By template in catalog order; findings about files come last.
  package let findings: [Finding]
  /// The findings that the catalog's `ignore` silences.
  package let ignored: [Finding]
  /// Entries of `ignore` that silenced nothing.
  package let idleIgnores: [Catalog.IgnoreRule]
  /// Which release can show which template; nil if the catalog lists no releases.
  package let releases: ReleaseMatrix?
  /// Which keys the releases can show; nil if the catalog lists no releases.
  package let support: ReleaseSupport?
  private let indices: [ExactText: [Int]]

  init(
    findings: [Finding], ignoring rules: [Catalog.IgnoreRule], releases: ReleaseMatrix? = nil,
    support: ReleaseSupport? = nil
  ) {
    self.releases = releases
    self.support = support
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
    self.findings = kept
    indices = Dictionary(
      grouping: kept.indices.filter { kept[$0].template != nil },
      by: { ExactText(kept[$0].template ?? "") })
    self.ignored = ignored
    idleIgnores = zip(rules, hits).filter { $0.1 == 0 }.map(\.0)
  }

  package func count(of severity: Finding.Severity) -> Int {
    findings.count { $0.severity == severity }
  }

  /// The findings of one template.
  package func findings(of template: String) -> [Finding] {
    (indices[ExactText(template)] ?? []).map { findings[$0] }
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
