internal import Catalog
internal import FCMMessage
internal import JSON

extension CheckReport {
  /// For people: by template, errors first, with the locales of one fault in one line and a summary at the
  /// end.
  package func text(_ style: TerminalStyle) -> String {
    var sections: [(title: String, findings: [Finding])] = []
    for finding in findings {
      let title = finding.template ?? "Files"
      if let index = sections.firstIndex(where: { $0.title.hasSameBytes(as: title) }) {
        sections[index].findings.append(finding)
      } else {
        sections.append((title, [finding]))
      }
    }
    var lines: [String] = []
    for section in sections {
      lines.append(style.bold(section.title))
      let faults = FindingGroup.groups(of: section.findings)
      for severity in Finding.Severity.allCases {
        for fault in faults.filter({ $0.first.severity == severity }) { lines += fault.lines(style) }
      }
      lines.append("")
    }
    for rule in idleIgnores {
      lines.append(
        style.dim("ignore in line \(rule.line) (\(rule.rule.rawValue)) silences nothing. Remove it."))
    }
    let hasErrors = count(of: .error) > 0
    let hasWarnings = count(of: .warning) > 0
    lines.append(
      findings.isEmpty
        ? style.green(ignored.isEmpty ? "No findings." : "No findings, \(ignored.count) ignored.")
        : hasErrors ? style.red(summary) : hasWarnings ? style.yellow(summary) : summary)
    return lines.joined(separator: "\n")
  }
}

/// One fault in several translations.
private struct FindingGroup {
  private(set) var members: [Finding]
  var first: Finding { members[0] }

  private static let placesMax = 3

  static func groups(of findings: [Finding]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    var indices: [[String?]: Int] = [:]
    for finding in findings {
      let identity = [
        finding.rule.rawValue, finding.severity.rawValue, finding.slot?.rawValue, finding.platform?.rawValue,
        finding.key, finding.message,
      ]
      if let index = indices[identity] {
        groups[index].members.append(finding)
      } else {
        indices[identity] = groups.count
        groups.append(FindingGroup(members: [finding]))
      }
    }
    return groups
  }

  func lines(_ style: TerminalStyle) -> [String] {
    let severity =
      switch first.severity {
      case .error: style.red("error")
      case .warning: style.yellow("warning")
      case .note: style.dim("note")
      }
    let subject = [first.slot?.rawValue, first.platform?.rawValue, first.key?.printable]
      .compactMap(\.self).joined(separator: " ")
    let locales = members.compactMap(\.locale)
    let languages = locales.isEmpty ? "" : " [\(locales.joined(separator: ", "))]"
    var lines = ["  \(severity) \(style.bold(first.rule.rawValue)) \(subject)\(languages)"]
    lines.append("    \(first.message.printable)")
    lines.append("    \(style.green("→")) \(first.help.printable)")
    var places: [String] = []
    for member in members {
      guard let file = member.file else { continue }
      let place = member.line.map { "\(file):\($0)" } ?? file
      if places.last != place { places.append(place) }
    }
    lines += places.prefix(Self.placesMax).map { "    " + style.dim($0.printable) }
    if places.count > Self.placesMax {
      lines.append("    " + style.dim("and \(places.count - Self.placesMax) more places"))
    }
    return lines
  }
}
