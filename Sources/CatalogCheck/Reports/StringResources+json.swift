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
  /// of a built app also `"version"` and `"package"`.
  package func json(_ selection: StringSelection) -> JSON {
    let locales = selection.tables(of: self).map { table -> JSON.Object.Member in
      (table.name, .object(.init(table.entries.compactMap { $0.json })))
    }
    var object = JSON.Object([("platform", .string(platform.rawValue))])
    if let shipped {
      object.members.append(("version", shipped.version.map(JSON.string) ?? .null))
      object.members.append(("package", shipped.package.map(JSON.string) ?? .null))
    }
    object.members.append(("locales", .object(.init(locales))))
    object.members.append(("problems", .array(problems.map(\.json))))
    return .object(object)
  }
}

extension [StringEntry] {
  /// The resources of one name: kind, text and place of the one that a loc key finds, with the forms and
  /// items of all.
  fileprivate var json: JSON.Object.Member? {
    guard let first else { return nil }
    var object = JSON.Object([
      ("kind", .string(first.value.kind)), ("text", first.text.map(JSON.string) ?? .null),
    ])
    for entry in self {
      switch entry.value {
      case .string: break
      case .plural(let forms):
        object.members.append(("forms", .object(.init(forms.map { ($0.category, .string($0.text)) }))))
      case .array(let items): object.members.append(("items", .array(items.map(JSON.string))))
      }
    }
    object.members.append(("file", .string(first.file)))
    object.members.append(("line", first.line.map { JSON($0) } ?? .null))
    return (first.key, .object(object))
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
