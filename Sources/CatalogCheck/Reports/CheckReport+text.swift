internal import Catalog
internal import FCMMessage
internal import JSON

extension CheckReport {
  /// For people: a summary, then one entry for each cause under what users suffer from it, worst first.
  package func text(_ style: TerminalStyle) -> String {
    let groups = groups
    var lines = summaryLines(groups)
    if let first = lines.first, !findings.isEmpty {
      lines[0] =
        count(of: .error) > 0
        ? style.red(first) : count(of: .warning) > 0 ? style.yellow(first) : first
    } else if findings.isEmpty {
      let others = ignored.isEmpty ? "" : ", \(ignored.count) ignored"
      lines.insert(style.green("No \(known == nil ? "" : "new ")findings\(others)."), at: 0)
    }
    for impact in Finding.Impact.allCases {
      let ofImpact = groups.filter { $0.impact == impact }
      guard !ofImpact.isEmpty else { continue }
      lines += ["", style.bold(impact.heading)]
      for group in ofImpact { lines += group.lines(style) }
    }
    let asides =
      staleLines
      + idleIgnores.map { rule in
        "ignore in line \(rule.line) (\(rule.rule.rawValue)) silences nothing. Remove it."
      }
    if !asides.isEmpty { lines += [""] + asides.map(style.dim) }
    return lines.joined(separator: "\n")
  }

  /// The most stale entries of a baseline that are named.
  private static let staleMax = 10

  private var staleLines: [String] {
    guard let stale = known?.stale, !stale.isEmpty else { return [] }
    return ["No longer found, but in the baseline; remove them with --update-baseline:"]
      + stale.prefix(Self.staleMax).map { "  \($0.printable)" }
      + (stale.count > Self.staleMax ? ["  and \(stale.count - Self.staleMax) more"] : [])
  }
}

extension FindingGroup {
  private static let placesMax = 3

  fileprivate func lines(_ style: TerminalStyle) -> [String] {
    let level =
      switch severity {
      case .error: style.red("error")
      case .warning: style.yellow("warning")
      case .note: style.dim("note")
      }
    let names = Self.listed(keys, most: Self.namesMax)
    let subject = [slots.map(\.rawValue).joined(separator: "/"), platform?.rawValue ?? "", names.printable]
      .filter { !$0.isEmpty }.joined(separator: " ")
    let languages = locales.isEmpty ? "" : " [\(Self.listed(locales, most: Self.namesMax * 2))]"
    var lines = ["  \(level) \(style.bold(rule.rawValue)) \(subject)\(languages)"]
    if !templates.isEmpty { lines.append("    in \(Self.listed(templates, most: Self.namesMax))") }
    lines.append("    \(message.printable)")
    lines.append("    \(style.green("→")) \(help.printable)")
    lines += places.prefix(Self.placesMax).map { place in
      "    " + style.dim((place.line.map { "\(place.file):\($0)" } ?? place.file).printable)
    }
    if places.count > Self.placesMax {
      let more = places.count - Self.placesMax
      lines.append("    " + style.dim("and \(more) more \(more == 1 ? "place" : "places")"))
    }
    return lines
  }
}
