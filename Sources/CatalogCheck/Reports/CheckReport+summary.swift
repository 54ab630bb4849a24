internal import Catalog
internal import FCMMessage

extension CheckReport {
  /// `2 errors, 1 warning, 3 ignored`.
  package var summary: String {
    var text = "\(counted(count(of: .error), "error")), \(counted(count(of: .warning), "warning"))"
    let notes = count(of: .note)
    if notes > 0 { text += ", \(counted(notes, "note"))" }
    if !ignored.isEmpty { text += ", \(ignored.count) ignored" }
    return text
  }

  /// The summary that comes before the findings: the counts, what users suffer, and what the baseline holds.
  func summaryLines(_ groups: [FindingGroup]) -> [String] {
    var lines: [String] = []
    if !findings.isEmpty {
      let templates = Set(findings.compactMap(\.template)).count
      lines.append(summary + (templates == 0 ? "" : " in \(counted(templates, "template"))"))
      let impacts = groups.reduce(into: [:]) { $0[$1.impact, default: 0] += 1 }
      lines.append("\(counted(groups.count, "cause")): \(Finding.Impact.listed(impacts))")
    }
    if let verdicts {
      let (right, others) = verdicts.languages
      let count = right.count + others.count
      let names = others.isEmpty ? "" : "; not \(FindingGroup.listed(others, most: FindingGroup.namesMax))"
      if count > 0 {
        lines.append("\(right.count) of \(counted(count, "language")) read every template right\(names)")
      }
    }
    if let known {
      var line = "baseline: \(counted(known.findings.count, "known finding"))"
      if !known.stale.isEmpty {
        line += ", \(known.stale.count) that no longer \(known.stale.count == 1 ? "occurs" : "occur")"
      }
      lines.append(line)
    }
    return lines
  }

}

private func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

extension FindingBaseline {
  /// What it accepts: `109 findings, 2 of them crash the app: 2 crash, 100 raw key, 7 other`.
  package var summary: String {
    let impacts = impacts
    guard count > 0 else { return "no findings" }
    let crashes = impacts[.crash] ?? 0
    let ofThem = crashes == 0 ? "" : ", \(crashes) of them crash\(crashes == 1 ? "es" : "") the app"
    return "\(counted(count, "finding"))\(ofThem): \(Finding.Impact.listed(impacts))"
  }
}

extension Finding.Impact {
  /// The counts that are not zero, worst first: `2 crash, 1 other`.
  fileprivate static func listed(_ counts: [Finding.Impact: Int]) -> String {
    allCases.compactMap { impact in
      counts[impact].flatMap { $0 == 0 ? nil : "\($0) \(impact.label)" }
    }.joined(separator: ", ")
  }

  /// In a list of counts: `2 crash`.
  package var label: String {
    switch self {
    case .crash: "crash"
    case .rawKey: "raw key"
    case .dropped: "dropped line"
    case .wrongText: "wrong text"
    case .other: "other"
    }
  }

  /// Above the findings that lead to it.
  var heading: String {
    switch self {
    case .crash: "The Android app crashes"
    case .rawKey: "iPhones show a raw key"
    case .dropped: "Android drops a line"
    case .wrongText: "Users see a wrong text"
    case .other: "Everything else"
    }
  }
}

extension FindingGroup {
  /// The most names that a list for people has.
  static let namesMax = 12

  /// `greeting body, android [fr, pl], key`: what the group is about, in one line.
  package var headline: String {
    let place = ([Self.listed(templates, most: Self.namesMax)] + slots.map(\.rawValue)).filter { !$0.isEmpty }
    let languages = locales.isEmpty ? "" : "[\(Self.listed(locales, most: Self.namesMax))]"
    let device = [platform?.rawValue ?? "", languages].filter { !$0.isEmpty }
    let parts = [
      place.joined(separator: " "), device.joined(separator: " "), Self.listed(keys, most: Self.namesMax),
    ].filter { !$0.isEmpty }
    return parts.isEmpty ? rule.rawValue : parts.joined(separator: ", ")
  }

  /// The names, or the first of them and how many more there are.
  package static func listed(_ names: [String], most: Int) -> String {
    guard names.count > most else { return names.joined(separator: ", ") }
    return names.prefix(most).joined(separator: ", ") + " and \(names.count - most) more"
  }
}
