internal import Catalog
internal import FCMMessage

extension ReleaseMatrix {
  /// A table for people: for each platform a line per template and a column per release, then what is wrong.
  package func text(_ style: TerminalStyle) -> String {
    var lines: [String] = []
    var hasExempt = false
    for platform in AppPlatform.allCases {
      let versions = templates.first?.rows[platform]?.cells.map(\.version.text.printable) ?? []
      guard !versions.isEmpty else { continue }
      let names = templates.map(\.name)
      let first = max(platform.title.count, names.map(\.count).max() ?? 0)
      let words = templates.flatMap { template in
        (template.rows[platform]?.cells ?? []).map { cell in
          cell.word(isSent: template.since.allows(cell.version, on: platform))
        }
      }
      let width = max(Self.stateWidth, (versions + words).map(\.displayWidth).max() ?? 0)
      lines.append(
        style.bold(platform.title.padded(to: first) + "  ")
          + (versions.map { $0.padded(to: width) } + ["safe since"]).map(style.bold).joined(separator: "  "))
      for template in templates {
        guard let row = template.rows[platform] else { continue }
        let cells = row.cells.map { cell -> String in
          let isSent = template.since.allows(cell.version, on: platform)
          if !isSent, cell.state != .ok { hasExempt = true }
          return cell.text(isSent: isSent, width: width, style)
        }
        let safe = row.safeSince.map(\.text.printable) ?? "never"
        lines.append(([template.name.padded(to: first)] + cells + [safe]).joined(separator: "  "))
      }
      lines.append("")
    }
    guard !lines.isEmpty else { return "The catalog lists no releases. Add releases: to it.\n" }
    let details = details(style)
    if !details.isEmpty { lines += details + [""] }
    if hasExempt { lines.append("(In parentheses: the template's since keeps it from that release.)") }
    return lines.joined(separator: "\n")
  }

  private static let stateWidth = State.allCases.map(\.rawValue.count).max().map { $0 + 2 } ?? 0

  /// A line for each template and release with a fault, where the template is sent.
  private func details(_ style: TerminalStyle) -> [String] {
    templates.flatMap { template in
      AppPlatform.allCases.flatMap { platform in
        (template.rows[platform]?.cells ?? []).compactMap { cell -> String? in
          guard cell.state != .ok, template.since.allows(cell.version, on: platform) else { return nil }
          let keys = cell.keys.map(\.printable).joined(separator: ", ")
          let locales =
            cell.locales.isEmpty ? "" : " (\(cell.locales.map(\.printable).joined(separator: ", ")))"
          return style.bold(template.name) + " \(platform.title) \(cell.version.text.printable): "
            + "\(cell.meaning(on: platform)): \(keys)\(locales)"
        }
      }
    }
  }
}

extension ReleaseMatrix.Cell {
  fileprivate func word(isSent: Bool) -> String {
    let name = isUnreadable ? "unreadable" : state.rawValue
    return isSent || state == .ok ? name : "(\(name))"
  }

  fileprivate func text(isSent: Bool, width: Int, _ style: TerminalStyle) -> String {
    let word = word(isSent: isSent).padded(to: width)
    if !isSent { return style.dim(word) }
    switch state {
    case .ok: return style.green(word)
    case .partial: return style.yellow(word)
    case .missing, .broken: return style.red(word)
    }
  }
}

extension ReleaseMatrix.Cell {
  /// What users see.
  fileprivate func meaning(on platform: AppPlatform) -> String {
    if isUnreadable { return "the release cannot be read, so nothing is known about its keys" }
    return switch (state, platform) {
    case (.ok, _): "every phone shows it"
    case (.missing, .android): "the release lacks the key, and the line is dropped"
    case (.missing, .ios): "the release lacks the key, and iPhones show the raw key or the fallback"
    case (.partial, .android) where crashesWithoutKey:
      "the key has no default, and phones in other languages crash"
    case (.partial, .android): "the key has no default, so the build leaves it out, and the line is dropped"
    case (.partial, .ios): "languages lack the key, and show the raw key or the fallback"
    case (.broken, _): "a text crashes the app or is garbled; dragoman check says how"
    }
  }
}

extension AppPlatform {
  fileprivate var title: String { self == .android ? "Android" : "iOS" }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}
