package import AppStrings
internal import FCMMessage
package import JSON

/// The entries of string resources to show; empty selects all.
package struct StringSelection: Sendable {
  /// Tables' names.
  package var locales: [String]
  /// Keys, or globs of them.
  package var keys: [String]

  package init(locales: [String] = [], keys: [String] = []) {
    self.locales = locales
    self.keys = keys
  }

  /// Selects by name or, if no table has the name, by the same locale in another notation: `iw` for `he`.
  private func includes(_ table: StringTable, of resources: StringResources) -> Bool {
    locales.isEmpty
      || locales.contains { wanted in
        guard resources.table(wanted) == nil else { return wanted.hasSameBytes(as: table.name) }
        return table.locale != nil && table.locale == LocaleTag(wanted)
      }
  }

  private func includes(key: String) -> Bool {
    keys.isEmpty || keys.contains { $0.hasSameBytes(as: key) || Glob($0).matches(key) }
  }

  /// The tables with their entries, by key; each with all resources of its name.
  func tables(of resources: StringResources) -> [(name: String, entries: [[StringEntry]])] {
    resources.tables.filter { includes($0, of: resources) }.map { table in
      let keys = table.entries.keys.lazy.map(\.text).filter { includes(key: $0) }
      let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return (table.name, sorted.map(table.resources))
    }
  }

  /// The selected locales that the resources do not have.
  package func unknownLocales(in resources: StringResources) -> [String] {
    locales.filter { wanted in
      let locale = LocaleTag(wanted)
      return resources.table(wanted) == nil
        && !resources.tables.contains { locale != nil && $0.locale == locale }
    }
  }
}

extension StringResources {
  /// `{"platform","locales":{L:{KEY:{"kind","text","forms"?,"items"?,"file","line"}}},"problems":[…]}`, and
  /// of a built app also `"version"` and `"package"`. Each entry has a line of its own, so that a comparison
  /// of two snapshots shows the keys that changed.
  package func json(_ selection: StringSelection) -> String {
    var writer = JSONWriter(reserving: 1 << 20)
    writer.appendRaw("{\n  \"platform\": ")
    writer.append(platform.rawValue)
    if let shipped {
      for (name, text) in [("version", shipped.version), ("package", shipped.package)] {
        writer.appendRaw(text: ",\n  \"\(name)\": ")
        writer.append(text.map(JSON.string) ?? .null)
      }
    }
    writer.appendRaw(",\n  \"locales\": ")
    writer.appendLines(of: selection.tables(of: self), indent: 2) { writer, table in
      writer.append(table.name)
      writer.appendRaw(": ")
      writer.appendLines(of: table.entries, indent: 4) { $0.append($1) }
    }
    writer.appendRaw(",\n  \"problems\": ")
    let problems = JSON.array(problems.map(\.json)).prettyPrinted
    writer.appendRaw(text: problems.replacing("\n", with: "\n  "))
    writer.appendRaw("\n}")
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  /// An object with a line for each member.
  fileprivate mutating func appendLines<Member>(
    of members: [Member], indent: Int, _ append: (inout JSONWriter, Member) -> Void
  ) {
    let outer = String(repeating: " ", count: indent)
    appendRaw("{")
    for (index, member) in members.enumerated() {
      appendRaw(text: (index == 0 ? "\n  " : ",\n  ") + outer)
      append(&self, member)
    }
    appendRaw(text: members.isEmpty ? "}" : "\n\(outer)}")
  }

  /// The resources of one name: kind, text and place of the one that a loc key finds, with the forms and
  /// items of all.
  fileprivate mutating func append(_ resources: [StringEntry]) {
    guard let first = resources.first else { return }
    append(first.key)
    appendRaw(": {\"kind\": ")
    append(first.value.kind)
    appendRaw(", \"text\": ")
    append(first.text.map(JSON.string) ?? .null)
    for entry in resources {
      switch entry.value {
      case .string: break
      case .plural(let forms):
        appendRaw(", \"forms\": ")
        append(.object(.init(forms.map { ($0.category, .string($0.text)) })))
      case .array(let items):
        appendRaw(", \"items\": ")
        append(.array(items.map(JSON.string)))
      }
    }
    appendRaw(", \"file\": ")
    append(first.file)
    appendRaw(", \"line\": ")
    append(first.line.map { JSON($0) } ?? .null)
    appendRaw("}")
  }
}

extension StringEntry.Value {
  var kind: String {
    switch self {
    case .string: "string"
    case .plural: "plural"
    case .array: "array"
    }
  }
}

extension ResourceProblem {
  package var json: JSON {
    ["file": .string(file), "line": line.map { JSON($0) } ?? .null, "message": .string(message)]
  }

  /// `res/values-fr/strings.xml:12: …`, as compilers write it.
  package var text: String {
    "\(line.map { "\(file):\($0)" } ?? file): \(message)".printable
  }
}
