import Catalog
import FCMMessage
import Testing

@testable import CatalogCheck

/// What must hold for any app, however broken: all that say what readers get agree with the previews, whoever
/// gets something else than what was meant has a finding, and no error stands where every reader is fine.
@Suite struct VerdictPropertyTests {
  private struct Cell: Hashable, CustomStringConvertible {
    let platform: AppPlatform
    let locale: String

    init(_ preview: Preview) { (platform, locale) = (preview.platform, preview.locale) }

    var description: String { "\(platform) \(locale)" }
  }

  @Test(arguments: UInt64(1)...60)
  func holdForARandomApp(seed: UInt64) throws {
    let app = try RandomApp(seed: seed)
    for template in app.catalog.templates {
      let findings = app.report.findings(of: template.name)
      var worst: [Cell: Verdict] = [:]
      for count in app.counts {
        for preview in try app.previews(template, count: count) ?? [] {
          worst[Cell(preview)] = min(worst[Cell(preview)] ?? .ok, preview.verdict)
          if preview.platform == .ios || !app.hasFlavors {
            agree(preview.verdict, preview.slots.map(\.outcome.name))
          }
        }
      }
      let row = try #require(app.report.verdicts?.templates.first { $0.name == template.name }?.row)
      for preview in try #require(try app.previews(template, count: nil)) {
        let cell = Cell(preview)
        let shown = row[cell.platform]?.first { $0.value.contains(cell.locale) }?.key ?? .ok
        #expect(worst[cell] == shown, "\(template.name) \(cell)")
        #expect(preview.verdict == shown, "\(template.name) \(cell)")
        if shown == .ok { continue }
        isExplained(shown, cell, findings)
        #expect(preview.findings.contains { $0.verdict == shown }, "\(template.name) \(cell)")
      }
      errorsHaveReaders(findings, worst)
    }
  }

  /// The outcomes that are no text decide.
  private func agree(_ verdict: Verdict, _ outcomes: [String]) {
    let decisive = ["crash", "raw_key", "dropped"].first(where: outcomes.contains)
    if let decisive { #expect(verdict.rawValue == decisive) } else { #expect(verdict > .dropped) }
  }

  private func isExplained(_ verdict: Verdict, _ cell: Cell, _ findings: [Finding]) {
    let isNamed = findings.contains { finding in
      guard finding.platform == cell.platform, finding.verdict == verdict, finding.severity != .note else {
        return false
      }
      switch finding.locale {
      case nil, cell.locale: return true
      // `values/` and `Base`: the development language, and whom `values/` leaves without a text.
      case "default", "Base": return cell.locale == "en" || finding.rule == .missingDefaultKey
      default: return false
      }
    }
    #expect(isNamed, "nothing explains \(verdict) for \(cell) in \(findings.map(CheckFixture.short))")
  }

  private func errorsHaveReaders(_ findings: [Finding], _ worst: [Cell: Verdict]) {
    for finding in findings where finding.severity == .error && finding.rule.isAboutReaders {
      let isSuffered = worst.contains { $0.key.platform == finding.platform && $0.value != .ok }
      #expect(isSuffered, "nobody suffers from \(CheckFixture.short(finding))")
      #expect(finding.verdict != nil, "\(CheckFixture.short(finding)) causes nothing")
    }
  }
}
