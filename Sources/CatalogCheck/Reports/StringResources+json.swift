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

  /// The selected tables.
  func tables(of resources: StringResources) -> [StringTable] {
    resources.tables.filter { includes($0, of: resources) }
  }

  /// The selected entries of a table, by key; each with all resources of its name. What phones find through
  /// a reference is no entry.
  func entries(of table: StringTable) -> [[StringEntry]] {
    let keys = table.entries.keys.lazy.map(\.text).filter { includes(key: $0) }
    let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return sorted.map { table.resources(named: $0).filter { !$0.isInherited } }.filter { !$0.isEmpty }
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
  /// of two snapshots shows the keys that changed. What else checks need to know is in members that only few
  /// entries have.
  ///
  /// `write` gets it in pieces, language by language, because an app has tens of megabytes.
  package func json(_ selection: StringSelection, write: (String) -> Void) {
    var writer = JSONWriter(reserving: 1 << 18)
    writer.appendRaw("{\n  \"platform\": ")
    writer.append(platform.rawValue)
    if let shipped {
      for (name, text) in [("version", shipped.version), ("package", shipped.package)] {
        writer.appendRaw(text: ",\n  \"\(name)\": ")
        writer.append(text.map(JSON.string) ?? .null)
      }
      if let language = shipped.developmentLanguage {
        writer.appendRaw(",\n  \"development_language\": ")
        writer.append(language)
      }
      if shipped.hasObfuscatedNames {
        let renamed = shipped.renamedTexts.sorted {
          $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8)
        }
        writer.appendRaw(",\n  \"renamed\": ")
        writer.append(.object(.init(renamed.map { ($0.key.text, .string($0.value)) })))
      }
    }
    if let sourceLanguage {
      writer.appendRaw(",\n  \"source_language\": ")
      writer.append(sourceLanguage)
    }
    if let appName {
      writer.appendRaw(",\n  \"app_name\": ")
      writer.append(.object(.init(appName.texts.map { ($0.table, .string($0.text)) })))
    }
    writer.appendRaw(",\n  \"locales\": ")
    writer.appendLines(of: selection.tables(of: self), indent: 2) { writer, table in
      writer.append(table.name)
      writer.appendRaw(": ")
      writer.appendLines(of: selection.entries(of: table), indent: 4) { writer, resources in
        let alternatives = resources.first.flatMap { table.alternatives[ExactText($0.key)] } ?? []
        writer.append(resources, alternatives: alternatives, owner: ownerName)
      }
      write(String(decoding: writer.bytes, as: UTF8.self))
      writer.bytes.removeAll(keepingCapacity: true)
    }
    let pluralsOnly = selection.tables(of: self).filter(\.hasPluralsOnly).map { JSON.string($0.name) }
    if !pluralsOnly.isEmpty {
      writer.appendRaw(",\n  \"plurals_only\": ")
      writer.append(.array(pluralsOnly))
    }
    if !otherLocalizations.isEmpty {
      writer.appendRaw(",\n  \"other_localizations\": ")
      writer.append(.array(otherLocalizations.map(JSON.string)))
    }
    appendOutOfReach(to: &writer)
    appendProject(to: &writer)
    writer.appendRaw(",\n  \"problems\": ")
    let problems = JSON.array(problems.map(\.json)).prettyPrinted
    writer.appendRaw(text: problems.replacing("\n", with: "\n  "))
    writer.appendRaw("\n}\n")
    write(String(decoding: writer.bytes, as: UTF8.self))
  }
}

extension StringResources.Elsewhere {
  /// `"module"` or `"bundle"`, and `"reason"`.
  fileprivate func members(on platform: AppPlatform) -> [(String, JSON)] {
    [(platform.ownerName, owner.map(JSON.string) ?? .null), ("reason", .string(reason))]
  }
}

extension AppPlatform {
  /// What an entry's owner is called.
  fileprivate var ownerName: String { self == .android ? "module" : "bundle" }
}

extension StringResources {
  private var ownerName: String { platform.ownerName }

  /// `"out_of_reach":{KEY:{"table","file","line"}}`, if there are such keys.
  private func appendOutOfReach(to writer: inout JSONWriter) {
    guard !outOfReach.isEmpty else { return }
    let keys = outOfReach.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
    writer.appendRaw(",\n  \"out_of_reach\": ")
    writer.appendLines(of: keys, indent: 2) { writer, key in
      writer.append(key.key.text)
      writer.appendRaw(": ")
      var object = JSON.Object([
        ("table", .string(key.value.table)), ("file", .string(key.value.file)),
        ("line", key.value.line.map { JSON($0) } ?? .null),
      ])
      if let place = key.value.place { object.members += place.members(on: platform) }
      writer.append(.object(object))
    }
  }

  /// `"variants":[…]` where there are several, and `"elsewhere":[{"path","module" or "bundle","reason"}]`.
  private func appendProject(to writer: inout JSONWriter) {
    if let variants = project?.variants, !variants.isEmpty {
      writer.appendRaw(",\n  \"variants\": ")
      writer.append(.array(variants.map(JSON.string)))
    }
    guard project != nil || !elsewhere.isEmpty else { return }
    writer.appendRaw(",\n  \"elsewhere\": ")
    writer.append(
      .array(
        elsewhere.map { place in
          .object(.init([("path", .string(place.path))] + place.members(on: platform)))
        }))
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
  fileprivate mutating func append(
    _ resources: [StringEntry], alternatives: [StringEntry], owner: String
  ) {
    guard let first = resources.first else { return }
    append(first.key)
    appendRaw(": ")
    appendMembers(of: resources, alternatives: alternatives, owner: owner)
  }

  private mutating func appendMembers(
    of resources: [StringEntry], alternatives: [StringEntry], owner: String
  ) {
    guard let first = resources.first else { return }
    appendRaw("{\"kind\": ")
    append(first.value.kind)
    appendRaw(", \"text\": ")
    append(first.text.map(JSON.string) ?? .null)
    for entry in resources {
      switch entry.value {
      case .string: break
      case .plural(let forms):
        appendRaw(", \"forms\": ")
        append(JSON(forms))
        let references = forms.compactMap { form in form.reference.map { (form.category, JSON.string($0)) } }
        if !references.isEmpty {
          appendRaw(", \"form_references\": ")
          append(.object(.init(references)))
        }
      case .array(let items):
        appendRaw(", \"items\": ")
        append(.array(items.map(JSON.string)))
      }
    }
    appendDetails(of: first)
    for (index, alternative) in alternatives.enumerated() {
      appendRaw(index == 0 ? ", \"alternatives\": [" : ", ")
      appendMembers(of: [alternative], alternatives: [], owner: owner)
    }
    if !alternatives.isEmpty { appendRaw("]") }
    if let name = first.owner {
      appendRaw(text: ", \"\(owner)\": ")
      append(name)
    }
    if !first.variants.isEmpty {
      appendRaw(", \"variants\": ")
      append(.array(first.variants.map(JSON.string)))
    }
    appendRaw(", \"file\": ")
    append(first.file)
    appendRaw(", \"line\": ")
    append(first.line.map { JSON($0) } ?? .null)
    appendRaw("}")
  }

  /// What only few entries have.
  private mutating func appendDetails(of entry: StringEntry) {
    if entry.isConditional { appendRaw(", \"conditional\": true") }
    if let qualifiers = entry.qualifiers, !qualifiers.isEmpty {
      appendRaw(", \"qualifiers\": ")
      append(qualifiers)
    }
    if !entry.isTranslatable { appendRaw(", \"translatable\": false") }
    if !entry.isFormatted { appendRaw(", \"formatted\": false") }
    if let reference = entry.reference {
      appendRaw(", \"reference\": ")
      append(reference)
    }
    if let absence = entry.absence {
      appendRaw(", \"absence\": ")
      append(absence.rawValue)
    }
    if entry.isUnresolved { appendRaw(", \"unresolved\": true") }
    if let state = entry.state, state != .translated {
      appendRaw(", \"state\": ")
      append(state.rawValue)
    }
    if let format = entry.formatKey {
      appendRaw(", \"format\": ")
      append(format)
    }
    if let plural = entry.pluralFormat {
      appendRaw(", \"plural\": ")
      append(plural.json)
    }
  }
}

extension PluralFormat {
  /// `{"format","arg_sign","variables":[{"name","position","forms"}]}`.
  fileprivate var json: JSON {
    [
      "format": format.map(JSON.string) ?? .null, "arg_sign": .bool(hasArgSign),
      "variables": .array(
        variables.map { variable in
          [
            "name": .string(variable.name), "position": variable.position.map { JSON($0) } ?? .null,
            "forms": JSON(variable.forms),
          ]
        }),
    ]
  }
}

extension JSON {
  fileprivate init(_ forms: [StringEntry.Form]) {
    self = .object(.init(forms.map { ($0.category, .string($0.text)) }))
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
  /// `{"file","line","message","kind","table"?,"key"?}`.
  package var json: JSON {
    var object = JSON.Object([
      ("file", .string(file)), ("line", line.map { JSON($0) } ?? .null), ("message", .string(message)),
      ("kind", .string(kind.rawValue)),
    ])
    if let table { object.members.append(("table", .string(table))) }
    if let key { object.members.append(("key", .string(key))) }
    return .object(object)
  }

  /// `res/values-fr/strings.xml:12: …`, as compilers write it.
  package var text: String {
    "\(line.map { "\(file):\($0)" } ?? file): \(message)".printable
  }
}
