internal import Catalog
internal import CatalogCheck
internal import FCMMessage
internal import JSON

/// What a reload changed, as one line.
struct ReloadLine {
  /// `reloaded 12 templates in 84 ms: 2 new findings, 1 fixed, 5 in all`, and the worst new finding, if there
  /// is one: `; worst: error StringFormatMatches welcome_title [fr], res/values-fr/strings.xml:4`.
  static func applied(
    from old: [CheckedCatalog], to fresh: [CheckedCatalog], milliseconds: Int64
  ) -> String {
    let (before, after) = (counts(old), counts(fresh))
    let new = after.reduce(0) { $0 + max(0, $1.value - (before[$1.key] ?? 0)) }
    let fixed = before.reduce(0) { $0 + max(0, $1.value - (after[$1.key] ?? 0)) }
    let all = fresh.reduce(0) { $0 + $1.report.findings.count }
    let templates = fresh.reduce(0) { $0 + $1.catalog.templates.count }
    return "reloaded \(number(templates, "template")) in \(milliseconds) ms: "
      + "\(number(new, "new finding")), \(fixed) fixed, \(all) in all"
      + (worst(in: fresh, besides: before).map { "; worst: \($0)" } ?? "")
  }

  /// The first finding, worst first, that occurs more often than before.
  private static func worst(in catalogs: [CheckedCatalog], besides before: [ExactText: Int]) -> String? {
    var left = before
    for finding in catalogs.flatMap(\.report.ranked) {
      let name = name(of: finding)
      if let count = left[name], count > 0 {
        left[name] = count - 1
        continue
      }
      let subject = [finding.severity.rawValue, finding.rule.rawValue, finding.key ?? finding.template]
      let locale = finding.locale.map { " [\($0)]" } ?? ""
      let place = finding.file.map { ", \($0)" + (finding.line.map { ":\($0)" } ?? "") } ?? ""
      let line = subject.compactMap(\.self).joined(separator: " ") + locale + place
      return line.printable
    }
    return nil
  }

  /// `12 templates, 2 errors, 1 warning`.
  static func loaded(_ catalogs: [CheckedCatalog]) -> String {
    catalogs.map { "\(number($0.catalog.templates.count, "template")), \($0.report.summary)" }
      .joined(separator: "; ")
  }

  /// `not reloaded; the old catalog stays in force: catalog.yaml:3: …`, on one line.
  static func refused(_ error: any Error) -> String {
    let reasons = "\(error)".split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
    let more = reasons.count > 1 ? " (and \(reasons.count - 1) more)" : ""
    return "not reloaded; the old catalog stays in force: \(reasons.first ?? "")\(more)"
  }

  private static func number(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// How often each finding occurs. Lines are left out, because an edit moves them.
  private static func counts(_ catalogs: [CheckedCatalog]) -> [ExactText: Int] {
    var counts: [ExactText: Int] = [:]
    for finding in catalogs.flatMap(\.report.findings) { counts[name(of: finding), default: 0] += 1 }
    return counts
  }

  private static func name(of finding: Finding) -> ExactText {
    let parts = [
      finding.rule.rawValue, finding.template, finding.slot?.rawValue, finding.platform?.rawValue,
      finding.locale, finding.key, finding.release,
    ]
    return ExactText(parts.map { $0 ?? "" }.joined(separator: "\u{0}"))
  }
}
