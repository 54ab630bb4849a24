internal import AppStrings
internal import JSON

extension StringResources {
  /// For people: each locale with its entries, one per line, with unprintable characters escaped. `write`
  /// gets it locale by locale.
  package func text(_ selection: StringSelection, _ style: TerminalStyle, write: (String) -> Void) {
    for table in selection.tables(of: self) {
      let entries = selection.entries(of: table)
      let count = entries.count
      var lines = [style.bold(table.name) + style.dim("  \(count) \(count == 1 ? "entry" : "entries")")]
      for entry in entries.flatMap({ $0 + ($0.first.flatMap { table.alternatives[ExactText($0.key)] } ?? []) }
      ) {
        let place = entry.line.map { "\(entry.file):\($0)" } ?? entry.file
        let phones = entry.qualifiers.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
        lines.append("  \(style.green(entry.key.printable))  \(style.dim((place + phones).printable))")
        switch entry.value {
        case .string(let text): lines.append("    \(text.printable)")
        case .plural(let forms):
          if let format = entry.formatKey { lines.append("    \(format.printable)") }
          lines += forms.map { "    \(style.dim($0.category.printable)) \($0.text.printable)" }
        case .array(let items): lines += items.map { "    \(style.dim("·")) \($0.printable)" }
        }
      }
      write(lines.joined(separator: "\n") + "\n\n")
    }
  }
}
