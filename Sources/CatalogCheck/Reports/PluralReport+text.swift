internal import FCMMessage
internal import LocaleRules

extension PluralReport {
  /// For people: a line for each class, the texts that are missing or differ by file, and a summary.
  package func text(_ style: TerminalStyle) -> String {
    var lines = [style.bold("Classes of numbers")]
    let rows = classes.map { (name: "_n\($0.smallest)", numbers: Self.list($0.examples), $0.categories) }
    let widths = (rows.map(\.name.count).max() ?? 0, rows.map(\.numbers.count).max() ?? 0)
    for (name, numbers, categories) in rows {
      let columns = [(name, widths.0), (numbers, widths.1)].map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }
      lines.append("  \(columns.joined(separator: "  "))  \(style.dim(Self.summary(of: categories)))")
    }
    var file: String?
    for entry in entries where entry.state != .same {
      if entry.file != file { lines += ["", style.bold(entry.file.printable)] }
      file = entry.file
      let state = entry.state == .missing ? style.yellow("missing") : style.yellow("differs")
      lines.append("  \(state)  \(entry.locale) \(entry.key.printable)  \(entry.text.printable)")
    }
    let counts = [GeneratedPlural.Entry.State.missing, .differs, .same].map { state in
      "\(entries.count { $0.state == state }) \(state == .differs ? "differ" : state.rawValue)"
    }
    lines += ["", "\(entries.count) texts: \(counts.joined(separator: ", "))."]
    return lines.joined(separator: "\n")
  }

  private static func list(_ numbers: [UInt64]) -> String {
    numbers.map(String.init).joined(separator: ", ") + (numbers.count > 1 ? " …" : "")
  }

  /// `one: ru, uk; other: de, en and 40 more`.
  private static func summary(of categories: [(language: String, category: PluralCategory)]) -> String {
    PluralCategory.allCases.compactMap { category in
      let languages = categories.filter { $0.category == category }.map(\.language)
      guard !languages.isEmpty else { return nil }
      let rest = languages.count > languagesMax ? " and \(languages.count - languagesMax) more" : ""
      return "\(category.rawValue): \(languages.prefix(languagesMax).joined(separator: ", "))\(rest)"
    }.joined(separator: "; ")
  }

  private static let languagesMax = 6
}
