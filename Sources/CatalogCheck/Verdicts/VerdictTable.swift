internal import AppStrings
internal import Catalog
package import FCMMessage
internal import JSON

/// What every reader of an app gets of every template.
package struct VerdictTable: Sendable {
  /// By platform and verdict: the readers who get it, without those who get what was meant.
  package typealias Row = [AppPlatform: [Verdict: [String]]]

  /// All languages that the app offers.
  package private(set) var locales: [AppPlatform: [String]] = [:]
  /// In the order of the catalog.
  package private(set) var templates: [(name: String, row: Row)] = []

  init(_ resources: AppResources?, _ keys: inout KeyChecks) {
    for platform in AppPlatform.allCases where resources?[platform] != nil {
      locales[platform] = keys.readers(on: platform)?.all.map(\.locale.locale)
    }
  }

  mutating func add(_ template: Template, _ situations: TemplateSituations, _ keys: inout KeyChecks) {
    let uses = template.keyUses.flatMap(\.lookedUp).filter(situations.reach)
    templates.append((template.name, keys.verdicts(of: uses)))
  }

  private init(_ table: VerdictTable, _ isIncluded: (String) -> Bool) {
    locales = table.locales
    templates = table.templates.filter { isIncluded($0.name) }
  }

  package func filter(_ isIncluded: (_ template: String) -> Bool) -> VerdictTable {
    VerdictTable(self, isIncluded)
  }

  /// The languages in which every template is right on each platform, and the others.
  var languages: (right: [String], others: [String]) {
    var wrong: Set<ExactText> = []
    for (_, row) in templates {
      for readers in row.values.flatMap(\.values) { wrong.formUnion(readers.map { ExactText($0) }) }
    }
    var seen: Set<ExactText> = []
    let all = AppPlatform.allCases.flatMap { locales[$0] ?? [] }.filter {
      seen.insert(ExactText($0)).inserted
    }
    return (
      all.filter { !wrong.contains(ExactText($0)) }, all.filter { wrong.contains(ExactText($0)) }
    )
  }
}

extension KeyChecks {
  /// The worst verdict of each reader of some keys.
  mutating func verdicts(of uses: [KeyUse]) -> VerdictTable.Row {
    var row: VerdictTable.Row = [:]
    for platform in AppPlatform.allCases {
      guard let readers = readers(on: platform) else { continue }
      var worst: [Int: Verdict] = [:]
      for use in uses where use.platform == platform {
        for fault in faults(of: use) {
          worst[fault.reader] = min(worst[fault.reader] ?? .ok, fault.verdict)
        }
      }
      row[platform] = Dictionary(grouping: worst.keys.sorted(), by: { worst[$0] ?? .ok })
        .mapValues { $0.map { readers.all[$0].locale.locale } }
    }
    return row
  }

  /// Says of findings about files that could not be read what readers get for that reason.
  func explainingUnread(_ findings: [Finding]) -> [Finding] {
    findings.map { finding in
      guard finding.isUnreadableFile, let platform = finding.platform,
        let readers = knownReaders(on: platform)
      else { return finding }
      var finding = finding
      finding.verdict = unreadable[platform]?.filter { fault in
        guard let locale = finding.locale, locale != StringResources.defaultTable else { return true }
        return readers.all[fault.reader].locale.names.contains { $0.hasSameBytes(as: locale) }
      }.map(\.verdict).min()
      return finding
    }
  }
}
