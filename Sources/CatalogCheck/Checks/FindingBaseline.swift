internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// The findings that a team knows already, so that `check` reports only new ones.
///
/// A finding is the same as long as its rule, template, slot, platform, locale, key and release are: neither
/// moved lines and files nor other words make it new. One that is worse than the known one is new.
package struct FindingBaseline: Sendable {
  /// What makes two findings the same.
  struct Entry: Hashable, Sendable {
    let rule: String
    let template: String?
    let slot: String?
    let platform: String?
    let locale: String?
    let key: String?
    let release: String?
  }

  /// How bad a finding is.
  struct Level: Hashable, Sendable {
    let severity: Finding.Severity
    let impact: Finding.Impact

    /// Whether a finding of this level is no worse than one of the other.
    func isCovered(by other: Level) -> Bool {
      other.severity.rank <= severity.rank && other.impact <= impact
    }
  }

  /// What became of a baseline.
  package struct Comparison: Sendable {
    /// The findings that it holds.
    package let findings: [Finding]
    /// What it holds although it no longer occurs, each as the subject of a finding.
    package let stale: [String]
  }

  /// How often each entry occurs, by level.
  private var counts: [Entry: [Level: Int]] = [:]

  package init(_ findings: [Finding]) {
    for finding in findings { counts[Entry(finding), default: [:]][Level(finding), default: 0] += 1 }
  }

  /// The number of findings.
  package var count: Int { impacts.values.reduce(0, +) }

  /// The number of findings by impact.
  package var impacts: [Finding.Impact: Int] {
    counts.values.reduce(into: [:]) { impacts, levels in
      for (level, count) in levels { impacts[level.impact, default: 0] += count }
    }
  }

  /// The baseline that holds these findings instead. Without `acceptsCrashes`, those that crash the app are
  /// left out and counted, unless it holds them already.
  package func updated(
    with findings: [Finding], acceptsCrashes: Bool
  ) -> (baseline: FindingBaseline, refusedCount: Int) {
    guard !acceptsCrashes else { return (FindingBaseline(findings), 0) }
    let (new, known) = compare(findings)
    let accepted = new.filter { $0.impact != .crash }
    return (FindingBaseline(known.findings + accepted), new.count - accepted.count)
  }

  /// The findings that it lacks, and those that it holds.
  func compare(_ findings: [Finding]) -> (new: [Finding], known: Comparison) {
    var rest = counts
    var new: [Finding] = []
    var known: [Finding] = []
    // The worst first, so that no other takes their places.
    var isKnown = Array(repeating: false, count: findings.count)
    for index in findings.indices.sorted(by: { findings[$0].rank < findings[$1].rank }) {
      isKnown[index] = Self.take(findings[index], from: &rest)
    }
    for (finding, isKnown) in zip(findings, isKnown) {
      if isKnown { known.append(finding) } else { new.append(finding) }
    }
    let stale = rest.filter { $0.value.values.contains { $0 > 0 } }.keys.map(\.headline).sorted()
    return (new, Comparison(findings: known, stale: stale))
  }

  private static func take(_ finding: Finding, from rest: inout [Entry: [Level: Int]]) -> Bool {
    let (entry, level) = (Entry(finding), Level(finding))
    let covering = (rest[entry] ?? [:]).filter { $0.value > 0 && level.isCovered(by: $0.key) }.keys
    // The mildest one, which leaves the worse ones to worse findings.
    guard let mildest = covering.max(by: { $0.isWorse(than: $1) }) else { return false }
    rest[entry]?[mildest, default: 1] -= 1
    return true
  }

  /// The baseline limited to what a selection includes, or to the rest.
  package func filter(_ selection: FindingSelection, includes: Bool) -> FindingBaseline {
    var copy = self
    copy.counts = counts.filter { entry, _ in
      entry.finding.map(selection.contains) ?? true == includes
    }
    return copy
  }

  /// Both baselines together.
  package func merging(_ other: FindingBaseline) -> FindingBaseline {
    var copy = self
    copy.counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
    return copy
  }
}

extension FindingBaseline.Level {
  init(_ finding: Finding) { self.init(severity: finding.severity, impact: finding.impact) }

  fileprivate func isWorse(than other: Self) -> Bool {
    impact == other.impact ? severity.rank < other.severity.rank : impact < other.impact
  }
}

extension FindingBaseline.Entry {
  init(_ finding: Finding) {
    self.init(
      rule: finding.rule.rawValue, template: finding.template, slot: finding.slot?.rawValue,
      platform: finding.platform?.rawValue, locale: finding.locale, key: finding.key,
      release: finding.release)
  }

  /// A finding that has its identity; nil if the rule is unknown.
  fileprivate var finding: Finding? {
    guard let rule = CheckRule(rawValue: rule) else { return nil }
    var finding = Finding(rule, FindingText(english: ""), help: FindingText(english: ""))
    finding.template = template
    finding.slot = slot.flatMap(TextSlot.Name.init)
    finding.platform = platform.flatMap(AppPlatform.init)
    finding.locale = locale
    finding.key = key
    finding.release = release
    return finding
  }

  /// What users suffer as a rule.
  fileprivate var usualImpact: Finding.Impact { finding?.impact ?? .other }

  fileprivate var headline: String {
    guard let finding else { return "\(rule), a rule that this Dragoman does not have" }
    return finding.headline == rule ? rule : "\(rule) \(finding.headline)"
  }
}

// MARK: The file

extension FindingBaseline {
  private static let members = [
    "rule", "severity", "impact", "template", "slot", "platform", "locale", "key", "release", "count",
  ]

  /// The file: one line for each entry, so that reviews show what changes.
  package var text: String {
    let lines = counts.flatMap { entry, levels in
      levels.filter { $0.value > 0 }.map { Self.line(entry, $0.key, count: $0.value) }
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let list = lines.isEmpty ? "" : "\n" + lines.map { "  \($0)" }.joined(separator: ",\n") + "\n"
    return "{\"version\": 1, \"findings\": [\(list)]}\n"
  }

  private static func line(_ entry: Entry, _ level: Level, count: Int) -> String {
    let texts = [
      ("rule", entry.rule), ("severity", level.severity.rawValue),
      ("impact", level.impact == entry.usualImpact ? nil : level.impact.rawValue),
      ("template", entry.template), ("slot", entry.slot), ("platform", entry.platform),
      ("locale", entry.locale), ("key", entry.key), ("release", entry.release),
    ]
    var object = JSON.Object(texts.compactMap { name, text in text.map { (name, JSON.string($0)) } })
    if count > 1 { object.members.append(("count", JSON(count))) }
    return String(decoding: JSON.object(object).serialized, as: UTF8.self)
  }

  /// Reads the file. Throws what is wrong with it.
  package init(parsing text: [UInt8]) throws(FindingBaselineError) {
    let json: JSON
    do throws(JSONParseError) { json = try JSON.parse(text) } catch {
      throw FindingBaselineError(reason: "it is not valid JSON: \(error)")
    }
    guard json["version"] == 1, let findings = json["findings"]?.array else {
      throw FindingBaselineError(reason: "it is no baseline of `dragoman check`, version 1")
    }
    for (index, finding) in findings.enumerated() {
      guard let members = finding.object, let rule = finding["rule"]?.string,
        let severity = finding["severity"]?.string.flatMap(Finding.Severity.init)
      else { throw FindingBaselineError(reason: "findings[\(index)] has no rule or no severity") }
      for (name, value) in members.members {
        guard Self.members.contains(name) else {
          throw FindingBaselineError(reason: "findings[\(index)].\(name): unknown field")
        }
        guard name == "count" ? (value.int64 ?? 0) > 0 : value.string != nil else {
          throw FindingBaselineError(reason: "findings[\(index)].\(name): wrong type")
        }
      }
      func text(_ name: String) -> String? { finding[name]?.string }
      let entry = Entry(
        rule: rule, template: text("template"), slot: text("slot"), platform: text("platform"),
        locale: text("locale"), key: text("key"), release: text("release"))
      let name = text("impact")
      guard let impact = name.map(Finding.Impact.init) ?? entry.usualImpact else {
        throw FindingBaselineError(reason: "findings[\(index)].impact: unknown impact")
      }
      let count = finding["count"]?.int64.flatMap { Int(exactly: $0) } ?? 1
      // As often as a catalog can have findings, so that no sum overflows.
      counts[entry, default: [:]][Level(severity: severity, impact: impact)] = min(count, Int(Int32.max))
    }
  }
}

/// Why a file is no baseline.
package struct FindingBaselineError: Error, Sendable {
  /// A clause such as `it is not valid JSON: …`.
  package let reason: String
}
